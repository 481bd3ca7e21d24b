"""What predicts several targets that have learned one kernel: each with a noise, a size and weights of its own."""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._counting import noise_of, whole_noise
from kernelopt._evidence._own_noise import Likelihood, drawn, likelihood_of
from kernelopt._evidence._own_weights import SOME, members_of, with_own_weights
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._saddle._problem import Problem, Response


def each_target(
    problem: Problem, response: Response, kernel: Kernel, X: FloatArray, seed: int, cancelled: Callable[[], bool]
) -> tuple[FloatArray, OwnNoise] | None:
    """v of several targets, shape (n, c), and the noise, size and weights of each; None where there is no time, or the
    kernel leaves nothing but noise.

    Args:
        problem: the problem.
        response: the answer of all targets together.
        kernel: its kernel.
        X: the training rows, shape (n, d).
        seed: of the rows from which ratios and weights are learned.
        cancelled: whether there is no time for more.
    """
    whole = likelihood_of(problem, response.mixture)
    if whole is None:
        return None
    least = noise_of(problem) / whole_noise(problem, response.mixture)
    own = OwnNoise(whole.best_ratios(least, seed, cancelled), whole.sizes(response.V))
    if not cancelled():
        own = _weighed(whole, own, kernel, X, least, seed, cancelled)
    return _solved(problem, response, whole, own, cancelled)


def _weighed(
    whole: Likelihood,
    own: OwnNoise,
    kernel: Kernel,
    X: FloatArray,
    least: float,
    seed: int,
    cancelled: Callable[[], bool],
) -> OwnNoise:
    """The same noise, with the weights of each target."""
    rows = drawn(len(X), SOME, seed)
    members = members_of(kernel.leaves, kernel.mixture)
    kernels = [attrs.evolve(kernel, mixture=one.alone(kernel.mixture)) for one in members]
    sizes = np.array([one.squares(X[rows]).mean() for one in kernels])
    some = whole.only(rows)
    return with_own_weights(
        own, kernel.mixture, members, sizes, lambda a: kernels[a].gram(X[rows]), some, least, cancelled
    )


def _solved(
    problem: Problem, response: Response, whole: Likelihood, own: OwnNoise, cancelled: Callable[[], bool]
) -> tuple[FloatArray, OwnNoise] | None:
    """v of each target, and the noise with the sizes that follow; None where there is no time.

    A target keeps what all have in common where rounding leaves nothing positive of its own matrix.
    """
    V, ratio, size = response.V.copy(), own.ratio.copy(), own.size.copy()
    multiples = None if own.multiples is None else tuple(one.copy() for one in own.multiples)
    for kind, first in enumerate(own.firsts):
        mixture = own.mixture_of(response.mixture, int(first))
        changed = any(np.any(one[:, first] != 1.0) for one in multiples or ())
        if not changed and ratio[first] == 1.0:
            continue
        if cancelled():
            return None
        chosen = own.which == kind
        likelihood = likelihood_of(problem, mixture) if changed else whole
        found = None if likelihood is None else likelihood.solved(float(ratio[first]), chosen)
        if found is None:
            ratio[chosen] = 1.0
            for one in multiples or ():
                one[:, chosen] = 1.0
        else:
            V[:, chosen] = found
            size[chosen] = whole.sizes(V)[chosen]
    return V, OwnNoise(ratio, size, multiples)
