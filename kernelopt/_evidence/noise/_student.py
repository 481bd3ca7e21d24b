"""Noise of Student's t: each row has a variance of its own about the noise of all, and few rows may have a large one.

    y_i = f(x_i) + e_i,    e_i ~ N(0, tau / s_i),    s_i ~ Gamma(nu/2, nu/2),

so that e_i is Student's t with nu degrees of freedom. Of all products q(f) q(s) that which is nearest to the posterior
of f and s is taken (Tipping and Lawrence 2005). With e_i = sum over c outputs of E (y_i - f_i)^2, which share the row's
s_i,

    q(s_i) = Gamma(a, a / m_i),    a = (nu + c)/2,    m_i = (nu + c) / (nu + e_i / tau),

and q(f) is the posterior of a Gaussian process whose noise has the variances tau / m_i. What the two prove is a lower
bound on the evidence of the process with Student's noise,

    log N(y; 0, K + tau diag(1/m))
        + sum_i [ log Gamma(a) - log Gamma(p) - a log a + p log p + a - p m_i + p log m_i ],

p = nu/2, and neither step lets it fall. The sum goes to 0 with nu without end and m = 1, where noise is Gaussian. For
given e the best tau and nu are those of a density of Student's t at e, so that both are chosen together with m.
"""

import math

