"""The program along its central path: one kernel for all outputs, and a machine for each.

A primal-dual interior point that keeps the few parameters of the kernel, and a, s and gamma of each machine, as
unknowns of one positive definite system; a general solver would have all entries of the matrix inequality among them.
Direction as in `_pairs`, predictor and corrector of Mehrotra (1992).
"""

from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Self

import attrs
import numpy as np
import scipy.linalg

from kernelopt.plugin import FloatArray
from kernelopt_sdp._cones import Cone
from kernelopt_sdp._pairs import Pair, inner
from kernelopt_sdp._side import Change, Machine, SidePoint

_ALMOST = 0.95
"""Of the way to where a point leaves its cone, a step goes so far."""
_ROUNDED = 1e-15
"""Of each diagonal entry of the system, which is added to it."""


def _one_after_the_other(first: int, sizes: Iterable[int]) -> tuple[slice, ...]:
    """Places of these sizes."""
    return tuple(slice(start, stop) for start, stop in pairwise(accumulate(sizes, initial=first)))


@attrs.frozen(eq=False)
class Kernels:
    """The parameters of all leaves side by side.

    Attributes:
        cones: of each leaf.
        price: linear, shape (p,).
        total: of the traces and sums of weights, or None where it is free.
    """

    cones: tuple[Cone, ...]
    price: FloatArray
    total: float | None

    @cached_property
    def middle(self) -> FloatArray:
        """The coordinates of I, or weights 1, of every leaf, shape (p,)."""
        return np.concatenate([one.middle for one in self.cones])

    @cached_property
    def places(self) -> tuple[slice, ...]:
        """Where the coordinates of each leaf are."""
        return _one_after_the_other(0, [one.size for one in self.cones])

    def start(self) -> FloatArray:
        """Equal shares of the total, shape (p,)."""
        mass = float(self.middle @ self.middle)
        return self.middle if self.total is None else self.middle * (self.total / mass)


@attrs.frozen(eq=False)
class Turn:
    """A change of a whole point.

    Attributes:
        theta, size: as those of `PathPoint`.
        Z: of the dual point of each leaf's cone.
        points: of each leaf's P or w.
        sides: of each output.
    """

    theta: FloatArray
    size: float
    Z: tuple[FloatArray, ...]
    points: tuple[FloatArray, ...]
    sides: tuple[Change, ...]


@attrs.frozen(eq=False)
class PathPoint:
    """A point of the path.

    Attributes:
        kernels: what the parameters are.
        theta: the parameters, shape (p,).
        size: the multiplier of their total.
        Z: the dual point of each leaf's cone.
        sides: of each output.
    """

    kernels: Kernels
    theta: FloatArray
    size: float
    Z: tuple[FloatArray, ...]
    sides: tuple[SidePoint, ...]

    @classmethod
    def start(cls, kernels: Kernels, machines: tuple[Machine, ...]) -> Self:
        """With equal shares, and machines in the middle of their bounds."""
        theta = kernels.start()
        sides = tuple(SidePoint.start(one, theta) for one in machines)
        value = sum(side.machine.span.form(side.S)[: len(theta)] for side in sides)
        level = max(1.0, float(np.abs(value).max()))
        Z = tuple(one.point(level * one.middle) for one in kernels.cones)
        return cls(kernels, theta, 0.0, Z, sides)

    @cached_property
    def cones(self) -> tuple[Pair, ...]:
        """The pair of each leaf."""
        parts = zip(self.kernels.cones, self.kernels.places, self.Z, strict=True)
        return tuple(one.pair(self.theta[here], Z) for one, here, Z in parts)

    @property
    def _pairs(self) -> list[Pair]:
        return [*self.cones, *(pair for side in self.sides for pair in side.pairs)]

    @property
    def _count(self) -> int:
        return sum(pair.count for pair in self._pairs)

    @property
    def mu(self) -> float:
        """The mean product of all points and dual points."""
        return sum(map(inner, self._pairs)) / self._count

    def next(self) -> Self:
        """A step of predictor and corrector.

        Raises:
            LinAlgError: a matrix is singular up to rounding.
        """
        system, mu = _System.of(self), self.mu
        first = system.towards(0.0, None)
        primal, dual = self._reaches(first, 1.0)
        left = max(self._left(first, primal, dual), 0.0)
        turn = system.towards(mu * min(left / mu, 1.0) ** 2, first)
        primal, dual = self._reaches(turn, _ALMOST)
        theta = self.theta + primal * turn.theta
        moved = [side.moved(one, primal, dual) for side, one in zip(self.sides, turn.sides, strict=True)]
        return attrs.evolve(
            self,
            theta=theta,
            size=self.size + dual * turn.size,
            Z=tuple(Z + dual * dZ for Z, dZ in zip(self.Z, turn.Z, strict=True)),
            sides=tuple(attrs.evolve(side, theta=theta) for side in moved),
        )

    def _reaches(self, turn: Turn, share: float) -> tuple[float, float]:
        """How far the program's variables and its dual variables go, at most 1; equally far where rest is curved."""
        ends = [side.reaches(one) for side, one in zip(self.sides, turn.sides, strict=True)]
        for pair, dX, dZ in zip(self.cones, turn.points, turn.Z, strict=True):
            ends.append((pair.reach(dX), pair.dual_reach(dZ)))
        primal, dual = (min(1.0, share * min(one)) for one in zip(*ends, strict=True))
        if any(side.machine.curved for side in self.sides):
            primal = dual = min(primal, dual)
        return primal, dual

    def _left(self, turn: Turn, primal: float, dual: float) -> float:
        """mu after so much of a turn."""
        total = sum(side.left(one, primal, dual) for side, one in zip(self.sides, turn.sides, strict=True))
        for pair, dX, dZ in zip(self.cones, turn.points, turn.Z, strict=True):
            total += inner(pair, primal * dX, dual * dZ)
        return total / self._count


