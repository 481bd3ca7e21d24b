"""Frank-Wolfe solvers keep the laws of the conformance kit, and what their documentation says."""

import re

import numpy as np
import pytest
from kernelopt_fw import FrankWolfe, PlainFrankWolfe
from sklearn.datasets import load_breast_cancer, make_friedman1

import kernelopt
from kernelopt.plugin import Budget, Leaf, Price
from kernelopt.testing import SolverSuite, default_examples, two_classes
from kernelopt.testing._examples import make_problem


class TestFrankWolfe(SolverSuite):
    tolerance = 1e-6

    def solver(self):
        return FrankWolfe()


class TestFrankWolfeWithALittleMemory(SolverSuite):
    def solver(self):
        return FrankWolfe(add=1, memory=2, most=4)


class TestPlainFrankWolfe(SolverSuite):
    tolerance = 3e-2

    def solver(self):
        return PlainFrankWolfe()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: FrankWolfe(add=0), "FrankWolfe: add must be an integer from 1 to 1000, got 0"),
        (lambda: FrankWolfe(memory=2.5), "memory must be an integer"),
        (lambda: FrankWolfe(master_steps=0), "master_steps must be"),
        (lambda: PlainFrankWolfe(searches=0), "searches must be"),
        (lambda: PlainFrankWolfe(slope=0.0), "slope must be"),
    ],
)
def test_options_are_checked(build, message):
    with pytest.raises(kernelopt.InvalidOption, match=message):
        build()


@pytest.mark.parametrize("example", default_examples(), ids=lambda example: example.name)
def test_the_plain_variant_never_beats_the_corrective_one(example):
    """Both bounds are true, so the corrective one's interval lies inside any other up to its own width."""
    from kernelopt._saddle._bounds import Limits
    from kernelopt._saddle._loop import run

    start = example.problem.respond(example.problem.center())
    sharp, plain = (
        run(example.problem, solver, start, Limits(1e-7, None, 40, None)).bounds.certificate
        for solver in (FrankWolfe(), PlainFrankWolfe())
    )
    assert plain.lower <= sharp.upper
    assert sharp.lower <= plain.upper
    assert sharp.gap <= max(plain.gap, 1e-7 * abs(sharp.upper))


def test_a_step_has_no_duplicate_atoms():
    rng = np.random.default_rng(3)
    X, y = two_classes(rng, 30, 2)
    family = kernelopt.Dictionary([("rbf", {"gamma": g}) for g in (0.1, 1.0, 10.0)], normalize="trace")
    s = kernelopt.solve(X, y[:, 0], family=family, solver="plain-fw", max_steps=20, tol=1e-9)
    assert len(s.mixture.parts[0]) <= 3


@pytest.mark.parametrize("total", [1.0, 2.5])
def test_plain_steps_know_prices(total):
    rng = np.random.default_rng(3)
    X, y = two_classes(rng, 30, 2)
    listed = kernelopt.Dictionary([("rbf", {"gamma": g}) for g in (0.1, 1.0, 10.0)], normalize="trace")
    for family in (kernelopt.priced(listed, [0.5, 1.0, 0.1], total), kernelopt.priced("tk", 0.3, total)):
        plain, sharp = (
            kernelopt.solve(X, y[:, 0], family=family, solver=solver, tol=1e-2, max_steps=60)
            for solver in ("plain-fw", "fw")
        )
        assert plain.certificate.relative_gap <= 0.1
        assert sharp.certificate.lower <= plain.certificate.upper
        assert plain.certificate.lower <= sharp.certificate.upper


def test_plain_alone_refuses_a_cone_in_one_sentence():
    leaf = Leaf(kernelopt.Delta(), np.arange(1), 1.0, Price(np.ones(1)), None)
    reason = PlainFrankWolfe().refuses((leaf,), kernelopt.SVC())
    assert reason.endswith("the weights here can have any sum")


def test_a_double_top_eigenvalue_does_not_stall_the_default():
    """Two mirrored features: the optimum spreads over both, and the oracle's best atom is never unique."""
    rng = np.random.default_rng(5)
    half = rng.random((20, 2))
    X = np.vstack([half, half[:, ::-1]])
    y = np.sign(np.sin(7 * X[:, 0]) + np.sin(7 * X[:, 1]) - 0.6 + 1e-9)
    options = {"family": {"name": "tk", "margin": 0.0}, "criterion": {"name": "svc", "C": 100.0}, "tol": 1e-6}
    s = kernelopt.solve(X, y, solver="fw", **options)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.relative_gap <= 1e-6


