"""What kernels are functions of, between two blocks of rows: products, squared and absolute distances."""

from typing import Literal

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._arrays import Array, Arrays

Base = Literal["products", "squares", "absolutes"]
"""x'z, |x - z|^2, or the sum of |x_j - z_j|."""

FELT = float(1 << 19)
"""Products of rows leave an error of about 2e-16 |x|^2 in a squared distance. A kernel that falls at a squared distance
of one over its steepness feels it by 1e-10 where |x|^2 times the steepness is this."""


def between(arrays: Arrays, base: Base, Z: Array, X: Array, steepness: float = 0.0) -> Array:
    """What kernels are functions of, between rows Z (n', d) and X (n, d), shape (n', n).

    Args:
        arrays: of the rows.
        base: which number.
        Z: some rows.
        X: others.
        steepness: one over the squared distance at which the steepest of the kernels falls.
    """
    if base == "products":
        return products(arrays, Z, X)
    return squares(arrays, Z, X, steepness) if base == "squares" else absolutes(arrays, Z, X)


def wide(largest: FloatArray, steepness: float) -> IntArray:
    """The columns whose squared distances have to be computed from differences, rising.

    They are those of the largest numbers: what products lose of the others no kernel feels. Two rows that agree in a
    column of 1e5 are as far apart as the other columns say, of which products would leave no digit.

    Args:
        largest: the largest square in each column, shape (d,).
        steepness: one over the squared distance at which the steepest kernel falls.
    """
    order = np.argsort(largest)
    with np.errstate(over="ignore", invalid="ignore"):  # a square that is infinite is too large
        narrow = np.cumsum(largest[order]) * steepness <= FELT
    return np.sort(order[~narrow])


def products(arrays: Arrays, Z: Array, X: Array) -> Array:
    """z'x of rows Z (n', d) and X (n, d), shape (n', n)."""
    return Z @ arrays.xp.matrix_transpose(X)


def squares(arrays: Arrays, Z: Array, X: Array, steepness: float = 0.0) -> Array:
    """|z - x|^2 = |z|^2 - 2 z'x + |x|^2 of rows Z (n', d) and X (n, d), shape (n', n); of one column (z - x)^2.

    Both are measured from the mean of X, so that no digits are lost where rows lie far from 0; and columns that are too
    wide for a kernel of this steepness are taken one after the other, as a single one is.
    """
    xp = arrays.xp
    if X.shape[1] == 1:
        apart = Z - xp.matrix_transpose(X)
        return apart * apart
    centre = xp.mean(X, axis=0, keepdims=True)
    Z, X = Z - centre, X - centre
    first, second = xp.sum(Z * Z, axis=1, keepdims=True), xp.sum(X * X, axis=1, keepdims=True)
    if steepness * float(xp.max(first) + xp.max(second)) > FELT:
        return _apart(arrays, Z, X, wide(arrays.back(xp.max(Z * Z, axis=0) + xp.max(X * X, axis=0)), steepness))
    total = products(arrays, Z, X) * -2.0
    total += first
    total += xp.matrix_transpose(second)
    return xp.clip(total, 0.0, None)


def _apart(arrays: Arrays, Z: Array, X: Array, columns: IntArray) -> Array:
    """|z - x|^2 of rows Z (n', d) and X (n, d) from the same place, shape (n', n): of these columns (k,) by
    differences.
    """
    xp, others = arrays.xp, np.setdiff1d(np.arange(X.shape[1]), columns)
    total = arrays.zeros(Z.shape[0], X.shape[0])
    if len(others):
        z, x = (xp.take(rows, arrays.places(others), axis=1) for rows in (Z, X))
        total = squares(arrays, z, x)
    for j in columns.tolist():
        apart = Z[:, j : j + 1] - xp.matrix_transpose(X[:, j : j + 1])
        total += apart * apart
    return total


def absolutes(arrays: Arrays, Z: Array, X: Array) -> Array:
    """sum_j |z_j - x_j| of rows Z (n', d) and X (n, d), shape (n', n), one column after the other."""
    if arrays.plain:
        from kernelopt._linalg._absolute_distances import absolute_distances  # imports numba where it is needed

        return absolute_distances(Z, X)
    xp = arrays.xp
    total = arrays.zeros(Z.shape[0], X.shape[0])
    for j in range(X.shape[1]):
        total += xp.abs(Z[:, j : j + 1] - xp.matrix_transpose(X[:, j : j + 1]))
    return total
