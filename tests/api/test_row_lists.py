"""Criteria on lists of thin kernels whose features are never all held: the same bounds as with all of them at hand."""

import numpy as np
import pytest

import kernelopt
from kernelopt._api import _choose
from kernelopt._base._status import Status
from kernelopt._families.features import _feature_rows, _row_lists

N = 400
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
F = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 - 1.0
NUMBERS = F + 0.2 * RNG.normal(size=N)
LABELS, THREE = NUMBERS > 0.0, np.digitize(NUMBERS, [-0.5, 0.5])
Z = RNG.normal(size=(50, 3))
THIN = kernelopt.Dictionary([("rbf", {"gamma": 0.1}), ("poly", {"degree": 2})])
LIST = kernelopt.each(THIN)
TASKS = {
    "svc": LABELS,
    "l2-svc": LABELS,
    "lagrangian-svc": LABELS,
    "nu-svc": LABELS,
    "svr": NUMBERS,
    "nu-svr": NUMBERS,
    "ridge": NUMBERS,
    "one-class": None,
}
CASES = [*TASKS.items(), ("svc", THREE), ("ridge", np.column_stack([NUMBERS, F]))]
EVERY = pytest.mark.parametrize(("criterion", "y"), CASES, ids=[*TASKS, "three classes", "two targets"])


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(_choose, "MANY", 100)
    monkeypatch.setattr(_row_lists, "MANY", 100)


@pytest.fixture
def in_blocks(monkeypatch):
    """No feature is held, and some rows at a time are gone over."""

    def now():
        monkeypatch.setattr(_feature_rows, "_HELD", 0)
        monkeypatch.setattr(_feature_rows, "_ENTRIES", 67 * 40)

    return now


def bounds(s):
    return s.certificate.lower, s.certificate.upper


@EVERY
def test_bounds_in_blocks_are_those_in_memory(criterion, y, in_blocks, monkeypatch):
    asked = {"family": LIST, "criterion": criterion, "scale": 2.5, "tol": 3e-8}  # rounding may end a run at half of it
    held = kernelopt.solve(X, y, **asked)
    in_blocks()
    blocks = kernelopt.solve(X, y, **asked)
    monkeypatch.setattr(_row_lists, "MANY", N)
    whole = kernelopt.solve(X, y, solver="ipm", **asked)
    assert held.status is Status.CONVERGED
    assert blocks.status is Status.CONVERGED
    assert "solver: auto took ipm" in blocks.notes
    assert bounds(blocks) == pytest.approx(bounds(held), rel=1e-8)
    assert bounds(blocks) == pytest.approx(bounds(whole), rel=2e-6)
    # Answers are as near each other as the root of the gap, 1e-3 of their size.
    assert blocks.decision_function(Z) == pytest.approx(whole.decision_function(Z), abs=1e-2, rel=2e-4)
    assert held.baseline is not None
    assert blocks.baseline is None


def test_a_list_of_features_of_its_own_needs_no_landmarks(in_blocks):
    in_blocks()
    s = kernelopt.solve(X, LABELS, family=kernelopt.sampled("cosine", 30), criterion="svc", tol=1e-4)
    assert s.status is Status.CONVERGED
    assert s.score(X, LABELS) > 0.8
    by_rows = s.kernel(Z, X) @ s.coefficients + s.predictor.intercept
    assert s.decision_function(Z).reshape(50, -1) == pytest.approx(by_rows, abs=1e-9)


def test_a_solution_is_a_start_and_its_kernel_can_be_certified(in_blocks):
    in_blocks()
    s = kernelopt.solve(X, LABELS, family=LIST, criterion="svc", tol=1e-5)
    again = kernelopt.solve(X, LABELS, family=LIST, criterion="svc", tol=1e-5, start=s)
    assert again.status is Status.CONVERGED
    assert bounds(again) == pytest.approx(bounds(s), rel=1e-5)
    certificate = kernelopt.certify(X, LABELS, family=LIST, criterion="svc", mixture=s.mixture)
    assert certificate.within(2e-5, 0.0)


def test_a_limit_ends_it_with_true_bounds(in_blocks):
    in_blocks()
    whole = kernelopt.solve(X, LABELS, family=LIST, criterion="svc", tol=1e-5)
    s = kernelopt.solve(X, LABELS, family=LIST, criterion="svc", tol=1e-9, max_steps=6)
    assert s.status is Status.MAX_STEPS
    assert s.certificate.lower <= whole.certificate.upper
    assert s.certificate.upper >= whole.certificate.lower
