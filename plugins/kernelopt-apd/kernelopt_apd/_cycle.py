"""Accelerated primal-dual iterations between two looks at the bounds."""

import math
from collections.abc import Callable

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_apd._iterate import Curvatures, Pace, Stand, advanced
from kernelopt_apd._saddle import Field, Parameters, apart

_GROW = 1.05
"""Step lengths grow by this after each iteration that moved. Worth: `constants.py apd.grow`."""


@attrs.frozen(eq=False)
class _Means:
    """Averages of the iterates, by the kernel's step lengths.

    Attributes:
        S, alpha: the weighted sums.
        mass: the sum of the weights.
    """

    S: Parameters
    alpha: FloatArray
    mass: float

    @classmethod
    def of_none(cls, S: Parameters, alpha: FloatArray) -> "_Means":
        """Nothing yet, in these shapes."""
        return cls(tuple(np.zeros_like(s) for s in S), np.zeros_like(alpha), 0.0)

    @property
    def average(self) -> tuple[Parameters, FloatArray]:
        """Of one iterate or more."""
        return tuple(one / self.mass for one in self.S), self.alpha / self.mass

    def with_one(self, S: Parameters, alpha: FloatArray, weight: float) -> "_Means":
        """With one iterate more."""
        sums = tuple(one + weight * s for one, s in zip(self.S, S, strict=True))
        return _Means(sums, self.alpha + weight * alpha, self.mass + weight)


@attrs.frozen(eq=False)
class Course:
    """What a cycle brings back.

    Attributes:
        last: parameters and dual variables where it ended.
        mean: their averages over its iterations.
        pace: for the next cycle.
        iterations: how many there were; fewer than asked where there was no time, or rounding left no step.
    """

    last: tuple[Parameters, FloatArray]
    mean: tuple[Parameters, FloatArray]
    pace: Pace
    iterations: int


def cycle(
    field: Field, S: Parameters, alpha: FloatArray, pace: Pace, length: int, cancelled: Callable[[], bool]
) -> Course:
    """So many iterations of the accelerated primal-dual method with backtracking.

        rise = D(v) / 2 - grad R(S)
        S+     = nearest kernel to  S + sigma ((1 + theta) rise - theta rise_before),      theta = sigma_before / sigma
        alpha+ = nearest dual point to  alpha + tau (grad h - E'K(S+)v)
        until the test is passed, tau shrinks;      sigma = ratio tau

    Where h is strongly concave with modulus mu the ratio grows by 1 + mu tau and tau shrinks by its root: O(1/k^2).

    Hamedani and Aybat (2021), Algorithm 2.3; Talitckii, Colbert and Peet (2024), Algorithm 4.
    """
    stand = Stand.at(field, S, alpha, pace)
    means, met, done = _Means.of_none(S, alpha), Curvatures(0.0, 0.0, 0.0), 0
    while done < length and not (done and cancelled()):
        trial = advanced(field, stand)
        if trial is None:
            break
        stand = trial.stand
        means = means.with_one(stand.S, stand.place.alpha, stand.sigma)
        met, done = met.joined(trial.curvatures), done + 1
        growth = math.sqrt(1.0 + field.concavity * stand.pace.tau)
        tau = stand.pace.tau * (_GROW if trial.moved else 1.0)
        stand = attrs.evolve(stand, pace=Pace(tau / growth, stand.pace.ratio * growth**2))
    ways = _way(stand.S, S), _way((stand.place.alpha,), (alpha,))
    last = (stand.S, stand.place.alpha)
    return Course(
        last=last,
        mean=means.average if done else last,
        pace=Pace(stand.pace.tau, _balanced(pace.ratio, ways, met)),
        iterations=done,
    )


def _way(ends: Parameters, starts: Parameters) -> float:
    """The squared way from the starts to the ends; 0 where it is rounding, which says nothing of a step length."""
    squared = apart(ends, starts)
    return squared if squared > np.finfo(float).eps * sum(float(np.vdot(one, one)) for one in starts) else 0.0


def _balanced(ratio: float, ways: tuple[float, float], met: Curvatures) -> float:
    """The next ratio: half-way, in logarithms, to that of the squared ways that kernel and dual variables went.

    It is never so small that the curvature of K alone would limit both step lengths, nor so large that that of the
    prices would.
    """
    of_S, of_alpha = ways
    if of_S > 0.0 and of_alpha > 0.0:
        ratio = math.sqrt(ratio * of_S / of_alpha)
    least = met.kernel**2 / met.coupling if met.coupling > 0.0 else 0.0
    most = met.coupling / met.prices if met.coupling > 0.0 and met.prices > 0.0 else math.inf
    return math.sqrt(least * most) if least > most else min(max(ratio, least), most)
