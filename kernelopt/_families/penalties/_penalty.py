"""What a kernel costs: a convex R on the parameters of one leaf, weights (m,) or a matrix P (q, q)."""

from abc import ABC, abstractmethod
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray


class Penalty(ABC):
    """A convex price R(S) of one leaf's parameters S: weights (m,) in the order of its list, or P (q, q).

    P is the matrix of a matrix family, whose penalty must be a `Price`. The penalty of a list has a Hessian at every S
    whose weights are all positive. R is added to the objective as it is: the factor of a leaf multiplies Gram matrices,
    and never prices.

    Attributes:
        linear: whether R is linear.
        homogeneous: whether R(t S) = t R(S) for every t >= 0.
    """

    linear: ClassVar[bool] = False
    homogeneous: ClassVar[bool] = False

    @abstractmethod
    def value(self, S: FloatArray) -> float:
        """R(S) for S >= 0."""

    @abstractmethod
    def gradient(self, S: FloatArray) -> FloatArray:
        """The gradient, or any subgradient where there is none, in the shape of S."""

    @abstractmethod
    def hessian(self, S: FloatArray) -> FloatArray | None:
        """The Hessian in the weights, positive semidefinite, shape (m, m); None where R is linear."""

    def restrict(self, basis: FloatArray) -> "Penalty":
        """The same price on S = U T U', U = basis (q, k); or on weights w = U u with U (m, k)."""
        return _Restricted(self, basis)


@attrs.frozen(eq=False)
class Price(Penalty):
    """The linear price R(S) = <c, S>: each atom has a price, c_a for a list and p'Cp for a matrix family.

    Attributes:
        c: the prices, shape (m,); or the matrix C, shape (q, q), symmetric.
    """

    linear: ClassVar[bool] = True
    homogeneous: ClassVar[bool] = True

    c: FloatArray

    def value(self, S: FloatArray) -> float:
        return float(np.vdot(self.c, S))

    def gradient(self, S: FloatArray) -> FloatArray:  # noqa: ARG002
        return self.c

    def hessian(self, S: FloatArray) -> None:  # noqa: ARG002
        return None

    def restrict(self, basis: FloatArray) -> "Price":
        return Price(basis.T @ self.c if self.c.ndim == 1 else basis.T @ self.c @ basis)

    @property
    def least(self) -> float:
        """What the cheapest atom costs."""
        return float(self.c.min() if self.c.ndim == 1 else np.linalg.eigvalsh(self.c)[0])

    def on_atoms(self, atoms: FloatArray) -> "Price":
        """The price of a matrix family's atoms (k, q), as a list of its own."""
        return Price(np.einsum("aq,qr,ar->a", atoms, self.c, atoms))


@attrs.frozen(eq=False)
class Norm(Penalty):
    """The price R(w) = rho (w'Hw)^1/2.

    Attributes:
        H: the matrix, positive semidefinite, shape (m, m).
        rho: the size of the price, >= 0.
    """

    homogeneous: ClassVar[bool] = True

    H: FloatArray
    rho: float

    def value(self, S: FloatArray) -> float:
        return self.rho * self.length(S)

    def gradient(self, S: FloatArray) -> FloatArray:
        length = self.length(S)
        return np.zeros_like(S) if length == 0.0 else self.rho / length * (self.H @ S)

    def hessian(self, S: FloatArray) -> FloatArray:
        length = self.length(S)
        if length == 0.0:
            return np.zeros_like(self.H)
        along = self.H @ S / length
        return self.rho / length * (self.H - np.outer(along, along))

    def restrict(self, basis: FloatArray) -> "Norm":
        return Norm(basis.T @ self.H @ basis, self.rho)

    def length(self, w: FloatArray) -> float:
        """(w'Hw)^1/2."""
        return float(np.sqrt(max(float(w @ self.H @ w), 0.0)))


@attrs.frozen(eq=False)
class Square(Penalty):
    """The price R(w) = rho w'Hw.

    Attributes:
        H: the matrix, positive semidefinite, shape (m, m).
        rho: the size of the price, >= 0.
    """

    H: FloatArray
    rho: float

    def value(self, S: FloatArray) -> float:
        return self.rho * float(S @ self.H @ S)

    def gradient(self, S: FloatArray) -> FloatArray:
        return 2.0 * self.rho * (self.H @ S)

    def hessian(self, S: FloatArray) -> FloatArray:  # noqa: ARG002
        return 2.0 * self.rho * self.H

    def restrict(self, basis: FloatArray) -> "Square":
        return Square(basis.T @ self.H @ basis, self.rho)


@attrs.frozen(eq=False)
class _Restricted(Penalty):
    """Any price of weights on w = U u."""

    whole: Penalty
    basis: FloatArray

    @property
    def linear(self) -> bool:  # type: ignore[override]
        return self.whole.linear

    @property
    def homogeneous(self) -> bool:  # type: ignore[override]
        return self.whole.homogeneous

    def value(self, S: FloatArray) -> float:
        return self.whole.value(self.basis @ S)

    def gradient(self, S: FloatArray) -> FloatArray:
        return self.basis.T @ self.whole.gradient(self.basis @ S)

    def hessian(self, S: FloatArray) -> FloatArray | None:
        inner = self.whole.hessian(self.basis @ S)
        return None if inner is None else self.basis.T @ inner @ self.basis
