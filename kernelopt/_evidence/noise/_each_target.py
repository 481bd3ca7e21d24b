"""What predicts several targets that have learned one kernel: each with a noise, a size and weights of its own."""

import time
from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._counting import noise_of, whole_noise
from kernelopt._evidence.noise._own_noise import Likelihood, drawn, likelihood_of
from kernelopt._evidence.noise._own_weights import SOME, members_of, with_own_weights
from kernelopt._families._mixture import Mixture
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_TARGETS = 32
"""Weights are learned of so many targets at most: a guard, for time, since each takes a tenth of a second or more, and
`solve_targets` learns those of many together."""


def each_target(
    problem: Problem, response: Response, kernel: Kernel, X: FloatArray, seed: int, budget: Budget
) -> tuple[FloatArray, OwnNoise] | None:
    """v of several targets, shape (n, c), and the noise, size and weights of each; None where the kernel leaves nothing
    but noise.

    Where time is limited the noise comes first, and weights are learned of as many targets as there is time for.

    Args:
        problem: the problem.
        response: the answer of all targets together.
        kernel: its kernel.
        X: the training rows, shape (n, d).
        seed: of the rows from which ratios and weights are learned.
        budget: the time.
    """
    whole = likelihood_of(problem, response.mixture)
    if whole is None:
        return None
    c, least = len(problem.outputs), noise_of(problem) / whole_noise(problem, response.mixture)
    found = response.V, OwnNoise(np.ones(c), whole.sizes(response.V))
    own = attrs.evolve(found[1], ratio=whole.best_ratios(least, seed, budget.cancelled))
    took = 0.0
    if budget.deadline is not None:
        began = time.monotonic()
        found = _solved(problem, response.mixture, whole, own, found, budget.cancelled)
        took = (time.monotonic() - began) / len(own.firsts)
    weighed = _weighed(whole, own, kernel, X, least, seed, budget.before(took * c))
    return _solved(problem, response.mixture, whole, weighed, found, budget.cancelled)


def _weighed(
    whole: Likelihood,
    own: OwnNoise,
    kernel: Kernel,
    X: FloatArray,
    least: float,
    seed: int,
    budget: Budget,
) -> OwnNoise:
    """The same noise, with the weights of each target."""
    if len(own.ratio) > _TARGETS or budget.cancelled():
        return own
    rows = drawn(len(X), SOME, seed)
    members = members_of(kernel.leaves, kernel.mixture)
    kernels = [attrs.evolve(kernel, mixture=one.alone(kernel.mixture)) for one in members]
    sizes = np.array([one.squares(X[rows]).mean() for one in kernels])
    some = whole.only(rows)
    return with_own_weights(
        own, kernel.mixture, members, sizes, lambda a: kernels[a].gram(X[rows]), some, least, budget
    )


def _solved(
    problem: Problem,
    shared: Mixture,
    whole: Likelihood,
    own: OwnNoise,
    begun: tuple[FloatArray, OwnNoise],
    cancelled: Callable[[], bool],
) -> tuple[FloatArray, OwnNoise]:
    """v of each target, and the noise with the sizes that follow.

    A target keeps what it began with, which has the weights of all, where there is no time for it, or rounding leaves
    nothing positive of its own matrix.
    """
    V, ratio, size = begun[0].copy(), begun[1].ratio.copy(), begun[1].size.copy()
    given = own.multiples or ()
    multiples, moved = tuple(np.ones_like(one) for one in given), own.ratio != ratio
    moved[own.weighed] = True
    for kind, first in enumerate(own.firsts):
        chosen = moved & (own.which == kind)
        if not chosen.any():
            continue
        if cancelled():
            break
        weighed = first in own.weighed
        likelihood = likelihood_of(problem, own.mixture_of(shared, int(first))) if weighed else whole
        found = None if likelihood is None else likelihood.solved(float(own.ratio[first]), chosen)
        if found is not None:
            V[:, chosen], ratio[chosen] = found, own.ratio[first]
            size[chosen] = whole.sizes(V)[chosen]
            for one, each in zip(multiples, given, strict=True):
                one[:, chosen] = each[:, chosen]
    return V, OwnNoise(ratio, size, multiples if any(np.any(one != 1.0) for one in multiples) else None)
