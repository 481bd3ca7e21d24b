"""Reduced gradients keep the laws of the conformance kit, and end where the interior point ends."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_simplemkl import SimpleMKL
from kernelopt_simplemkl._direction import Memory, balanced, downhill, reach
from sklearn.datasets import load_iris

import kernelopt
from kernelopt import Status, priced
from kernelopt._loop import Limits, run
from kernelopt.plugin import InvalidOption, Norm, PenalizedFamily, Refused, Square
from kernelopt.testing import Columns, SolverSuite, Waves, make_problem

TOL = 1e-4
CRITERIA = {
    "svc": kernelopt.SVC(C=2.0),
    "l2-svc": kernelopt.L2SVC(C=1.0),
    "lagrangian-svc": kernelopt.LagrangianSVC(c=0.5),
    "nu-svc": kernelopt.NuSVC(nu=0.4),
    "margin": kernelopt.Margin(C=0.1),
    "svr": kernelopt.SVR(C=1.0, epsilon=0.1),
    "nu-svr": kernelopt.NuSVR(C=1.0, nu=0.4),
    "one-class": kernelopt.OneClass(nu=0.4),
    "alignment": kernelopt.Alignment(),
    "ridge": kernelopt.Ridge(lam=0.02),
}

KERNELS = (("rbf", {"gamma": 0.05}), ("rbf", {"gamma": 0.4}), ("rbf", {"gamma": 3.0}), "linear")


@attrs.frozen(eq=False)
class Costly(kernelopt.Dictionary, PenalizedFamily):
    """A list whose neighbours cost more together."""

    rule: type = Square
    rho: float = 0.5
    sum: float | None = 1.0

    @property
    def total(self):
        return self.sum

    @property
    def penalty(self):
        place = np.arange(len(self.kernels))
        return self.rule(np.exp(-0.3 * np.abs(place[:, None] - place)), self.rho)


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


def rows(task, n=40):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 2))
    if task == "regression":
        return X, np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=n)
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    return X, None if task == "novelty" else y


def meet(ours, theirs):
    """Two certified answers hold one optimum."""
    room = 1e-12 * abs(theirs.upper)
    return ours.lower <= theirs.upper + room and theirs.lower <= ours.upper + room


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_every_criterion_ends_certified_where_the_interior_point_ends(criterion):
    X, y = rows(criterion.task)
    family = [gaussians(0.03, 0.1, 0.3, 1.0, 3.0), "delta"]
    ours, theirs = (
        kernelopt.solve(X, y, family=family, criterion=criterion, solver=one, tol=TOL) for one in ("simplemkl", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


@pytest.mark.parametrize("families", [(gaussians(0.1, 1.0, 10.0),), (Columns(), kernelopt.Delta())], ids=str)
def test_three_classes_share_one_kernel(families):
    from kernelopt_ipm import InteriorPoint

    X, label = load_iris(return_X_y=True)
    X, label = X[::2], label[::2]
    problem = make_problem(families, X, np.where(label[:, None] == np.arange(3), 1.0, -1.0), kernelopt.SVC(C=5.0))
    start = problem.respond(problem.center())
    ours, theirs = (run(problem, one, start, Limits(TOL, None, 100, None)) for one in (SimpleMKL(), InteriorPoint()))
    assert ours.bounds.certificate.relative_gap <= TOL, ours.bounds.certificate
    assert meet(ours.bounds.certificate, theirs.bounds.certificate)


@pytest.mark.parametrize("family", ["tk", Waves(), ["cosine", "gaussian", "delta"]], ids=str)
def test_other_families_come_through_the_exchange(family):
    X, y = rows("classification")
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
    X, y = rows("classification", n=60)
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


def at_a_price(totals):
    for total in totals:
        for rule in (Norm, Square):
            yield f"{rule.__name__}, total {total}", Costly(KERNELS, rule=rule, sum=total)
        yield f"price, total {total}", priced(kernelopt.Dictionary(KERNELS), [0.5, 1.0, 0.2, 2.0], total)
        yield f"tk at a price, total {total}", priced("tk", 0.4, total)
    yield "a union", [priced(kernelopt.Dictionary(KERNELS), 0.3, 1.0), Costly(KERNELS), "delta"]
    yield "nothing", Costly(KERNELS, rho=0.0)


PRICED = dict(at_a_price([1.0, 2.5]))


@pytest.mark.parametrize("name", PRICED)
@pytest.mark.parametrize("criterion", ["svc", "ridge"])
def test_prices_are_part_of_the_value(name, criterion):
    X, y = rows("regression" if criterion == "ridge" else "classification")
    ours, theirs = (
        kernelopt.solve(X, y, family=PRICED[name], criterion=criterion, solver=one, tol=TOL, scale="paper")
        for one in ("simplemkl", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


def test_weights_without_a_total_are_refused_in_one_sentence():
    X, y = rows("classification")
    with pytest.raises(Refused, match="here the weights have no total"):
        kernelopt.solve(X, y, family=Costly(KERNELS, sum=None), solver="simplemkl")


def test_a_norm_beside_others_is_refused_in_one_sentence():
    X, y = rows("classification")
    with pytest.raises(Refused, match="has no gradient where others have all the weight"):
        kernelopt.solve(X, y, family=[Costly(KERNELS, rule=Norm), "delta"], solver="simplemkl")


def test_options_are_checked():
    for options in ({"searches": 0}, {"slope": 0.0}, {"memory": -1}):
        with pytest.raises(InvalidOption, match=next(iter(options))):
            SimpleMKL(**options)
