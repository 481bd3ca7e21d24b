"""One output on the central path: its machine's dual variables, the multipliers of their bounds, and its inequality.

rest = linear - E'z - curvature alpha + below - above - A'gamma = 0,      z = root a
below (alpha - lower) = mu,    above (upper - alpha) = mu,    A alpha = target,    X S = mu I
"""

from functools import cached_property
from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import DualQP, FloatArray
from kernelopt_sdp._inequality import Span
from kernelopt_sdp._pairs import MatrixPair, Pair, VectorPair, inner

Three = tuple[FloatArray, FloatArray, FloatArray]
"""A matrix for the inequality, and a vector each for the lower and the upper bounds of alpha."""


@attrs.frozen(eq=False)
class Machine:
    """What stays the same on the path.

    Attributes:
        qp: the dual problem, in the program's units.
        span: of the inequality.
        image: E'root, shape (N, r).
        equalities: A, shape (g, N).
    """

    qp: DualQP
    span: Span
    image: FloatArray
    equalities: FloatArray

    @classmethod
    def of(cls, qp: DualQP, span: Span) -> Self:
        """Of a dual problem."""
        A, member = np.zeros((len(qp.target), qp.size)), np.flatnonzero(qp.group >= 0)
        A[qp.group[member], member] = qp.coefficient[member]
        return cls(qp, span, qp.sign[:, None] * span.root[qp.sample], A)

    @property
    def size(self) -> int:
        """The number of the unknowns a, s and gamma together."""
        return self.span.rank + 1 + len(self.equalities)

    @property
    def curved(self) -> bool:
        """Whether alpha is in the equation of `rest`, so that all must go equally far."""
        return bool((self.qp.curvature > 0.0).any())


@attrs.frozen(eq=False)
class Change:
    """Of every number of a side.

    Attributes:
        a, s, gamma, alpha: as those of `SidePoint`.
        pairs: of the points that are brought to mu: X, alpha - lower and upper - alpha.
        duals: of their dual points: S, below and above.
    """

    a: FloatArray
    s: float
    gamma: FloatArray
    alpha: FloatArray
    pairs: Three
    duals: Three


