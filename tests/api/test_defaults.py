"""What is taken where the user leaves the criterion open."""

import numpy as np
import pytest
from kernelopt_gpk import GPK
from kernelopt_tk import TK

import kernelopt
from kernelopt._api import _solver_choice
from kernelopt._api._choose import solver_for
from kernelopt._api._criterion_choice import criterion_for, suggested
from kernelopt._base import _memory
from kernelopt.plugin import Leaf


@pytest.mark.parametrize(
    ("y", "name"),
    [
        (["a", "b", "c"], "svc"),
        ([True, False], "svc"),
        ([0.5, 1.5, 0.5], "svc"),
        (list(range(20)), "svc"),
        (list(range(21)), "svr"),
        ([0.1, 0.2, 0.3], "svr"),
        (np.arange(6).reshape(3, 2), "svr"),
        ([0.1, 0.1, 0.1], "svr"),
        ([1.0, 1.0, 1.0], "svc"),
        (None, "one-class"),
    ],
)
def test_y_decides_and_a_note_says_so(y, name):
    criterion, notes = criterion_for(None, y)
    assert criterion.name == name
    assert len(notes) == 1
    assert name in notes[0]


@pytest.mark.parametrize(
    ("y", "told"),
    [
        (np.repeat(np.arange(30), 3), True),
        (np.tile([1.0, 2.0, 4.0], 9), True),
        (np.repeat(np.arange(30), 2), False),
        (np.repeat([0.5, 1.0, 2.0], 9), False),
        (np.repeat(np.arange(20), 3), False),
        (np.repeat(np.arange(60).reshape(30, 2), 3, axis=0), False),
    ],
    ids=["integers", "whole", "of two rows", "fractions", "labels", "two targets"],
)
def test_numbers_that_may_be_names_of_classes_are_told(y, told):
    _, notes = suggested(None, None, y)
    assert any("different whole numbers" in note for note in notes) is told


def test_who_follows_that_note_learns_classes():
    y = np.repeat(np.arange(25), 3)
    (_, note), advice = suggested(None, None, y)[1], {"name": "evidence", "targets": "labels"}
    assert str(advice).replace("'", '"') in note
    X = np.random.default_rng(0).normal(size=(25, 3))[y]
    assert np.array_equal(kernelopt.solve(X, y, criterion=advice).predict(X), y)


def test_a_constant_target_that_is_no_whole_number_is_a_number():
    s = kernelopt.solve(ROWS, np.full(len(ROWS), 0.1))
    assert s.criterion.targets == "numbers"
    assert s.predict(ROWS) == pytest.approx(0.1)


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1e3, 1e89])
def test_regression_is_chosen_in_the_units_of_y(scale):
    y = np.random.default_rng(0).normal(size=50)
    criterion, (note,) = criterion_for(None, scale * y)
    assert pytest.approx(10.0 * scale * y.std()) == criterion.C
    assert criterion.epsilon == pytest.approx(0.1 * scale * y.std())
    assert f"C = {criterion.C:.3g}" in note


def test_other_units_of_y_change_the_predictions_units_only():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=40)
    one = kernelopt.solve(X, y, family="tk", solver="ipm", tol=1e-8)
    other = kernelopt.solve(X, 1000.0 * y, family="tk", solver="ipm", tol=1e-8)
    assert other.predict(X) == pytest.approx(1000.0 * one.predict(X), rel=1e-4, abs=1e-2)


LABELS, NUMBERS = np.repeat(["a", "b", "c"], 8), np.linspace(-1.0, 1.0, 24) ** 3
ROWS = np.random.default_rng(3).normal(size=(24, 2)) + NUMBERS[:, None]


@pytest.mark.parametrize("solver", ["auto", "fw"])
@pytest.mark.parametrize(
    ("estimator", "y"), [(kernelopt.KernelClassifier, LABELS), (kernelopt.KernelRegressor, NUMBERS)]
)
def test_solve_and_the_estimators_have_one_default_whatever_the_solver(estimator, y, solver):
    s, machine = kernelopt.solve(ROWS, y, solver=solver), estimator(solver=solver).fit(ROWS, y)
    assert s.certificate == machine.certificate_
    assert np.array_equal(s.predict(ROWS), machine.predict(ROWS))
    assert s.criterion == machine.solution_.criterion
    assert any("so the evidence was taken" in note for note in s.notes)


