"""The accelerated primal-dual method keeps the laws of the conformance kit, and ends where others end."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from kernelopt_apd import AcceleratedPrimalDual
from kernelopt_apd._iterate import _stepped
from kernelopt_apd._leaf_blocks import block_of
from kernelopt_apd._leaf_gradients import view
from kernelopt_apd._saddle import tensors

import kernelopt
from kernelopt import Status
from kernelopt._plugins._registry import resolve
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt.plugin import Budget, InvalidOption, Mixture, State
from kernelopt.testing import (
    Affine,
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
CRITERIA = every_criterion() | {"hulls": kernelopt.Margin()}
PRICED = every_price("tk")


class TestAcceleratedPrimalDual(SolverSuite):
    tolerance = TOL

    def solver(self):
        return AcceleratedPrimalDual()


class TestShortCycles(SolverSuite):
    tolerance = 1e-2

    def solver(self):
        return AcceleratedPrimalDual(inner=5)


def gaussians(*gammas):
    return kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in gammas], normalize="variance")


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
@pytest.mark.parametrize("family", [gaussians(0.03, 0.1, 0.3, 1.0, 3.0), "tk"], ids=["list", "tk"])
def test_every_criterion_ends_certified_where_the_interior_point_ends(criterion, family):
    X, y = small_task(criterion.task)
    ours, theirs = (
        kernelopt.solve(X, y, family=[family, "delta"], criterion=criterion, solver=one, tol=TOL)
        for one in ("apd", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


@pytest.mark.parametrize("families", [(gaussians(0.1, 1.0, 10.0),), (Columns(), kernelopt.Delta())], ids=str)
def test_three_classes_share_one_kernel(families):
    from kernelopt_ipm import InteriorPoint

    problem = make_problem(families, *three_classes(), kernelopt.SVC(C=5.0))
    start = problem.respond(problem.center())
    ours, theirs = (
        run(problem, one, start, Limits(TOL, None, 100, None)) for one in (AcceleratedPrimalDual(), InteriorPoint())
    )
    assert ours.bounds.certificate.relative_gap <= TOL, ours.bounds.certificate
    assert meet(ours.bounds.certificate, theirs.bounds.certificate)


@pytest.mark.parametrize("family", [Waves(), ["cosine", "gaussian", "delta"]], ids=str)
def test_other_families_come_through_the_exchange(family):
    X, y = small_task("classification")
    s = kernelopt.solve(X, y, family=family, solver="apd", criterion="svc", tol=1e-3)
    assert s.status.converged, s
    assert any("exchange" in note for note in s.notes)


@pytest.mark.parametrize("name", PRICED)
@pytest.mark.parametrize("criterion", ["svc", "ridge"])
def test_prices_are_part_of_the_value(name, criterion):
    X, y = small_task("regression" if criterion == "ridge" else "classification")
    ours, theirs = (
        kernelopt.solve(X, y, family=PRICED[name], criterion=criterion, solver=one, tol=TOL, scale="paper")
        for one in ("apd", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


def strong_or_weak(kind, strength):
    if kind == "priced":
        return [kernelopt.priced("tk", strength), kernelopt.priced("delta", 2.0 * strength)]
    penalty, _, total = kind.partition(" ")
    return {
        "name": "hyperkernel",
        "penalty": penalty,
        "total": None if total == "cone" else 1.0,
        "lambda_q": strength,
    }


@pytest.mark.parametrize(
    ("kind", "strength"),
    [(kind, strength) for kind in ("squared cone", "squared total", "norm total") for strength in (1e2, 1e6)]
    + [("priced", 1e-4)],
)
@pytest.mark.parametrize("criterion", ["one-class", "svc", "ridge"])
def test_no_price_is_too_strong_or_too_weak(kind, strength, criterion):
    """What limits one side's steps must not freeze the other's."""
    if kind == "priced" and criterion == "one-class":
        return  # refused: with no total its value has no end
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    y = {"one-class": None, "svc": np.sign(X[:, 0]), "ridge": X[:, 0]}[criterion]
    ours, theirs = (
        kernelopt.solve(X, y, family=strong_or_weak(kind, strength), criterion=criterion, solver=one, tol=TOL)
        for one in ("apd", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)
    assert len(ours.trace) <= 10, ours.trace


@pytest.mark.parametrize("sizes", [(1e-3, 1.0, 1.0), (1e-4, 1.0, 1e-2)])
def test_a_faint_kernel_at_a_low_price_is_as_good_as_a_loud_one_at_a_high_price(sizes):
    """On a cone the weights have no common unit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + 0.3 * rng.normal(size=40)

    def gaussian(size, width):
        return lambda A, B: size * np.exp(-width * np.square(A[:, None] - B).sum(axis=-1))

    def steps_and_value(sizes):
        kernels = [gaussian(*one) for one in zip(sizes, (1.0, 0.05, 0.3), strict=True)]
        prices = 0.5 * np.array(sizes)
        family = [
            kernelopt.priced(kernelopt.Dictionary(kernels, normalize=None), prices),
            kernelopt.priced("delta", 0.5),
        ]
        answer = kernelopt.solve(
            X, y, family=family, criterion="ridge", solver="apd", tol=1e-5, scale=1.0, max_steps=20
        )
        return len(answer.trace), answer.objective

    (steps, value), (faint_steps, faint_value) = steps_and_value((1.0, 1.0, 1.0)), steps_and_value(sizes)
    assert faint_value == pytest.approx(value, rel=1e-5)
    assert faint_steps <= steps + 1


