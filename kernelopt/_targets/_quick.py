"""The quick way: from the best of the shared candidates each target takes a few Newton steps, without its own factors.

All targets with the same candidate V0 stand in its eigenvectors, where V0 is diagonal and V(w) is about its diagonal D.

begin with the span of V0^-1 z, and repeat a few times for the targets that may still gain
    gradient from v'K_a v in the span and the interpolated traces; second derivatives from v'K_a D^-1 K_b v
    a step, w -> w+; D^-1 times the residual of the span at w+ joins the span, until the residual is small
    the step counts if the evidence, bounded by the residual, is better
"""

from collections.abc import Iterable, Iterator
from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._targets._atlas import Atlas
from kernelopt._targets._batch import Fitted, left_over
from kernelopt._targets._candidates import Chosen, chosen, useful
from kernelopt._targets._rays import Ray
from kernelopt._targets._scoring import Evidence, evidence, put, step
from kernelopt._targets._subspace import Reduced, Room, Subspaces
from kernelopt._targets._turned import Seen, seen

Targets = tuple[FloatArray, FloatArray]
"""Targets (t, r) in the basis of the kernels, and the squares of what no kernel sees, shape (t,)."""
_CANDIDATES = 5
"""Targets choose among so many rays."""
_ROUNDS = 8
VECTORS = 12
"""So many vectors span what is known of a target at most."""
_PRODUCTS = 1
"""So many of them join in a round at most."""
_WORTHWHILE = 0.1
"""A target goes on where its step promises so large a share of the gap that is allowed."""
_STIFF = 3
"""Targets with next to no noise take so many times as many steps and vectors."""
_NEAR = 0.2
"""A residual is small where it counts for so small a share of the gap that is allowed."""
_FACTOR = 3.0
"""By this factor noise may change in a round."""
_AROUND = 60
"""So many points tell how far the determinant may be wrong."""
_SINGLE = 1e4
"""Products are in single precision where the largest eigenvalue of a covariance is at most so many times the noise."""


@attrs.frozen(eq=False)
class Quick:
    """What the targets of one candidate share.

    Attributes:
        atlas: what is known of determinants.
        seen: the kernels as these targets see them.
        room: for their vectors.
    """

    atlas: Atlas
    seen: Seen
    room: Room

    def fitted(self, Z: FloatArray, outside: FloatArray, tol: float, w: FloatArray) -> Fitted:
        """Targets (t, r) with the squares of what no kernel sees (t,), from the weights (t, m + 1) of the candidate."""
        targets = self.seen.coordinates(Z)
        m, r = len(self.atlas.grams), Z.shape[1]
        times = 1 if targets.dtype == np.float32 else _STIFF
        spaces = Subspaces(targets, outside, self.seen.images, m, min(times * VECTORS, r + 1), self.room)
        return _Batch(self.atlas, self.seen, spaces, times).fitted(w.copy(), tol)


