"""Planes lie under the value and touch it; where gradients lead no lower they lead on, and prove it."""

import attrs
import numpy as np
import pytest
from kernelopt_simplemkl import SimpleMKL
from kernelopt_simplemkl._cutting_planes import Plane, alphas_of, blended, lowest
from kernelopt_simplemkl._plane_descent import planed
from kernelopt_simplemkl._weights import mixture_of

import kernelopt
from kernelopt.plugin import Budget
from kernelopt.testing import Columns, every_criterion, every_price, make_problem, small_task, three_classes

CRITERIA = every_criterion()
FREE = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.03, 0.3, 3.0)], normalize="variance")
LISTS = {
    "free": [FREE, kernelopt.Delta()],
    **{name: every_price("tk")[name] for name in ("norm, total 2.5", "square, total 2.5")},
    "a square beside others": [*every_price("tk")["square, total 1.0"], kernelopt.Delta(), FREE],
}


def made(members, criterion):
    X, y = small_task(criterion.task)
    Y = np.zeros((len(X), 1)) if y is None else y[:, None]
    return make_problem(tuple(members), X, Y, criterion)


def places(problem, seed, count=3):
    """Weights (M,): the middle of the simplex, and some drawn in it."""
    size = sum(len(leaf.family.dictionary()) for leaf in problem.leaves)
    drawn = np.random.default_rng(seed).dirichlet(np.ones(size), size=count)
    return [problem.total * w for w in (np.full(size, 1.0 / size), *drawn)]


def answered(problem, w):
    return problem.respond(mixture_of(problem, w))


def plane_at(problem, w):
    return Plane.under(problem, w, answered(problem, w).duals)


def assert_planes_support(problem):
    uppers = [(other, answered(problem, other).upper) for other in places(problem, 1)]
    for w in places(problem, 0):
        response = answered(problem, w)
        plane = Plane.under(problem, w, response.duals)
        size = abs(response.upper)
        assert response.upper - 1e-5 * size <= plane.at(w) <= response.upper + 1e-9 * size
        assert all(plane.at(other) <= upper + 1e-9 * abs(upper) for other, upper in uppers)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("criterion", ["svc", "nu-svr", "ridge"])
def test_planes_touch_the_value_and_lie_under_it(name, criterion):
    assert_planes_support(made(LISTS[name], CRITERIA[criterion]))


def test_planes_of_several_outputs_touch_the_value_and_lie_under_it():
    assert_planes_support(make_problem((FREE,), *three_classes(), kernelopt.SVC(C=5.0)))


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_the_lowest_point_of_the_planes_is_proved_by_their_mixture(criterion):
    problem = made([FREE], criterion)
    planes = [plane_at(problem, w) for w in places(problem, 2)]
    w, shares = lowest(planes, 1.0)
    height = max(plane.at(w) for plane in planes)
    assert w.sum() == pytest.approx(1.0)
    assert shares.sum() == pytest.approx(1.0)
    assert min(w.min(), shares.min()) >= 0.0
    for other in places(problem, 3, 200):
        assert max(plane.at(other) for plane in planes) >= height - 1e-9 * abs(height)
    ceiling = problem.ceiling(problem.points(blended(planes, shares)))
    assert ceiling.lower >= height - 1e-7 * max(abs(plane.base) for plane in planes)


def kinked(seed, criterion):
    """60 kernels of two features each, many of whose mixtures have more than one best alpha."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=24)
    y = None if criterion == "one-class" else np.where(signal > np.median(signal), 1, -1)
    return X, y


@pytest.mark.parametrize(
    ("family", "criterion", "seed"), [("cosine", "nu-svc", 0), ("cosine", "svc", 0), ("gpk", "one-class", 2)]
)
def test_kinks_do_not_hold_the_descent(family, criterion, seed):
    """Mixtures of the last dual points alone end STALLED at 2e-3, 2e-4 and 1e-4 here."""
    X, y = kinked(seed, criterion)
    kernels = kernelopt.sampled(family, 60)
    s = kernelopt.solve(X, y, family=kernels, solver="simplemkl", criterion=criterion, tol=1e-6, seed=1)
    assert s.status is kernelopt.Status.CONVERGED, s.certificate


@pytest.mark.parametrize("criterion", ["svc", "l2-svc", "svr", "nu-svr"])
def test_steps_on_planes_never_worsen_a_bound_and_close_the_gap(criterion):
    """With kernels of one feature: not every answer on the way lowers the value."""
    problem = attrs.evolve(made([Columns()], CRITERIA[criterion]), accuracy=1e-10)
    state = first = SimpleMKL().init(problem, problem.respond(problem.center()), 0, Budget())
    fell = []
    for _ in range(6):
        after = planed(problem, state, Budget())
        assert after is not None
        assert after.ceiling.lower >= state.ceiling.lower
        assert after.response.upper <= state.response.upper
        assert answered(problem, after.w).upper == pytest.approx(after.response.upper, rel=1e-5)
        fell.append(after.response.upper < state.response.upper)
        state = after
    gaps = [one.response.upper - one.ceiling.lower for one in (first, state)]
    assert gaps[1] < 0.1 * gaps[0]
    assert any(fell)
    assert not all(fell)


def test_another_list_starts_with_the_dual_points_of_the_one_before():
    problem = made([FREE, kernelopt.Delta()], CRITERIA["svc"])
    solver, budget = SimpleMKL(), Budget()
    state = solver.init(problem, problem.respond(problem.center()), 0, budget)
    for _ in range(2):
        state = planed(problem, state, budget)
    fresh = solver.rebase(problem, state, state.response.mixture, budget)
    known = [plane.alphas[0].tobytes() for plane in state.planes]
    assert {alphas[0].tobytes() for alphas in fresh.points} == {*known, alphas_of(fresh.response)[0].tobytes()}
    assert alphas_of(fresh.response)[0] is fresh.points[-1][0]
    other = attrs.evolve(state, planes=state.planes * 20)
    assert alphas_of(fresh.response)[0] is fresh.succeeding(other).points[-1][0]
