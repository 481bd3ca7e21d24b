"""Sums of |z_j - x_j| between rows, and their slopes, compiled. Importing this module imports numba."""

import numpy as np

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray


def absolute_distances(Z: FloatArray, X: FloatArray) -> FloatArray:
    """sum_j |z_j - x_j| of rows Z (n', d) and X (n, d), shape (n', n), in the precision of both."""
    out = np.zeros((len(Z), len(X)), dtype=X.dtype)
    _add(np.ascontiguousarray(Z), np.ascontiguousarray(X.T), out)
    return out


@compiled
def _add(Z: FloatArray, columns: FloatArray, out: FloatArray) -> None:
    """out += sum_j |z_j - x_j|.

    Args:
        Z: shape (n', d).
        columns: shape (d, n), C-contiguous.
        out: shape (n', n), written to.
    """
    for i in range(out.shape[0]):
        place = out[i]
        for j in range(columns.shape[0]):
            x, p = columns[j], Z[i, j]
            for k in range(out.shape[1]):
                place[k] += abs(p - x[k])


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
