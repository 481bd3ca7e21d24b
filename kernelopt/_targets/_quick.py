"""The quick way: from the best of the shared candidates each target takes a few Newton steps, without its own factors.

All targets with the same candidate V0 stand in its eigenvectors, where V0 is diagonal and V(w) is about its diagonal D.

begin with the span of V0^-1 z, and repeat a few times for the targets that may still gain
    gradient from v'K_a v in the span and the interpolated traces; second derivatives from v'K_a D^-1 K_b v
    a step, w -> w+; D^-1 times the residual of the span at w+ joins the span, until the residual is small
    the step counts if the evidence, bounded by the residual, is better
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._targets._atlas import Atlas
from kernelopt._targets._batch import Fitted, left_over
from kernelopt._targets._candidates import Chosen, chosen, useful
from kernelopt._targets._rays import Ray
from kernelopt._targets._scoring import Evidence, evidence, put, rows, step
from kernelopt._targets._subspace import Reduced, Room, Subspaces
from kernelopt._targets._turned import Seen, seen

Targets = tuple[FloatArray, FloatArray]
"""Targets (t, r) in the basis of the kernels, and the squares of what no kernel sees, shape (t,)."""
_CANDIDATES = 5
"""Targets choose among so many rays."""
_ROUNDS = 8
VECTORS = 12
"""So many vectors span what is known of a target at most."""
_FIRST, _PRODUCTS = 2, 1
"""So many of them join in the first round at most, whose steps are the longest, and in any other."""
_WORTHWHILE = 0.2
"""A target goes on where its step promises so large a share of the gap that is allowed."""
_STIFF = 3
"""Targets with next to no noise take so many times as many steps and vectors."""
_NEAR = 0.4
"""A residual is small where it counts for so small a share of the gap that is allowed."""
_FACTOR = 3.0
"""By this factor noise may change in a round."""
_AROUND = 60
"""So many points tell how far the determinant may be wrong."""
_HELD = 1 << 28
"""Coordinates are kept where they take so many bytes at most."""
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

    def fitted(
        self, Z: FloatArray, outside: FloatArray, tol: float, w: FloatArray, along: FloatArray | None = None
    ) -> Fitted:
        """Targets (t, r) with the squares of what no kernel sees (t,), from the weights (t, m + 1) of the candidate.

        Their coordinates along its eigenvectors need not be computed again where they are given.
        """
        targets = self.seen.coordinates(Z, along)
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
        place: the candidate of each target, shape (t,).
        w: its weights and noise, shape (t, m + 1).
        along: the coordinates of targets along the eigenvectors of their candidates, shape (t, r); None where they
            would take much memory.
    """

    atlas: Atlas
    rays: tuple[Ray, ...]
    place: IntArray
    w: FloatArray
    along: FloatArray | None

    @classmethod
    def of(cls, atlas: Atlas, few: Targets, many: Iterable[Targets]) -> "Start":
        """Of many targets, in parts, at the rays that a few of them call for."""
        n, floor, m = atlas.n, atlas.floor, len(atlas.grams)
        rays = useful(atlas.rays, *few, n, floor, max(_CANDIDATES, m))
        parts, held = list[Chosen](), 0
        for Z, outside in many:
            part = chosen(rays, Z, outside, n, floor)
            held += part.along.nbytes
            parts.append(part if held <= _HELD else attrs.evolve(part, along=part.along[:0]))
        place, w, along = (np.concatenate([getattr(one, name) for one in parts]) for name in ("place", "w", "along"))
        return cls(atlas, rays, place, w, along if len(along) == len(place) else None)

    def way(self, some: IntArray, quick: Quick) -> Callable[[FloatArray, FloatArray, float], Fitted]:
        """How targets in these places, of one candidate, are learned from where they begin."""
        return partial(quick.fitted, w=self.w[some], along=None if self.along is None else self.along[some])

    def batches(self, size: int) -> Iterator[tuple[IntArray, "Quick"]]:
        """The targets of each candidate, so many at a time at most, and what they share."""
        hard = stiff(self.atlas.largest, self.w)
        single = self.atlas.single
        assert single is not None
        room, thin = Room(), self.atlas.thin
        for k, ray in enumerate(self.rays):
            for grams, kind, most in ((single, ~hard, size), (self.atlas.grams, hard, max(size // _STIFF, 1))):
                places = np.flatnonzero((self.place == k) & kind)
                if len(places):
                    quick = Quick(self.atlas, seen(ray, grams, thin, len(places)), room)
                    for first in range(0, len(places), most):
                        yield places[first : first + most], quick


def stiff(largest: FloatArray, w: FloatArray) -> BoolArray:
    """Whether covariances at weights (t, m + 1) are too far from their noise for single precision."""
    return np.asarray((w[:, :-1] * largest).sum(axis=1) > _SINGLE * w[:, -1])


def pilot_weights(
    atlas: Atlas, Z: FloatArray, outside: FloatArray, size: int, tol: float, check: Callable[[], None]
) -> FloatArray:
    """Of targets (t, r), shape (t, m + 1); `check` is called before each batch of them."""
    start = Start.of(atlas, (Z, outside), [(Z, outside)])
    w = np.empty_like(start.w)
    for some, quick in start.batches(size):
        check()
        w[some] = start.way(some, quick)(Z[some], outside[some], tol).w
    return w


@attrs.frozen(eq=False)
class _Known:
    """What is known of some targets at their weights; it changes in place.

    Attributes:
        at: the evidence within their spans.
        error: by how many nats it may be wrong for the rest, shape (t,).
    """

    at: Evidence
    error: FloatArray

    @classmethod
    def nothing(cls, t: int, m: int, p: int) -> "_Known":
        """Room for t targets, m kernels and p vectors."""
        c = m + 1
        reduced = Reduced(np.empty((t, p)), np.empty(t), np.empty((t, c)), np.empty((t, c, c)))
        return cls(Evidence(np.empty((t, c)), np.empty(t), np.empty((t, c)), np.empty((t, c)), reduced), np.empty(t))

    @property
    def most(self) -> FloatArray:
        """Minus the log evidence where the error counts as much as it may, shape (t,)."""
        return self.at.value + self.error

    def of(self, places: IntArray | BoolArray) -> "_Known":
        """What is known of those in some places."""
        return _Known(rows(self.at, places), self.error[places])

    def put(self, places: IntArray, new: "_Known") -> None:
        """Writes what is known of those in some places."""
        put(self.at, places, new.at)
        self.error[places] = new.error


@attrs.frozen(eq=False)
class _Batch:
    atlas: Atlas
    seen: Seen
    spaces: Subspaces
    times: int

    def fitted(self, w: FloatArray, tol: float) -> Fitted:
        """In rounds, of targets that begin at weights (t, m + 1)."""
        spaces, t = self.spaces, len(w)
        active, floor, damping = np.arange(t), np.full(t, self.atlas.floor), np.full(t, 1e-3)
        spaces.add(active, self.seen.solved(w, spaces.targets))
        known, _ = self._evaluated(active, w)
        moved, rounds = active, _ROUNDS * self.times
        for k in range(rounds + 1):
            self._curved(known, moved)
            after, fall = step(rows(known.at, active), damping[active], floor[active])
            active, after = active[fall > _WORTHWHILE * tol], after[fall > _WORTHWHILE * tol]
            if not len(active) or k == rounds:
                break
            noise = known.at.w[active, -1]
            after[:, -1] = np.clip(after[:, -1], noise / _FACTOR, noise * _FACTOR)
            trial = self._grown(active, after, tol, (_PRODUCTS if k else _FIRST) * self.times)
            better = trial.most < known.most[active]
            moved = active[better]
            known.put(moved, trial.of(better))
            damping[active] = np.where(better, np.maximum(0.3 * damping[active], 1e-4), 30.0 * damping[active] + 1.0)
        at = known.at
        solution = self.seen.back(spaces.solution(at.reduced.solution))
        bound = left_over(self._around(at.w), at, known.error)
        return Fitted(at.w, solution, known.most, at.prices[:, -1], bound)

    def _grown(self, which: IntArray, w: FloatArray, tol: float, most: int) -> _Known:
        """What is known at weights (k, m + 1), when the spans have grown until the residuals there are small."""
        spaces, left = self.spaces, np.arange(len(which))
        found = _Known.nothing(len(which), w.shape[1] - 1, spaces.rows.shape[1])
        for k in range(most + 1):
            new, residual = self._evaluated(which[left], w[left])
            found.put(left, new)
            far = new.error > _NEAR * tol
            left = left[far]
            if not len(left) or spaces.full or k == most:
                break
            spaces.add(which[left], self.seen.solved(w[left], residual[far]))
        return found

    def _evaluated(self, which: IntArray, w: FloatArray) -> tuple[_Known, FloatArray]:
        """What the spans know at weights (k, m + 1) as they are, and the residuals there, shape (k, r)."""
        at = evidence(self.spaces, which, self.atlas.determinant, self.atlas.n, w)
        residual = self.spaces.residual(which, w, at.reduced.solution)
        return _Known(at, _error(residual, w)), residual

    def _curved(self, known: _Known, which: IntArray) -> None:
        """Writes second derivatives beyond the spans, of some targets."""
        at = rows(known.at, which)
        information = self.seen.information(self.spaces, which, at.w, at.reduced.solution)
        information[:, -1, -1] += self.spaces.outside[which] / at.w[:, -1] ** 3
        known.at.reduced.information[which] = information

    def _around(self, w: FloatArray) -> Atlas:
        """With what is known of the determinant around these weights alone, which leaves more doubt and is cheaper."""
        if len(w) < _AROUND:
            return self.atlas
        return attrs.evolve(self.atlas, determinant=self.atlas.determinant.around(w[:, :-1] / w[:, -1:], _AROUND))


def _error(residual: FloatArray, w: FloatArray) -> FloatArray:
    """By how many nats a residual may be wrong about the evidence, r'V^-1 r / 2 <= r'r / (2 noise)."""
    squares: FloatArray = np.einsum("tr,tr->t", residual, residual).astype(np.float64)
    return np.asarray(0.5 * squares / w[:, -1])
