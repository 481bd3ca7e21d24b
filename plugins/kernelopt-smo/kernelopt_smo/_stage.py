"""One stage: the smoothed saddle on what is in play, by chunks of SMO with Newton steps between them."""

import numpy as np

from kernelopt.plugin import Budget
from kernelopt_smo._active_block import Play, flat
from kernelopt_smo._iterate import Point, Smoothing, gradient, weighed
from kernelopt_smo._newton_step import newton

_CHUNK = 3e7
"""Table entries that one compiled call may visit: Ctrl-C waits for its end."""
_OVERHEAD = 3e5
"""What a Newton step costs whatever its size, in table entries. Worth: `constants.py smo.overhead`."""
_ROUNDING = 1e-13
"""A violation that is this share of the gradient's terms is rounding."""
_PATIENCE = 40
"""Chunks and Newton steps of one stage, at most: the next one goes on from where it ended."""


def climbed(play: Play, point: Point, smoothing: Smoothing, eps: float, budget: Budget) -> Point:
    """A point whose violation is at most eps, or the best that is reached.

        repeat   SMO for as long as a Newton step would take
                 a Newton step on the free variables, the rarer the more the box cut the last one short

    Args:
        play: what is in play.
        point: where to start.
        smoothing: of the largest v'K_a v.
        eps: the violation at which to stop.
        budget: asked between chunks.
    """
    from kernelopt_smo._compiled_smo import ascend, worst  # numba is imported when the first problem needs it

    m, outputs, k = point.F.shape
    entries = 3.0 * m * outputs * k
    lo, hi, t, linear, curvature = (flat(each) for each in (play.lo, play.hi, play.t, play.linear, play.curvature))
    reluctance, since = 1.0, np.inf
    for _ in range(_PATIENCE):
        masks = play.masks(point.u)
        g = gradient(play, point, weighed(point.q, smoothing).eta)
        violation = worst(flat(g), masks, play.span)
        least = _ROUNDING * float(np.abs(g).max() + np.abs(play.linear).max())
        if violation <= max(eps, least) or budget.cancelled():
            break
        free = np.count_nonzero((point.u > play.lo) & (point.u < play.hi))
        price = reluctance * (free**3 / 60.0 + m * free * free + _OVERHEAD)
        if since >= price:
            point, whole = newton(play, point, smoothing)
            since, reluctance = 0.0, 1.0 if whole else min(4.0 * reluctance, 64.0)
            continue
        point = point.copy()
        limit = int(min(price, _CHUNK) / entries) + 1
        taken = ascend(
            play.K, play.diag, point.F, point.q, flat(point.u), point.sums,
            lo, hi, t, linear, curvature, masks, play.span, play.bias,
            smoothing.rho, smoothing.d, max(eps, least), 0, limit,
        )  # fmt: skip
        since += max(taken, 1) * entries
    return point


def violated(play: Play, point: Point, smoothing: Smoothing) -> float:
    """The largest violation of the optimality of the smoothed saddle (OPT 6 of the paper, without its factor 2)."""
    from kernelopt_smo._compiled_smo import worst  # numba is imported when the first problem needs it

    g = gradient(play, point, weighed(point.q, smoothing).eta)
    return float(worst(flat(g), play.masks(point.u), play.span))
