"""Whether the noise is larger in some rows than in others, and how much more likely targets are if it is.

A target that is predicted from all other rows is off by r_i, where a variance of p_i was expected (the noise tau / s_i
included). With noise of one size, q_i = r_i^2 / p_i is a square of a standard normal variable wherever the row is. So
log q_i, whose values no single row dominates, is compared with the columns, with what is predicted, and with the
learned kernel; the former by linear and quadratic functions of ranks, the latter by the score test of a variance
component. Where the noise depends on the row, a function g of rows that is learned from log q_i says how:

    the variance of the noise of row i is    tau / s_i (least + factor exp(g_i)),
    factor + least / mean(exp(g)) = mean(q exp(-g)),

as in Goldberg, Williams and Bishop (1998) and Kersting et al. (2007), where least keeps a single row from being
impossible. Each row's g is then that of all other rows, so that no row tells of itself.
"""

import attrs
import numpy as np
from scipy.special import chdtrc

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence.noise._heavy_tails import deviation_of, likeliest_degrees
from kernelopt._evidence.noise._outliers import dominated
from kernelopt._evidence.noise._own_noise import Likelihood
from kernelopt._evidence.noise._student import Residuals
from kernelopt._linalg._gram import Gram
from kernelopt._prediction._likelihood import density
from kernelopt._saddle._held_out import error_of_mean

_CALM = 1e-3
"""So often, at most, noise of one size seems to depend on the row. It is a guard: what depends is fitted and judged."""
_SOME = 1000
"""Of so many rows the learned kernel is asked: a guard, for noise that differs by little is of little worth."""
_LEAST = 0.02
"""The least noise of a row, in the mean of all: a guard, for a target far from the others may come anywhere."""
_ERRORS = 3.0
"""A gain of so many standard errors is believed: noise of one size gives one such in 700."""
_WORTH = 0.05
"""Less than so many nats for a row are no reason for a noise of each row: a guard, for a kernel that is right nearly
everywhere leaves as much where it is not."""
_IN_ALL = 10.0
"""Nor are fewer nats of all rows: a guard, for of few rows three standard errors are reached by chance more often."""
_FLAT = 1e-3
"""A square of less than this share of their median counts as so much: its logarithm says nothing more."""
_ROUNDING = 1e-8
"""A square of so small a share of another is none."""


@attrs.frozen(eq=False)
class Shape:
    """How the noise differs between the training rows.

    Attributes:
        V: (K + the noise of each row)^-1 of the targets, shape (n, 1).
        ratio: of the variance of each row's noise to that without this difference, > 0, shape (n,).
        factor: what exp(g) is multiplied by in this ratio.
        least: what is added to it.
        degrees: of freedom of Student's t, of which rows are about what others predict; None where they are Gaussian.
        gain: by how many nats a row is more likely in the mean, as the others have it, than with noise of one size
            and with the degrees of freedom that suit that best.
        error: the standard error of this gain.
        standard: what all others leave of each target in its standard deviations, shape (n, 1).
        likely: the logarithm of each row's density as the others have it, shape (n,).
        own: the weights of the rows, shape (n,).
        alike: the number of the set of copies that each row is in, shape (n,).
    """

    V: FloatArray
    ratio: FloatArray
    factor: float
    least: float
    degrees: float | None
    gain: float
    error: float
    standard: FloatArray
    likely: FloatArray
    own: FloatArray
    alike: IntArray

    def likelier(self, other: "Shape") -> bool:
        """Whether rows are more likely than by another kernel and its noise, by far more than chance gives."""
        gain = self.likely - other.likely
        return float(np.average(gain, weights=self.own)) > _ERRORS * error_of_mean(gain, self.alike, self.own)

    @property
    def believed(self) -> bool:
        """Whether the gain is far above what chance gives, and no more rows are far out than noise has."""
        least = max(_WORTH, _IN_ALL / len(self.ratio), _ERRORS * self.error)
        return self.gain > least and not dominated(self.standard)


def logarithms(residuals: Residuals) -> FloatArray | None:
    """log q of each row of one output, shape (n,); None where most rows are met exactly."""
    q = residuals.standard[:, 0] ** 2
    usual = float(np.median(q))
    return np.log(np.maximum(q, _FLAT * usual)) if usual > 0.0 else None


def depends(logs: FloatArray, columns: FloatArray, gram: Gram) -> bool:
    """Whether log q (n,) depends on columns (n, d), which may have gaps, or on the rows as a learned kernel sees them,
    at a level of a thousandth.
    """
    return 2.0 * min(_by_ranks(logs, columns), _by_kernel(logs, gram)) < _CALM