@attrs.frozen(eq=False)
class Start:
    """Where each of many targets begins.

    Attributes:
        atlas: what is known of determinants.
        rays: the candidates.
        chosen: that of each target.
    """

    atlas: Atlas
    rays: tuple[Ray, ...]
    chosen: Chosen

    @classmethod
    def of(cls, atlas: Atlas, few: Targets, many: Iterable[Targets]) -> "Start":
        """Of many targets, in parts, at the rays that a few of them call for."""
        n, floor, m = atlas.n, atlas.floor, len(atlas.grams)
        rays = useful(atlas.rays, *few, n, floor, max(_CANDIDATES, m))
        parts = [chosen(rays, Z, outside, n, floor) for Z, outside in many]
        places, w = (np.concatenate([getattr(one, name) for one in parts]) for name in ("place", "w"))
        return cls(atlas, rays, Chosen(places, w))

    def batches(self, size: int) -> Iterator[tuple[IntArray, "Quick"]]:
        """The targets of each candidate, so many at a time at most, and what they share."""
        hard = stiff(self.atlas.largest, self.chosen.w)
        single: Any = self.atlas.grams.astype(np.float32)
        room = Room()
        for k, ray in enumerate(self.rays):
            for grams, kind, most in ((single, ~hard, size), (self.atlas.grams, hard, max(size // _STIFF, 1))):
                places = np.flatnonzero((self.chosen.place == k) & kind)
                if len(places):
                    quick = Quick(self.atlas, seen(ray, grams, len(places)), room)
                    for first in range(0, len(places), most):
                        yield places[first : first + most], quick


def stiff(largest: FloatArray, w: FloatArray) -> BoolArray:
    """Whether covariances at weights (t, m + 1) are too far from their noise for single precision."""
    return np.asarray((w[:, :-1] * largest).sum(axis=1) > _SINGLE * w[:, -1])


def pilot_weights(atlas: Atlas, Z: FloatArray, outside: FloatArray, size: int, tol: float) -> FloatArray:
    """Of targets (t, r), shape (t, m + 1)."""
    start = Start.of(atlas, (Z, outside), [(Z, outside)])
    w = np.empty_like(start.chosen.w)
    for some, quick in start.batches(size):
        w[some] = quick.fitted(Z[some], outside[some], tol, start.chosen.w[some]).w
    return w


@attrs.frozen(eq=False)
class _Batch:
    atlas: Atlas
    seen: Seen
    spaces: Subspaces
    times: int

    def fitted(self, w: FloatArray, tol: float) -> Fitted:
        """In rounds, of targets at weights (t, m + 1), which change in place."""
        spaces, t = self.spaces, len(w)
        active, floor, damping = np.arange(t), np.full(t, self.atlas.floor), np.full(t, 1e-3)
        spaces.add(active, self.seen.solved(w, spaces.targets))
        known, doubt, v = _nothing(w), np.empty(t), np.zeros((t, len(spaces.vectors)))
        rounds = _ROUNDS * self.times
        for k in range(rounds + 1):
            here, error = self._evidence(active, w[active])
            put(known, active, here)
            doubt[active], v[active, : spaces.used] = error, here.reduced.solution
            after, fall = step(here, damping[active], floor[active])
            active, after = active[fall > _WORTHWHILE * tol], after[fall > _WORTHWHILE * tol]
            if not len(active) or k == rounds:
                break
            after[:, -1] = np.clip(after[:, -1], w[active, -1] / _FACTOR, w[active, -1] * _FACTOR)
            found = self._grown(active, after, tol, _PRODUCTS * self.times)
            better = found < known.value[active] + doubt[active]
            w[active[better]] = after[better]
            damping[active] = np.where(better, np.maximum(0.3 * damping[active], 1e-4), 30.0 * damping[active] + 1.0)
        solution = self.seen.back(spaces.solution(v))
        bound = left_over(self._around(w), known, doubt)
        return Fitted(w, solution, known.value + doubt, known.prices[:, -1], bound)

    def _grown(self, which: IntArray, w: FloatArray, tol: float, most: int) -> FloatArray:
        """Minus the log evidence at weights (k, m + 1), where the residual counts as much as it may, shape (k,).

        The spans grow until the residuals there are small.
        """
        spaces, left = self.spaces, np.arange(len(which))
        value = np.empty(len(which))
        for k in range(most + 1):
            at = evidence(spaces, which[left], self.atlas.determinant, self.atlas.n, w[left])
            residual = spaces.residual(which[left], w[left], at.reduced.solution)
            error = _error(residual, w[left])
            value[left] = at.value + error
            far = error > _NEAR * tol
            left = left[far]
            if not len(left) or spaces.full or k == most:
                break
            spaces.add(which[left], self.seen.solved(w[left], residual[far]))
        return value

    def _around(self, w: FloatArray) -> Atlas:
        """With what is known of the determinant around these weights alone, which leaves more doubt and is cheaper."""
        if len(w) < _AROUND:
            return self.atlas
        return attrs.evolve(self.atlas, determinant=self.atlas.determinant.around(w[:, :-1] / w[:, -1:], _AROUND))

    def _evidence(self, which: IntArray, w: FloatArray) -> tuple[Evidence, FloatArray]:
        """At weights (k, m + 1), with second derivatives beyond the span, and by how much the residual may count."""
        at = evidence(self.spaces, which, self.atlas.determinant, self.atlas.n, w)
        error = _error(self.spaces.residual(which, w, at.reduced.solution), w)
        half = self.seen.halved(w, self.spaces.imaged(which, at.reduced.solution.astype(self.spaces.targets.dtype)))
        information = (half @ half.transpose(0, 2, 1)).astype(np.float64)
        information[:, -1, -1] += self.spaces.outside[which] / w[:, -1] ** 3
        return attrs.evolve(at, reduced=attrs.evolve(at.reduced, information=information)), error


def _error(residual: FloatArray, w: FloatArray) -> FloatArray:
    """By how many nats a residual may be wrong about the evidence, r'V^-1 r / 2 <= r'r / (2 noise)."""
    squares: FloatArray = np.einsum("tr,tr->t", residual, residual).astype(np.float64)
    return np.asarray(0.5 * squares / w[:, -1])


def _nothing(w: FloatArray) -> Evidence:
    """Room for what is known at weights (t, m + 1)."""
    t, c = w.shape
    reduced = Reduced(np.empty((t, 0)), np.empty(t), np.empty((t, c)), np.empty((t, c, c)))
    return Evidence(np.empty((t, c)), np.empty(t), np.empty((t, c)), np.empty((t, c)), reduced)
