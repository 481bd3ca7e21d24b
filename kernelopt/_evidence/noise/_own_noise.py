"""Several targets under one kernel: how large the noise and the function of each of them are.

The kernel K and the noise tau are learned for all targets together. With them each target y of n rows is taken to be a
Gaussian process of covariance a (K + r tau D), D = diag(1/s) of rows that count s times. For a ratio r the most
probable size is a = y'(K + r tau D)^-1 y / n, and what is left of the logarithm of the density,

    -n/2 log a - 1/2 log det (K + r tau D) - 1/2 (log r / 2)^2,

is largest at the ratio that is taken, among powers of the root of 2. The last term is a prior: log r is normal around 0
with deviation 2, for few rows hardly say how large their noise is.
"""

import math
from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._evidence._counting import counts_of, rows_of, weight_of, whole_noise
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence.lists._list_likelihood import targets_of
from kernelopt._families._mixture import Mixture
from kernelopt._families.variances._delta import Delta
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._problem import Problem

_SOME = 1000
"""Ratios are learned on so many rows: a ratio is one number, which so many rows say to a factor of 1.1."""
_DEVIATION = 2.0
"""Of the logarithm of a ratio. Worth: `own_noise_table.py --deviation 0.5 1 2 inf`."""
LARGEST = 4096.0
"""The largest ratio that is tried, and one over the smallest: a guard."""
_STEP = 0.5
"""Ratios are powers of 2 with multiples of this exponent: then the deviation of the noise is right to a factor of 1.1.
"""
_PATIENCE = 3
"""So many ratios one after the other that no target takes end the search."""


@attrs.frozen(eq=False)
class Likelihood:
    """The targets under one kernel with any ratio of its noise.

    Attributes:
        gram: K, without the noise.
        D: the variances tau / s of the noise that was learned, shape (n,).
        Y: the targets, shape (n, c).
        rows: how many rows there are, each as often as it counts.
        between: how many of these are copies.
    """

    gram: Gram
    D: FloatArray
    Y: FloatArray
    rows: float
    between: float

    def sizes(self, V: FloatArray) -> FloatArray:
        """The most probable size of each target, by V = (K + r D)^-1 Y, shape (c,)."""
        return np.asarray(np.maximum(np.einsum("ic,ic->c", self.Y, V), 0.0) / self.rows)

    def at(self, ratio: float) -> FloatArray:
        """The logarithm of each target's density with its best size, up to what all ratios share, shape (c,)."""
        factor = factored(self.gram, ratio * self.D)
        if factor is None:
            return np.full(self.Y.shape[1], -math.inf)
        size = self.sizes(factor.solve(self.Y))
        volume = factor.log_determinant + self.between * math.log(ratio)
        logs = np.log(size, out=np.zeros(len(size)), where=size > 0.0)
        return np.where(size > 0.0, -0.5 * (self.rows * logs + volume), 0.0)

    def best_ratios(self, least: float, seed: int, cancelled: Callable[[], bool]) -> FloatArray:
        """The most probable ratio of each target, at least the smallest one that is allowed, shape (c,), by some rows,
        drawn at random where there are many.
        """
        n = len(self.Y)
        some = self if n <= _SOME else self.only(drawn(n, _SOME, seed))
        return best_ratios(some.at, self.Y.shape[1], least, cancelled)

    def only(self, rows: IntArray) -> "Likelihood":
        """The same of these rows, shape (k,): copies count as often as among all."""
        share = len(rows) / len(self.Y)
        return Likelihood(self.gram.only(rows), self.D[rows], self.Y[rows], share * self.rows, share * self.between)

    def solved(self, ratio: float, chosen: BoolArray) -> FloatArray | None:
        """(K + r D)^-1 of some of the targets, shape (n, k), with what is left of them solved for once more; None where
        rounding leaves nothing positive of the matrix.
        """
        Y, noise = self.Y[:, chosen], ratio * self.D
        factor = factored(self.gram, noise)
        if factor is None:
            return None
        V = factor.solve(Y)
        V += factor.solve(Y - self.gram.apply(V) - noise[:, None] * V)
        return V


def doubt(log_ratio: float) -> float:
    """What the prior takes from the logarithm of the density at this logarithm of a ratio, in nats."""
    return 0.5 * (log_ratio / _DEVIATION) ** 2


def pulled(log_ratio: float) -> float:
    """The derivative of `doubt`."""
    return log_ratio / _DEVIATION**2


def drawn(n: int, most: int, seed: int) -> IntArray:
    """So many of n rows at most, drawn at random, ascending."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def best_ratios(
    density: Callable[[float], FloatArray], outputs: int, least: float, cancelled: Callable[[], bool]
) -> FloatArray:
    """The ratio of each output that is the most probable, a power of the root of 2, shape (c,).

    Args:
        density: the logarithm of each output's density at a ratio, shape (c,).
        outputs: c.
        least: the smallest ratio that may be taken.
        cancelled: whether there is no time for more.
    """
    ratio, best = np.ones(outputs), density(1.0)
    for factor in (2.0, 0.5):
        step, missed = 1, 0
        tried = factor**_STEP
        while max(least, 1.0 / LARGEST) <= tried <= LARGEST and missed < _PATIENCE and not cancelled():
            found = density(tried) - doubt(math.log(tried))
            better = found > best
            ratio[better], best = tried, np.maximum(best, found)
            step, missed = step + 1, 0 if better.any() else missed + 1
            tried = factor ** (_STEP * step)
    return ratio


def likelihood_of(problem: Problem, mixture: Mixture) -> Likelihood | None:
    """Of all rows under a learned kernel; None where no kernel but the noise has weight."""
    pairs = zip(problem.leaves, mixture.parts, strict=True)
    bare = Mixture(tuple(part.kept(math.inf) if isinstance(leaf.family, Delta) else part for leaf, part in pairs))
    if not bare.mass > 0.0:
        return None
    counts, noise = counts_of(problem), whole_noise(problem, mixture) / weight_of(problem)
    between = 0.0 if counts is None else counts.between
    return Likelihood(problem.gram(bare), noise, targets_of(problem), rows_of(problem), between)
