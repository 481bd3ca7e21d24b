"""The map S -> K(S) v for kernels that are linear in their parameters S, as second-order methods need it."""

from abc import ABC, abstractmethod
from functools import cache

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._lapack import lower_root, times_lower

_WORTHWHILE = 4e6
"""By so many operations and more a product of half as many columns is quicker, though they are computed first."""


class Coupling(ABC):
    """The linear map S -> K(S) v of one leaf at one v, with its adjoint and the products that interior points need.

    S is a symmetric (q, q) matrix for a matrix family, and a vector of weights (m,) for a finite family. Let G_i be the
    array with <G_i, S> = (K(S) v)_i. Two laws hold: <apply(S), u> = <S, adjoint(u)>, and
    schur(other, A, B)_ij = tr(G_i A G'_j B), which for a finite family is sum_a G_ia A_a B_a G'_ja.
    """

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of rows of its image."""

    @abstractmethod
    def apply(self, S: FloatArray) -> FloatArray:
        """K(S) v, shape (n,)."""

    @abstractmethod
    def adjoint(self, u: FloatArray) -> FloatArray:
        """K*(u v'), shape (q, q), symmetric; or (m,)."""

    @abstractmethod
    def schur(self, other: "Coupling", A: FloatArray, B: FloatArray) -> FloatArray:
        """The matrix of tr(G_i A G'_j B), (n, n'), which may be written into; `other` is the same leaf's coupling at
        another output's v.
        """

    @abstractmethod
    def restrict(self, basis: FloatArray) -> "Coupling":
        """The coupling on S = U T U', U = basis (q, k); or on a list of k atoms, w = U u with U (m, k)."""

    def take(self, rows: IntArray) -> "Coupling":
        """The same map with only these rows of its image: apply gives (k,), adjoint takes (k,), schur is (k, k)."""
        return SomeRows(self, rows)

    def plus(self, other: "Coupling") -> "Coupling":
        """The sum with the same leaf's coupling at another v, on as many rows: what v + v' couples to.

        By default as a tensor, or as columns, which suits every family and is fast for none.
        """
        return _written_out(self).plus(_written_out(other))

    def scaled(self, factor: float) -> "Coupling":
        """Factor times the map: the coupling at factor v. By default as `plus`."""
        return _written_out(self).scaled(factor)


def _written_out(coupling: Coupling) -> Coupling:
    """The same map as a `TensorCoupling` or a `WeightCoupling`, from the G_i."""
    unit, G = np.zeros(coupling.n), []
    for i in range(coupling.n):
        unit[i] = 1.0
        G.append(coupling.adjoint(unit))
        unit[i] = 0.0
    rows = np.stack(G)
    return TensorCoupling(rows) if rows.ndim == 3 else WeightCoupling(rows)


@attrs.frozen(eq=False)
class SomeRows(Coupling):
    """Some rows of any coupling: right for all, fast for none."""

    whole: Coupling
    index: IntArray

    @property
    def n(self) -> int:
        return len(self.index)

    def apply(self, S: FloatArray) -> FloatArray:
        return self.whole.apply(S)[self.index]

    def adjoint(self, u: FloatArray) -> FloatArray:
        full = np.zeros(self.whole.n)
        full[self.index] = u
        return self.whole.adjoint(full)

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        if not isinstance(other, SomeRows):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        return self.whole.schur(other.whole, A, B)[np.ix_(self.index, other.index)]

    def restrict(self, basis: FloatArray) -> Coupling:
        return self.whole.restrict(basis).take(self.index)


@attrs.frozen(eq=False)
class WeightCoupling(Coupling):
    """A finite family's coupling: columns[:, a] = K_a v, shape (n, m)."""

    columns: FloatArray

    @property
    def n(self) -> int:
        return len(self.columns)

    def apply(self, S: FloatArray) -> FloatArray:
        return self.columns @ S

    def adjoint(self, u: FloatArray) -> FloatArray:
        return self.columns.T @ u

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        if not isinstance(other, WeightCoupling):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        weights = A * B
        if other is self and (weights >= 0.0).all():
            half = self.columns * np.sqrt(weights)
            return np.asarray(half @ half.T)  # of one array with itself: half the work
        return (self.columns * weights) @ other.columns.T

    def restrict(self, basis: FloatArray) -> "WeightCoupling":
        return WeightCoupling(self.columns @ basis)

    def plus(self, other: Coupling) -> "WeightCoupling":
        if not isinstance(other, WeightCoupling):
            raise TypeError(f"plus wants the same leaf's coupling, got {type(other).__name__}")
        return WeightCoupling(self.columns + other.columns)

    def scaled(self, factor: float) -> "WeightCoupling":
        return WeightCoupling(factor * self.columns)

    def take(self, rows: IntArray) -> "WeightCoupling":
        return WeightCoupling(self.columns[rows])


@attrs.frozen(eq=False)
class TensorCoupling(Coupling):
    """A matrix family's coupling held as the (n, q, q) tensor of the G_i: right for every family, fast for small q.

    Attributes:
        tensor: shape (n, q, q), each G_i symmetric.
        quick: whether it takes no longer than one K(S) v to make another one, at another v.
    """

    tensor: FloatArray
    quick: bool = False

    @property
    def n(self) -> int:
        return len(self.tensor)

    @property
    def flat(self) -> FloatArray:
        """The same with each G_i in a row, shape (n, q q)."""
        n, q, _ = self.tensor.shape
        return self.tensor.reshape(n, q * q)

    def apply(self, S: FloatArray) -> FloatArray:
        product: FloatArray = self.flat @ S.ravel()
        return product

    def adjoint(self, u: FloatArray) -> FloatArray:
        product: FloatArray = (u @ self.flat).reshape(self.tensor.shape[1:])
        return product

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        if not isinstance(other, TensorCoupling):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        if other is self:
            return self._square(A, B)
        left = _between(A, self.tensor, B)  # (A G_i B)
        product: FloatArray = left.reshape(self.flat.shape) @ other.flat.T
        return product

    def _square(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """tr(G_i A G_j B) = <R_i, R_j> with R_i = L_A' G_i L_B: a symmetric product, half the work.

        G_i is symmetric: of many rows R_i is L'g_i, with the q (q + 1) / 2 numbers g_i of its upper triangle, and L
        the root of the form that they have. Where A or B is nearly singular, rounding may leave that none.
        """
        try:
            if self._many:
                return _products(times_lower(self._upper, lower_root(_form(A, B))))
        except np.linalg.LinAlgError:
            pass
        try:
            left, right = lower_root(A), lower_root(B)
        except np.linalg.LinAlgError:
            return self.schur(TensorCoupling(self.tensor), A, B)
        return _products(_between(left.T, self.tensor, right).reshape(self.flat.shape))

    @property
    def _many(self) -> bool:
        """Whether the rows are so many that what half of the entries saves is more than their form costs."""
        n, q, _ = self.tensor.shape
        return bool(n >= q * (q + 1) and n * n * q * (q - 1) >= _WORTHWHILE)

    @property
    def _upper(self) -> FloatArray:
        """The upper triangles, shape (n, q (q + 1) / 2)."""
        row, column = _triangle(self.tensor.shape[1])
        triangles: FloatArray = self.flat.take(row * self.tensor.shape[1] + column, axis=1)
        return triangles

    def restrict(self, basis: FloatArray) -> "TensorCoupling":
        return TensorCoupling(_between(basis.T, self.tensor, basis))

    def take(self, rows: IntArray) -> "TensorCoupling":
        return attrs.evolve(self, tensor=self.tensor[rows])

    def plus(self, other: Coupling) -> "TensorCoupling":
        if not isinstance(other, TensorCoupling):
            raise TypeError(f"plus wants the same leaf's coupling, got {type(other).__name__}")
        return TensorCoupling(self.tensor + other.tensor)

    def scaled(self, factor: float) -> "TensorCoupling":
        return TensorCoupling(factor * self.tensor)


def _products(R: FloatArray) -> FloatArray:
    """R R', which BLAS takes half the time for, shape (n, n)."""
    products: FloatArray = R @ R.T
    return products


@cache
def _triangle(q: int) -> tuple[IntArray, IntArray]:
    """The rows and columns of an upper triangle of order q; the same arrays each time, which nobody writes into."""
    row, column = np.triu_indices(q)
    return row, column


def _form(A: FloatArray, B: FloatArray) -> FloatArray:
    """The matrix of tr(E A E' B) for E, E' in the basis of symmetric matrices e_a e_b' + e_b e_a', a < b, and e_a e_a',
    shape (q (q + 1) / 2,) * 2.
    """
    a, b = _triangle(len(A))
    Aa, Ab, Ba, Bb = A[a], A[b], B[a], B[b]
    form: FloatArray = Ab[:, a] * Ba[:, b]
    form += Ab[:, b] * Ba[:, a]
    form += Aa[:, a] * Bb[:, b]
    form += Aa[:, b] * Bb[:, a]
    weight = np.where(a == b, 0.5, 1.0)
    form *= weight[:, None]
    form *= weight
    return form


def _between(left: FloatArray, tensor: FloatArray, right: FloatArray) -> FloatArray:
    """left G_i right for the symmetric G_i of a tensor (n, q, q), from left (k, q) and right (q, l): shape (n, k, l).

    Two products with all of them at once: a product of its own for each small G_i takes many times as long.
    """
    n, q, _ = tensor.shape
    halves = (tensor.reshape(n * q, q) @ left.T).reshape(n, q, len(left))  # G_i left'
    whole: FloatArray = halves.transpose(0, 2, 1).reshape(n * len(left), q) @ right
    return whole.reshape(n, len(left), right.shape[1])
