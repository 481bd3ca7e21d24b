"""One target by itself: where the shared quantities cannot decide, or cost more, its own factorisations do."""

import math

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._factorisation import Factored, factored
from kernelopt._evidence.lists._list_likelihood import Lists, Point, Slopes
from kernelopt._evidence.lists._scoring_step import FIRST, descend, scored
from kernelopt._linalg._gram import Dense
from kernelopt._targets._batch import SAFETY, Fitted

_STEPS = 100
_NEAR = 0.1
"""A descent ends where a step promises so small a share of the gap that is allowed."""


@attrs.frozen(eq=False)
class Sums:
    """The kernels between rows, of whose sums each target takes its own.

    Attributes:
        grams: shape (m, r, r), none of them 0.
        n: how many rows there are with all copies, of which n - r are noise alone.
        floor: the least noise, targets having the mean square 1.
    """

    grams: FloatArray
    n: float
    floor: float


@attrs.frozen(eq=False)
class _Here(Point):
    """The evidence of a target at some weights.

    Attributes:
        noise: the whole one.
        factor: of V.
        v: V^-1 z, shape (r,).
    """

    noise: float
    factor: Factored
    v: FloatArray


@attrs.frozen(eq=False)
class _Target(Lists):
    """The evidence of one target in its weights, of which the last is the noise beyond the least one.

    Attributes:
        sums: the kernels.
        z: the target in the basis of the kernels, shape (r,).
        outside: the square of what no kernel sees.
    """

    sums: Sums
    z: FloatArray
    outside: float

    @property
    def more(self) -> float:
        """How many rows are noise alone."""
        return self.sums.n - len(self.z)

    def at(self, w: FloatArray) -> _Here | None:
        noise = self.sums.floor + float(w[-1])
        factor = factored(Dense(np.tensordot(w[:-1], self.sums.grams, axes=1)), noise, keep=False)
        if factor is None:
            return None
        v = factor.solve(self.z)
        log_determinant = factor.log_determinant + self.more * math.log(noise)
        value = 0.5 * (float(self.z @ v) + self.outside / noise + log_determinant)
        return _Here(w, value, log_determinant, noise, factor, v) if math.isfinite(value) else None

    def slopes(self, point: Point) -> Slopes:
        """The derivatives at a point, whose factor is used up."""
        assert isinstance(point, _Here)
        noise, v, factor = point.noise, point.v, point.factor
        images = np.column_stack([*(gram @ v for gram in self.sums.grams), v])
        information = 0.5 * images.T @ factor.solve(images)
        inverse = factor.inverse(single=True, last=True).dense()
        trace = float(np.trace(inverse)) + self.more / noise
        prices = np.array([*(np.vdot(inverse, gram) for gram in self.sums.grams), trace])
        values = images.T @ v
        values[-1] += self.outside / noise**2
        information[-1, -1] += 0.5 * self.outside / noise**3
        return Slopes(values, prices, information, trace)

    def solution(self, point: Point) -> FloatArray:
        assert isinstance(point, _Here)
        return point.v[:, None]


def finished(sums: Sums, Z: FloatArray, outside: FloatArray, w: FloatArray, tol: float) -> Fitted:
    """One target (1, r) from its weights (1, m + 1) to within tol of its nearest optimum, in nats.

    Each step takes a Cholesky factor and an inverse of r rows.
    """
    target = _Target(sums, Z[0], float(outside[0]))
    return _from(target, _begun(target, w[0]), tol)


def lost(sums: Sums, Z: FloatArray, outside: FloatArray, w: FloatArray, tol: float) -> float:
    """By how many nats one target (1, r) at its weights (1, m + 1) is above the optimum that is found from there."""
    target = _Target(sums, Z[0], float(outside[0]))
    at = _at(target, w[0])
    return math.inf if at is None else float(at.value - _from(target, at, tol).value[0])


def _at(target: _Target, w: FloatArray) -> _Here | None:
    """At weights (m + 1,) whose last one is the whole noise."""
    beyond = w.copy()
    beyond[-1] = max(w[-1] - target.sums.floor, 0.0)
    return target.at(beyond)


def _begun(target: _Target, w: FloatArray) -> _Here:
    """At these weights (m + 1,), or where V cannot be factored there, at the same sum of weights as noise alone."""
    at = _at(target, w)
    at = _at(target, np.append(np.zeros(len(w) - 1), w.sum())) if at is None else at
    assert at is not None
    return at


def _from(target: _Target, point: _Here, tol: float) -> Fitted:
    """Down from a point, by scoring over weights >= 0 that is damped until the evidence falls as predicted."""
    damping = FIRST
    for step in range(_STEPS + 1):
        slopes = target.slopes(point)
        left = max(scored(point.w, slopes, 0.0)[1], 0.0)
        ended = left <= _NEAR * tol / SAFETY or step == _STEPS
        descent = None if ended else descend(target, point, slopes, damping, Budget())
        if descent is None:
            break
        assert isinstance(descent.point, _Here)
        point, damping = descent.point, descent.damping
    w = np.append(point.w[:-1], point.noise)
    return Fitted(w[None], point.v[None], np.array([point.value]), slopes.prices[-1:], np.array([SAFETY * left]))


def joined(found: Fitted, places: IntArray, better: list[Fitted]) -> Fitted:
    """With others in the places (k,)."""
    changed = {}
    for name in ("w", "solution", "value", "trace", "bound"):
        values = getattr(found, name).copy()
        values[places] = np.concatenate([getattr(one, name) for one in better])
        changed[name] = values
    return attrs.evolve(found, **changed)
