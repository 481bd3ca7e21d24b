"""How probable classes are whose kernel learned the numbers -1 and 1: as rows say that were left out, each in turn.

The value of a Gaussian process at row i, had it not learned from that row, is known in closed form,

    f_-i(x_i) = y_i - v_i / Omega_ii,    Omega = K^-1, v = Omega y,    K with the noise

(Rasmussen and Williams 2006, equation 5.12), so that n machines cost no more than one inverse. Their values and the
true classes tell how large the error of a share is, and how sure a value may be.
"""

import math

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._factorisation import factored
from kernelopt._linalg._gram import Dense, Gram
from kernelopt._prediction._odds import Shares, logarithms, sided
from kernelopt._prediction._predictor import Kernel

_FEW = 500
"""An inverse of so many rows takes a hundredth of a second: where no time is left no more are looked at, and of more
rows it is taken in single precision, where that has digits enough, for two numbers come of it."""
_WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Widths that are tried, in errors of a share: that error is right but for a factor, since errors are no Gaussians. A
narrower one would make shares below 0 impossible, and one row that is led astray would cost everything."""
_POWERS = (-4.0, 6.0)
"""Logarithms of the smallest and the largest power: no probability, and certainty."""
_EXACT = 1e-8
"""A smaller error of shares is none."""


def shares_of(gram: Gram, noise: float, Y: FloatArray) -> Shares | None:
    """From all rows; None where rounding leaves nothing positive of the Gram.

    Args:
        gram: K, with what is on its diagonal but the least noise; it may be written into.
        noise: the latter, > 0.
        Y: -1 and 1, shape (n, c).
    """
    values = left_out(gram, noise, Y)
    return None if values is None else shares_from(values, Y)


def shares_of_some(kernel: Kernel, X: FloatArray, noise: float, Y: FloatArray, seed: int) -> Shares | None:
    """From as many rows as take no time, chosen at random, by a kernel without the noise, rows X (n, d), Y (n, c)."""
    rows = np.random.default_rng(seed).permutation(len(X))[:_FEW]
    return shares_of(Dense(kernel.between(X[rows], X[rows])), noise, Y[rows])


def left_out(gram: Gram, noise: float, Y: FloatArray) -> FloatArray | None:
    """The value at each row by all others, shape (n, c); None where rounding leaves nothing positive of the Gram.

    Args:
        gram: K, with what is on its diagonal but the least noise; it may be written into.
        noise: the latter, > 0.
        Y: targets, shape (n, c).
    """
    factor = factored(gram, noise, keep=False)
    if factor is None:
        return None
    V = factor.solve(Y)
    return np.asarray(Y - V / factor.inverse(single=gram.n > _FEW, last=True).diag()[:, None])


def shares_from(values: FloatArray, Y: FloatArray) -> Shares:
    """The width and the power under which the true classes are the most likely.

    Args:
        values: of rows that were left out, shape (n, c).
        Y: -1 and 1, of the same shape.
    """
    truth = np.argmax(sided(Y), axis=1)
    error = max(0.5 * math.sqrt(float(np.mean((values - Y) ** 2))), _EXACT)
    fits = [_powered(values, truth, factor * error) for factor in _WIDTHS]
    return min(fits, key=lambda fit: fit[0])[1]


def _powered(values: FloatArray, truth: np.ndarray, width: float) -> tuple[float, Shares]:
    """The best power of shares of this width, with minus the mean logarithm of the true classes' probabilities."""
    scores = logarithms(values, width)
    true = float(scores[np.arange(len(scores)), truth].mean())

    def loss(log: float) -> float:
        power = math.exp(log)
        return float(logsumexp(power * scores, axis=1).mean()) - power * true

    best = minimize_scalar(loss, bounds=_POWERS, method="bounded")
    return float(best.fun), Shares(width, math.exp(float(best.x)))
