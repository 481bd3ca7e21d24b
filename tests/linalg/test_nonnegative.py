"""The least value of a quadratic over numbers that are not negative, few of many at a time."""

import numpy as np
import pytest

from kernelopt._linalg import _nonnegative
from kernelopt._linalg._nonnegative import nonnegative


def quadratic(m, rank, seed=0):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(m, rank)) * 10.0 ** rng.uniform(-3, 3, size=(m, 1))
    A = F @ F.T
    A += np.diag(1e-6 * np.diagonal(A))
    prices = np.abs(F).max(axis=1) * rng.uniform(0.0, 1.0, size=m)
    return A, 3.0 * F @ rng.normal(size=rank) - prices


@pytest.mark.parametrize(("m", "rank"), [(40, 60), (400, 20), (400, 500)])
def test_no_number_could_be_larger_or_smaller(m, rank):
    """The conditions of Karush, Kuhn and Tucker, in units in which all curvatures are 1."""
    A, b = quadratic(m, rank)
    x = nonnegative(A, b)
    unit = 1.0 / np.sqrt(np.diagonal(A))
    slope = unit * (b - A @ x)
    size = np.abs(unit * b).max()
    assert x.min() >= 0.0
    assert slope.max() <= 1e-6 * size
    assert np.abs(slope[x > 0.0]).max() <= 1e-6 * size


def test_few_at_a_time_end_where_all_at_once_do(monkeypatch):
    A, b = quadratic(250, 30, seed=1)
    whole = nonnegative(A, b)
    sizes = []
    usual = _nonnegative._all_free
    monkeypatch.setattr(_nonnegative, "_all_free", lambda A, b: sizes.append(len(b)) or usual(A, b))
    monkeypatch.setattr(_nonnegative, "_FEW", 10)
    monkeypatch.setattr(_nonnegative, "_FREED", 20)
    few = nonnegative(A, b)
    value = [0.5 * x @ A @ x - b @ x for x in (few, whole)]
    assert value[0] == pytest.approx(value[1], rel=1e-9)
    assert len(sizes) > 1
    assert max(sizes) < 250


@pytest.mark.parametrize("near", [0, 1, 390])
def test_a_place_to_begin_at_changes_nothing_but_the_time(near, monkeypatch):
    A, b = quadratic(400, 20)
    sizes = []
    usual = _nonnegative._all_free
    monkeypatch.setattr(_nonnegative, "_all_free", lambda A, b: sizes.append(len(b)) or usual(A, b))
    begin = np.where(np.arange(400) >= near, 0.0, 1.0)
    wanted = nonnegative(A, b)
    assert nonnegative(A, b, begin) == pytest.approx(wanted, rel=1e-6, abs=1e-9 * wanted.max())
    sizes.clear()
    assert nonnegative(A, b, wanted) == pytest.approx(wanted, rel=1e-6, abs=1e-9 * wanted.max())
    assert sizes == [np.count_nonzero(wanted)]


def test_a_number_that_nothing_bends_and_nobody_wants_hides_no_other():
    """As an atom that costs next to nothing, whose units are enormous."""
    A, b = quadratic(400, 20)
    wanted = nonnegative(A[1:, 1:], b[1:])
    A[0], A[:, 0], A[0, 0], b[0] = 0.0, 0.0, 1e-30, -1.0
    assert np.array_equal(nonnegative(A, b), np.append(0.0, wanted))


def test_where_nothing_falls_all_are_0():
    A, b = quadratic(400, 20)
    assert not nonnegative(A, -np.abs(b)).any()
    assert not nonnegative(A, -np.abs(b), np.ones(400)).any()
