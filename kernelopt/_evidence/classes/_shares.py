"""How probable classes are whose kernel learned the numbers -1 and 1: as rows say that were left out, each in turn.

The value of a Gaussian process at row i, had it not learned from that row, is known in closed form,

    f_-i(x_i) = y_i - v_i / Omega_ii,    Omega = K^-1, v = Omega y,    K with the noise

(Rasmussen and Williams 2006, equation 5.12), so that n machines cost no more than one inverse. Where the row counts
s_i times, with noise tau / s_i, and was measured s_i times, one measurement is left out:

    y_i - (v_i / s_i) / ((1 - 1/s_i) / tau + Omega_ii / s_i^2),

since between equal rows only noise differs; a row that counts less than once is left out whole. Where it was copied,
the copies would say what its own target is, so it is left out with all that it counts and with the equal rows S. With k
the variance of the function at these rows by others,

    f_-S(x_i) = y_i - k sum_S v - tau v_i / s_i,    s_i / tau - Omega_ii = k (s_i / tau)^2 / (1 + k sum_S s / tau).

Their values and the true classes tell how large the error of a share is, and how sure a value may be.
"""

import math

import attrs
import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence.noise._repeated import copied
from kernelopt._linalg._gram import Dense, Gram
from kernelopt._prediction._few_rows import chance_of_any
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._odds import Shares, logarithms, sided

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
_SURE = 1e-12
"""The least share of noise in what is learned at a row, of which rounding errors may leave less than nothing."""


@attrs.frozen(eq=False)
class Counted:
    """How often rows count, and the noise of one that counts once.

    Attributes:
        weight: s, > 0, shape (n,).
        noise: tau, > 0, shared by all targets.
        sets: the number of the set of equal rows that each row is in, shape (n,).
        copied: whether a row is a `copied` one, shape (n,).
    """

    weight: FloatArray
    noise: float
    sets: IntArray
    copied: BoolArray

    @classmethod
    def of(cls, X: FloatArray, Y: FloatArray, weight: FloatArray, noise: float) -> "Counted":
        """Of rows X (n, d) with the classes Y (n, c), -1 and 1."""
        return cls(weight, noise, sets_of_copies(X), copied(X, Y, weight))

    def only(self, rows: IntArray) -> "Counted":
        """Of these rows alone."""
        sets = np.unique(self.sets[rows], return_inverse=True)[1]
        return Counted(self.weight[rows], self.noise, sets, self.copied[rows])

    @property
    def together(self) -> bool:
        """Whether copies of rows are left out together, and not each row alone."""
        return bool((self.copied & (np.bincount(self.sets)[self.sets] > 1)).any())


def shares_of(gram: Gram, rest: float | FloatArray, Y: FloatArray, counted: Counted) -> Shares | None:
    """From all rows; None where rounding leaves nothing positive of the Gram.

    Args:
        gram: K, with what is on its diagonal but the rest; it may be written into.
        rest: the latter, > 0: the least noise, divided by the weights.
        Y: -1 and 1, shape (n, c).
        counted: the rows' weights, their copies, and the whole noise.
    """
    values = left_out(gram, rest, Y, counted)
    return None if values is None else shares_from(values, Y, counted.weight)


def shares_of_some(kernel: Kernel, X: FloatArray, Y: FloatArray, counted: Counted, seed: int) -> Shares | None:
    """From as many rows as take no time, chosen at random, by a kernel without the noise, rows X (n, d), Y (n, c)."""
    rows = np.random.default_rng(seed).permutation(len(X))[:_FEW]
    some = counted.only(rows)
    return shares_of(Dense(kernel.gram(X[rows])), some.noise / some.weight, Y[rows], some)


def left_out(gram: Gram, rest: float | FloatArray, Y: FloatArray, counted: Counted) -> FloatArray | None:
    """The value at each row by others that are not its copies, shape (n, c); None and arguments as of `shares_of`."""
    factor = factored(gram, rest, keep=False)
    if factor is None:
        return None
    V = factor.solve(Y)
    diagonal = factor.last_variances(single=gram.n > _FEW and not counted.together)
    s = np.where(counted.copied, 1.0, np.maximum(counted.weight, 1.0))
    sure = (1.0 - 1.0 / s) / counted.noise + diagonal / (s * s)
    left = V / s[:, None] / sure[:, None]
    if counted.together:
        left[counted.copied] = _left_of_sets(V, diagonal, counted)[counted.copied]
    return np.asarray(Y - left)


def _left_of_sets(V: FloatArray, diagonal: FloatArray, counted: Counted) -> FloatArray:
    """What all rows that are not equal to a row leave of its target, shape (n, c).

    Args:
        V: v, shape (n, c).
        diagonal: of Omega, shape (n,).
        counted: which rows are equal, and how often each counts.
    """
    s, tau, sets = counted.weight, counted.noise, counted.sets
    shared = (tau / s) ** 2 * (s / tau - diagonal)
    by_others = np.maximum(1.0 - shared * np.bincount(sets, s)[sets] / tau, _SURE)
    sums = np.zeros((int(sets.max()) + 1, V.shape[1]))
    np.add.at(sums, sets, V)
    return (shared / by_others)[:, None] * sums[sets] + (tau / s)[:, None] * V


def shares_from(values: FloatArray, Y: FloatArray, weight: FloatArray) -> Shares:
    """The width and the power under which the true classes are the most likely, and of few rows one more of any class.

    Where each row that is left out is told right no power would be large enough without the latter: n rows do not show
    that fewer than one in n + 1 is told wrong.

    Args:
        values: of rows that were left out, shape (n, c).
        Y: -1 and 1, of the same shape.
        weight: how often each row counts, > 0, shape (n,).
    """
    truth, share = np.argmax(sided(Y), axis=1), weight / weight.sum()
    error = max(0.5 * math.sqrt(float(share @ np.mean((values - Y) ** 2, axis=1))), _EXACT)
    any_class = chance_of_any(float(weight.sum()))
    fits = [_powered(values, truth, share, factor * error, any_class) for factor in _WIDTHS]
    return min(fits, key=lambda fit: fit[0])[1]


def _powered(
    values: FloatArray, truth: np.ndarray, share: FloatArray, width: float, any_class: float
) -> tuple[float, Shares]:
    """The best power of shares of this width, with minus the mean logarithm of the true classes' probabilities, where a
    row's class is the true one but for a chance of any.
    """
    scores = logarithms(values, width)
    every = (1.0 - any_class) * scores[np.arange(len(scores)), truth] + any_class * scores.mean(axis=1)
    true = float(share @ every)

    def loss(log: float) -> float:
        power = math.exp(log)
        return float(share @ logsumexp(power * scores, axis=1)) - power * true

    best = minimize_scalar(loss, bounds=_POWERS, method="bounded")
    return float(best.fun), Shares(width, math.exp(float(best.x)))
