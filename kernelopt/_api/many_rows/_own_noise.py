"""The mean of several numbers by landmarks and all rows, where each target has a noise and a size of its own."""

from collections.abc import Callable

import attrs
import numpy as np
from scipy.linalg import cholesky

from kernelopt._api.many_rows._fit import Fit
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._summed_mean import SummedMean
from kernelopt._evidence.noise._own_noise import Likelihood
from kernelopt._evidence.noise._student import variance_of
from kernelopt._linalg._gram import LowRank
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Thin
from kernelopt._prediction._posterior_of import with_noise
from kernelopt._prediction._several import Several


@attrs.frozen(eq=False)
class Means:
    """The mean of each target.

    Attributes:
        coefficients: of the features, shape (r, c).
        ratio: of each target's noise to the noise that was learned for all, in the unit of its function, shape (c,).
        own: how large the noise and the function of each target are; None of one target.
    """

    coefficients: FloatArray
    ratio: FloatArray
    own: OwnNoise | None = None


def means_of(fit: Fit, seed: int, cancelled: Callable[[], bool]) -> Means:
    """Of the targets; of one alone, with the noise that was learned, as of all where there is no time for more."""
    c = fit.sums.along.shape[1]
    if c == 1 or cancelled():
        return Means(fit.mean().coefficients, np.ones(c))
    ratio = _ratios(fit, seed, cancelled)
    coefficients = np.zeros(fit.sums.along.shape)
    for one in np.unique(ratio):
        chosen = ratio == one
        mean = SummedMean.of(_inner(fit, float(one)), fit.sums.along[:, chosen], fit.root)
        coefficients[:, chosen] = mean.coefficients
    explained = np.einsum("rc,rc->c", fit.sums.along, coefficients)
    left = np.maximum(np.diagonal(fit.sums.squares) - explained, 0.0)
    return Means(coefficients, ratio, OwnNoise(ratio, left / (ratio * fit.tau * fit.sums.rows)))


def _ratios(fit: Fit, seed: int, cancelled: Callable[[], bool]) -> FloatArray:
    """The most probable ratios, by the rows in memory."""
    few = fit.few
    gram, weight = LowRank(few.features.at(slice(None)) * fit.root), float(few.weight.sum())
    likelihood = Likelihood(gram, fit.tau / few.weight, few.y, weight, max(weight - few.n, 0.0))
    return likelihood.best_ratios(fit.noise / fit.tau, seed, cancelled)


def posterior_by(fit: Fit, places: IntArray, own: OwnNoise) -> Several:
    """How sure several means are, by the features in these places."""
    each = tuple(thin(fit, places, float(ratio)) for ratio in own.ratio[own.firsts])
    return Several.of(variance_of(fit.degrees) * fit.tau, each, own, fit.degrees)


def thin(fit: Fit, places: IntArray, ratio: float = 1.0) -> Thin:
    """How sure one mean is, with so many times the noise, and the variance that the noise of a new target has then."""
    lower = cholesky(_inner(fit, ratio)[np.ix_(places, places)], lower=True, check_finite=False)
    return with_noise(Thin(ratio * fit.tau, lower), variance_of(fit.degrees), fit.degrees)


def _inner(fit: Fit, ratio: float) -> FloatArray:
    """diag(w)^1/2 Phi'S Phi diag(w)^1/2 + ratio tau I, shape (r, r)."""
    inner = fit.inner
    inner[np.diag_indices(len(inner))] += (ratio - 1.0) * fit.tau
    return inner
