"""The paper's optimality conditions, its continuation, and its linear programs, by their definitions."""

import numpy as np
import pytest
from kernelopt_smo import Continuation, Judged, MoreauYosidaSMO, optimality, regularised
from kernelopt_smo._pooled_kernels import Pool

import kernelopt
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt.plugin import Budget, InvalidOption
from kernelopt.testing import every_criterion, make_problem, meet, small_task

WIDTHS = [("rbf", {"gamma": gamma}) for gamma in (0.05, 0.4, 3.0)]
LISTED = kernelopt.Dictionary([*WIDTHS, "linear"])
CRITERIA = every_criterion()
C = 2.0


def problem_of(family=LISTED, criterion=None, n=40):
    criterion = kernelopt.SVC(C) if criterion is None else criterion
    X, y = small_task(criterion.task, n)
    return make_problem((family,), X, y[:, None], criterion)


def grams_of(problem):
    return Pool.of(problem).images(np.eye(problem.n))


def tilde(found, a):
    """Appendix C: (gamma_j / gamma - 1) / a_j^2 where positive, from eta alone: eta / (1 - a^2 eta)."""
    return found.eta / (1.0 - a**2 * found.eta)


@pytest.mark.parametrize("a", [0.3, 0.05, 0.01])
def test_the_regularised_machine_is_nearly_optimal_as_theorem_1_says(a):
    problem = problem_of()
    grams = grams_of(problem)
    epsilon = 1e-8 * 1.0  # a share of the gradient's size at alpha = 0, which is 1 under svc
    found = regularised(problem, a, 1.0, accuracy=epsilon)
    weights = tilde(found, a)
    assert weights.sum() == pytest.approx(1.0, abs=1e-5)
    reached = optimality(problem, found.alphas, weights / weights.sum())
    largest = np.abs(grams).sum(axis=2).max()
    assert reached.epsilon1 <= problem.n * C * a**2 * (2.0 + a**2)
    assert reached.epsilon2 <= epsilon + C * a**2 * largest + 1e-6


def test_the_conditions_of_one_kernel_are_those_of_the_paper():
    """(OPT 4) with K(eta) = K, written with y, and with the sets I_M, I_0+, I_C- and I_M, I_0-, I_C+."""
    problem = problem_of(kernelopt.Dictionary([WIDTHS[1]]))
    (K,), (qp,) = grams_of(problem), problem.outputs
    rng, y = np.random.default_rng(0), problem.outputs[0].sign
    alpha = problem.points((C * np.round(rng.uniform(size=problem.n), 1),))[0].alpha
    alpha[np.abs(alpha) < 1e-12] = 0.0
    value = K @ (y * alpha) - y
    low = ((alpha > 0) & (alpha < C)) | ((alpha == 0) & (y > 0)) | ((alpha == C) & (y < 0))
    high = ((alpha > 0) & (alpha < C)) | ((alpha == 0) & (y < 0)) | ((alpha == C) & (y > 0))
    wanted = max(0.5 * (value[high].max() - value[low].min()), 0.0)
    assert qp.violation(alpha) < 1e-9
    assert optimality(problem, (alpha,), np.ones(1)).epsilon2 == pytest.approx(wanted)
    assert optimality(problem, (alpha,), np.ones(1)).epsilon1 == 0.0


@pytest.mark.parametrize("name", ["svc", "l2-svc", "lagrangian-svc", "nu-svc", "svr", "nu-svr"])
def test_the_linear_program_finds_the_best_weights_and_nothing_is_left_at_the_optimum(name):
    problem = problem_of(criterion=CRITERIA[name], n=30)
    limits = Limits(1e-8, None, 200, None)
    done = run(problem, MoreauYosidaSMO(), problem.respond(problem.center()), limits)
    alphas = [dual.alpha for dual in done.bounds.response.duals]
    judged, size = Judged.of(problem, alphas), max(float(np.abs(qp.linear).max()) for qp in problem.outputs) or 1.0
    even = judged.optimality(np.full(4, 0.25))
    weights, least = judged.best_weights(1e-3 * even.epsilon1)
    assert least <= 0.01 * even.epsilon2 + 1e-5 * size
    assert weights.sum() == pytest.approx(1.0)
    assert (judged.excess[weights > 0.0] <= 1e-3 * even.epsilon1).all()
    free, _ = judged.best_weights(np.inf)
    rng = np.random.default_rng(1)
    for others in (*rng.dirichlet(np.ones(4), size=8), weights):
        assert judged.optimality(others).epsilon2 >= judged.optimality(free).epsilon2 - 1e-7 * size
    assert judged.best_weights(0.0, np.zeros(0, dtype=int))[1] == np.inf