def test_bounds_never_become_worse_and_a_state_goes_on_from_the_best():
    X, y = small_task("classification", n=60)
    problem = make_problem((gaussians(*np.geomspace(1e-2, 30.0, 12)),), X, y[:, None], kernelopt.SVC(C=10.0))
    solver = AcceleratedPrimalDual(inner=20)
    states = [solver.init(problem, problem.respond(problem.center()), 0, Budget())]
    for _ in range(6):
        states.append(solver.step(problem, states[-1], Budget()))
    assert (np.diff([state.response.upper for state in states]) <= 0.0).all()
    assert (np.diff([state.ceiling.lower for state in states]) >= 0.0).all()


def test_another_solvers_dual_point_is_taken_over():
    """What it proves is not lost, though the answer to its kernel proves less."""
    X, y = small_task("classification", n=30)
    problem = make_problem((gaussians(0.01, 0.1, 1.0),), X, y[:, None], kernelopt.SVC(C=5.0))
    start = problem.respond(problem.center())
    best = run(problem, AcceleratedPrimalDual(), start, Limits(TOL, None, 100, None)).bounds.ceiling
    fresh = AcceleratedPrimalDual().rebase(problem, State(7, start, best), start.mixture, Budget())
    assert problem.ceiling(start.duals).lower < best.lower
    assert fresh.ceiling.lower == pytest.approx(best.lower, rel=1e-9)
    assert fresh.step == 0


def test_a_deadline_ends_a_cycle():
    X, y = small_task("classification")
    problem = make_problem((gaussians(0.1, 1.0),), X, y[:, None], kernelopt.SVC(C=10.0))
    solver = AcceleratedPrimalDual()
    state = solver.init(problem, problem.respond(problem.center()), 0, Budget())
    assert solver.step(problem, state, Budget(stop=lambda: True)).note == "1 iterations"


@pytest.mark.parametrize("lam", [1e90, 1e100])
@pytest.mark.parametrize("family", ["gaussian", gaussians(0.1, 1.0)], ids=["searched", "list"])
def test_where_dual_variables_are_nearly_0_no_step_leaves_the_numbers(family, lam):
    X, y = small_task("regression")
    s = kernelopt.solve(X, y, family=family, criterion=kernelopt.Ridge(lam), solver="apd")
    assert s.status is Status.CONVERGED


@pytest.mark.parametrize(
    ("old", "sigma", "rise"),
    [(1.0, 0.0, 1.0), (1.0, math.inf, 1.0), (1e200, 1e-200, 1.0), (1.0, 1.0, 1e308), (1.0, 1e10, 1e300)],
)
def test_a_step_that_leaves_the_numbers_is_none(old, sigma, rise):
    stand = SimpleNamespace(sigma=old, S=(np.eye(2),), rise=(rise * np.eye(2),), before=(-rise * np.eye(2),))
    assert _stepped(SimpleNamespace(total=1.0), stand, sigma) is None


def test_options_are_checked():
    with pytest.raises(InvalidOption, match="inner"):
        AcceleratedPrimalDual(inner=0)


@pytest.mark.parametrize(
    "family",
    ["tk", {"name": "tk", "basis": "xz"}, {"name": "tk", "basis": "xz", "degree": 2}, "gpk", Affine()],
    ids=["tk", "xz", "degree 2", "gpk", "core"],
)
def test_views_agree(family):
    """A Gram for each kernel, and one coupling for all, say the same."""
    X, _ = small_task("classification", n=12)
    rng = np.random.default_rng(0)
    problem = make_problem((resolve("family", family),), X, np.sign(rng.normal(size=(12, 2))), kernelopt.SVC(), 0.7)
    columns = rng.normal(size=(2, 12))
    block, _ = block_of(problem.leaves[0], problem.data[0], cone=False)
    coupled, direct = (view(block, columns, direct=one) for one in (False, True))
    half = rng.normal(size=coupled.D.shape)
    S = half @ half.T
    wanted = problem.gram(Mixture((block.part(S),))).apply(columns.T).T.ravel()
    for one in (coupled, direct):
        assert one.image(S) == pytest.approx(wanted, rel=1e-9, abs=1e-9 * np.abs(wanted).max())
        assert np.vdot(one.D, S) == pytest.approx(wanted @ columns.ravel(), rel=1e-9)


def test_a_tensor_is_known_without_making_it_for_families_that_write_no_coupling():
    X, y = small_task("classification", n=12)
    for family, slow in ((Affine(), True), ("tk", False), ({"name": "tk", "basis": "xz", "degree": 2}, True)):
        problem = make_problem((resolve("family", family),), X, y[:, None], kernelopt.SVC())
        assert tensors(problem, y) == (slow,)
