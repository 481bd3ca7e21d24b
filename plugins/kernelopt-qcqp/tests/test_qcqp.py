"""The cone program keeps the laws of the conformance kit, and the core certifies what it says."""

from functools import partial

import attrs
import numpy as np
import pytest
from kernelopt_qcqp import QCQP

import kernelopt
from kernelopt import Status
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt.plugin import InvalidOption, Leaf, Penalty
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

TOL = 1e-6
CRITERIA = every_criterion()
PRICED = every_price("tk")


class TestQCQP(SolverSuite):
    tolerance = TOL

    def solver(self):
        return QCQP()


def gaussians(*gammas):
    return kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in gammas], normalize="variance")


@pytest.mark.parametrize("solver", [QCQP(), QCQP(band=8, add=1)], ids=["all at once", "little at a time"])
@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_every_criterion_ends_certified_where_the_interior_point_ends(criterion, solver):
    X, y = small_task(criterion.task)
    family = [gaussians(0.03, 0.1, 0.3, 1.0, 3.0), "delta"]
    ours, theirs = (
        kernelopt.solve(X, y, family=family, criterion=criterion, solver=one, tol=TOL) for one in (solver, "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


def certified(families, X, Y, solver):
    problem = make_problem(families, X, Y, kernelopt.SVC(C=5.0))
    start = problem.respond(problem.center())
    return run(problem, solver, start, Limits(TOL, None, solver.default_steps, None)).bounds.certificate


@pytest.mark.parametrize("solver", [QCQP(), QCQP(band=5)], ids=["all move", "some held"])
@pytest.mark.parametrize("families", [(gaussians(0.1, 1.0, 10.0),), (Columns(), kernelopt.Delta())], ids=str)
def test_three_classes_share_one_kernel(families, solver):
    from kernelopt_ipm import InteriorPoint

    X, Y = three_classes()
    ours, theirs = certified(families, X, Y, solver), certified(families, X, Y, InteriorPoint())
    assert ours.relative_gap <= TOL, ours
    assert meet(ours, theirs)


@pytest.mark.parametrize("family", ["tk", Affine(), Waves(), ["cosine", "gaussian", "delta"]], ids=str)
def test_other_families_come_through_the_exchange(family):
    X, y = small_task("classification")
    s = kernelopt.solve(X, y, family=family, solver="qcqp", criterion="svc", tol=1e-3)
    assert s.status.converged, s
    assert any("exchange" in note for note in s.notes)


def one_column(k, X, Z):
    """A Gaussian of column k."""
    return np.exp(-((X[:, k, None] - Z[:, k]) ** 2))


def test_atoms_enter_where_they_are_violated_and_the_others_stay_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    y = np.sign(X[:, :6].sum(axis=1) + 0.5 * rng.normal(size=60))
    family = kernelopt.Dictionary([partial(one_column, k) for k in range(40)], normalize="variance")
    s = kernelopt.solve(X, y, family=family, solver=QCQP(add=2), criterion={"name": "svc", "C": 0.3}, tol=TOL)
    played = in_play(s)
    assert s.status is Status.CONVERGED
    assert played == sorted(played)
    assert played[0] == 2
    assert 2 < played[-1] < 40


def in_play(s: kernelopt.Solution) -> list[int]:
    """How many atoms each program had."""
    return [int(record.note.split()[0]) for record in s.trace[1:]]


def test_atoms_without_weight_leave_when_others_enter(monkeypatch):
    X, y = small_task("classification", n=60)

    def solved() -> kernelopt.Solution:
        family = gaussians(*np.geomspace(1e-3, 30.0, 20))
        return kernelopt.solve(X, y, family=family, solver=QCQP(add=2), criterion=kernelopt.SVC(100.0), tol=TOL)

    fewer = solved()
    monkeypatch.setattr("kernelopt_qcqp._qcqp._IDLE", -1.0)
    more = solved()
    assert in_play(fewer) == [2, 3]
    assert in_play(more) == [2, 4]
    assert meet(fewer.certificate, more.certificate, 1e-9)


@pytest.mark.parametrize("seed", [0, 3, 4])
def test_the_same_atoms_do_not_leave_and_enter_for_ever(seed):
    """Columns of two values have kernels that are each other's multiples, and dual variables that are not unique."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, 2, size=(60, 4)).astype(float)
    y = pairs[:, :3].sum(axis=1) + 0.5 * rng.normal(size=60) > 1.5
    X = np.hstack([pairs, pairs + rng.normal(size=(60, 4))])
    s = kernelopt.solve(X, y, family="dictionary", solver=QCQP(add=2), criterion=kernelopt.SVC(1.0), tol=TOL)
    assert s.status is Status.CONVERGED, s


def test_a_start_from_its_answer_is_certified_at_once():
    X, y = small_task("classification", n=60)
    family = gaussians(*np.geomspace(1e-3, 30.0, 20))
    first = kernelopt.solve(X, y, family=family, solver="qcqp", tol=TOL)
    again = kernelopt.solve(X, y, family=family, solver="qcqp", tol=TOL, start=first)
    assert again.status is Status.CONVERGED
    assert again.steps <= first.steps


@pytest.mark.parametrize("name", PRICED)
@pytest.mark.parametrize("criterion", ["svc", "ridge", "three classes"])
def test_prices_are_carried_by_cones(name, criterion):
    """The interior point's bounds and these hold one optimum, found by two formulations of the price."""
    X, y = small_task("classification" if criterion == "svc" else "regression")
    if criterion == "three classes":
        criterion, y = kernelopt.SVC(C=3.0), np.digitize(y, [-0.5, 0.5])
    ours, theirs = (
        kernelopt.solve(X, y, family=PRICED[name], criterion=criterion, solver=one, tol=TOL, scale="paper")
        for one in (QCQP(add=1), "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate, 1e-9)


@attrs.frozen(eq=False)
class Strange(Penalty):
    """Some convex price."""

    def value(self, S):
        return float(np.sum(S**4))

    def gradient(self, S):
        return 4.0 * S**3

    def hessian(self, S):
        return np.diag(12.0 * S**2)


def test_a_price_without_a_cone_is_refused_in_one_sentence():
    family = kernelopt.Dictionary(["linear"])
    leaves = (Leaf(family, np.arange(2), penalty=Strange()),)
    assert "wanted Price, Norm or Square" in QCQP().refuses(leaves, kernelopt.SVC())


def test_options_are_checked():
    for options in ({"backend": "scs"}, {"add": 0}, {"band": 0}):
        with pytest.raises(InvalidOption, match=next(iter(options))):
            QCQP(**options)
