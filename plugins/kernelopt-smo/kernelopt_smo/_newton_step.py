"""A Newton step on the free variables of all outputs: what pairs do slowly where K is badly conditioned."""

import numpy as np

from kernelopt.dual import towards
from kernelopt.plugin import FloatArray, IntArray
from kernelopt_smo._active_block import Play
from kernelopt_smo._iterate import Point, Smoothing, Weighed, gradient, weighed

_DAMPED = 1e-11
"""Added to the diagonal, as a share of its mean: a step along which nothing changes must not fill the box."""


def newton(play: Play, point: Point, smoothing: Smoothing) -> tuple[Point, bool]:
    """A point no worse that differs in its free variables only, every equality kept, and whether it went half-way.

    H = diag(curvature) + T [sum_a eta_a K_a + bias + X' (diag(stiff) - shared lean lean') X] T,    X_a = F_a / s_a

    is minus the Hessian of h - psi; the step to the quadratic model's maximiser is searched exactly.
    """
    from kernelopt_smo._compiled_smoothing import BEND, B, length

    free = (point.u > play.lo) & (point.u < play.hi)
    place = np.nonzero(free)
    if not place[0].size:
        return point, True
    at = weighed(point.q, smoothing)
    g = gradient(play, point, at)[place]
    H = _curvature(play, point, at, place)
    groups = len(play.span)
    group = play.group[place]
    own = np.where(group < groups - 1, place[0] * (groups - 1) + group, len(point.u) * (groups - 1))
    fall, rise = play.lo[place] - point.u[place], play.hi[place] - point.u[place]
    step = towards(H, g, own, len(point.u) * (groups - 1) + 1, fall, rise)
    slope = float(g @ step)
    if not (np.isfinite(step).all() and slope > 0.0):
        return point, False

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = np.where(step > 0.0, rise / step, np.where(step < 0.0, fall / step, np.inf))
    move = np.zeros_like(point.u)
    move[place] = step
    dv = play.embed(move)
    image = _images(play, dv)
    b, bend = np.einsum("mck,ck->m", point.F, dv), np.einsum("mck,ck->m", image, dv)
    drift = dv.sum(axis=1)
    bent = float(play.curvature[place] @ (step * step)) + play.bias * float(drift @ drift)
    room = float(reach.min())
    at.kernels[B], at.kernels[BEND] = b, bend
    p = length(at.kernels, np.empty_like(at.kernels), at.gamma, slope + float(at.eta @ b), bent, room, 1.0)
    if not 0.0 < p < np.inf:
        return point, False
    u = point.u.copy()
    u[place] = np.where(
        reach <= p * (1.0 + 1e-12), np.where(step > 0.0, play.hi[place], play.lo[place]),
        np.clip(u[place] + p * step, play.lo[place], play.hi[place]),
    )  # fmt: skip
    after = Point(u, point.sums + p * drift, point.F + p * image, point.q + p * (2.0 * b + p * bend))
    return after, p >= 0.5


def _curvature(play: Play, point: Point, at: Weighed, place: tuple[IntArray, ...]) -> FloatArray:
    """H of the free variables, shape (f, f)."""
    from kernelopt.dual.loops import square
    from kernelopt_smo._compiled_smoothing import LEAN, STIFF, stiffness

    output, _, column = place
    H = np.zeros((column.size, column.size))
    for c in range(len(point.u)):
        mine = np.flatnonzero(output == c)
        block = np.full((mine.size, mine.size), play.bias)
        for a in np.flatnonzero(at.eta > 0.0):
            block += at.eta[a] * square(play.K[a], column[mine])
        H[np.ix_(mine, mine)] = block
    shared = stiffness(at.kernels, at.gamma)
    stiff, lean = at.kernels[STIFF], at.kernels[LEAN]
    active = np.flatnonzero(stiff > 0.0)
    if active.size > 1:
        X = point.F[active][:, output, column] / at.s[active, None]
        total = lean[active] @ X
        H += (X.T * stiff[active]) @ X - shared * np.outer(total, total)
    t = play.t[place]
    H *= np.outer(t, t)
    H[np.diag_indices_from(H)] += play.curvature[place] + _DAMPED * float(np.diagonal(H).mean())
    return H


def _images(play: Play, dv: FloatArray) -> FloatArray:
    """K_a dv for every kernel in play and dv of shape (C, k), shape (m, C, k)."""
    from kernelopt.dual.loops import add_rows

    image = np.zeros((len(play.K), *dv.shape))
    for c, step in enumerate(dv):
        rows = np.flatnonzero(step)
        for a, K in enumerate(play.K):
            add_rows(K, rows, step[rows], image[a, c])
    return image
