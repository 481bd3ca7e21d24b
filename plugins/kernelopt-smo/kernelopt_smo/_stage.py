"""One stage: the smoothed saddle on what is in play, by chunks of SMO with Newton steps between them."""

import numpy as np

from kernelopt.plugin import Budget
from kernelopt_smo._active_block import Play, flat
from kernelopt_smo._iterate import Point, Smoothing, gradient, tabulated, weighed
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
    # numba is imported when the first problem needs it
    from kernelopt_smo._compiled_smo import G, U, ascend, worst
    from kernelopt_smo._compiled_smoothing import Q

    m, outputs, k = point.F.shape
    entries = 3.0 * m * outputs * k
    reluctance, since = 1.0, np.inf
    for _ in range(_PATIENCE):
        at, masks = weighed(point.q, smoothing), play.masks(point.u)
        table, samples = tabulated(play, point, at)
        violation = worst(table[G], masks, play.span)
        least = _ROUNDING * float(np.abs(table[G]).max() + np.abs(play.linear).max())
        if violation <= max(eps, least) or budget.cancelled():
            break
        free = np.count_nonzero((point.u > play.lo) & (point.u < play.hi))
        price = reluctance * (free**3 / 60.0 + m * free * free + _OVERHEAD)
        if since >= price:
            point, whole = newton(play, point, smoothing)
            since, reluctance = 0.0, 1.0 if whole else min(4.0 * reluctance, 64.0)
            continue
        F, sums, limit = point.F.copy(), point.sums.copy(), int(min(price, _CHUNK) / entries) + 1
        taken = ascend(
            play.K, play.diag, F, at.kernels, np.empty_like(at.kernels), table, samples, sums, masks, play.span,
            play.bias, max(eps, least), 0, limit,
        )  # fmt: skip
        point = Point(table[U].reshape(point.u.shape), sums, F, at.kernels[Q])
        since += max(taken, 1) * entries
    return point


def violated(play: Play, point: Point, smoothing: Smoothing) -> float:
    """The largest violation of the optimality of the smoothed saddle (OPT 6 of the paper, without its factor 2)."""
    from kernelopt_smo._compiled_smo import worst  # numba is imported when the first problem needs it

    g = gradient(play, point, weighed(point.q, smoothing))
    return float(worst(flat(g), play.masks(point.u), play.span))
