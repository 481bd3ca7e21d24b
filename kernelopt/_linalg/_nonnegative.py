"""The least value of a quadratic over numbers that are not negative."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from kernelopt._base._typing import FloatArray, IntArray

_FEW, _FREED, _ROUNDS = 80, 50, 100
"""More numbers than the first are not all free at once, but those that are not 0 and so many others as the second, and
so often at most: few of many are not 0 at the end, and a factorisation takes the cube of those that are free. Guards,
for time."""
_ROUNDING = 1e-12
"""A slope of a smaller share of the steepest one at 0 is none."""


def nonnegative(A: FloatArray, b: FloatArray, near: FloatArray | None = None) -> FloatArray:
    """The x >= 0 with the least 1/2 x'Ax - b'x, shape (m,).

    Args:
        A: positive definite, shape (m, m).
        b: shape (m,).
        near: an x (m,) whose entries that are not 0 may be those of the best one, which saves time where they are at
            most half of all; None where nothing is known.

    Raises:
        LinAlgError: A is not.
        RuntimeError: rounding leaves no end.
    """
    if len(b) <= _FEW:
        return _all_free(A, b)
    unit = 1.0 / np.sqrt(np.diagonal(A))
    x, least = np.zeros(len(b)), _ROUNDING * float(np.maximum(unit * b, 0.0).max())
    begun = np.zeros(0, dtype=np.intp) if near is None else np.flatnonzero(near)
    wanted = begun if 0 < 2 * len(begun) <= len(b) else _steepest(unit * b, least)
    for _ in range(_ROUNDS):
        if not len(wanted):
            break
        free = np.union1d(np.flatnonzero(x), wanted)
        x = np.zeros(len(b))
        inside = A[np.ix_(free, free)] * unit[free] * unit[free, None]
        x[free] = unit[free] * _all_free(inside, unit[free] * b[free])
        slope = unit * (b - x[free] @ A[free])
        slope[free] = 0.0
        wanted = _steepest(slope, least)
    return x


def _steepest(slope: FloatArray, least: float) -> IntArray:
    """Where the quadratic falls the fastest, shape (k,), by its slopes (m,) in units of one curvature; none where it
    falls nowhere.
    """
    falling = np.flatnonzero(slope > least)
    return np.asarray(falling[np.argsort(-slope[falling], kind="stable")[:_FREED]], dtype=np.intp)


def _all_free(A: FloatArray, b: FloatArray) -> FloatArray:
    R = cholesky(A, check_finite=False)
    return np.asarray(nnls(R, solve_triangular(R, b, trans="T", check_finite=False))[0])
