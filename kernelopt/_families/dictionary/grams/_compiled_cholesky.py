"""Cholesky's factorisation with pivots of a Gaussian of one column, compiled. Importing this module imports numba."""

import math

import numpy as np

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray


def gaussian_features(x: FloatArray, gamma: float, least: float, most: int) -> FloatArray | None:
    """F', shape (r, n), with F F' = exp(-gamma (x_i - x_j)^2) but for a remainder whose diagonal is at most `least`;
    None where r would exceed `most`.

    Args:
        x: numbers, shape (n,).
        gamma: > 0.
        least: of the diagonal, which is 1 at first.
        most: features, >= 1.
    """
    F = np.empty((min(most, len(x)) + 1, len(x)))
    found = _factored(np.ascontiguousarray(x), gamma, least, F)
    return None if found < 0 else F[:found]


@compiled
def _factored(x: FloatArray, gamma: float, least: float, F: FloatArray) -> int:
    """How many features there are; -1 where they are as many as F has rows.

    Args:
        x: shape (n,), C-contiguous.
        gamma: > 0.
        least: what may be left of the diagonal.
        F: shape (r, n), C-contiguous, written to.
    """
    left = np.ones(len(x))
    for r in range(F.shape[0]):
        p = left.argmax()
        if left[p] <= least:
            return r
        f, scale = F[r], 1.0 / math.sqrt(left[p])
        for i in range(len(x)):
            f[i] = math.exp(-gamma * (x[i] - x[p]) ** 2)
        for k in range(r):
            g, share = F[k], F[k, p]
            for i in range(len(x)):
                f[i] -= share * g[i]
        for i in range(len(x)):
            f[i] *= scale
            left[i] -= f[i] * f[i]
    return -1
