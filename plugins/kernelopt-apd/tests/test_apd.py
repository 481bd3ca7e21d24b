"""The accelerated primal-dual method keeps the laws of the conformance kit, and ends where others end."""

import attrs
import numpy as np
import pytest
from kernelopt_apd import AcceleratedPrimalDual
from kernelopt_apd._blocks import block_of
from kernelopt_apd._saddle import tensors
from kernelopt_apd._views import view
from sklearn.datasets import load_iris

import kernelopt
from kernelopt import Status, priced
from kernelopt._loop import Limits, run
from kernelopt._registry import resolve
from kernelopt.plugin import Budget, InvalidOption, Mixture, Norm, PenalizedFamily, Square, State
from kernelopt.testing import Affine, Columns, SolverSuite, Waves, make_problem

TOL = 1e-4
CRITERIA = {
    "svc": kernelopt.SVC(C=2.0),
    "l2-svc": kernelopt.L2SVC(C=1.0),
    "lagrangian-svc": kernelopt.LagrangianSVC(c=0.5),
    "nu-svc": kernelopt.NuSVC(nu=0.4),
    "margin": kernelopt.Margin(C=0.1),
    "hulls": kernelopt.Margin(),
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
@pytest.mark.parametrize("family", [gaussians(0.03, 0.1, 0.3, 1.0, 3.0), "tk"], ids=["list", "tk"])
def test_every_criterion_ends_certified_where_the_interior_point_ends(criterion, family):
    X, y = rows(criterion.task)
    ours, theirs = (
        kernelopt.solve(X, y, family=[family, "delta"], criterion=criterion, solver=one, tol=TOL)
        for one in ("apd", "ipm")
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
    ours, theirs = (
        run(problem, one, start, Limits(TOL, None, 100, None)) for one in (AcceleratedPrimalDual(), InteriorPoint())
    )
    assert ours.bounds.certificate.relative_gap <= TOL, ours.bounds.certificate
    assert meet(ours.bounds.certificate, theirs.bounds.certificate)


@pytest.mark.parametrize("family", [Waves(), ["cosine", "gaussian", "delta"]], ids=str)
def test_other_families_come_through_the_exchange(family):
    X, y = rows("classification")
    s = kernelopt.solve(X, y, family=family, solver="apd", criterion="svc", tol=1e-3)
    assert s.status.converged, s
    assert any("exchange" in note for note in s.notes)


def at_a_price():
    for total in (1.0, 2.5, None):
        for rule in (Norm, Square):
            if rule is Square or total is not None:
                yield f"{rule.__name__}, total {total}", Costly(KERNELS, rule=rule, sum=total)
        yield f"price, total {total}", priced(kernelopt.Dictionary(KERNELS), [0.5, 1.0, 0.2, 2.0], total)
        yield f"tk at a price, total {total}", priced("tk", 0.4, total)
    yield "a cone's norm", Costly(KERNELS, rule=Norm, sum=None)
    yield "a union", [priced(kernelopt.Dictionary(KERNELS), 0.3, 1.0), Costly(KERNELS), "delta"]
    yield "a norm in a union", [Costly(KERNELS, rule=Norm), "delta"]
    yield "nothing", Costly(KERNELS, rho=0.0)


PRICED = dict(at_a_price())


@pytest.mark.parametrize("name", PRICED)
@pytest.mark.parametrize("criterion", ["svc", "ridge"])
def test_prices_are_part_of_the_value(name, criterion):
    X, y = rows("regression" if criterion == "ridge" else "classification")
    ours, theirs = (
        kernelopt.solve(X, y, family=PRICED[name], criterion=criterion, solver=one, tol=TOL, scale="paper")
        for one in ("apd", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


def test_bounds_never_become_worse_and_a_state_goes_on_from_the_best():
    X, y = rows("classification", n=60)
    problem = make_problem((gaussians(*np.geomspace(1e-2, 30.0, 12)),), X, y[:, None], kernelopt.SVC(C=10.0))
    solver = AcceleratedPrimalDual(inner=20)
    states = [solver.init(problem, problem.respond(problem.center()), 0, Budget())]
    for _ in range(6):
        states.append(solver.step(problem, states[-1], Budget()))
    assert (np.diff([state.response.upper for state in states]) <= 0.0).all()
    assert (np.diff([state.ceiling.lower for state in states]) >= 0.0).all()


def test_another_solvers_dual_point_is_taken_over():
    """What it proves is not lost, though the answer to its kernel proves less."""
    X, y = rows("classification", n=30)
    problem = make_problem((gaussians(0.01, 0.1, 1.0),), X, y[:, None], kernelopt.SVC(C=5.0))
    start = problem.respond(problem.center())
    best = run(problem, AcceleratedPrimalDual(), start, Limits(TOL, None, 100, None)).bounds.ceiling
    fresh = AcceleratedPrimalDual().rebase(problem, State(7, start, best), start.mixture, Budget())
    assert problem.ceiling(start.duals).lower < best.lower
    assert fresh.ceiling.lower == pytest.approx(best.lower, rel=1e-9)
    assert fresh.step == 0


def test_a_deadline_ends_a_cycle():
    X, y = rows("classification")
    problem = make_problem((gaussians(0.1, 1.0),), X, y[:, None], kernelopt.SVC(C=10.0))
    solver = AcceleratedPrimalDual()
    state = solver.init(problem, problem.respond(problem.center()), 0, Budget())
    assert solver.step(problem, state, Budget(stop=lambda: True)).note == "1 iterations"


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
    X, _ = rows("classification", n=12)
    rng = np.random.default_rng(0)
    problem = make_problem((resolve("family", family),), X, np.sign(rng.normal(size=(12, 2))), kernelopt.SVC(), 0.7)
    columns = rng.normal(size=(2, 12))
    block = block_of(problem.leaves[0], problem.data[0])
    coupled, direct = (view(block, columns, direct=one) for one in (False, True))
    half = rng.normal(size=coupled.D.shape)
    S = half @ half.T
    wanted = problem.gram(Mixture((block.part(S),))).apply(columns.T).T.ravel()
    for one in (coupled, direct):
        assert one.image(S) == pytest.approx(wanted, rel=1e-9, abs=1e-9 * np.abs(wanted).max())
        assert np.vdot(one.D, S) == pytest.approx(wanted @ columns.ravel(), rel=1e-9)


def test_a_tensor_is_known_without_making_it_for_families_that_write_no_coupling():
    X, y = rows("classification", n=12)
    for family, slow in ((Affine(), True), ("tk", False), ({"name": "tk", "basis": "xz", "degree": 2}, True)):
        problem = make_problem((resolve("family", family),), X, y[:, None], kernelopt.SVC())
        assert tensors(problem, y) == (slow,)
