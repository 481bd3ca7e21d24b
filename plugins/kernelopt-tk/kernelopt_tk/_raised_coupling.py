"""The coupling of a family whose matrix is raised: P = (1 - f) S + f / order tr(S) I, which is linear in S."""

import attrs
import numpy as np

from kernelopt.plugin import Coupling, FloatArray, IntArray


@attrs.frozen(eq=False)
class RaisedCoupling(Coupling):
    """G_i = share H_i + lift t_i M, with H_i those of the family that is not raised, and t_i their traces.

    Attributes:
        plain: the coupling with the H_i.
        t: tr(H_i) before any restriction, shape (n,).
        M: the identity, or U'U after a restriction to S = U T U'; shape (k, k), symmetric.
        share: 1 - f.
        lift: f / order.
    """

    plain: Coupling
    t: FloatArray
    M: FloatArray
    share: float
    lift: float

    @classmethod
    def of(cls, plain: Coupling, order: int, floor: float) -> "RaisedCoupling":
        """Of a coupling on symmetric matrices of this order."""
        unit = np.eye(order)
        return cls(plain, plain.apply(unit), unit, 1.0 - floor, floor / order)

    @property
    def n(self) -> int:
        return self.plain.n

    def apply(self, S: FloatArray) -> FloatArray:
        return self.share * self.plain.apply(S) + self.lift * float(np.vdot(self.M, S)) * self.t

    def adjoint(self, u: FloatArray) -> FloatArray:
        return np.asarray(self.share * self.plain.adjoint(u) + self.lift * float(self.t @ u) * self.M)

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        """tr(G_i A G'_j B), by <H_i, (A M B + B M A) / 2> where one side is M."""
        if not isinstance(other, RaisedCoupling):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        half = A @ self.M @ B
        between, both = 0.5 * (half + half.T), self.share * self.lift
        mine = self.plain.apply(between)
        theirs = mine if other is self else other.plain.apply(between)
        plain = self.plain if other is self else other.plain
        square = self.share**2 * self.plain.schur(plain, A, B)
        square += both * (np.outer(mine, other.t) + np.outer(self.t, theirs))
        square += self.lift**2 * float(np.vdot(self.M, half)) * np.outer(self.t, other.t)
        return square

    def restrict(self, basis: FloatArray) -> "RaisedCoupling":
        return attrs.evolve(self, plain=self.plain.restrict(basis), M=basis.T @ self.M @ basis)

    def take(self, rows: IntArray) -> "RaisedCoupling":
        return attrs.evolve(self, plain=self.plain.take(rows), t=self.t[rows])

    def plus(self, other: Coupling) -> "RaisedCoupling":
        if not isinstance(other, RaisedCoupling):
            raise TypeError(f"plus wants the same leaf's coupling, got {type(other).__name__}")
        return attrs.evolve(self, plain=self.plain.plus(other.plain), t=self.t + other.t)

    def scaled(self, factor: float) -> "RaisedCoupling":
        return attrs.evolve(self, plain=self.plain.scaled(factor), t=factor * self.t)