import attrs
import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._counting import factored_at, weight_of, whole_noise
from kernelopt._evidence.lists._list_likelihood import targets_of
from kernelopt._families._mixture import Mixture
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._posterior_of import posterior_of
from kernelopt._prediction._tails import Tails, degrees_of_new
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_DEGREES = (3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
"""The degrees of freedom that are tried: from 3, for with 2 or fewer a new target has no variance, to what nobody could
tell from Gaussian noise; between two neighbours the density of no target changes by more than a few hundredths."""
_FEWER = (1.0, 1.5, 2.0)
"""Degrees of freedom for targets of which many are thousands of deviations away: under 3 all others become noise then.
"""
_NATS = 1.0
"""So many nats a row these must gain: a guard, for on tables that nobody chose errors were a tenth larger with them. Of
200 targets of which 60 are anywhere, most sets gain more. Worth: `noise_tables.py` and `outliers_table.py`."""
_SINGLE = 500
"""An inverse of so many rows takes a hundredth of a second: of more, its diagonal has seven digits, and a weight needs
three."""
_LEAST = 1e-12
"""No square counts as less, as a share of their median: targets that a kernel passes through have no tails. Nor as a
share of the median of those of targets that differ from most: where most are the same, the likelihood has no bound."""


def term(tails: Tails) -> float:
    """What the factors of rows add to the evidence of the process with noise tau / m; 0 where noise is Gaussian."""
    p, c, m = 0.5 * tails.degrees, tails.outputs, tails.weight
    a = p + 0.5 * c
    each = gammaln(a) - gammaln(p) - a * math.log(a) + p * math.log(p) + a - p * m + p * np.log(m)
    return float(each.sum())


def tails_of(squares: FloatArray, outputs: int, *, anywhere: bool = True) -> tuple[Tails, float]:
    """The tails under which residuals are the most likely, and by how many nats more than under Gaussian noise.

    Args:
        squares: e, summed over the outputs, >= 0, not all 0, shape (n,).
        outputs: c.
        anywhere: whether many may be thousands of deviations away for they are bad, as of what a kernel leaves of
            targets: targets themselves may be as far from their median without any noise.
    """
    e = np.maximum(squares, _LEAST * (float(np.median(squares)) or float(squares.max())))
    n = len(e)
    tails, value = max((_fitted(e, outputs, nu) for nu in _DEGREES), key=lambda one: one[1])
    fewer = max((_fitted(e, outputs, nu) for nu in _FEWER), key=lambda one: one[1])
    if anywhere and fewer[1] - value > _NATS * n:
        tails, value = fewer
    gaussian = -0.5 * n * outputs * (math.log(2.0 * math.pi * float(e.mean()) / outputs) + 1.0)
    return tails, value - gaussian


def around_median(Y: FloatArray, own: FloatArray) -> FloatArray:
    """What their median leaves of targets (n, c) with these weights (n,): squares, summed over outputs, shape (n,)."""
    return np.asarray(own * np.sum((Y - np.median(Y, axis=0)) ** 2, axis=1))


def least_of(squares: FloatArray) -> float:
    """The least square that counts, of targets whose squares around their median are these; 0 where all are 0."""
    differing = squares[squares > 0.0]
    return _LEAST * float(np.median(differing)) if len(differing) else 0.0


def _fitted(e: FloatArray, c: int, nu: float) -> tuple[Tails, float]:
    """With the best tau for nu: where sum_i m_i e_i / tau = n c, up to which the density rises with tau."""
    n, scale = len(e), float(np.median(e))
    r = e / scale

    def short(log: float) -> float:
        z = r * math.exp(-log)
        return float(np.sum((nu + c) * z / (nu + z))) - n * c

    high = math.log(float(r.mean()) / c) + 1.0
    low = min(math.log(float(r.min())) - math.log(nu + c), high - 1.0) - 1.0
    log = float(brentq(short, low, high, xtol=1e-12)) if short(low) > 0.0 > short(high) else low
    tau = math.exp(log)
    spread = np.log1p(r / (nu * tau))
    value = n * (gammaln(0.5 * (nu + c)) - gammaln(0.5 * nu) - 0.5 * c * math.log(nu * math.pi * tau * scale))
    m = (nu + c) / (nu + r / tau)
    return Tails(nu, m / m.mean(), c), float(value - 0.5 * (nu + c) * spread.sum())


@attrs.frozen(eq=False)
class Residuals:
    """What a kernel leaves of the targets, c outputs.

    Attributes:
        here: E (y_i - f_i)^2 of each row as all rows have it, summed over outputs, times its weight, shape (n,).
        left: the same as all other rows have it.
        away: y_i - f_i as all other rows have it, shape (n, c).
        standard: the same in its standard deviations.
        variance: the square of these, shape (n,).
    """

    here: FloatArray
    left: FloatArray
    away: FloatArray
    standard: FloatArray
    variance: FloatArray


def residuals_of(problem: Problem, response: Response, own: FloatArray) -> Residuals | None:
    """The residuals of an answer. With D_i the variance of the noise of row i, v = Omega y and Omega = K^-1, K with the
    noise, the squares are

        D_i^2 v_i^2 + c (D_i - D_i^2 Omega_ii)    and    v_i^2 / Omega_ii^2 + c (1 / Omega_ii - D_i).

    Args:
        problem: with the weights of rows that count.
        response: its answer.
        own: the weights that rows have without tails, by which squares are multiplied, shape (n,).

    Returns:
        None where rounding leaves nothing positive of the Gram.
    """
    mixture = response.mixture
    factor = factored_at(problem, mixture, problem.gram(mixture), keep=False)
    if factor is None:
        return None
    omega = factor.last_variances(single=problem.n > _SINGLE)
    V, c = response.V, len(problem.outputs)
    D = whole_noise(problem, mixture) / weight_of(problem)
    squares = np.sum(V * V, axis=1)
    here = D * D * squares + c * np.maximum(D - D * D * omega, 0.0)
    left = squares / omega**2 + c * np.maximum(1.0 / omega - D, 0.0)
    least = least_of(around_median(targets_of(problem), own))
    here, left = np.maximum(own * here, least), np.maximum(own * left, least)
    return Residuals(here, left, V / omega[:, None], V / np.sqrt(omega)[:, None], 1.0 / omega)


def evidence_of(problem: Problem, response: Response) -> float:
    """The logarithm of the density of the targets under the process of an answer, with the weights of its rows."""
    shift = 0.5 * len(problem.outputs) * float(np.log(weight_of(problem)).sum())
    return shift - response.upper


def variance_of(degrees: float | None) -> float:
    """The variance of noise of Student's t whose tau is 1; 1 where it is Gaussian."""
    return 1.0 if degrees is None else degrees / (degrees - 2.0)


def heavy_posterior(
    problem: Problem,
    mixture: Mixture,
    kernel: Kernel,
    X: FloatArray,
    tails: Tails,
    weight: FloatArray,
    own: OwnNoise | None = None,
) -> Posterior:
    """Of the function under these weights of training rows X (n, d), and of a new target under Student's t.

    The noise of a new target has the variance tau nu / (nu - 2), with the degrees of freedom nu of new targets, and
    that of row i the share of it that its weight says, the `weight` (n,) that it has without tails included. Several
    targets may have a noise of their own.
    """
    noise = heavy_noise(problem, mixture, tails, weight)
    each = noise / whole_noise(problem, mixture) * weight_of(problem)
    return posterior_of(kernel, X, noise, each, degrees_of_new(tails.degrees), own)


def heavy_noise(problem: Problem, mixture: Mixture, tails: Tails, weight: FloatArray) -> float:
    """The variance of the noise of a row that counts once, of rows with these weights (n,) without tails."""
    tau = whole_noise(problem, mixture) / weight_of(problem)[0] * weight[0] / weight.mean() * tails.weight[0]
    return float(tau * variance_of(degrees_of_new(tails.degrees)))
