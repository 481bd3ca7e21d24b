"""Reduced gradients keep the laws of the conformance kit, and end where the interior point ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_simplemkl import SimpleMKL
from kernelopt_simplemkl._direction import Memory, balanced, downhill, reach

import kernelopt
from kernelopt import Status
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt.plugin import InvalidOption, Leaf, Price, Refused
from kernelopt.testing import (
    Columns,
    SolverSuite,
    Waves,
    every_criterion,
    every_price,
    make_problem,
    meet,
    small_task,
    three_classes,
)

TOL = 1e-4
CRITERIA = every_criterion()
PRICED = every_price("tk", [1.0, 2.5])
BESIDE = {"a union with a norm", "a norm beside delta"}


class TestSimpleMKL(SolverSuite):
    tolerance = TOL

    def solver(self):
        return SimpleMKL()


class TestPlainGradients(SolverSuite):
    tolerance = 1e-2

    def solver(self):
        return SimpleMKL(memory=0)


def gaussians(*gammas):
    return kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in gammas], normalize="variance")


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_every_criterion_ends_certified_where_the_interior_point_ends(criterion):
    X, y = small_task(criterion.task)
    family = [gaussians(0.03, 0.1, 0.3, 1.0, 3.0), "delta"]
    ours, theirs = (
        kernelopt.solve(X, y, family=family, criterion=criterion, solver=one, tol=TOL) for one in ("simplemkl", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


@pytest.mark.parametrize("families", [(gaussians(0.1, 1.0, 10.0),), (Columns(), kernelopt.Delta())], ids=str)
def test_three_classes_share_one_kernel(families):
    from kernelopt_ipm import InteriorPoint

    problem = make_problem(families, *three_classes(), kernelopt.SVC(C=5.0))
    start = problem.respond(problem.center())
    ours, theirs = (run(problem, one, start, Limits(TOL, None, 100, None)) for one in (SimpleMKL(), InteriorPoint()))
    assert ours.bounds.certificate.relative_gap <= TOL, ours.bounds.certificate
    assert meet(ours.bounds.certificate, theirs.bounds.certificate)


@pytest.mark.parametrize("family", ["tk", Waves(), ["cosine", "gaussian", "delta"]], ids=str)
def test_other_families_come_through_the_exchange(family):
    X, y = small_task("classification")
    s = kernelopt.solve(X, y, family=family, solver="simplemkl", criterion="svc", tol=1e-3)
    assert s.status.converged, s
    assert any("exchange" in note for note in s.notes)


def test_the_memory_pays():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    y = np.sign(X[:, :6].sum(axis=1) + 0.5 * rng.normal(size=60))
    steps = {}
    for memory in (0, 10):
        s = kernelopt.solve(X, y, family=Columns(), solver=SimpleMKL(memory=memory), tol=TOL, max_steps=60)
        steps[memory] = s.steps
        assert s.certificate.lower <= s.certificate.upper
    assert steps[10] < 0.7 * steps[0]


def test_values_never_rise():
    X, y = small_task("classification", n=60)
    family = gaussians(*np.geomspace(1e-2, 30.0, 12))
    seen = []
    solver = SimpleMKL()
    problem = make_problem((family,), X, y[:, None], kernelopt.SVC(C=10.0))
    state = solver.init(problem, problem.respond(problem.center()), 0, kernelopt.plugin.Budget())
    for _ in range(8):
        state = solver.step(problem, state, kernelopt.plugin.Budget())
        seen.append(state.response.upper)
        assert state.w.sum() == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(seen) <= 1e-6 * np.abs(seen[1:])).all()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31), size=st.integers(2, 8), zeros=st.integers(0, 6), steps=st.integers(0, 4))
def test_a_direction_leads_down_and_stays_on_the_simplex(seed, size, zeros, steps):
    rng = np.random.default_rng(seed)
    w = rng.dirichlet(np.ones(size))
    w[: min(zeros, size - 1)] = 0.0
    w /= w.sum()
    slopes = rng.normal(size=size)
    memory = Memory.empty(size)
    for _ in range(steps):
        memory = memory.joined(balanced(rng.normal(size=size), 0), rng.normal(size=size), 3)
    direction = downhill(w, slopes, memory)
    assert direction.sum() == pytest.approx(0.0, abs=1e-9 * np.abs(direction).sum())
    assert (direction[w == 0.0] >= 0.0).all()
    pivot = int(np.argmax(w))
    best = ((w == 0.0) & (slopes >= slopes[pivot])) | (slopes == slopes[pivot])
    if best.all():
        assert not direction.any()
    else:
        assert direction @ slopes < 0.0
        length, wall = reach(w, direction)
        end = w + length * direction
        assert end.min() >= -1e-12
        assert abs(end[wall]) <= 1e-12


@settings(max_examples=50, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31), size=st.integers(3, 7))
def test_the_memory_keeps_the_secant_equation(seed, size):
    """What the last step changed in the reduced gradient is turned back into that step."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    memory = Memory.empty(size)
    for _ in range(size):
        step = balanced(rng.normal(size=size), size - 1)
        memory = memory.joined(step, root @ root.T @ step, 4)
    assert len(memory.steps) == 4 if size >= 4 else len(memory.steps) == 3
    free = np.arange(size) < size - 1
    reduced = (memory.changes[-1] - memory.changes[-1][size - 1])[free]
    turned = memory.turned(reduced, free, size - 1)
    assert turned == pytest.approx(memory.steps[-1][free], rel=1e-6, abs=1e-8 * np.abs(memory.steps[-1]).max())


@pytest.mark.parametrize("name", sorted(PRICED.keys() - BESIDE))
@pytest.mark.parametrize("criterion", ["svc", "ridge"])
def test_prices_are_part_of_the_value(name, criterion):
    X, y = small_task("regression" if criterion == "ridge" else "classification")
    ours, theirs = (
        kernelopt.solve(X, y, family=PRICED[name], criterion=criterion, solver=one, tol=TOL, scale="paper")
        for one in ("simplemkl", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


def test_weights_without_a_total_are_not_moved_by_gradients_alone():
    leaf = Leaf(kernelopt.Delta(), np.arange(1), 1.0, Price(np.ones(1)), None)
    assert SimpleMKL().refuses((leaf,), kernelopt.SVC()).endswith("the weights here can have any sum")


@pytest.mark.parametrize("name", sorted(BESIDE))
def test_a_norm_beside_others_is_refused_in_one_sentence(name):
    X, y = small_task("classification")
    with pytest.raises(Refused, match="has no gradient where other families have all the weight"):
        kernelopt.solve(X, y, family=PRICED[name], solver="simplemkl")


def test_options_are_checked():
    for options in ({"searches": 0}, {"slope": 0.0}, {"memory": -1}):
        with pytest.raises(InvalidOption, match=next(iter(options))):
            SimpleMKL(**options)


def test_kernels_of_few_features_are_mixed_though_their_alphas_are_not_unique():
    """Gradients of single responses end at 2e-4 here: the best kernel has few features, and many alphas."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(24, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=24)
    y = np.where(signal > np.median(signal), 1, -1)
    s = kernelopt.solve(X, y, family="cosine", solver="simplemkl", criterion="svc", tol=TOL, seed=1)
    assert s.status.converged, s
