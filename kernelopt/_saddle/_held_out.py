"""Which rows are held out, what they lose by a prediction, whatever the size of its error bars, and the noise that they
show.
"""

import numpy as np
from scipy.optimize import minimize_scalar

from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray, IntArray

_SHARPEST = 5.0
"""The logarithm of the largest factor between values and odds."""
_FAR = 25.0
"""A squared residual of more variances counts as this: a guard, for an outlier is no measure of the noise of others."""
_NOISES = 100
"""So many variances of noise are tried, a factor of 1.15 apart or less."""


def held_out(X: FloatArray, sample: IntArray, folds: int) -> list[IntArray]:
    """The rows of a sample that each fold holds out. Rows that are equal in X (n, k), which is all columns or the
    group, are held out together: else rows that were learned from would judge, and noise that is met twice would count
    as a signal.
    """
    fold = sets_of_copies(X[sample]) % folds
    return [np.sort(sample[fold == k]) for k in range(folds)]


def error_of_mean(gain: FloatArray, alike: IntArray, weight: FloatArray) -> float:
    """The standard error of the mean of gains (n,) with weights > 0 (n,), of which those of the same set of rows (n,)
    are one observation.
    """
    sums = np.bincount(alike, weights=weight * (gain - np.average(gain, weights=weight)))
    return float(np.linalg.norm(sums) / weight.sum())


def losses_of_numbers(values: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
    """Half the squared error of each row in units of the mean, and half the logarithm of that: minus the logarithm of
    a Gaussian density of the best deviation, but for a constant. Shape (n,).

    Args:
        values: predicted, shape (n, c).
        y: true, shape (n, c).
        weight: of the rows in the mean, > 0, shape (n,).
    """
    squares = (values - y) ** 2
    mean = np.maximum(np.average(squares, axis=0, weights=weight), np.finfo(float).tiny)
    return np.asarray((0.5 * (squares / mean + np.log(mean))).sum(axis=1))


def losses_of_classes(values: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
    """Minus the logarithm of each true class's probability, shape (n,), where logarithms of odds are the values times
    the best factor.

    Args:
        values: of two classes of the second, shape (n, 1); else one column for each, shape (n, c).
        y: -1 and 1, of the same shape.
        weight: of the rows where the best is sought, > 0, shape (n,).
    """
    scores, truth = _scores(values, y)
    most = scores.max(axis=1)  # no exponential overflows below it
    beaten, missed = scores - most[:, None], most - scores[np.arange(len(scores)), truth]

    def losses(log_factor: float) -> FloatArray:
        below = np.exp(log_factor) * beaten
        return np.asarray(np.log(np.exp(below).sum(axis=1)) + np.exp(log_factor) * missed)

    def mean(log_factor: float) -> float:
        return float(np.average(losses(log_factor), weights=weight))

    best = minimize_scalar(mean, bounds=(-_SHARPEST, _SHARPEST), method="bounded")
    return losses(float(best.x))


def noise_held_out(
    left: FloatArray, unknown: FloatArray, noise: FloatArray, most: float, weight: FloatArray
) -> float | None:
    """The least variance of noise that rows which were held out ask for; None where it is no more than was learned.

        minimise over t the mean of log(u_i) + min(e_i^2 / u_i, 25),    u_i = unknown_i + max(noise_i, t)

    Args:
        left: the residuals e of each target, shape (k, c).
        unknown: the variance of the function at each row, without noise, shape (k,).
        noise: the variance of the noise that was learned without the row, > 0, shape (k,).
        most: the largest variance that is tried, that of the targets, > 0.
        weight: of the rows in the mean, > 0, shape (k,).
    """
    square = np.mean(left**2, axis=1)

    def losses(least: float) -> FloatArray:
        variance = unknown + np.maximum(noise, least)
        return np.asarray(np.log(variance) + np.minimum(square / variance, _FAR))

    first = float(noise.min())
    if not first < most:
        return None
    tried = np.geomspace(first, most, _NOISES)
    best = min(tried, key=lambda least: float(np.average(losses(least), weights=weight)))
    return float(best) if best > first else None


def _scores(values: FloatArray, y: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """A column for each class, and the number of each row's class."""
    if values.shape[1] == 1:
        return np.column_stack([-0.5 * values, 0.5 * values]), (y[:, 0] > 0.0).astype(np.intp)
    return values, np.argmax(y, axis=1)
