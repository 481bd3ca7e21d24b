"""The kernel between training rows in single precision: taken where it is near enough, and never where it is not."""

import numpy as np

import kernelopt
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction import _single

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5))
Y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
SMOOTH = [("rbf", {"gamma": 0.1}), ("exponential", {"gamma": 0.2}), ("poly", {"degree": 2})]
SOME, OTHERS = slice(10, 30), slice(0, 50)


def learned(kernels):
    return kernelopt.solve(X, Y, family=kernelopt.Dictionary(kernels), criterion="evidence").kernel


def values(kernel, rows, allowed):
    between = _single.between(kernel, rows, allowed)
    return np.asarray(between(SOME, OTHERS)), kernel.among(rows)(SOME, OTHERS)


def test_it_is_taken_where_it_is_near_enough():
    got, exact = values(learned(SMOOTH), X, 1e-5)
    assert 0.0 < np.abs(got - exact).max() <= 1e-5
    assert got.dtype == np.float32


def far():
    """Rows far from each other, with a copy nearly: single precision knows their squares to some digits."""
    rows = 1e3 * X
    rows[5] = rows[12] + 0.5
    return rows


def test_where_squares_are_not_near_enough_they_take_double_precision():
    got, exact = values(learned([("rbf", {"gamma": 1.0})]), far(), 1e-5)
    assert got.dtype == np.float32
    assert 0.0 < np.abs(got - exact).max() <= 1e-5


def test_where_nothing_is_near_enough_values_have_all_digits():
    got, exact = values(learned([("rbf", {"gamma": 1.0})]), far(), 1e-12)
    assert np.array_equal(got, exact)


def test_the_longest_row_decides_wherever_it_is():
    """A narrow kernel is 0 between it and all others but one, of which it tells the difference."""
    rows = np.tile(X, (2 * ROW_BLOCK // len(X) + 1, 1))
    kernel, allowed = learned([("rbf", {"gamma": 1.0})]), 1e-5
    assert _single.between(kernel, rows, allowed)(SOME, OTHERS).dtype == np.float32
    rows[-3] *= 1e4
    rows[-2] = rows[-3] + 0.3
    near = slice(len(rows) - 3, len(rows) - 1)
    assert np.abs(_single.between(kernel, rows, allowed)(near, near) - kernel.among(rows)(near, near)).max() <= allowed
    assert _single.between(kernel, rows, 1e-12)(SOME, OTHERS).dtype == np.float64


def test_sums_of_absolute_distances_are_no_exception():
    got, exact = values(learned([("laplacian", {"gamma": 0.3}), ("rbf", {"gamma": 0.1})]), X, 1e-5)
    assert 0.0 < np.abs(got - exact).max() <= 1e-5
    assert got.dtype == np.float32
