"""The semidefinite program keeps the laws of the conformance kit, and says what the interior point says."""

import kernelopt_sdp._sdp
import numpy as np
import pytest
from kernelopt_sdp import SDP
from kernelopt_sdp._pairs import VectorPair
from kernelopt_sdp._path import PathPoint
from sklearn.datasets import load_iris, make_moons

import kernelopt
from kernelopt import Status, priced
from kernelopt.plugin import ExplicitFamily, InvalidOption, MatrixFamily, Refused
from kernelopt.testing import Affine, Columns, SolverSuite, Waves, every_criterion, every_price, meet, small_task

TOL = 1e-6
CRITERIA = every_criterion() | {"margin": kernelopt.Margin(C=0.3)}
LISTED = kernelopt.Dictionary([("rbf", {"gamma": 0.05}), ("rbf", {"gamma": 0.4}), ("rbf", {"gamma": 3.0}), "linear"])
PRICES = every_price("tk")
FAMILIES = {
    "tk": ["tk"],
    "a list and delta": [LISTED, "delta"],
    "tk at a price and delta": [priced("tk", 0.4, 1.0), "delta"],
} | {name: PRICES[name] for name in ("norm, total 1.0", "square, total None")}


class TestSDP(SolverSuite):
    tolerance = TOL

    def solver(self):
        return SDP()


STEPS = 40
"""Of the path at most; some twenty are usual, and twice as many mean that a part of the direction is wrong."""


def one_optimum(X, y, **options):
    """Both solvers' bounds hold one optimum, and the program's are close; returns the program's answer."""
    ours, theirs = (kernelopt.solve(X, y, solver=one, tol=TOL, scale="paper", **options) for one in ("sdp", "ipm"))
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate, 1e-9)
    return ours


def followed(s):
    """Whether the path alone led to an answer, in a usual number of steps."""
    return len(s.trace) <= STEPS and all(record.note.startswith("mu ") for record in s.trace[1:])


@pytest.mark.parametrize("family", ["tk", "a list and delta"])
@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_every_criterion_is_one_program(criterion, family):
    if criterion.name == "alignment" and family == "tk":
        pytest.skip("a singular kernel cannot fit every target")
    X, y = small_task(criterion.task, 16)
    s = one_optimum(X, y, family=FAMILIES[family], criterion=criterion)
    assert followed(s) or criterion.name == "alignment", s.trace  # nothing holds its dual variables


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("criterion", ["svc", "ridge"])
def test_prices_are_part_of_the_program(family, criterion):
    X, y = small_task("regression" if criterion == "ridge" else "classification", 16)
    one_optimum(X, y, family=FAMILIES[family], criterion=criterion)


def test_three_classes_have_three_matrix_inequalities():
    X, y = load_iris(return_X_y=True)
    one_optimum(X[::10], y[::10], family=LISTED, criterion={"name": "svc", "C": 5.0})


def test_other_families_come_through_the_exchange():
    X, y = small_task("classification", 16)
    s = kernelopt.solve(X, y, family=Waves(), solver="sdp", criterion="svc", tol=1e-4)
    assert s.status.converged, s
    assert any("exchange" in note for note in s.notes)


class ThinAffine(ExplicitFamily, Affine):
    """`Affine` with its features: K = Z P Z', Z = [1, X]."""

    def prepare(self, X, weight):
        return ThinAffine(X.shape[1])

    def gram(self, part, data):
        return MatrixFamily.gram(self, part, data)

    def columns(self, atoms, X):
        return np.column_stack([np.ones(len(X)), X]) @ atoms.T, np.arange(len(atoms))


@pytest.mark.parametrize("criterion", ["svc", "ridge", "lagrangian-svc"])
@pytest.mark.parametrize(("others", "order"), [((), 3), ((kernelopt.Delta(),), 3), ((LISTED,), 19)])
def test_features_make_the_inequality_small_and_change_nothing(criterion, others, order):
    X, y = small_task("regression" if criterion == "ridge" else "classification", 16)
    uppers = []
    for family, most in ((Affine(), 60), (ThinAffine(), order)):
        s = kernelopt.solve(X, y, family=[family, *others], criterion=criterion, solver=SDP(most=most), tol=TOL)
        assert s.status is Status.CONVERGED, s
        uppers.append(s.certificate.upper)
    assert uppers[0] == pytest.approx(uppers[1], rel=2 * TOL)


