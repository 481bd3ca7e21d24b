"""Rows that occur more than once."""

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray

_ROUNDED = 4.0 * float(np.finfo(float).eps)
"""Rounding moves a whole number by this share of it at most."""
_MOST = 0.0625 / _ROUNDED
"""Of larger numbers too few digits stand behind the point to tell whether they are whole."""


def whole_numbers(weight: FloatArray) -> bool:
    """Whether weights >= 0 are whole numbers up to rounding, as numbers of copies are; of very large ones nobody knows,
    and nobody has counted so many.
    """
    nearest = np.round(weight)
    return bool(np.all((np.abs(weight - nearest) <= _ROUNDED * weight) & (weight < _MOST)))


def rows_observed(weight: FloatArray) -> float:
    """How many rows were observed, where rows of weights (n,) >= 0 are given: whole numbers count copies, of others
    each row that has one counts once.
    """
    return float(weight.sum()) if whole_numbers(weight) else float(np.count_nonzero(weight))


def copies_of(weight: FloatArray, most: int) -> IntArray | None:
    """The number of the row that each of the copies is of which weights (n,) > 0 count, shape (sum of the weights,);
    None where weights count no copies, or more than so many.
    """
    if not whole_numbers(weight) or not weight.sum() <= most:
        return None
    return np.repeat(np.arange(len(weight)), np.round(weight).astype(np.intp))


def sets_of_copies(X: FloatArray) -> IntArray:
    """The number of the set of equal rows that each row of X (n, d) is in, counted as they first occur, shape (n,)."""
    place: dict[bytes, int] = {}
    return np.array([place.setdefault(row.tobytes(), len(place)) for row in X + 0.0])  # -0.0 is 0.0


def different_rows(X: FloatArray) -> int:
    """How many different rows X (n, d) has, by sums of their bits with odd factors modulo 2^64: where no row is a copy,
    n - 1 come out instead of n with a probability of n^2 / 2^65.
    """
    draws = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64)
    factors = np.atleast_1d(2 * draws + np.uint64(1))
    sums = np.zeros(len(X), dtype=np.uint64)
    for j in range(X.shape[1]):
        bits = (X[:, j] + 0.0).view(np.uint64)  # -0.0 is 0.0
        sums = (sums ^ (bits ^ (bits >> np.uint64(32)))) * factors[j]
    return len(np.unique(sums))


def without_copies(X: FloatArray, T: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows X (n, d) without copies: one of each, with the mean of the targets T (n, c) and the sum of the weights (n,).

    So a row of weight k and k copies of it are the same.
    """
    number = sets_of_copies(X)
    first = np.unique(number, return_index=True)[1]
    total = np.asarray(np.bincount(number, weight), dtype=np.float64)
    means = np.column_stack([np.bincount(number, weight * t) / total for t in T.T])
    return X[first], means, total
