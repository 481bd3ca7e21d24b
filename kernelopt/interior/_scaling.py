"""How a block's parameters answer to a change of their slack: the inverse of the complementarity's linearisation."""

from abc import ABC, abstractmethod

import attrs
import numpy as np
import scipy.linalg

from kernelopt._base._typing import FloatArray
from kernelopt._families._coupling import Coupling
from kernelopt._linalg._cones import inverse, root, sandwich, symmetric


class Metric(ABC):
    """The linear map X -> dS that keeps S Z complementary when the slack falls by X (before what the price adds)."""

    @abstractmethod
    def answer(self, X: FloatArray) -> FloatArray:
        """dS, symmetric."""

    @abstractmethod
    def base(self, mu: float, residual: FloatArray, correction: FloatArray | None) -> FloatArray:
        """The step of S towards S Z = mu I at fixed alpha and tau, less the second-order term `correction`, if any."""

    @abstractmethod
    def schur(self, coupling: Coupling) -> FloatArray:
        """M with M u = C(answer(C*(u))), shape (k, k), in an array of its own."""

    @abstractmethod
    def diagonalised(self, coupling: Coupling) -> tuple[Coupling, FloatArray]:
        """The coupling in coordinates in which the map is diagonal, and that diagonal (p,)."""


@attrs.frozen(eq=False)
class Conic(Metric):
    """Without a curved price: X -> sym(S X Z^-1).

    Attributes:
        S: the parameters.
        inverse: Z^-1.
    """

    S: FloatArray
    inverse: FloatArray

    def answer(self, X: FloatArray) -> FloatArray:
        return sandwich(self.S, X, self.inverse)

    def base(self, mu: float, residual: FloatArray, correction: FloatArray | None) -> FloatArray:
        base: FloatArray = mu * self.inverse - self.S + sandwich(self.S, residual, self.inverse)
        return base if correction is None else base - correction

    def schur(self, coupling: Coupling) -> FloatArray:
        return coupling.schur(coupling, self.S, self.inverse)

    def diagonalised(self, coupling: Coupling) -> tuple[Coupling, FloatArray]:
        """In S = M T M', M = L U with Z^-1 = L L' and L^-1 S L^-T = U diag(l) U', the map is (l_i + l_j) / 2: no matrix
        that tends to singularity is ever inverted.
        """
        if self.S.ndim == 1:
            return coupling, self.S * self.inverse
        L = root(self.inverse)
        half = scipy.linalg.solve_triangular(L, self.S, lower=True, check_finite=False)
        values, U = np.linalg.eigh(symmetric(scipy.linalg.solve_triangular(L, half.T, lower=True, check_finite=False)))
        values = np.maximum(values, 1e-300)
        return coupling.restrict(L @ U), 0.5 * (values[:, None] + values)[np.triu_indices(len(values))]


@attrs.frozen(eq=False)
class Curved(Metric):
    """Weights with a curved price: X -> T^-1 X, T = diag(z/w) + Hess R = (B B')^-1.

    Attributes:
        w, z: the weights and their slacks.
        factor: B, with T^-1 = B B'.
    """

    w: FloatArray
    z: FloatArray
    factor: FloatArray

    @classmethod
    def of(cls, w: FloatArray, z: FloatArray, bend: FloatArray) -> "Curved":
        """From weights, slacks and Hess R. Raises LinAlgError where they leave the cone."""
        half = np.sqrt(w * inverse(z))
        L = np.linalg.cholesky(np.eye(len(w)) + half[:, None] * bend * half)
        B = half[:, None] * scipy.linalg.solve_triangular(L, np.eye(len(w)), lower=True, check_finite=False).T
        return cls(w, z, B)

    def answer(self, X: FloatArray) -> FloatArray:
        return self.factor @ (self.factor.T @ X)

    def base(self, mu: float, residual: FloatArray, correction: FloatArray | None) -> FloatArray:
        moved = mu / self.w - self.z + residual
        return self.answer(moved if correction is None else moved - correction * self.z / self.w)

    def schur(self, coupling: Coupling) -> FloatArray:
        turned, one = coupling.restrict(self.factor), np.ones(self.factor.shape[1])
        return turned.schur(turned, one, one)

    def diagonalised(self, coupling: Coupling) -> tuple[Coupling, FloatArray]:
        return coupling.restrict(self.factor), np.ones(self.factor.shape[1])


def metric(S: FloatArray, Z: FloatArray, inverse: FloatArray, bend: FloatArray | None) -> Metric:
    """The metric at S and Z with Z^-1; `bend` is the price's Hessian, None where it is linear or there is none."""
    return Conic(S, inverse) if bend is None else Curved.of(S, Z, bend)
