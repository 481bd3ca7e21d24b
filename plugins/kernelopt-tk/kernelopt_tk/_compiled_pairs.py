"""The compiled loops over pairs of rows for basis "xz" of degree 1, with t_ij = min(t_i, t_j) entry by entry.

Importing this module imports numba. A strip of `LANES` columns j is worked on at once, so that t_ij stays in the
first cache and every loop over the strip is vectorised; of a symmetric form only the lower triangle is looked at.
"""

from functools import partial

import numpy as np

from kernelopt.dual.loops import compiled
from kernelopt.plugin import FloatArray

LANES = 64
STRIDE = 4
"""So many terms are added to a strip at once; the triangles are padded with zeros to a multiple of it."""

_compiled = partial(compiled, bounded=True)
"""Sums may be taken in any order, and there are no infinities."""
_inner = partial(_compiled, wrapped=False)
"""The same for what only compiled functions call."""


def padded(d: int) -> int:
    """d, rounded up to a multiple of `STRIDE`."""
    return -(-d // STRIDE) * STRIDE


@_inner
def _form(T: FloatArray, triangle: FloatArray, slope: FloatArray, inner: FloatArray, total: FloatArray) -> None:
    """total_c = sum_k T_kc (sum_{l <= k} triangle_kl T_lc - slope_kc), on one strip; `inner` is scratch."""
    for c in range(LANES):
        total[c] = 0.0
    for k in range(slope.shape[0]):
        for c in range(LANES):
            inner[c] = -slope[k, c]
        for m in range(0, k + 1, STRIDE):
            m0, m1, m2, m3 = triangle[k, m], triangle[k, m + 1], triangle[k, m + 2], triangle[k, m + 3]
            for c in range(LANES):
                inner[c] += m0 * T[m, c] + m1 * T[m + 1, c] + m2 * T[m + 2, c] + m3 * T[m + 3, c]
        for c in range(LANES):
            total[c] += inner[c] * T[k, c]


@_compiled
def forms(
    left: FloatArray, right: FloatArray, slope_left: FloatArray, slope_right: FloatArray, triangle: FloatArray
) -> FloatArray:
    """t_ij'(triangle t_ij - slope_i - slope_j) for every pair, shape (n', n).

    left and slope_left are (n', d), right and slope_right (d, n), triangle (d, padded(d)), 0 above the diagonal.
    """
    (n, d), m = left.shape, right.shape[1]
    result = np.empty((n, m))
    T, slope = np.zeros((triangle.shape[1], LANES)), np.zeros((d, LANES))
    inner, total = np.empty(LANES), np.empty(LANES)
    for start in range(0, m, LANES):
        width = min(LANES, m - start)
        for i in range(n):
            for k in range(d):
                for c in range(width):
                    T[k, c] = min(left[i, k], right[k, start + c])
                    slope[k, c] = slope_left[i, k] + slope_right[k, start + c]
            _form(T, triangle, slope, inner, total)
            for c in range(width):
                result[i, start + c] = total[c]
    return result


@_inner
def _products(T: FloatArray, weighted: FloatArray, triangle: FloatArray) -> None:
    """Adds sum_c weighted_kc T_lc for l <= k, on one strip."""
    for k in range(weighted.shape[0]):
        for m in range(0, k + 1, STRIDE):
            s0 = s1 = s2 = s3 = 0.0
            for c in range(LANES):
                w = weighted[k, c]
                s0 += w * T[m, c]
                s1 += w * T[m + 1, c]
                s2 += w * T[m + 2, c]
                s3 += w * T[m + 3, c]
            triangle[k, m] += s0
            triangle[k, m + 1] += s1
            triangle[k, m + 2] += s2
            triangle[k, m + 3] += s3


@_compiled
def sums(
    left: FloatArray, right: FloatArray, W: FloatArray, by_left: FloatArray, by_right: FloatArray, triangle: FloatArray
) -> None:
    """Adds W_ij t_ij to by_left_i (n', d) and by_right_j (d, n), and W_ij t_ij t_ij' to `triangle` (d, padded(d)).

    Of the last only the lower triangle is right; left is (n', d), right (d, n), W (n', n).
    """
    (n, d), m = left.shape, right.shape[1]
    T, weighted = np.zeros((triangle.shape[1], LANES)), np.zeros((d, LANES))
    for start in range(0, m, LANES):
        width = min(LANES, m - start)
        if width < LANES:
            weighted[:] = 0.0
        for i in range(n):
            for k in range(d):
                total = 0.0
                for c in range(width):
                    t = min(left[i, k], right[k, start + c])
                    w = t * W[i, start + c]
                    T[k, c], weighted[k, c] = t, w
                    by_right[k, start + c] += w
                    total += w
                by_left[i, k] += total
            _products(T, weighted, triangle)