@attrs.frozen(eq=False)
class _System:
    """The equations of a step at one point, factored.

    Attributes:
        point: where the step begins.
        factor: of the system, with a diagonal of 1.
        scale: the roots of its diagonal entries.
        places: where the unknowns of each output are, behind theta.
    """

    point: PathPoint
    factor: tuple[FloatArray, bool]
    scale: FloatArray
    places: tuple[slice, ...]

    @classmethod
    def of(cls, point: PathPoint) -> Self:
        p = len(point.theta)
        places = _one_after_the_other(p, [side.machine.size for side in point.sides])
        M = np.zeros((places[-1].stop,) * 2)
        for one, here, pair in zip(point.kernels.cones, point.kernels.places, point.cones, strict=True):
            M[here, here] = one.schur(pair)
        for side, here in zip(point.sides, places, strict=True):
            own = side.schur
            M[:p, :p] += own[:p, :p]
            M[here, :p], M[:p, here], M[here, here] = own[p:, :p], own[:p, p:], own[p:, p:]
        scale = np.sqrt(np.diag(M))
        M /= np.outer(scale, scale)
        M[np.diag_indices(len(M))] += _ROUNDED
        return cls(point, scipy.linalg.cho_factor(M, lower=True, overwrite_a=True), scale, places)

    def solved(self, wanted: FloatArray) -> FloatArray:
        """The unknowns for a right-hand side."""
        return np.asarray(scipy.linalg.cho_solve(self.factor, wanted / self.scale) / self.scale)

    @cached_property
    def _of_total(self) -> FloatArray:
        """What the total's multiplier moves."""
        middle = self.point.kernels.middle
        return self.solved(np.pad(middle, (0, len(self.scale) - len(middle))))

    def towards(self, centre: float, before: Turn | None) -> Turn:
        """The change to all products equal to the centre, with what the turn before adds of second order taken off."""
        point, kernels = self.point, self.point.kernels
        p = len(point.theta)
        bends = [None if before is None else side.bends(before.sides[k]) for k, side in enumerate(point.sides)]
        drifts = [side.drifts(centre, bend) for side, bend in zip(point.sides, bends, strict=True)]
        cones = [pair.drift(centre) for pair in point.cones]
        if before is not None:
            changes = zip(cones, point.cones, before.points, before.Z, strict=True)
            cones = [drift - pair.bend(dX, dZ) for drift, pair, dX, dZ in changes]
        wanted = np.zeros(len(self.scale))
        wanted[:p] = -kernels.price - point.size * kernels.middle
        for one, here, Z, drift in zip(kernels.cones, kernels.places, point.Z, cones, strict=True):
            wanted[here] += one.form(Z + drift)
        for side, here, three in zip(point.sides, self.places, drifts, strict=True):
            own = side.wanted(three)
            wanted[:p] += own[:p]
            wanted[here] += own[p:]
        found, size = self._of_size(self.solved(wanted))
        points = tuple(one.point(found[here]) for one, here in zip(kernels.cones, kernels.places, strict=True))
        duals = tuple(drift - pair.turned(dX) for drift, pair, dX in zip(cones, point.cones, points, strict=True))
        parts = zip(point.sides, self.places, drifts, strict=True)
        sides = tuple(side.change(found[:p], found[here], three) for side, here, three in parts)
        return Turn(found[:p], size, duals, points, sides)

    def _of_size(self, found: FloatArray) -> tuple[FloatArray, float]:
        """The same with the total kept, and the change of its multiplier."""
        kernels, p = self.point.kernels, len(self.point.theta)
        if kernels.total is None:
            return found, 0.0
        lacks = kernels.total - kernels.middle @ self.point.theta
        size = float((kernels.middle @ found[:p] - lacks) / (kernels.middle @ self._of_total[:p]))
        return found - size * self._of_total, size
