"""The quick way: from the best of the shared candidates each target takes a few Newton steps, without its own factors.

choose the best candidate V0 of each target; v = V0^-1 z
repeat a few times for the targets that may still gain
    gradient from v'K_a v and the interpolated traces; second derivatives from v'K_a V0^-1 K_b v
    a step, w -> w+; conjugate gradients preconditioned by V0 take v to about V(w+)^-1 z
    the step counts if the evidence, bounded by the residual, is better
"""

from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._targets._atlas import Atlas
from kernelopt._targets._batch import Fitted, left_over
from kernelopt._targets._candidates import Chosen, chosen
from kernelopt._targets._determinant import LEAST
from kernelopt._targets._scoring import Evidence, step
from kernelopt._targets._subspace import Reduced

_ROUNDS = 4
_PRODUCTS = 3
"""So many steps of conjugate gradients in a round at most."""
_NEAR = 0.2
"""They end where the residual counts for so small a share of the gap that is allowed."""
_FACTOR = 3.0
"""By this factor noise may change in a round."""
_SINGLE = 1e3
"""Products are in single precision where the largest eigenvalue of a covariance is at most so many times the noise."""


@attrs.frozen(eq=False)
class Quick:
    """Candidates and kernels in both precisions.

    Attributes:
        atlas: its rays are the candidates.
        single: the Gram matrices in single precision, shape (m, r, r).
    """

    atlas: Atlas
    single: FloatArray

    @classmethod
    def of(cls, atlas: Atlas) -> "Quick":
        """With the Gram matrices of these rays."""
        single: Any = atlas.grams.astype(np.float32)
        return cls(atlas, single)

    def fitted(self, Z: FloatArray, outside: FloatArray, tol: float) -> Fitted:
        """Targets (t, r) with the squares of what no kernel sees (t,)."""
        atlas = self.atlas
        begin = chosen(atlas.rays, Z, outside, atlas.n, atlas.floor)
        hard = (begin.w[:, :-1] * atlas.largest).sum(axis=1) > _SINGLE * begin.w[:, -1]
        parts = []
        for some, grams in ((np.flatnonzero(~hard), self.single), (np.flatnonzero(hard), atlas.grams)):
            if len(some):
                parts.append((some, _Batch(atlas, grams, Z[some], outside[some], begin.some(some)).fitted(tol)))
        return parts[0][1] if len(parts) == 1 else _merged(parts)


@attrs.frozen(eq=False)
class _Point:
    """Targets at weights, with what is about V^-1 z there.

    Attributes:
        w: shape (t, m + 1).
        v: shape (t, r).
        images: K_a v, that of the noise, v itself, last, shape (t, m + 1, r).
        residual: z - V v, shape (t, r).
    """

    w: FloatArray
    v: FloatArray
    images: FloatArray
    residual: FloatArray

    def some(self, which: IntArray) -> "_Point":
        return _Point(self.w[which], self.v[which], self.images[which], self.residual[which])

    def put(self, which: IntArray, new: "_Point") -> None:
        """In place: a batch is large."""
        for name in ("w", "v", "images", "residual"):
            getattr(self, name)[which] = getattr(new, name)

    @property
    def error(self) -> FloatArray:
        """By how many nats the residual may be wrong about the evidence, r'V^-1 r / 2 <= r'r / (2 noise)."""
        return np.asarray(0.5 * _dots(self.residual, self.residual) / self.w[:, -1])


