"""Matrix families without an integral: quadratic forms in features of a row."""

from abc import abstractmethod

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._coupling import Coupling, TensorCoupling
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import Gram


@attrs.frozen(eq=False)
class Features:
    """The arrays that a `FeatureFamily` binds: the features phi of each row, shape (n, q)."""

    values: FloatArray


class FeatureFamily(ExplicitFamily, MatrixFamily):
    """Kernels k_P(x, y) = phi(x)' P phi(y), P >= 0 with trace P = 1: an atom p has the single feature p'phi(x).

    An author writes `order`, known after `prepare`, and `features`. No n x n matrix is formed, and the prediction of a
    row takes O(q) steps, for q features.
    """

    @abstractmethod
    def features(self, X: FloatArray) -> FloatArray:
        """phi of each row, shape (n, order)."""

    def bind(self, X: FloatArray) -> Data:
        return Features(self.features(X))

    def bind_bytes(self, n: int, d: int) -> int:  # noqa: ARG002
        return 8 * n * self.order

    def features_of(self, data: Data) -> FloatArray:
        """phi of bound rows, or of rows."""
        return data.values if isinstance(data, Features) else self.features(data)

    def columns(self, atoms: FloatArray, X: Data) -> tuple[FloatArray, IntArray]:
        return self.features_of(X) @ atoms.T, np.arange(len(atoms))

    def blend(self, P: FloatArray, Z: Data, X: Data) -> FloatArray:
        product: FloatArray = self.features_of(Z) @ P @ self.features_of(X).T
        return product

    def adjoint(self, data: Data, V: FloatArray) -> FloatArray:
        support = np.flatnonzero(V.any(axis=1))
        sums = self.features_of(data)[support].T @ V[support]
        return np.asarray(sums @ sums.T)

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        phi = self.features_of(data)
        product: FloatArray = omega.form(phi)
        return 0.5 * (product + product.T)

    def couple(self, data: Data, v: FloatArray) -> Coupling:
        phi = self.features_of(data)
        return FeatureCoupling(phi, v @ phi)

    def remark(self, part: Part, V: FloatArray) -> str | None:  # noqa: ARG002
        """With one output D = ss' has rank one, and P = ss'/s's is its eigenvector: K_P v = phi s = K_I v."""
        if V.shape[1] > 1:
            return None
        return (
            f"{self.name}: with one output only the machine is learned: the optimal P = ss'/s's, s = sum_i v_i "
            "phi(x_i), has the decision function of the fixed kernel phi(x)'phi(y); with several outputs P is learned"
        )


@attrs.frozen(eq=False)
class FeatureCoupling(Coupling):
    """A feature family's coupling: G_i = sym(phi_i c'), c = sum_l v_l phi_l.

    Attributes:
        phi: shape (n, q).
        c: shape (q,).
    """

    phi: FloatArray
    c: FloatArray

    @property
    def n(self) -> int:
        return len(self.phi)

    def take(self, rows: IntArray) -> "FeatureCoupling":
        return FeatureCoupling(self.phi[rows], self.c)

    def plus(self, other: Coupling) -> "FeatureCoupling":
        if not isinstance(other, FeatureCoupling):
            raise TypeError(f"plus wants the same leaf's coupling, got {type(other).__name__}")
        return FeatureCoupling(self.phi, self.c + other.c)

    def scaled(self, factor: float) -> "FeatureCoupling":
        return FeatureCoupling(self.phi, factor * self.c)

    def apply(self, S: FloatArray) -> FloatArray:
        return self.phi @ (S @ self.c)

    def adjoint(self, u: FloatArray) -> FloatArray:
        half = np.outer(u @ self.phi, self.c)
        return 0.5 * (half + half.T)

    def middle(self, other: "FeatureCoupling", A: FloatArray, B: FloatArray) -> FloatArray:
        """N (q, q) with schur = phi N phi'; d is the other's c:

        4 N = (c'A d) B + (d'B c) A + B d c'A + A d c'B.
        """
        Ac, Ad, Bc, Bd = A @ self.c, A @ other.c, B @ self.c, B @ other.c
        N = float(self.c @ Ad) * B + float(other.c @ Bc) * A + np.outer(Bd, Ac) + np.outer(Ad, Bc)
        return np.asarray(0.25 * N)

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        if not isinstance(other, FeatureCoupling):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        return np.asarray(self.phi @ self.middle(other, A, B) @ other.phi.T)

    def restrict(self, basis: FloatArray) -> TensorCoupling:
        """U'G_i U, formed as an (n, k, k) tensor."""
        half = (self.phi @ basis)[:, :, None] * (self.c @ basis)
        return TensorCoupling(0.5 * (half + half.transpose(0, 2, 1)))