@pytest.mark.parametrize(
    ("weights", "meant"), [({"class_weight": "balanced"}, "auto"), ({"sample_weight": np.arange(1.0, 25.0)}, "copies")]
)
def test_weights_keep_the_default_of_solve_and_of_the_estimators(weights, meant):
    sample_weight = weights.get("sample_weight")
    s = kernelopt.solve(ROWS, LABELS, **weights)
    machine = kernelopt.KernelClassifier(class_weight=weights.get("class_weight")).fit(ROWS, LABELS, sample_weight)
    assert s.certificate == machine.certificate_
    assert s.criterion == machine.solution_.criterion == kernelopt.Evidence(targets="labels", weights=meant)


def test_weights_of_nothing_keep_the_default():
    weight = np.where(np.arange(24) % 5 == 0, 0.0, 1.0)
    s = kernelopt.solve(ROWS, NUMBERS, sample_weight=weight)
    assert s.certificate == kernelopt.solve(ROWS[weight > 0.0], NUMBERS[weight > 0.0]).certificate


@pytest.mark.parametrize("family", ["tk", None])
def test_a_name_keeps_the_papers_problem(family):
    criterion = {"name": "svc", "C": 1.0}
    wanted = kernelopt.solve(ROWS, LABELS, family="tk", criterion=criterion)
    s = kernelopt.solve(ROWS, LABELS, family=family, criterion=None if family else criterion)
    assert s.certificate == wanted.certificate
    assert any('tessellated kernels, "tk", were taken' in note for note in s.notes) == (family is None)


def test_certify_has_the_default_of_solve():
    s = kernelopt.solve(ROWS, NUMBERS)
    assert kernelopt.certify(ROWS, NUMBERS, mixture=s.mixture).upper == pytest.approx(s.certificate.upper, rel=1e-9)


def test_constant_numbers_are_no_reason_to_fail():
    criterion, _ = criterion_for(None, np.full((4, 2), 3.0))
    assert criterion.name == "svr"


def chosen(*families, n, outputs=1, tol=1e-3, criterion=None):
    """The solver that auto takes for these families on n rows."""
    rng = np.random.default_rng(2)
    X, ones = rng.normal(size=(n, 3)), np.ones((n, outputs))
    leaves = tuple(Leaf(family.prepare(X, ones[:, 0]), np.arange(3)) for family in families)
    _, (note, *_) = solver_for("auto", leaves, criterion or kernelopt.SVC(), (n, outputs), tol)
    return note.removeprefix("solver: auto took ")


@pytest.mark.parametrize("criterion", [kernelopt.SVC(), kernelopt.SVR()])
def test_auto_takes_working_sets_where_a_loss_holds_most_variables_at_their_bounds(criterion):
    """Of one output; a squared loss leaves most variables between their bounds."""
    few, many = _solver_choice.MOST_WHOLE, _solver_choice.MOST_WHOLE + 1
    assert chosen(TK(), n=few, criterion=criterion) == "ipm"
    assert chosen(TK(), n=many, criterion=criterion) == "working-set"
    assert chosen(TK(), n=many, criterion=kernelopt.L2SVC()) == "ipm"
    assert chosen(TK(), n=many, outputs=3, criterion=criterion) == "apd"
    assert chosen(GPK(), n=many, criterion=criterion) == "ipm"


def test_auto_takes_thin_quadratic_forms_of_any_number_of_rows_to_the_interior_point():
    assert chosen(GPK(), n=_solver_choice.MOST_ROWS + 100) == "ipm"
    assert chosen(GPK(), kernelopt.Delta(), n=_solver_choice.MOST_ROWS + 100) == "ipm"
    assert chosen(GPK(), TK(), n=_solver_choice.MOST_ROWS + 100) == "working-set"
    assert chosen(GPK(), TK(), n=_solver_choice.MOST_ROWS + 100, criterion=kernelopt.Margin(C=1e-3)) == "working-set"
    assert chosen(GPK(), TK(), n=_solver_choice.MOST_ROWS + 100, criterion=kernelopt.Margin()) == "fw"
    assert chosen(GPK(), n=3000, outputs=3) == "apd"


