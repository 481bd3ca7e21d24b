"""The cone program keeps the laws of the conformance kit, and the core certifies what it says."""

from functools import partial

import attrs
import numpy as np
import pytest
from kernelopt_qcqp import QCQP
from sklearn.datasets import load_iris

import kernelopt
from kernelopt import Status, priced
from kernelopt._loop import Limits, run
from kernelopt.plugin import InvalidOption, Leaf, Norm, PenalizedFamily, Penalty, Square
from kernelopt.testing import Affine, Columns, SolverSuite, Waves, make_problem

TOL = 1e-6
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


class TestQCQP(SolverSuite):
    tolerance = TOL

    def solver(self):
        return QCQP()


def gaussians(*gammas):
    return kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in gammas], normalize="variance")


def rows(task, n=40):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 2))
    if task == "regression":
        return X, np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=n)
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    return X, None if task == "novelty" else y


@pytest.mark.parametrize("solver", [QCQP(), QCQP(band=8, add=1)], ids=["all at once", "little at a time"])
@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_every_criterion_ends_certified_where_the_interior_point_ends(criterion, solver):
    X, y = rows(criterion.task)
    family = [gaussians(0.03, 0.1, 0.3, 1.0, 3.0), "delta"]
    ours, theirs = (
        kernelopt.solve(X, y, family=family, criterion=criterion, solver=one, tol=TOL) for one in (solver, "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert ours.certificate.lower <= theirs.certificate.upper + 1e-12 * abs(theirs.certificate.upper)
    assert theirs.certificate.lower <= ours.certificate.upper + 1e-12 * abs(ours.certificate.upper)


def certified(families, X, Y, solver):
    problem = make_problem(families, X, Y, kernelopt.SVC(C=5.0))
    start = problem.respond(problem.center())
    return run(problem, solver, start, Limits(TOL, None, solver.default_steps, None)).bounds.certificate


@pytest.mark.parametrize("solver", [QCQP(), QCQP(band=5)], ids=["all move", "some held"])
@pytest.mark.parametrize("families", [(gaussians(0.1, 1.0, 10.0),), (Columns(), kernelopt.Delta())], ids=str)
def test_three_classes_share_one_kernel(families, solver):
    from kernelopt_ipm import InteriorPoint

    X, label = load_iris(return_X_y=True)
    X, label = X[::2], label[::2]
    Y = np.where(label[:, None] == np.arange(3), 1.0, -1.0)
    ours, theirs = certified(families, X, Y, solver), certified(families, X, Y, InteriorPoint())
    assert ours.relative_gap <= TOL, ours
    assert ours.lower <= theirs.upper * (1.0 + 1e-12)
    assert theirs.lower <= ours.upper * (1.0 + 1e-12)


@pytest.mark.parametrize("family", ["tk", Affine(), Waves(), ["cosine", "gaussian", "delta"]], ids=str)
def test_other_families_come_through_the_exchange(family):
    X, y = rows("classification")
    s = kernelopt.solve(X, y, family=family, solver="qcqp", criterion="svc", tol=1e-4)
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
    played = [int(record.note.split()[0]) for record in s.trace[1:]]
    assert s.status is Status.CONVERGED
    assert played == sorted(played)
    assert played[0] == 2
    assert 2 < played[-1] < 40


def test_a_start_from_its_answer_is_certified_at_once():
    X, y = rows("classification", n=60)
    family = gaussians(*np.geomspace(1e-3, 30.0, 20))
    first = kernelopt.solve(X, y, family=family, solver="qcqp", tol=TOL)
    again = kernelopt.solve(X, y, family=family, solver="qcqp", tol=TOL, start=first)
    assert again.status is Status.CONVERGED
    assert again.steps <= first.steps


def at_a_price(totals):
    for total in totals:
        for rule in (Norm, Square):
            yield f"{rule.__name__}, total {total}", Costly(KERNELS, rule=rule, sum=total)
        yield f"price, total {total}", priced(kernelopt.Dictionary(KERNELS), [0.5, 1.0, 0.2, 2.0], total)
        yield f"tk at a price, total {total}", priced("tk", 0.4, total)
    yield "a union", [priced(kernelopt.Dictionary(KERNELS), 0.3, 1.0), Costly(KERNELS, rule=Norm), "delta"]
    yield "nothing", Costly(KERNELS, rho=0.0)


PRICED = dict(at_a_price([1.0, 2.5, None])) | {
    "a cone of a union": [priced("tk", 0.3), Costly(KERNELS, rule=Norm, sum=None), priced("delta", 0.2)]
}


@pytest.mark.parametrize("name", PRICED)
@pytest.mark.parametrize("criterion", ["svc", "ridge", "three classes"])
def test_prices_are_carried_by_cones(name, criterion):
    """The interior point's bounds and these hold one optimum, found by two formulations of the price."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=40)
    y = {"ridge": signal, "svc": np.where(signal > 0.3, 1, -1)}.get(criterion, np.digitize(signal, [-0.3, 0.8]))
    criterion = {"name": "svc", "C": 3.0} if criterion == "three classes" else criterion
    ours, theirs = (
        kernelopt.solve(X, y, family=PRICED[name], criterion=criterion, solver=one, tol=TOL, scale="paper")
        for one in (QCQP(add=1), "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert ours.certificate.lower <= theirs.certificate.upper + 1e-9 * abs(theirs.certificate.upper)
    assert theirs.certificate.lower <= ours.certificate.upper + 1e-9 * abs(ours.certificate.upper)


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
    family = kernelopt.Dictionary(KERNELS)
    leaves = (Leaf(family, np.arange(2), penalty=Strange()),)
    assert "is no Price, Norm or Square" in QCQP().refuses(leaves, kernelopt.SVC())


def test_options_are_checked():
    for options in ({"backend": "scs"}, {"add": 0}, {"band": 0}):
        with pytest.raises(InvalidOption, match=next(iter(options))):
            QCQP(**options)
