"""Candidate weights that all targets share: each takes the best direction and noise of those that are decomposed."""

import math
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._targets._rays import Ray

_NOISES = np.exp(np.linspace(math.log(1e-4), math.log(1e3), 40))
"""The noises of candidates, as shares of all weights; the best size of both together is known in closed form."""

_LEADING = 0.25
"""Targets choose a ray by this share of its eigenvectors, those with the largest eigenvalues."""


@attrs.frozen(eq=False)
class Chosen:
    """The best candidate of each of t targets.

    Attributes:
        place: the ray of each target, shape (t,).
        w: its weights and noise, shape (t, m + 1).
    """

    place: IntArray
    w: FloatArray


def chosen(rays: Sequence[Ray], Z: FloatArray, outside: FloatArray, n: float, floor: float) -> Chosen:
    """Of targets (t, r) with the squares of what no kernel sees (t,): the candidate with the largest evidence."""
    single: Any = Z.astype(np.float32)
    values = [_at_best_noise(ray, single, outside, n, floor, _LEADING)[0] for ray in rays]
    place = np.stack(values).argmin(axis=0)
    w = np.empty((len(Z), len(rays[0].direction) + 1))
    for k, ray in enumerate(rays):
        some = np.flatnonzero(place == k)
        _, level, tau = _at_best_noise(ray, single[some], outside[some], n, floor)
        w[some] = tau[:, None] * np.column_stack([np.tile(ray.direction, (len(some), 1)), level])
    return Chosen(place, w)


def useful(
    rays: Sequence[Ray], Z: FloatArray, outside: FloatArray, n: float, floor: float, count: int
) -> tuple[Ray, ...]:
    """So many rays at most that together are the best for a few targets (t, r): each adds most to those before it."""
    values = np.stack([_at_best_noise(ray, Z, outside, n, floor)[0] for ray in rays])
    reached, found = np.full(len(Z), values.max() + 1.0), list[Ray]()
    while len(found) < count:
        fall = np.maximum(reached - values, 0.0).sum(axis=1)
        best = int(np.argmax(fall))
        if fall[best] <= 0.0:
            break
        found.append(rays[best])
        reached = np.minimum(reached, values[best])
    return tuple(found)


def _at_best_noise(
    ray: Ray, Z: FloatArray, outside: FloatArray, n: float, floor: float, leading: float = 1.0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Minus the log evidence of targets (t, r) along a ray, the noise there, and the size of both, shape (t,) each."""
    value, tau = ray.profile(Z, outside, n, _NOISES, floor, leading)
    level = value.argmin(axis=1)
    at = (np.arange(len(level)), level)
    return value[at], _NOISES[level], tau[at]