def test_auto_takes_large_matrices_to_frank_wolfe_but_for_quadratic_forms():
    assert chosen(GPK(degree=13), n=50) == "ipm"
    assert chosen(TK(degree=15), n=50) == "fw"
    assert chosen(GPK(degree=19), n=50) == "fw"


def test_auto_takes_lists_of_kernels_to_smo_where_their_grams_fit_twice(monkeypatch):
    listed = kernelopt.Dictionary(["linear", ("rbf", {"gamma": 1.0})])
    assert chosen(listed, n=50) == "smo"
    assert chosen(listed, kernelopt.Delta(), n=50, outputs=3) == "smo"
    assert chosen(listed, TK(), n=50) == "ipm"
    assert chosen(kernelopt.Delta(), n=50) == "ipm"
    monkeypatch.setattr(_memory, "available_bytes", lambda: 8 * 6 * 50 * 50)
    monkeypatch.setattr(_memory, "LITTLE", 0)
    assert chosen(*[kernelopt.Dictionary(["linear"])] * 4, n=50) == "ipm"


def gaussians(kernels):
    """A list of so many kernels, whose sizes are not measured: nothing is chosen by them."""
    return kernelopt.Dictionary(
        [("rbf", {"gamma": float(gamma)}) for gamma in range(1, kernels + 1)], normalize=None, rescale=None
    )


@pytest.mark.parametrize("kernels", [4, 5, 50, 51])
def test_auto_takes_lists_of_some_kernels_to_the_interior_point_where_rows_are_few(kernels):
    listed = gaussians(kernels)
    few, some = _solver_choice.FEW_ROWS, 5 <= kernels <= 50
    assert chosen(listed, n=few) == ("ipm" if some else "smo")
    assert chosen(listed, n=few + 1) == "smo"
    several = _solver_choice.FEW_OF_CLASSES
    assert chosen(listed, n=several, outputs=3) == ("ipm" if some else "smo")
    assert chosen(listed, n=several + 1, outputs=3) == "smo"
    assert chosen(listed, n=several, outputs=3, criterion=kernelopt.SVR()) == "smo"
    assert chosen(listed, n=few, criterion=kernelopt.SVR()) == ("ipm" if some else "smo")
    assert chosen(listed, n=few, criterion=kernelopt.OneClass()) == "smo"


@pytest.mark.parametrize("kernels", [11, 12, 50, 51])
def test_auto_takes_lists_of_many_kernels_for_numbers_to_the_interior_point(kernels, monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 2**40)
    listed = gaussians(kernels)
    expected = "ipm" if 12 <= kernels <= 50 else "smo"
    most, tube = _solver_choice.MOST_WHOLE, kernelopt.SVR()
    assert chosen(listed, n=_solver_choice.FEW_ROWS + 1, criterion=tube) == expected
    assert chosen(listed, n=most, criterion=tube) == expected
    assert chosen(listed, n=most, criterion=kernelopt.NuSVR()) == expected
    assert chosen(listed, n=most + 1, criterion=tube) == "smo"
    assert chosen(listed, n=most, outputs=2, criterion=tube) == "smo"


@pytest.mark.parametrize("kernels", [4, 5, 50, 51])
def test_auto_takes_lists_of_some_kernels_under_ridge_to_the_interior_point(kernels, monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 2**50)
    listed, squares = gaussians(kernels), kernelopt.Ridge()
    most = _solver_choice.MOST_ROWS
    assert chosen(listed, n=most, criterion=squares) == ("ipm" if 5 <= kernels <= 50 else "smo")
    assert chosen(listed, n=most + 1, criterion=squares) == "smo"
    assert chosen(listed, n=most, outputs=2, criterion=squares) == "smo"


def test_auto_tries_frank_wolfe_first_where_the_tolerance_is_loose():
    assert chosen(TK(), n=50, tol=1e-2) == "plain-fw+ipm"
    assert chosen(TK(), n=50, tol=1e-3) == "ipm"
    assert chosen(TK(), kernelopt.Delta(), n=50, tol=1e-2) == "ipm"
    assert chosen(TK(), n=50, outputs=3, tol=1e-2) == "ipm"
    assert chosen(TK(degree=15), n=50, tol=1e-2) == "fw"
