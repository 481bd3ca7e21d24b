"""The width whose damped Gaussian has the largest variance in feature space."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.distance import cdist

from kernelopt.plugin import FloatArray

_ROWS = 512
"""Rows at a time: no array of all pairs is formed."""
_ACCURACY = 1e-6
"""Of log omega; the variance at its maximum is then exact to the square of it."""


def largest_variance(X: FloatArray, share: FloatArray, eta: float, limit: float) -> float:
    """max over omega in [0, limit] of exp(-eta omega^2) m(omega), m = 1 - sum_ij s_i s_j exp(-omega |x_i - x_j|^2).

    m is concave with m(0) = 0, so the logarithm of the product is concave: its only stationary point is the maximum,
    and since m' <= m / omega it lies at 1 / sqrt(2 eta) at most. O(n^2 d) for each omega, some ten of them.

    Args:
        X: rows after rescaling, shape (n, d).
        share: s, shape (n,), summing to 1.
        eta: the price, >= 0.
        limit: the largest omega, infinite only where eta > 0.
    """
    high = min(limit, 1.0 / math.sqrt(2.0 * eta)) if eta > 0.0 else limit
    m, slope = _moments(X, share, high)
    if m <= 0.0 or slope >= 2.0 * eta * high * m:
        return math.exp(-eta * high * high) * m

    def rising(log_omega: float) -> float:
        """The derivative of the logarithm, times m."""
        omega = math.exp(log_omega)
        m, slope = _moments(X, share, omega)
        return slope - 2.0 * eta * omega * m

    top = math.log(high)
    low = top - 1.0
    while rising(low) <= 0.0:
        top, low = low, low - 1.0
    omega = math.exp(brentq(rising, low, top, xtol=_ACCURACY))
    return math.exp(-eta * omega * omega) * _moments(X, share, omega)[0]


def _moments(X: FloatArray, share: FloatArray, omega: float) -> tuple[float, float]:
    """m and its derivative at omega."""
    m = slope = 0.0
    for first in range(0, len(X), _ROWS):
        some = slice(first, first + _ROWS)
        D = cdist(X[some], X, "sqeuclidean")
        fall = np.expm1(np.multiply(D, -omega))
        m -= float(share[some] @ (fall @ share))
        fall += 1.0
        fall *= D
        slope += float(share[some] @ (fall @ share))
    return m, slope
