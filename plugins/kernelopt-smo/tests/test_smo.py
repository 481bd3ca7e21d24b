"""SMO keeps the laws of the conformance kit, and certifies what other solvers certify, whatever is asked of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_smo import MoreauYosidaSMO, regularised
from kernelopt_smo._pooled_kernels import Pool

import kernelopt
from kernelopt import Status
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt._solvers._adapters import serving
from kernelopt.plugin import Budget, Dense, NotEnoughMemory, Problem
from kernelopt.testing import (
    Affine,
    Capacity,
    Columns,
    SolverSuite,
    Waves,
    every_criterion,
    make_problem,
    meet,
    small_task,
    three_classes,
)

CRITERIA = every_criterion()
LISTED = kernelopt.Dictionary(
    [*(("rbf", {"gamma": g}) for g in (0.1, 0.5, 2.0, 8.0)), "linear", ("poly", {"degree": 2})], normalize="trace"
)
FAMILIES = {
    "list": LISTED,
    "list and delta": [LISTED, "delta"],
    "tk": "tk",
    "tk and delta": ["tk", "delta"],
    "cosine and delta": [{"name": "cosine", "beta": 0.1}, "delta"],
    "gaussian and delta": ["gaussian", "delta"],
}
COSTLY = "cosine and delta"
"""A search by branch and bound: some criteria are enough, `make test-matrix` has all of them."""
CELLS = [(name, family) for name in CRITERIA for family in FAMILIES if family != COSTLY or name in ("svc", "ridge")]
TOL = 1e-6
UNFORMED = Problem.unformed


class TestMoreauYosidaSMO(SolverSuite):
    tolerance = 1e-7

    def solver(self):
        return MoreauYosidaSMO()


@pytest.mark.parametrize(("name", "family"), CELLS)
def test_two_solvers_certify_one_optimum(name, family):
    criterion = CRITERIA[name]
    X, y = small_task(criterion.task)
    ours, theirs = (
        kernelopt.solve(X, y, family=FAMILIES[family], criterion=criterion, solver=solver, tol=tol)
        for solver, tol in (("smo", TOL), ("fw", 1e-4))
    )
    assert ours.status is Status.CONVERGED, ours
    assert ours.certificate.relative_gap <= TOL
    assert meet(ours.certificate, theirs.certificate)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(4, 40),
    log_c=st.floats(-3, 6),
    kind=st.sampled_from(["separable", "noise", "duplicates"]),
    same=st.booleans(),
)
def test_small_problems_end_certified(seed, n, log_c, kind, same):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sign(X[:, 0] + 1e-9) if kind == "separable" else rng.choice([-1.0, 1.0], size=n)
    if kind == "duplicates":
        X = X[rng.integers(0, max(n // 3, 2), size=n)]
    if (X[0] == X).all():
        return
    y[0], y[-1] = 1.0, -1.0
    gammas = (1.0, 1.0, 1.0) if same else (0.1, 1.0, 10.0)
    cubic = ("poly", {"degree": 3, "coef0": 1.0})
    family = kernelopt.Dictionary([*(("rbf", {"gamma": g}) for g in gammas), cubic], normalize="trace")
    s = kernelopt.solve(X, y, family=family, solver="smo", criterion={"name": "svc", "C": 10.0**log_c}, tol=TOL)
    assert s.status in (Status.CONVERGED, Status.STALLED)
    assert s.certificate.lower <= s.certificate.upper + 1e-9 * abs(s.certificate.upper)
    assert s.certificate.relative_gap <= 1e-5


def several(families, columns, C=5.0):
    X, Y = three_classes(3)
    return make_problem(families, X, Y[:, columns], kernelopt.SVC(C))


def certified(problem, solver=None):
    solver = MoreauYosidaSMO() if solver is None else solver
    solver = serving(solver, problem.leaves, problem.criterion)
    start = problem.respond(problem.center())
    return run(problem, solver, start, Limits(TOL, None, solver.default_steps, None)).bounds


@pytest.mark.parametrize("families", [(LISTED,), (Columns(), kernelopt.Delta()), (Affine(),)], ids=str)
def test_several_outputs_share_one_kernel(families):
    shared = certified(several(families, [0, 1, 2])).certificate
    assert shared.relative_gap <= TOL
    own = [certified(several(families, [c])).certificate for c in range(3)]
    assert shared.upper >= sum(one.lower for one in own) - 1e-9 * shared.upper
    twice, once = certified(several(families, [1, 1])).certificate, own[1]
    assert twice.upper == pytest.approx(2.0 * once.upper, rel=1e-5)
    assert twice.lower == pytest.approx(2.0 * once.lower, rel=1e-5)


@pytest.mark.parametrize(
    "solver",
    [
        MoreauYosidaSMO(kappa=1.0),
        MoreauYosidaSMO(kappa=1e-3),
        MoreauYosidaSMO(share=0.9, stages=1),
        MoreauYosidaSMO(band=1),
    ],
    ids=repr,
)
def test_options_change_the_way_and_not_the_answer(solver):
    X, y = small_task("classification", 120)
    problem = make_problem((LISTED,), X, y[:, None], kernelopt.SVC(1.0))
    assert certified(problem, solver).certificate.relative_gap <= TOL


def test_few_rows_are_in_play():
    X, y = small_task("classification", 400)
    problem = make_problem((LISTED,), X, y[:, None], kernelopt.SVC(0.1))
    solver = MoreauYosidaSMO(band=20)
    start = problem.respond(problem.center())
    done = run(problem, solver, start, Limits(TOL, None, solver.default_steps, None))
    assert done.bounds.certificate.relative_gap <= TOL
    assert "400 rows" not in " ".join(record.note for record in done.trace[1:])


def test_a_smaller_smoothing_is_nearer_to_the_problem_itself():
    """(1 + a^2) times the smoothed maximum is at least the maximum: the value lies in between."""
    X, y = small_task("classification")
    problem = make_problem((LISTED,), X, y[:, None], kernelopt.SVC(2.0))
    itself = certified(problem).certificate
    values = [regularised(problem, a, 1.0).value for a in (1.0, 0.3, 0.1, 0.03)]
    assert np.all(np.diff(values) < 0.0)
    assert values[-1] >= itself.lower
    assert values[-1] <= itself.upper * (1.0 + 2.0 * 0.03**2)


@pytest.mark.parametrize(("weight", "status"), [(1e9, Status.CONVERGED), (1e10, Status.STALLED)])
def test_steps_that_are_lost_in_the_rounding_of_a_variable_end_the_run(weight, status):
    """Variables of some 1e15 beside others of 1e6: the pair of the steepest ascent cannot move, however often asked."""
    X, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([-0.0577, -2.344])
    s = kernelopt.solve(
        X,
        y,
        family="gaussians",
        criterion={"name": "nu-svr", "C": 1e6},
        sample_weight=[weight, 1.0],
        solver="smo",
        max_seconds=20.0,
    )
    assert s.status is status
    assert s.certificate.lower <= (y[0] - y[1]) ** 2 / 4.0 * (1.0 + 1e-9)  # of two rows that are at no kernel alike


def test_what_cannot_be_done_is_refused_in_a_sentence():
    for family, reason in ((Capacity(), "has prices of its kernels"), (Waves(), "is no finite list of kernels")):
        problem = make_problem((family,), *two_columns(), kernelopt.SVC(1.0))
        assert reason in MoreauYosidaSMO().refuses(problem.leaves, problem.criterion)


def two_columns():
    X, y = small_task("classification")
    return X, y[:, None]


def test_grams_that_do_not_fit_are_refused_before_the_work(monkeypatch):
    monkeypatch.setattr("kernelopt._base._memory.available_bytes", lambda: 8 * 40 * 40 * 5)
    monkeypatch.setattr("kernelopt._base._memory.LITTLE", 0)
    problem = make_problem((LISTED,), *two_columns(), kernelopt.SVC(1.0))
    with pytest.raises(NotEnoughMemory, match="6 kernels on 40 rows"):
        MoreauYosidaSMO().init(problem, problem.respond(problem.center()), 0, Budget())


def test_grams_that_do_not_fit_later_end_the_run_with_its_bounds(monkeypatch):
    problem = make_problem((LISTED,), *two_columns(), kernelopt.SVC(1.0))
    solver = MoreauYosidaSMO()
    state = solver.init(problem, problem.respond(problem.center()), 0, Budget())
    monkeypatch.setattr("kernelopt._base._memory.available_bytes", lambda: 100)
    monkeypatch.setattr("kernelopt._base._memory.LITTLE", 0)
    after = solver.step(problem, state, Budget())
    assert after.stalled
    assert "MiB" in after.note
    assert after.response is state.response


@pytest.mark.parametrize("name", ["svc", "svr", "nu-svc", "nu-svr"])
def test_where_no_gram_is_formed_the_optimum_is_the_same(monkeypatch, name):
    criterion = CRITERIA[name]
    X, y = small_task(criterion.task, 300)
    problem = make_problem((LISTED,), X, y[:, None], criterion)
    formed = certified(problem).certificate
    start = problem.respond(problem.center())
    sums = []
    monkeypatch.setattr(Problem, "unformed", lambda self, mixture: sums.append(1) or UNFORMED(self, mixture))
    solver = MoreauYosidaSMO(band=20)
    done = run(problem, solver, start, Limits(TOL, None, solver.default_steps, None)).bounds.certificate
    assert sums
    assert done.relative_gap <= TOL
    assert meet(done, formed, 1e-9)


def test_what_a_state_knows_of_every_kernel_is_true_after_any_number_of_steps(monkeypatch):
    """Images follow the rows that changed; they are those of the whole, and no family is asked for values."""
    X, y = small_task("classification", 400)
    problem = make_problem((LISTED, kernelopt.Delta()), X, y[:, None], kernelopt.SVC(0.1))
    solver, pool = MoreauYosidaSMO(band=20, stages=1), Pool.of(problem)
    state = solver.init(problem, problem.respond(problem.center()), 0, Budget())
    changed = []
    apply = Dense.apply
    monkeypatch.setattr(Dense, "apply", lambda self, V: changed.append(np.count_nonzero(V)) or apply(self, V))
    for _ in range(4):
        state = solver.step(problem, state, Budget())
        V = np.column_stack([qp.embed(alpha) for qp, alpha in zip(problem.outputs, state.alphas, strict=True)])
        images = pool.images(V)
        np.testing.assert_allclose(state.images, images, atol=1e-11 * np.abs(images).max())
        forms = [leaf.values(data, V) for leaf, data in zip(problem.leaves, problem.data, strict=True)]
        np.testing.assert_allclose(state.values, np.concatenate(forms), rtol=1e-9)
    assert min(changed) < np.count_nonzero(V) / 2
