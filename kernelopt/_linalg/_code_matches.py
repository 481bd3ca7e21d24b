"""Sums of weights of columns in which two rows have one code, compiled. Importing this module imports numba."""

import numpy as np

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray, IntArray


def add_matches(Z: IntArray, X: IntArray, weights: FloatArray, same: bool, out: FloatArray) -> None:
    """Out (n', n) += the sum of the weights (G,) of the columns in which two rows have the same, or have not.

    Args:
        Z: codes, 32 bits, shape (n', G).
        X: codes, 32 bits, shape (n, G).
        weights: shape (G,).
        same: whether those count in which two rows have the same; else those in which they have not.
        out: shape (n', n), each row without gaps, written to.
    """
    first, second = (weights, np.zeros_like(weights)) if same else (np.zeros_like(weights), weights)
    _add(np.ascontiguousarray(Z), np.ascontiguousarray(X.T), first, second, out)


@compiled
def _add(Z: IntArray, columns: IntArray, same: FloatArray, other: FloatArray, out: FloatArray) -> None:
    """out += same where codes are the same, and else other.

    Args:
        Z: shape (n', G).
        columns: shape (G, n).
        same: shape (G,).
        other: shape (G,).
        out: shape (n', n), written to.
    """
    for i in range(out.shape[0]):
        place = out[i]
        for j in range(columns.shape[0]):
            x, z, a, b = columns[j], Z[i, j], same[j], other[j]
            for k in range(out.shape[1]):
                place[k] += a if x[k] == z else b
