"""Candidate weights that all targets share: each takes the best direction and noise of those that are decomposed."""

import math
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._targets._rays import Along, Ray

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
        along: the coordinates along the eigenvectors of that ray, shape (t, r), in single precision.
    """

    place: IntArray
    w: FloatArray
    along: FloatArray


def chosen(rays: Sequence[Ray], Z: FloatArray, outside: FloatArray, n: float, floor: float) -> Chosen:
    """Of targets (t, r) with the squares of what no kernel sees (t,): the candidate with the largest evidence."""
    single: Any = Z.astype(np.float32)
    squares = _squares(single)
    values = [_best(ray, Along(ray.coordinates(single, _LEADING), squares, outside), n, floor)[0] for ray in rays]
    place = np.stack(values).argmin(axis=0)
    w, along = np.empty((len(Z), len(rays[0].direction) + 1)), np.empty_like(single)
    for k, ray in enumerate(rays):
        some = np.flatnonzero(place == k)
        along[some] = own = ray.coordinates(single[some])
        _, level, tau = _best(ray, Along(own, squares[some], outside[some]), n, floor)
        w[some] = tau[:, None] * np.column_stack([np.tile(ray.direction, (len(some), 1)), level])
    return Chosen(place, w, along)


def useful(
    rays: Sequence[Ray], Z: FloatArray, outside: FloatArray, n: float, floor: float, count: int
) -> tuple[Ray, ...]:
    """So many rays at most that together are the best for a few targets (t, r): each adds most to those before it."""
    squares = _squares(Z)
    values = np.stack([_best(ray, Along(ray.coordinates(Z), squares, outside), n, floor)[0] for ray in rays])
    reached, found = np.full(len(Z), values.max() + 1.0), list[Ray]()
    while len(found) < count:
        fall = np.maximum(reached - values, 0.0).sum(axis=1)
        best = int(np.argmax(fall))
        if fall[best] <= 0.0:
            break
        found.append(rays[best])
        reached = np.minimum(reached, values[best])
    return tuple(found)


def _best(ray: Ray, targets: Along, n: float, floor: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Minus the log evidence along a ray at the best noise, that noise, and the size of both, shape (t,) each."""
    value, tau = ray.profile(targets, n, _NOISES, floor)
    level = value.argmin(axis=1)
    at = (np.arange(len(level)), level)
    return value[at], _NOISES[level], tau[at]


def _squares(Z: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("tr,tr->t", Z, Z))
