"""The width of a kernel from the rows alone: how far a row is from its nearest."""

import numpy as np
from scipy.spatial.distance import cdist

from kernelopt._base._typing import FloatArray, IntArray

LOOKED_AT = 250
"""Of more rows so many are looked at, so that the kernel does not get ever narrower as rows are added.
Worth: `novelty_table.py FILE --methods nearest among100 among1000 all`."""
_COPY = 1e-10
"""Rows whose distance is at most this share of the largest from there are copies, up to rounding."""


def neighbour_distance(X: FloatArray, weight: FloatArray, most: int = LOOKED_AT) -> tuple[float, int]:
    """The median, over rows, of sum_j |x_j - z_j| to the nearest row z that is not a copy; and how many were looked at.

        median over i of  min over k of  sum_j |x_ij - x_kj|,      x_k != x_i

    A row counts as often as it occurs, and a row of weight k as k copies. Where there are more than `most` different
    rows, so many of them are looked at, evenly chosen in the order in which they first occur, so that nothing is drawn
    at random. To find copies takes n d steps, and the distances most^2 d, whatever n is.

    Args:
        X: rows, shape (n, d), of which two differ.
        weight: shape (n,), > 0.
        most: at least 2.
    """
    rows, counts = _different(X, weight)
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), most)).round().astype(np.intp)
    looked_at = X[rows[chosen]]
    distances = cdist(looked_at, looked_at, "cityblock")
    copies = distances <= _COPY * distances.max(axis=1, keepdims=True)
    nearest = np.where(copies, np.inf, distances).min(axis=1)
    return _median(nearest, counts[chosen]), len(chosen)


def _different(X: FloatArray, weight: FloatArray) -> tuple[IntArray, FloatArray]:
    """The first row of each set of equal ones (m,), in their order, and the weights of the sets (m,)."""
    place: dict[bytes, int] = {}
    group = np.array([place.setdefault(row.tobytes(), len(place)) for row in X + 0.0])  # -0.0 is 0.0
    first: IntArray = np.unique(group, return_index=True)[1]
    return first, np.asarray(np.bincount(group, weights=weight), dtype=np.float64)


def _median(values: FloatArray, weight: FloatArray) -> float:
    """The smallest of the values (m,) that half of the weight (m,) does not exceed."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, 0.5 * reached[-1])])
