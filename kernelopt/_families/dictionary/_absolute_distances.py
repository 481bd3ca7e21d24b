"""Sums of |z_j - x_j| between rows, and their slopes, compiled. Importing this module imports numba."""

import numpy as np

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray


def absolute_distances(Z: FloatArray, X: FloatArray) -> FloatArray:
    """sum_j |z_j - x_j| of rows Z (n', d) and X (n, d), shape (n', n)."""
    out = np.zeros((len(Z), len(X)))
    _add(np.ascontiguousarray(Z), np.ascontiguousarray(X.T), out)
    return out


@compiled
def _add(Z: FloatArray, columns: FloatArray, out: FloatArray) -> None:
    """out += sum_j |z_j - x_j|, four rows at a time, so that each column is read once for four.

    Args:
        Z: shape (n', d).
        columns: shape (d, n), C-contiguous.
        out: shape (n', n), written to.
    """
    m, n = out.shape
    whole = m // 4 * 4
    for i in range(0, whole, 4):
        a, b, c, e = out[i], out[i + 1], out[i + 2], out[i + 3]
        for j in range(columns.shape[0]):
            x = columns[j]
            p, q, r, s = Z[i, j], Z[i + 1, j], Z[i + 2, j], Z[i + 3, j]
            for k in range(n):
                a[k] += abs(p - x[k])
                b[k] += abs(q - x[k])
                c[k] += abs(r - x[k])
                e[k] += abs(s - x[k])
    for i in range(whole, m):
        a = out[i]
        for j in range(columns.shape[0]):
            x, p = columns[j], Z[i, j]
            for k in range(n):
                a[k] += abs(p - x[k])


def signed(W: FloatArray, Z: FloatArray, X: FloatArray) -> FloatArray:
    """W_ik sign(z_ij - x_kj) of rows Z (n', d) and X (n, d), shape (n', d, n)."""
    out = np.empty((*Z.shape, len(X)))
    _sign(np.ascontiguousarray(W), np.ascontiguousarray(Z), np.ascontiguousarray(X.T), out)
    return out


@compiled
def _sign(W: FloatArray, Z: FloatArray, columns: FloatArray, out: FloatArray) -> None:
    """out = W_ik sign(z_ij - x_kj).

    Args:
        W: shape (n', n).
        Z: shape (n', d).
        columns: shape (d, n), C-contiguous.
        out: shape (n', d, n), written to.
    """
    for i in range(W.shape[0]):
        w = W[i]
        for j in range(columns.shape[0]):
            x, p, row = columns[j], Z[i, j], out[i, j]
            for k in range(w.shape[0]):
                row[k] = w[k] if p > x[k] else (-w[k] if p < x[k] else 0.0)