@attrs.frozen(eq=False)
class SidePoint:
    """A point of the path.

    Attributes:
        machine: what stays the same.
        theta: the kernel's parameters, shape (p,).
        a: shape (r,).
        s: at least half of a'K^-1 a.
        gamma: multipliers of the equalities, shape (g,).
        alpha: shape (N,).
        S: the inequality's dual point, shape (r + 1, r + 1).
        below, above: multipliers of the bounds that are finite and no equality.
    """

    machine: Machine
    theta: FloatArray
    a: FloatArray
    s: float
    gamma: FloatArray
    alpha: FloatArray
    S: FloatArray
    below: FloatArray
    above: FloatArray

    @classmethod
    def start(cls, machine: Machine, theta: FloatArray) -> Self:
        """In the middle of the bounds."""
        qp, r = machine.qp, machine.span.rank
        low, high = qp.walls
        alpha = np.where(qp.movable, 0.0, qp.lower)
        alpha[low] = qp.lower[low] + 1.0
        alpha[high] = qp.upper[high] - 1.0
        both = low & high
        alpha[both] = 0.5 * (qp.lower[both] + qp.upper[both])
        none = np.zeros(len(machine.equalities))
        S = 0.5 * np.eye(r + 1)
        return cls(machine, theta, np.zeros(r), 0.5, none, alpha, S, np.ones(low.sum()), np.ones(high.sum()))

    @cached_property
    def inequality(self) -> MatrixPair:
        """X and S."""
        return MatrixPair(self.machine.span.matrix(self.theta, self.a, self.s), self.S)

    @cached_property
    def walls(self) -> tuple[VectorPair, VectorPair]:
        """The multipliers and the distances of alpha from its bounds."""
        qp, (low, high) = self.machine.qp, self.machine.qp.walls
        below = VectorPair((self.alpha - qp.lower)[low], self.below)
        return below, VectorPair((qp.upper - self.alpha)[high], self.above)

    @property
    def pairs(self) -> tuple[Pair, Pair, Pair]:
        """What is brought to mu."""
        return self.inequality, *self.walls

    @cached_property
    def _softness(self) -> FloatArray:
        """How much alpha yields to a change of `rest`, shape (N,): 0 where its bounds leave it one value."""
        qp = self.machine.qp
        below, above = (pair.S / pair.X for pair in self.walls)
        D = qp.curvature + self._spread(below, above, sign=1.0)
        return np.divide(1.0, D, out=np.zeros_like(D), where=qp.movable)

    def _spread(self, below: FloatArray, above: FloatArray, sign: float) -> FloatArray:
        """below + sign above, each where it belongs, shape (N,)."""
        low, high = self.machine.qp.walls
        total = np.zeros(len(self.alpha))
        total[low] += below
        total[high] += sign * above
        return total

    @cached_property
    def schur(self) -> FloatArray:
        """The equations of (theta, a, s, gamma) where everything else is eliminated, shape (p + size, p + size)."""
        span, image, A = self.machine.span, self.machine.image, self.machine.equalities
        p, r = len(self.theta), span.rank
        M = np.zeros((p + self.machine.size,) * 2)
        M[: p + r + 1, : p + r + 1] = span.schur(self.inequality)
        soft = self._softness[:, None] * image
        M[p : p + r, p : p + r] += image.T @ soft
        M[p + r + 1 :, p : p + r] = A @ soft
        M[p : p + r, p + r + 1 :] = M[p + r + 1 :, p : p + r].T
        M[p + r + 1 :, p + r + 1 :] = (self._softness * A) @ A.T
        return M

    @cached_property
    def rest(self) -> FloatArray:
        """What the equation of `rest` lacks, shape (N,); 0 where alpha has one value."""
        qp, image, A = self.machine.qp, self.machine.image, self.machine.equalities
        bounds = self._spread(self.below, self.above, sign=-1.0)
        found = qp.linear - image @ self.a - qp.curvature * self.alpha + bounds - A.T @ self.gamma
        return np.asarray(np.where(qp.movable, found, 0.0))

    def drifts(self, centre: float, bends: Three | None) -> Three:
        """The changes of all dual points towards the centre, if the points stay."""
        found = [pair.drift(centre) for pair in self.pairs]
        if bends is not None:
            found = [one - bend for one, bend in zip(found, bends, strict=True)]
        return found[0], found[1], found[2]

    def wanted(self, drifts: Three) -> FloatArray:
        """The right-hand side of the equations, shape (p + size,); that of theta lacks the price and the cone."""
        span, image, A = self.machine.span, self.machine.image, self.machine.equalities
        p, r = len(self.theta), span.rank
        yields = self._softness * self._pull(drifts)
        side = np.zeros(p + self.machine.size)
        side[: p + r + 1] = span.form(self.S + drifts[0])
        side[p : p + r] += image.T @ (self.alpha + yields)
        side[p + r] -= 1.0
        side[p + r + 1 :] = A @ (self.alpha + yields) - self.machine.qp.target
        return side

    def _pull(self, drifts: Three) -> FloatArray:
        """What moves alpha while a and gamma stay, before its softness, shape (N,)."""
        return self.rest + self._spread(drifts[1], drifts[2], sign=-1.0)

    def change(self, dtheta: FloatArray, found: FloatArray, drifts: Three) -> Change:
        """Of everything, from the solution of the equations, found (size,)."""
        span, (low, high) = self.machine.span, self.machine.qp.walls
        da, ds, dgamma = found[: span.rank], float(found[span.rank]), found[span.rank + 1 :]
        against = self.machine.image @ da + self.machine.equalities.T @ dgamma
        dalpha = self._softness * (self._pull(drifts) - against)
        pairs = (span.change(dtheta, da, ds), dalpha[low], -dalpha[high])
        duals = [drift - pair.turned(d) for drift, pair, d in zip(drifts, self.pairs, pairs, strict=True)]
        return Change(da, ds, dgamma, dalpha, pairs, (duals[0], duals[1], duals[2]))

    def reaches(self, change: Change) -> tuple[float, float]:
        """How many times the program's variables, and its dual variables, can change so."""
        inequality, below, above = self.pairs
        X, dalpha_below, dalpha_above = change.pairs
        S, dbelow, dabove = change.duals
        primal = min(inequality.reach(X), below.dual_reach(dbelow), above.dual_reach(dabove))
        return primal, min(inequality.dual_reach(S), below.reach(dalpha_below), above.reach(dalpha_above))

    def left(self, change: Change, primal: float, dual: float) -> float:
        """The sum of all products of points and dual points after so much of a change."""
        far = ((primal, dual), (dual, primal), (dual, primal))
        parts = zip(self.pairs, change.pairs, change.duals, far, strict=True)
        return sum(inner(pair, one * dX, other * dS) for pair, dX, dS, (one, other) in parts)

    def bends(self, change: Change) -> Three:
        """What a change adds of second order."""
        found = [pair.bend(dX, dS) for pair, dX, dS in zip(self.pairs, change.pairs, change.duals, strict=True)]
        return found[0], found[1], found[2]

    def moved(self, change: Change, primal: float, dual: float) -> Self:
        """After so much of a change, at the same theta."""
        return attrs.evolve(
            self,
            a=self.a + primal * change.a,
            s=self.s + primal * change.s,
            gamma=self.gamma + primal * change.gamma,
            below=self.below + primal * change.duals[1],
            above=self.above + primal * change.duals[2],
            alpha=self.alpha + dual * change.alpha,
            S=self.S + dual * change.duals[0],
        )