def test_a_kernel_that_comes_twice_is_left_out():
    family = kernelopt.Dictionary([WIDTHS[1], WIDTHS[1], WIDTHS[0]])
    problem = problem_of(family)
    found = regularised(problem, 0.02, 1.0)
    judged, weights = Judged.of(problem, found.alphas), tilde(found, 0.02)
    weights /= weights.sum()
    assert np.count_nonzero(weights[:2]) == 2
    reached = judged.optimality(weights)
    epsilons = 1.1 * reached.epsilon1 + 1e-9, 1.1 * reached.epsilon2 + 1e-9
    fewer = judged.sparser(weights, *epsilons)
    assert np.count_nonzero(fewer[:2]) < 2
    assert fewer.sum() == pytest.approx(1.0)
    assert judged.optimality(fewer).within(*epsilons)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_continuation_ends_where_the_conditions_hold_and_the_bounds_meet_those_of_smo(sparse):
    X, y = small_task("classification", 60)
    options = {"family": LISTED, "criterion": kernelopt.SVC(C)}
    s = kernelopt.solve(X, y, solver=Continuation(sparse=sparse, epsilon2=0.05), tol=1e-4, **options)
    theirs = kernelopt.solve(X, y, solver=MoreauYosidaSMO(), tol=1e-6, **options)
    notes = [record.note for record in s.trace[1:]]
    assert s.status.converged, s
    assert meet(s.certificate, theirs.certificate)
    assert notes[0].startswith("kappa 1, 4 kernels")
    assert notes[1].startswith("kappa 0.5,")
    assert "(OPT 3) holds" in notes[-1]
    assert "(OPT 3) holds" not in notes[0]


def test_each_kernel_may_have_an_a_and_a_d_of_its_own():
    """(R) with t_j^2 K_j, t_j a_j and t_j d_j is (R) with K_j, a_j and d_j: w_j is divided by t_j."""
    t, a, d = np.array([0.5, 2.0, 1.5]), np.array([0.2, 0.1, 0.3]), np.array([1.0, 0.7, 0.0])
    kernels = [lambda X, Z, g=g: np.exp(-g * ((X[:, None] - Z) ** 2).sum(axis=2)) for g in (0.05, 0.4, 3.0)]
    scaled = [lambda X, Z, k=k, s=s: s * s * k(X, Z) for k, s in zip(kernels, t, strict=True)]
    plain, larger = (problem_of(kernelopt.Dictionary(one, normalize=None)) for one in (kernels, scaled))
    ours, theirs = regularised(plain, a, d), regularised(larger, t * a, t * d)
    assert ours.value == pytest.approx(theirs.value, rel=1e-6)
    assert ours.eta == pytest.approx(t**2 * theirs.eta, rel=1e-3, abs=1e-6)
    grams, y = grams_of(plain), plain.outputs[0].sign
    v = y * ours.alphas[0]
    s = np.sqrt(np.einsum("i,aij,j->a", v, grams, v))
    gammas = np.linspace(0.0, s.sum() / d[:2].min(), 20001)[:, None]
    psi = (0.5 * gammas[:, 0] ** 2 + (np.maximum(s - d * gammas, 0.0) ** 2 / (2.0 * a**2)).sum(axis=1)).min()
    assert ours.value == pytest.approx(ours.alphas[0].sum() - psi, rel=1e-4)


def test_numbers_out_of_range_are_refused():
    problem = problem_of()
    for a, d, message in ((0.0, 1.0, "a: wanted finite"), (0.1, -1.0, "d: wanted"), ([0.1, 0.2], 1.0, r"shape \(2,\)")):
        with pytest.raises(InvalidOption, match=message):
            regularised(problem, a, d)
    with pytest.raises(InvalidOption, match="wanted 4 numbers of at least 0 whose sum is 1"):
        optimality(problem, [dual.alpha for dual in problem.respond(problem.center()).duals], np.ones(4))
    with pytest.raises(InvalidOption, match="mu"):
        Continuation(mu=1.0)


def test_a_step_that_is_cancelled_keeps_what_it_has():
    problem = problem_of()
    solver = Continuation()
    state = solver.init(problem, problem.respond(problem.center()), 0, Budget())
    assert state.kappa == 1.0
    assert solver.step(problem, state, Budget()).kappa == 0.5
