"""Candidate weights that all targets share: each takes the best direction and noise of those that are decomposed."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._targets._rays import Ray

_NOISES = np.exp(np.linspace(math.log(1e-4), math.log(1e3), 40))
"""The noises of candidates, as shares of all weights; the best size of both together is known in closed form."""


@attrs.frozen(eq=False)
class Chosen:
    """The best candidate of each of t targets.

    Attributes:
        rays: of all candidates.
        place: the ray of each target, shape (t,).
        w: its weights and noise, shape (t, m + 1).
    """

    rays: Sequence[Ray]
    place: IntArray
    w: FloatArray

    def some(self, which: IntArray) -> "Chosen":
        """Of these targets alone."""
        return Chosen(self.rays, self.place[which], self.w[which])

    def solved(self, R: FloatArray) -> FloatArray:
        """V^-1 applied to rows R (t, r), V being the covariance of each target's candidate, in single precision."""
        found = np.empty_like(R)
        for ray, some, total, level in self._groups():
            found[some] = ray.solved(R[some], level) / total[:, None]
        return found

    def halved(self, images: FloatArray) -> FloatArray:
        """V^-1/2 applied to images (t, k, r), in an orthonormal basis of each candidate's own, in single precision."""
        found: Any = np.empty(images.shape, dtype=np.float32)
        for ray, some, total, level in self._groups():
            assert ray.vectors is not None
            scale = 1.0 / np.sqrt((ray.values + level[:, None]) * total[:, None])
            flat = images[some].reshape(-1, images.shape[2]).astype(np.float32, copy=False) @ ray.vectors
            found[some] = flat.reshape(len(some), *images.shape[1:]) * scale.astype(np.float32)[:, None]
        return np.asarray(found)

    def _groups(self) -> Iterator[tuple[Ray, IntArray, FloatArray, FloatArray]]:
        """Rays with their targets, the sums of the weights of these, and their noises as shares of the sums."""
        total = self.w[:, :-1].sum(axis=1)
        for k in np.unique(self.place):
            some = np.flatnonzero(self.place == k)
            yield self.rays[k], some, total[some], self.w[some, -1] / total[some]


def chosen(rays: Sequence[Ray], Z: FloatArray, outside: FloatArray, n: float, floor: float) -> Chosen:
    """Of targets (t, r) with the squares of what no kernel sees (t,): the candidate with the largest evidence."""
    t = len(Z)
    single: Any = Z.astype(np.float32)
    best, w, place = np.full(t, np.inf), np.zeros((t, len(rays[0].direction) + 1)), np.zeros(t, dtype=np.intp)
    for k, ray in enumerate(rays):
        value, tau = ray.profile(single, outside, n, _NOISES, floor)
        level = value.argmin(axis=1)
        value = np.take_along_axis(value, level[:, None], axis=1)[:, 0]
        better = np.flatnonzero(value < best)
        level = level[better]
        best[better], place[better] = value[better], k
        direction = np.tile(ray.direction, (len(better), 1))
        w[better] = tau[better, level][:, None] * np.column_stack([direction, _NOISES[level]])
    return Chosen(tuple(rays), place, w)
