"""The width of a Gaussian from the rows alone: so wide that two of them are as alike as their number asks for."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.distance import cdist

from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray, IntArray

ALIKE = 3.0
"""The mean kernel of two rows is this over the root of their number. A narrower kernel tells more apart, and takes more
of the new rows for strange than it should. Worth: `novelty_table.py FILE --methods ours alike1.5 alike2 alike4` for the
one, and `novelty_flagged.py --methods ours alike1.5 alike2 alike4` for the other."""
LOOKED_AT = 250
"""Of more rows so many are looked at. Worth: `novelty_table.py FILE --methods ours among100 among1000`."""
_COPY = 1e-10
"""Rows whose distance is at most this share of the largest from there are copies, up to rounding."""


def rows_width(
    X: FloatArray, weight: FloatArray, alike: float = ALIKE, most: int = LOOKED_AT
) -> tuple[float, float, int]:
    """The width w of exp(-|x - z|^2 / w) at which different rows are so alike in the mean; that; how many were seen.

        mean over pairs x_i != x_k of  exp(-|x_i - x_k|^2 / w)  =  min(1/2, alike / sqrt(m)),      m different rows

    A row counts as often as it occurs, and a row of weight k as k copies. Where there are more than `most` different
    rows, so many of them are looked at, evenly chosen in the order in which they first occur, so that nothing is drawn
    at random. To find copies takes n d steps, the distances most^2 d, and the root a few times most^2, whatever n is.

    Args:
        X: rows, shape (n, d), of which two differ.
        weight: shape (n,), > 0.
        alike: above 0.
        most: at least 2.
    """
    rows, counts = _different(X, weight)
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), most)).round().astype(np.intp)
    looked_at = X[rows[chosen]]
    distances = cdist(looked_at, looked_at)
    copies = distances <= _COPY * distances.max(axis=1, keepdims=True)
    different = len(rows) * float(np.mean(1.0 / copies.sum(axis=1)))
    wanted = min(0.5, alike / math.sqrt(different))
    pairs = np.where(copies, 0.0, np.outer(counts[chosen], counts[chosen]))
    return _reaching(distances[~copies] ** 2, pairs[~copies] / pairs.sum(), wanted), wanted, len(chosen)


def _reaching(squares: FloatArray, share: FloatArray, wanted: float) -> float:
    """The w at which the mean of exp(-squares / w) is a number in (0, 1); both (p,), > 0, the shares of sum 1.

    The mean lies between the kernels of the smallest and of the largest square, and so does the root.
    """
    ends = np.log(np.array([0.5 * squares.min(), 2.0 * squares.max()]) / -math.log(wanted))
    return math.exp(brentq(lambda log: float(share @ np.exp(-squares / math.exp(log))) - wanted, *ends))


def _different(X: FloatArray, weight: FloatArray) -> tuple[IntArray, FloatArray]:
    """The first row of each set of equal ones (m,), in their order, and the weights of the sets (m,)."""
    group = sets_of_copies(X)
    first: IntArray = np.unique(group, return_index=True)[1]
    return first, np.asarray(np.bincount(group, weights=weight), dtype=np.float64)