def test_a_start_from_a_sample_and_held_variables_lead_to_the_same_optimum(monkeypatch):
    """Few samples and a narrow band: the bounds are true of all rows, and as close as without either."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    y = np.argmax(X + 0.3 * rng.normal(size=X.shape), axis=1)
    options = {"family": "tk", "criterion": {"name": "svc", "C": 1.0}, "tol": 1e-5}
    whole = kernelopt.solve(X, y, solver=FrankWolfe(band=240), **options)
    monkeypatch.setattr("kernelopt_fw._fully_corrective._MANY", 0)
    s = kernelopt.solve(X, y, solver=FrankWolfe(rough=60, band=20), **options)
    assert s.trace[0].note == "from 60 samples"
    assert whole.trace[0].note == ""
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.upper == pytest.approx(whole.certificate.upper, rel=2e-5)
    assert s.certificate.lower <= whole.certificate.upper
    assert whole.certificate.lower <= s.certificate.upper
    assert len(s.support_counts) == 3


def test_a_sample_that_cannot_meet_an_equality_is_left(monkeypatch):
    rng = np.random.default_rng(1)
    X, y = two_classes(rng, 60, 2)
    share = 2.0 * min((y > 0).mean(), (y < 0).mean())
    monkeypatch.setattr("kernelopt_fw._fully_corrective._MANY", 0)
    criterion = {"name": "nu-svc", "nu": float(share)}
    s = kernelopt.solve(X, y[:, 0], family="tk", solver=FrankWolfe(rough=11), criterion=criterion)
    assert s.status is kernelopt.Status.CONVERGED


@pytest.mark.parametrize("tol", [1e-2, 1e-5])
def test_a_plain_step_is_found_wherever_the_slope_falls(tol):
    """The line's minimum lies near its start: chords creep towards it, and a step gains less than rough answers."""
    rows = load_breast_cancer()
    X, y = rows.data[:150], rows.target[:150]
    s = kernelopt.solve(X, y, family="tk", solver="plain-fw", tol=tol, max_steps=60)
    assert s.status is not kernelopt.Status.STALLED


def test_a_clear_start_moves_few_variables_in_its_first_master():
    X, y = make_friedman1(700, noise=1.0, random_state=0)
    listed = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.4, 0.5, 0.6)]).prepare(X, np.ones(700))
    problem = make_problem((listed,), X, ((y - y.mean()) / y.std())[:, None], kernelopt.SVR(C=1.0, epsilon=0.1))
    solver = FrankWolfe()
    start = problem.respond(problem.center())
    state = solver.init(problem, start, 0, Budget())
    assert state.gap < 0.1
    moving = int(state.held.problem.outputs[0].movable.sum())
    assert moving < 700
    assert solver.step(problem, state, Budget()).gap < 0.3 * state.gap


def _cosine_masters(seed):
    """A run of the cosine family, and how many steps its masters took."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 2))
    y = np.where(np.sin(2.0 * X[:, 0]) + X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=24) > 0.0, 1, -1)
    s = kernelopt.solve(X, y, family="cosine", criterion={"name": "svc", "C": 30.0}, solver="fw", tol=1e-2)
    return s, sum(int(steps) for record in s.trace for steps in re.findall(r"master: (\d+) steps", record.note))


def test_masters_of_weights_begin_near_the_best_dual_point_which_spares_steps(monkeypatch):
    near = [_cosine_masters(seed) for seed in range(3)]
    monkeypatch.setattr("kernelopt.interior.Saddle.listed", False)
    far = [_cosine_masters(seed) for seed in range(3)]
    assert all(s.certificate.relative_gap <= 1e-2 for s, _ in (*near, *far))
    assert sum(steps for _, steps in near) < 0.95 * sum(steps for _, steps in far)


def test_a_master_that_is_stuck_near_the_best_dual_point_begins_in_the_middle(monkeypatch):
    from kernelopt_fw import _master

    begun = []

    def stuck_near(saddle, point, *arguments):
        near = len(arguments) > 4  # with the image of the start
        begun.append(near)
        found = climbed(saddle, point, *arguments)
        return (*found[:2], "a wall") if near else found

    climbed = _master.climbed
    monkeypatch.setattr(_master, "climbed", stuck_near)
    s, _ = _cosine_masters(1)
    assert s.certificate.relative_gap <= 1e-2
    assert any(begun)
    assert begun.count(False) == s.steps
    assert not any("a wall" in record.note for record in s.trace)