def _by_ranks(logs: FloatArray, columns: FloatArray) -> float:
    """How probable it is that the column that tells the most of log q tells so much by chance."""
    told = [_by_column(logs, column) for column in columns.T]
    return min(1.0, len(told) * min(told)) if told else 1.0


def _by_column(logs: FloatArray, column: FloatArray) -> float:
    """How probable it is that a quadratic function of the ranks of a column explains so much by chance: of independent
    rows the explained share times n is chi-square.
    """
    known = ~np.isnan(column)
    values, n = column[known], int(known.sum())
    if n < 3 or np.ptp(values) == 0.0:
        return 1.0
    rank = _ranks(values)
    rank -= rank.mean()
    square = rank**2 - np.mean(rank**2)
    square -= rank * (rank @ square) / (rank @ rank)
    away = logs[known] - logs[known].mean()
    parts = [rank, square] if square @ square > _ROUNDING * (rank @ rank) ** 2 / n else [rank]
    share = sum((away @ part) ** 2 / (part @ part) for part in parts) / max(away @ away, np.finfo(float).tiny)
    return float(chdtrc(len(parts), n * share))


def _ranks(values: FloatArray) -> FloatArray:
    """The place of each value among all, from 1; equal ones have the mean of their places."""
    _, which, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - 0.5 * (times - 1))[which], dtype=float)


def _by_kernel(logs: FloatArray, gram: Gram) -> float:
    """How probable it is that log q varies with a kernel so much by chance, by the score u'Ku of its variance, which
    has the distribution of a multiple of chi-square with the mean and the variance of permutations, nearly.
    """
    n = min(len(logs), _SOME)
    rows = np.linspace(0, len(logs) - 1, n, dtype=np.intp)
    few = gram if n == len(logs) else gram.only(rows)
    K, u = few.dense(), logs[rows] - logs[rows].mean()
    means = K.mean(axis=0)
    trace = float(np.trace(K) - n * means.mean())
    squares = float(np.vdot(K, K) - 2.0 * n * (means @ means) + (n * means.mean()) ** 2)
    spread = 2.0 * (squares - trace**2 / (n - 1)) * (n - 1) / (n + 1)
    if not (trace > 0.0 and spread > _ROUNDING * trace**2 and u @ u > 0.0):
        return 1.0
    score = float(u @ (K @ u)) * (n - 1) / float(u @ u)
    return float(chdtrc(2.0 * trace**2 / spread, score * 2.0 * trace / spread))


def shaped(
    whole: Likelihood,
    residuals: Residuals,
    here: FloatArray,
    left: FloatArray,
    widened: float,
    own: FloatArray,
    alike: IntArray,
) -> Shape | None:
    """How the noise differs between rows by a function g, and what the targets say of that.

    Args:
        whole: the targets under the learned kernel.
        residuals: what it leaves of them with noise of one size.
        here: g at each row, shape (n,).
        left: the same as all other rows have it.
        widened: how many times the variance of a new target about the function is that of the noise, >= 1.
        own: the weights of the rows, shape (n,).
        alike: the number of the set of copies that each row is in, shape (n,).

    Returns:
        None where rounding leaves nothing positive of the kernel.
    """
    size = float(np.mean(residuals.standard[:, 0] ** 2 * np.exp(-left)))
    least, factor = _LEAST * size * float(np.mean(np.exp(left))), (1.0 - _LEAST) * size
    ratio = least + factor * np.exp(here)
    noise = whole.D * ratio
    inner = factored(whole.gram, noise)
    if inner is None:
        return None
    V = inner.solve(whole.Y)
    V += inner.solve(whole.Y - whole.gram.apply(V) - noise[:, None] * V)
    omega = inner.last_variances()
    away, function = V / omega[:, None], 1.0 / omega - noise
    even = deviation_of(residuals.variance - whole.D, widened * whole.D)
    uneven = deviation_of(function, widened * whole.D * (least + factor * np.exp(left)))
    degrees = likeliest_degrees(away, uneven, own)
    likely = density(away, uneven, degrees)
    gain = likely - density(residuals.away, even, likeliest_degrees(residuals.away, even, own))
    mean, error = float(np.average(gain, weights=own)), error_of_mean(gain, alike, own)
    return Shape(V, ratio, factor, least, degrees, mean, error, away / uneven, likely, own, alike)
