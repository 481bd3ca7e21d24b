"""Compiled work on Gram matrices: sums of rows and of matrices, the block that some rows make, and its form.

Importing this module imports numba. In numpy both copy the rows first, which costs more than what is then done.
"""

import numpy as np

from kernelopt._base._jit import compiled, inner
from kernelopt._base._typing import FloatArray, IntArray

_SMALL = 128
"""So few rows are copied in no more time than a compiled call takes."""
_TILE = 64
"""Rows and columns of a tile that is in the cache while it is transposed."""


@compiled
def add_rows(K: FloatArray, rows: IntArray, weights: FloatArray, total: FloatArray) -> None:
    """total += sum over s of weights_s K[rows_s], four rows at a time: eight run as fast, and are compiled for longer.

    Args:
        K: shape (n, n), C-contiguous.
        rows: shape (k,).
        weights: shape (k,).
        total: shape (n,), written to.
    """
    k, n = rows.shape[0], total.shape[0]
    whole = k // 4 * 4
    for s in range(0, whole, 4):
        a, b, c, d = K[rows[s]], K[rows[s + 1]], K[rows[s + 2]], K[rows[s + 3]]
        p, q, r, t = weights[s], weights[s + 1], weights[s + 2], weights[s + 3]
        for j in range(n):
            total[j] += (p * a[j] + q * b[j]) + (r * c[j] + t * d[j])
    for s in range(whole, k):
        row, weight = K[rows[s]], weights[s]
        for j in range(n):
            total[j] += weight * row[j]


@compiled
def form(K: FloatArray, rows: IntArray, v: FloatArray, total: FloatArray) -> float:
    """sum over s and t of v_s v_t K[rows_s, rows_t] for a symmetric K, of which what is left of the diagonal is read.

    total_j = sum of v_s K[rows_s, j] over the rows_s > j, contiguous: quicker than to pick out the columns, unless they
    are very few. One row at a time takes numba a fifth of the time that eight do, and runs as fast.

    Args:
        K: shape (n, n), C-contiguous.
        rows: shape (k,), ascending.
        v: shape (k,).
        total: scratch, shape (n,), zeros.
    """
    own, cross = 0.0, 0.0
    for s in range(rows.shape[0]):
        i, weight = rows[s], v[s]
        row = K[i]
        own += weight * weight * row[i]
        for j in range(i):
            total[j] += weight * row[j]
    for s in range(rows.shape[0]):
        cross += v[s] * total[rows[s]]
    return own + 2.0 * cross


@compiled
def add_up(K: FloatArray, index: IntArray, weights: FloatArray, total: FloatArray) -> None:
    """total += sum over s of weights_s K[index_s] for symmetric matrices, four at a time; one half of each is read.

    Args:
        K: shape (m, n, n), C-contiguous.
        index: shape (k,).
        weights: shape (k,).
        total: shape (n, n), symmetric, written to.
    """
    k, n = index.shape[0], total.shape[0]
    whole = k // 4 * 4
    for i in range(n):
        place = total[i]
        for s in range(0, whole, 4):
            a, b, c, d = K[index[s], i], K[index[s + 1], i], K[index[s + 2], i], K[index[s + 3], i]
            p, q, r, t = weights[s], weights[s + 1], weights[s + 2], weights[s + 3]
            for j in range(i + 1):
                place[j] += (p * a[j] + q * b[j]) + (r * c[j] + t * d[j])
        for s in range(whole, k):
            row, weight = K[index[s], i], weights[s]
            for j in range(i + 1):
                place[j] += weight * row[j]
        if i % _TILE == _TILE - 1 or i == n - 1:
            _mirror(total, i // _TILE * _TILE, i + 1)


@inner
def _mirror(total: FloatArray, first: int, end: int) -> None:
    """What is left of the diagonal in the rows from `first` to `end`, copied to the right of it, tile by tile."""
    for low in range(0, end, _TILE):
        for j in range(low, low + _TILE if low + _TILE < end else end):
            for i in range(first if first > j else j + 1, end):
                total[j, i] = total[i, j]


def square(K: FloatArray, rows: IntArray) -> FloatArray:
    """K[rows][:, rows], shape (k, k), C-contiguous; a row may come twice."""
    if len(rows) <= _SMALL:  # nothing is compiled for so few
        return np.asarray(K.take(rows, axis=0).take(rows, axis=1))
    block = np.zeros((len(rows), len(rows)))
    add_block(K, rows, rows, 1.0, block)
    return block


@compiled
def add_block(K: FloatArray, rows: IntArray, columns: IntArray, weight: float, total: FloatArray) -> None:
    """total += weight K[rows][:, columns], with no copy of the block; total has shape (k, l), and is written to."""
    for i in range(rows.shape[0]):
        row, place = K[rows[i]], total[i]
        for j in range(columns.shape[0]):
            place[j] += weight * row[columns[j]]


@compiled
def write_block(K: FloatArray, rows: IntArray, columns: IntArray, weight: float, place: FloatArray) -> None:
    """place = weight K[rows][:, columns], with no copy of the block; place has shape (k, l)."""
    for i in range(rows.shape[0]):
        row, mine = K[rows[i]], place[i]
        for j in range(columns.shape[0]):
            mine[j] = weight * row[columns[j]]
