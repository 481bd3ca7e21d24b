"""The weights of one batch of targets: small problems that grow where they are wrong."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._targets._atlas import Atlas
from kernelopt._targets._scoring import Evidence, descended, evidence
from kernelopt._targets._subspace import Room, Subspaces, multiplied

ROUNDS = 14
"""So many vectors join the first ones at most."""
_STEPS = 8
_RADIUS, _FARTHEST = 2.0, 8.0
"""By these factors noise may fall in a round: what a span does not see yet looks as if there were no noise."""
_BELIEVED = 1.0
"""In nats: a round whose span is wrong by more is not believed."""
SAFETY = 2.0
"""What the quadratic model says is doubled: its curvature is an average of the observed and the expected one."""
_NEAR = 1e-3
"""So small a share of the gap that is allowed is what a span may be wrong by in the end."""


@attrs.frozen(eq=False)
class Fitted:
    """What is known of targets at their weights.

    Attributes:
        w: weights and noise, shape (t, m + 1).
        solution: V^-1 y, shape (t, r).
        value: minus the log evidence without n/2 log 2 pi, shape (t,).
        trace: tr V^-1, shape (t,).
        bound: how far it may be above the nearest optimum, in nats, shape (t,).
    """

    w: FloatArray
    solution: FloatArray
    value: FloatArray
    trace: FloatArray
    bound: FloatArray

    def taken(self, places: IntArray) -> "Fitted":
        """Those in some places."""
        w, solution, value, trace, bound = (one[places] for one in attrs.astuple(self, recurse=False))
        return Fitted(w, solution, value, trace, bound)


def fitted(atlas: Atlas, room: Room, Z: FloatArray, outside: FloatArray, tol: float) -> Fitted:
    """Targets (t, r) with the squares of what no kernel sees (t,), whose vectors are held in the room."""
    t, m = len(Z), len(atlas.grams)
    every = np.arange(t)
    w = atlas.begun(Z, outside)
    spaces = Subspaces(Z, outside, multiplied(atlas.grams), m, min(1 + m + ROUNDS, Z.shape[1] + 1), room)
    spaces.add(every, atlas.preconditioned(w, Z))
    for a in range(m):
        if not spaces.full:
            spaces.add(every, atlas.preconditioned(w, spaces.images[:t, a]))
    radius, wrong, share = np.full(t, _RADIUS), np.full(t, np.inf), np.ones(t)
    active = every
    while len(active):
        at, left = _descended(atlas, spaces, active, w[active], radius[active], tol)
        part = np.where(share[active] < 1.0, share[active], 1.0)[:, None]
        at = evidence(spaces, active, atlas.determinant, atlas.n, w[active] + part * (at.w - w[active]))
        residual = spaces.residual(active, at.w, at.reduced.solution)
        error = 0.5 * (residual**2).sum(axis=1) / at.w[:, -1]
        fine = error < _BELIEVED
        short = (part[:, 0] < 1.0) | (at.w[:, -1] < 0.99 * w[active, -1])
        w[active[fine]] = at.w[fine]
        wrong[active] = np.where(fine, error, np.inf)
        share[active] = np.where(fine, np.minimum(2.0 * share[active], 1.0), 0.5 * share[active])
        radius[active] = np.where(fine, np.minimum(1.5 * radius[active], _FARTHEST), np.sqrt(radius[active]))
        going = ~fine | (error > _NEAR * tol) | (left > 0.1 * tol) | short
        if spaces.full or not going.any():
            break
        active, residual, there = active[going], residual[going], at.w[going]
        spaces.add(active, atlas.preconditioned(there, residual))
    final = evidence(spaces, every, atlas.determinant, atlas.n, w)
    residual = spaces.residual(every, w, final.reduced.solution)
    error = 0.5 * (residual**2).sum(axis=1) / w[:, -1]
    bound = left_over(atlas, final, error)
    return Fitted(w, spaces.solution(final.reduced.solution), final.value + error, final.prices[:, -1], bound)


def _descended(
    atlas: Atlas, spaces: Subspaces, active: IntArray, w: FloatArray, radius: FloatArray, tol: float
) -> tuple[Evidence, FloatArray]:
    lowest = np.maximum(atlas.floor, w[:, -1] / radius)
    return descended(spaces, active, atlas.determinant, atlas.n, w, lowest, _STEPS, 1e-3 * tol)


def left_over(atlas: Atlas, at: Evidence, error: FloatArray) -> FloatArray:
    """How far targets may be above their nearest optimum, in nats, shape (t,).

    By the quadratic model: what its step still promises, and what it would with the determinant's slopes and the span
    as wrong as they may be in all directions at once; twice that, for the model's own curvature.
    """
    t, m = len(error), len(atlas.grams)
    noise = at.w[:, -1:]
    r = at.w[:, :-1] / noise
    scale = 0.5 / ((r + 1.0 / atlas.largest) * noise)
    turned = np.zeros((t, m + 1, m))
    turned[:, np.arange(m), np.arange(m)] = scale
    turned[:, m] = -r * scale
    unit = np.maximum(at.prices, 1e-300)
    doubt = turned @ atlas.determinant.doubt(r) @ turned.transpose(0, 2, 1) / unit[:, :, None] / unit[:, None]
    u, g = at.w * unit, at.gradient / unit
    A = 0.5 * at.reduced.information / unit[:, :, None] / unit[:, None]
    diagonal = np.einsum("taa->ta", A)
    A = A + (1e-9 * (1.0 + diagonal.mean(axis=1)))[:, None, None] * np.eye(m + 1)
    slack = np.sqrt(np.maximum(np.einsum("taa->ta", doubt), 0.0))
    bottom = np.zeros_like(u)
    bottom[:, -1] = atlas.floor * unit[:, -1]
    held = (u <= 1.000001 * bottom) & (g >= slack)
    sound = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(doubt).all(axis=(1, 2)) & np.isfinite(g).all(axis=1)
    fixed = held[:, :, None] | held[:, None]
    inverse = np.linalg.inv(np.where(sound[:, None, None], np.where(fixed, 1e12 * np.eye(m + 1), A), np.eye(m + 1)))
    downhill = np.where(held | ((u <= bottom) & (g > 0.0)), 0.0, g)
    promised = 0.5 * np.einsum("ta,tab,tb->t", downhill, inverse, downhill)
    shaken = 0.5 * np.einsum("tab,tba->t", inverse, doubt)
    parts = np.sqrt(np.maximum(promised, 0.0)) + np.sqrt(np.maximum(shaken, 0.0))
    return np.where(sound, SAFETY * parts**2 + error, np.inf)
