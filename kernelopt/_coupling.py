"""How a kernel that is linear in its parameters couples to one v: the second-order view of a family."""

from abc import ABC, abstractmethod

import attrs
import numpy as np

from kernelopt._typing import FloatArray


class Coupling(ABC):
    """The linear map S -> K(S) v of one leaf at one v, and what a second-order method needs of it.

    S is a symmetric (q, q) matrix for a matrix family and a weight vector (m,) for a finite one. With G_i defined by
    <G_i, S> = (K(S) v)_i, laws: <apply(S), u> = <S, adjoint(u)>, and
    schur(other, A, B)_ij = tr(G_i A G'_j B) (finite: sum_a G_ia A_a B_a G'_ja).
    """

    @abstractmethod
    def apply(self, S: FloatArray) -> FloatArray:
        """K(S) v, shape (n,)."""

    @abstractmethod
    def adjoint(self, u: FloatArray) -> FloatArray:
        """K*(u v'), shape (q, q), symmetric; or (m,)."""

    @abstractmethod
    def schur(self, other: "Coupling", A: FloatArray, B: FloatArray) -> FloatArray:
        """The (n, n) matrix of tr(G_i A G'_j B); `other` is the same leaf's coupling at another output's v."""

    @abstractmethod
    def restrict(self, basis: FloatArray) -> "Coupling":
        """The coupling on S = U T U', U = basis (q, k); or on a list of k atoms, w = U u with U (m, k)."""


@attrs.frozen(eq=False)
class WeightCoupling(Coupling):
    """A finite family's coupling: columns[:, a] = K_a v, shape (n, m)."""

    columns: FloatArray

    def apply(self, S: FloatArray) -> FloatArray:
        return self.columns @ S

    def adjoint(self, u: FloatArray) -> FloatArray:
        return self.columns.T @ u

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        if not isinstance(other, WeightCoupling):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        return (self.columns * (A * B)) @ other.columns.T

    def restrict(self, basis: FloatArray) -> "WeightCoupling":
        return WeightCoupling(self.columns @ basis)


@attrs.frozen(eq=False)
class TensorCoupling(Coupling):
    """A matrix family's coupling held as the (n, q, q) tensor of the G_i: right for every family, fast for none."""

    tensor: FloatArray

    def apply(self, S: FloatArray) -> FloatArray:
        product: FloatArray = np.einsum("iab,ab->i", self.tensor, S)
        return product

    def adjoint(self, u: FloatArray) -> FloatArray:
        product: FloatArray = np.einsum("i,iab->ab", u, self.tensor)
        return product

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        if not isinstance(other, TensorCoupling):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        if other is self:
            return self._square(A, B)
        n, q, _ = self.tensor.shape
        left = (B @ self.tensor @ A).transpose(0, 2, 1).reshape(n, q * q)  # (B G_i A)'
        product: FloatArray = left @ other.tensor.reshape(len(other.tensor), q * q).T
        return product

    def _square(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """tr(G_i A G_j B) = <R_i, R_j> with R_i = L_B' G_i L_A: a symmetric product, half the work."""
        try:
            left, right = np.linalg.cholesky(B), np.linalg.cholesky(A)
        except np.linalg.LinAlgError:
            return self.schur(TensorCoupling(self.tensor), A, B)
        roots = (left.T @ self.tensor @ right).reshape(len(self.tensor), -1)
        square: FloatArray = roots @ roots.T
        return square

    def restrict(self, basis: FloatArray) -> "TensorCoupling":
        return TensorCoupling(basis.T @ self.tensor @ basis)