@attrs.frozen(eq=False)
class _Batch:
    atlas: Atlas
    grams: FloatArray
    Z: FloatArray
    outside: FloatArray
    begin: Chosen

    def fitted(self, tol: float) -> Fitted:
        """In rounds, of targets (t, r)."""
        t, floor = len(self.Z), np.full(len(self.Z), self.atlas.floor)
        every = np.arange(t)
        at = self._solved(self._first(), tol)
        value, damping, active = self._value(every, at), np.full(t, 1e-3), every
        information = np.zeros((t, at.w.shape[1], at.w.shape[1]))
        for _ in range(_ROUNDS):
            here = at.some(active)
            information[active] = self._information(active, here)
            after, fall = step(self._evidence(active, here, information[active]), damping[active], floor[active])
            active, after, here = _kept(fall > 0.1 * tol, active, after, here)
            if not len(active):
                break
            after[:, -1] = np.clip(after[:, -1], here.w[:, -1] / _FACTOR, here.w[:, -1] * _FACTOR)
            trial = self._solved(self._moved(here, after, active), tol)
            found = self._value(active, trial)
            better = found < value[active]
            at.put(active[better], trial.some(np.flatnonzero(better)))
            value[active[better]] = found[better]
            damping[active] = np.where(better, np.maximum(0.3 * damping[active], 1e-4), 30.0 * damping[active] + 1.0)
        final = self._evidence(every, at, information)
        bound = left_over(self.atlas, final, at.error)
        return Fitted(at.w, at.v.astype(np.float64), value, final.prices[:, -1], bound)

    def _first(self) -> _Point:
        """The candidates."""
        v = self.begin.solved(self.Z).astype(self.grams.dtype)
        images = self._images(v)
        return _Point(self.begin.w.copy(), v, images, self._residual(np.arange(len(v)), self.begin.w, images))

    def _moved(self, here: _Point, w: FloatArray, which: IntArray) -> _Point:
        """With the old v at new weights (k, m + 1)."""
        return _Point(w, here.v, here.images, self._residual(which, w, here.images))

    def _solved(self, point: _Point, tol: float) -> _Point:
        """By conjugate gradients, preconditioned by the candidates."""
        v, images, residual = point.v.copy(), point.images.copy(), point.residual.copy()
        left = np.flatnonzero(point.error > _NEAR * tol)
        p, rho, near = np.zeros_like(v), np.ones(len(v)), nearest(self.atlas, point.w)
        for _ in range(_PRODUCTS):
            if not len(left):
                break
            r = residual[left]
            s = near.some(left).solved(r)
            now = _dots(r, s)
            p[left] = s + (now / rho[left]).astype(s.dtype)[:, None] * p[left]
            rho[left] = np.maximum(now, 1e-300)
            moved = self._images(p[left])
            forth = _product(point.w[left], moved)
            size = (now / np.maximum(_dots(p[left], forth), 1e-300)).astype(s.dtype)[:, None]
            v[left] += size * p[left]
            images[left] += size[:, None] * moved
            residual[left] -= size * forth
            error = 0.5 * _dots(residual[left], residual[left]) / point.w[left, -1]
            left = left[error > _NEAR * tol]
        return _Point(point.w, v, images, residual)

    def _images(self, v: FloatArray) -> FloatArray:
        return np.stack([*(v @ gram for gram in self.grams), v], axis=1)

    def _residual(self, which: IntArray, w: FloatArray, images: FloatArray) -> FloatArray:
        return np.asarray(self.Z[which].astype(images.dtype) - _product(w, images))

    def _quadratic(self, which: IntArray, at: _Point) -> FloatArray:
        """Z'V^-1 z from below: z'v + r'v, with what no kernel sees."""
        inside = _dots(self.Z[which], at.v) + _dots(at.residual, at.v)
        return np.asarray(inside + self.outside[which] / at.w[:, -1])

    def _value(self, which: IntArray, at: _Point) -> FloatArray:
        """Minus the log evidence, where the residual counts as much as it may."""
        noise = at.w[:, -1]
        h = self.atlas.determinant.at(at.w[:, :-1] / noise[:, None])[0]
        return np.asarray(0.5 * (self._quadratic(which, at) + self.atlas.n * np.log(noise) + h) + at.error)

    def _information(self, which: IntArray, at: _Point) -> FloatArray:
        """V'K_a V^-1 K_b v, shape (k, m + 1, m + 1), where the candidate stands for the covariance."""
        half = nearest(self.atlas, at.w).halved(at.images)
        information = (half @ half.transpose(0, 2, 1)).astype(np.float64)
        information[:, -1, -1] += self.outside[which] / at.w[:, -1] ** 3
        return information

    def _evidence(self, which: IntArray, at: _Point, information: FloatArray) -> Evidence:
        noise, outside, n = at.w[:, -1], self.outside[which], self.atlas.n
        r = at.w[:, :-1] / noise[:, None]
        h, slopes = self.atlas.determinant.at(r)
        own = np.maximum(n - (r * slopes).sum(axis=1), LEAST)
        prices = np.column_stack([slopes, own]) / noise[:, None]
        values = np.stack([_dots(at.images[:, a], at.v) for a in range(at.w.shape[1])], axis=1)
        values[:, -1] += outside / noise**2
        quadratic = self._quadratic(which, at)
        value = 0.5 * (quadratic + n * np.log(noise) + h)
        reduced = Reduced(at.v, quadratic, values, information)
        return Evidence(at.w, value, 0.5 * (prices - values), prices, reduced)


def nearest(atlas: Atlas, w: FloatArray) -> Chosen:
    """Of weights (t, m + 1): the ray nearest in the coordinates of the determinant, with their own sum and noise."""
    m = w.shape[1] - 1
    total = np.maximum(w[:, :m].sum(axis=1), 1e-9 * w[:, m])
    x = atlas.determinant.coordinates(w[:, :m] / w[:, m:])
    ratio, directions = (total / w[:, m])[:, None], np.stack([ray.direction for ray in atlas.rays])
    there = (atlas.determinant.coordinates(ratio * direction) for direction in directions)
    place = np.argmin([((one - x) ** 2).sum(axis=1) for one in there], axis=0)
    return Chosen(atlas.rays, place, np.column_stack([total[:, None] * directions[place], w[:, m]]))


def _dots(A: FloatArray, B: FloatArray) -> FloatArray:
    """The inner products of rows (t, r), in double precision from single products."""
    return np.asarray(np.einsum("tr,tr->t", A, B), dtype=np.float64)


def _product(w: FloatArray, images: FloatArray) -> FloatArray:
    """V v of images (t, m + 1, r)."""
    return np.asarray((w.astype(images.dtype)[:, None] @ images)[:, 0])


def _kept(mask: Any, active: IntArray, after: FloatArray, here: _Point) -> tuple[IntArray, FloatArray, _Point]:
    places = np.flatnonzero(mask)
    return active[places], after[places], here.some(places)


def _merged(parts: list[tuple[IntArray, Fitted]]) -> Fitted:
    """In the order of the targets."""
    order = np.argsort(np.concatenate([some for some, _ in parts]))
    fields = attrs.fields(Fitted)
    return Fitted(*(np.concatenate([getattr(part, one.name) for _, part in parts])[order] for one in fields))
