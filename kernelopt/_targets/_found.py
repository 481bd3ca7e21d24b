"""What is found of each of many targets, written batch by batch in the units of the targets."""

import math

import attrs
import numpy as np

from kernelopt._base._memory import require
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._targets._batch import Fitted
from kernelopt._targets._shared import Shared

_FREE, _ROUGHLY = 1e-9, 5e-3
"""A smaller share of a trace is rounding, or the error of one that the quick way knows roughly: a guard."""


@attrs.frozen(eq=False)
class Found:
    """What is found of each target, NaN where it was not reached.

    The arrays are made once, by `nothing`, and each batch of targets is written into its own places of them: with a new
    value for each batch the coefficients of all targets would be copied every time.

    Attributes:
        weights: the variance that each kernel explains, in squared units of the target, shape (m, t).
        noise: its variance, shape (t,).
        solution: V^-1 (y - mean), shape (n, t): the coefficients of the centred kernels' weighted sum.
        sizes: the mean diagonals of the centred kernels, by which weights are divided, shape (m,).
        log_evidence: shape (t,); NaN of a constant target.
        bound: how far below the nearest optimum this may be, in nats, shape (t,).
        r2: of the fitted values, shape (t,); NaN of a constant target.
        r2_cv: by generalised cross-validation, shape (t,); NaN of a constant target, and where the quick way knows too
            little of the degrees of freedom that are left.
        alone: which targets were finished one by one, shape (t,).
        lost: by how many nats targets of a sample are below the optimum that was computed for them alone, shape (t,);
            NaN of all others.
        done: which targets were reached, shape (t,).
        few: whether all were learned one by one from the beginning.
    """

    weights: FloatArray
    noise: FloatArray
    solution: FloatArray
    sizes: FloatArray
    log_evidence: FloatArray
    bound: FloatArray
    r2: FloatArray
    r2_cv: FloatArray
    alone: BoolArray
    lost: FloatArray
    done: BoolArray
    few: bool = False


@attrs.frozen(eq=False)
class Part:
    """What is found of a batch of targets of mean square 1.

    Attributes:
        found: weights, solution and value of each.
        alone: which targets were finished one by one, shape (t,).
        outside: the squares of the targets outside the span of the kernels, shape (t,).
        lost: by how many nats those of a sample are below their optimum, shape (t,); NaN of all others.
    """

    found: Fitted
    alone: BoolArray
    outside: FloatArray
    lost: FloatArray


def nothing(m: int, n: int, t: int, sizes: FloatArray) -> Found:
    """Arrays for m kernels, n rows and t targets, none of which is reached.

    Raises:
        NotEnoughMemory: they do not fit.
    """

    def empty(*shape: int) -> FloatArray:
        return np.full(shape, math.nan)

    no = np.zeros(t, dtype=bool)
    require(8 * (n + m + 6) * t, f"the coefficients of {t} targets")
    solution = np.empty((t, n)).T  # that of a target is written at once, by its batch or at the end
    return Found(
        empty(m, t), empty(t), solution, sizes, empty(t), empty(t), empty(t), empty(t), no.copy(), empty(t), no
    )


def of_constant(found: Found, places: IntArray) -> None:
    """A constant target has neither weights nor noise: its mean is all."""
    found.weights[:, places] = 0.0
    found.noise[places] = 0.0
    found.solution[:, places] = 0.0
    found.bound[places] = 0.0
    found.done[places] = True


def written(found: Found, shared: Shared, some: IntArray, part: Part, sizes: FloatArray, *, rough: bool) -> None:
    """A batch in its places, in the units of the targets (t,)."""
    fit, n = part.found, shared.n
    squares, noise = sizes**2, fit.w[:, -1]
    found.weights[:, some] = 0.0
    found.weights[np.ix_(shared.varied, some)] = (fit.w[:, :-1] * squares[:, None]).T
    found.noise[some] = noise * squares
    found.solution.T[some] = shared.back(fit.solution) / sizes[:, None]
    found.log_evidence[some] = -fit.value - shared.free * (0.5 * math.log(2.0 * math.pi) + np.log(sizes))
    found.bound[some] = fit.bound
    left = np.einsum("tr,tr->t", fit.solution, fit.solution) + part.outside / noise**2
    found.r2[some] = 1.0 - noise**2 * left / n
    rounding = np.where(part.alone | (not rough), _FREE, _ROUGHLY) * (fit.trace + 1.0 / noise)
    known = fit.trace > rounding  # without the direction of the mean, which was fitted too
    found.r2_cv[some] = 1.0 - n * left / np.where(known, fit.trace, math.nan) ** 2
    found.alone[some] = part.alone
    found.lost[some] = part.lost
    found.done[some] = True
