"""Stage after stage: the smoothed saddle around a centre, whose answer is the next centre."""

import attrs
import numpy as np

from kernelopt.plugin import Budget, FloatArray
from kernelopt_smo._active_block import Play
from kernelopt_smo._iterate import Smoothing
from kernelopt_smo._proximal import Centre, Reached, reached
from kernelopt_smo._stage import climbed

LEAST_KAPPA = 1e-3
"""Below, the smoothed problem is as badly conditioned as the one that it replaces."""
_SLOW = 0.3
"""A stage that leaves more than this of the gap halves kappa. Worth: `constants.py smo.slow`."""


@attrs.frozen(eq=False)
class Course:
    """Where some stages ended: the last answer, the variables in play (C, L, k), the next kappa, and how many."""

    reached: Reached
    u: FloatArray
    kappa: float
    stages: int


def course(
    play: Play, centre: Centre, u: FloatArray, sums: FloatArray, *,
    kappa: float, allowed: float, most: int, budget: Budget,
) -> Course:  # fmt: skip
    """Stages until the gap on what is in play is at most `allowed`.

    Args:
        play: what is in play.
        centre: the first.
        u: where the variables start, shape (C, L, k).
        sums: 1'v of each output there, shape (C,).
        kappa: the first smoothing.
        allowed: the gap to reach.
        most: stages, >= 1.
        budget: asked after each stage.
    """
    eps = allowed / max(float(np.abs(u).sum()), 1e-300)
    before, stages = np.inf, 0
    for _ in range(most):
        stages += 1
        rho = kappa * kappa
        smoothing = Smoothing.alike(len(play.kernels), rho)
        start = centre.point(u, sums, rho)
        end = climbed(play, start, smoothing, eps, budget)
        last = reached(play, centre, start, end, rho)
        centre, u, sums = last.centre, end.u, end.sums
        if last.gap <= allowed or budget.cancelled():
            break
        if last.gap > _SLOW * before:
            kappa = max(0.5 * kappa, LEAST_KAPPA)
        before = last.gap
    return Course(last, u, kappa, stages)
