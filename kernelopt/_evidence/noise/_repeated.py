"""Rows that are copies of one row, and rows that were measured more than once and happen to be equal.

Copies of a row all have its class, and a column of measurements has other values in nearly all other rows. If columns
have few values, equal rows are met by chance, and new rows will be equal to them too.
"""

import numpy as np

from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import BoolArray, FloatArray

_OFTEN = 5
"""If rows are met so often on average, they are the few rows that there are."""


def copied(X: FloatArray, Y: FloatArray, weight: FloatArray) -> BoolArray:
    """Whether each row, as far as it counts more than once, is a copy and no further measurement, shape (n,).

    It is one if all rows that are equal to it have its class, and if equal rows are not to be expected: a column has
    another value in each distinct row, or fewer than one other row would be equal to it if the columns were
    independent, with the values of the distinct rows.

    Args:
        X: rows, shape (n, d).
        Y: -1 and 1, shape (n, c).
        weight: how often each row counts, > 0, shape (n,).
    """
    sets = sets_of_copies(X)
    _, first = np.unique(sets, return_index=True)
    if len(X) >= _OFTEN * len(first):
        return np.zeros(len(X), dtype=bool)
    other = (Y[first[sets]] != Y).any(axis=1)
    mixed = np.bincount(sets, other) > 0.0
    return np.asarray((~mixed & (weight.sum() * _chance(X[first]) < 1.0))[sets])


def _chance(X: FloatArray) -> FloatArray:
    """How probable each of these rows (n, d), no two of which are equal, is if columns are independent, shape (n,)."""
    logarithm = np.zeros(len(X))
    for column in X.T:
        _, value, count = np.unique(column, return_inverse=True, return_counts=True)
        if len(count) == len(X):
            return np.zeros(len(X))
        logarithm += np.log(count[value] / len(X))
    return np.exp(logarithm)