def test_a_list_with_features_takes_many_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = np.sign(X[:, 0] + X[:, 1] + rng.normal(size=300))
    one_optimum(X, y, family=[Columns(), "delta"], criterion="svc")


def test_two_hundred_rows_reach_the_tolerance_of_few():
    X, y = make_moons(200, noise=0.2, random_state=0)
    assert followed(one_optimum(X, y, family=["tk", LISTED], criterion="svc"))


def test_a_working_set_makes_the_programs_of_many_rows_small():
    """A program has a hundred rows at most; the answer is certified on all, and is the interior point's."""
    X, y = make_moons(310, noise=0.2, random_state=0)
    small = {"name": "working-set", "solver": SDP(most=100), "band": 40}
    with pytest.raises(Refused, match="of order 310"):
        kernelopt.solve(X, y, family="tk", criterion="svc", solver=SDP(most=300))
    ours, theirs = (kernelopt.solve(X, y, family="tk", criterion="svc", solver=one, tol=TOL) for one in (small, "ipm"))
    assert ours.status is Status.CONVERGED, ours
    assert not any("clarabel" in record.note or "scs" in record.note for record in ours.trace), ours.trace
    assert meet(ours.certificate, theirs.certificate, 1e-9)


def test_it_says_how_many_rows_are_too_many():
    X, y = small_task("classification", 40)
    with pytest.raises(Refused, match="of order 40 together would take minutes to hours, and the limit is 30"):
        kernelopt.solve(X, y, family="tk", solver=SDP(most=30))
    with pytest.raises(InvalidOption, match="most"):
        SDP(most=1)


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_general_solvers_find_what_the_path_finds(monkeypatch, criterion):
    """Two statements of one program, and two methods: if one were wrong the certificates would not meet."""
    monkeypatch.setattr(kernelopt_sdp._sdp, "followed", lambda _: False)
    X, y = small_task(criterion.task, 16)
    one_optimum(X, y, family=FAMILIES["a list and delta"], criterion=criterion)


@pytest.mark.parametrize("criterion", ["svc", "svr"])
def test_general_solvers_find_the_same_matrix(monkeypatch, criterion):
    monkeypatch.setattr(kernelopt_sdp._sdp, "followed", lambda _: False)
    X, y = small_task("regression" if criterion == "svr" else "classification", 16)
    one_optimum(X, y, family="tk", criterion=criterion)


def test_a_path_that_ends_in_rounding_is_not_the_end_of_the_run(monkeypatch):
    def singular(_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(PathPoint, "next", singular)
    X, y = small_task("classification", 16)
    s = one_optimum(X, y, family="tk", criterion="svc")
    assert [record.note.split()[0] for record in s.trace[1:3]] == ["the", "clarabel:"]


def test_a_dual_variable_on_its_bound_is_singular():
    """Rounding can bring alpha to a bound, where a step would divide by 0."""
    with pytest.raises(np.linalg.LinAlgError):
        VectorPair(np.array([1.0, 0.0]), np.ones(2))
    with pytest.raises(np.linalg.LinAlgError):
        VectorPair(np.ones(2), np.array([1.0, np.nan]))


def test_many_near_equal_atoms_do_not_end_the_evidence():
    """Clarabel fails where too many of them are held at once."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(24, 2))
    y = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=24)
    s = kernelopt.solve(X, y, family="gaussian", solver="sdp", criterion="evidence", seed=1)
    assert s.status is Status.STATIONARY_ESTIMATED, s


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spread", [1.0, 0.1, 0.03])
def test_kernels_that_are_nearly_constant_are_a_program_like_any_other(spread, seed):
    """Balanced dual variables see nothing of one eigenvalue far above all others; no general solver is asked."""
    rng = np.random.default_rng(seed)
    X = spread * rng.normal(size=(15, 2))
    y = np.sign(X[:, 0])
    family = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.01, 0.1, 1.0)])
    ours, theirs = (
        kernelopt.solve(X, y, family=family, criterion={"name": "nu-svc", "nu": 0.1}, solver=one, tol=1e-6)
        for one in ("sdp", "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert followed(ours), ours.trace
    assert meet(ours.certificate, theirs.certificate)
