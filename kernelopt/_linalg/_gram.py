"""Gram matrices: the kernel between all pairs of training rows, stored or not."""

from abc import ABC, abstractmethod
from typing import Any, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from kernelopt._base._memory import require
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._lapack import symmetric_product

ROW_BLOCK = 1024
"""Rows that are worked on at once where a whole array would be large."""

FEW = 500
"""A product with so few rows takes hardly longer than one with those that count, for which numba would compile."""

_Real = TypeVar("_Real", np.float32, np.float64)
_MIRRORED = 64
"""Rows and columns that are mirrored at once: a block of them stays in a core's cache."""
_ABOVE = np.tri(_MIRRORED, k=-1, dtype=bool).T
_ADDED = 64


class Gram(ABC):
    """A symmetric positive semidefinite (n, n) matrix, which need not be stored as an array."""

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of training rows."""

    @abstractmethod
    def diag(self) -> FloatArray:
        """The diagonal, shape (n,)."""

    @abstractmethod
    def rows(self, index: IntArray) -> FloatArray:
        """The rows with these numbers, shape (k, n)."""

    @abstractmethod
    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """The entries in these rows and columns, shape (k, l)."""

    @abstractmethod
    def apply(self, V: FloatArray) -> FloatArray:
        """K V for V of shape (n,) or (n, c)."""

    def form(self, F: FloatArray) -> FloatArray:
        """F'K F for F of shape (n, r), shape (r, r)."""
        product: FloatArray = F.T @ self.apply(F)
        return product

    def forms(self, F: FloatArray) -> FloatArray:
        """sum_c F_c K F_c' for F of shape (m, c, n) in C's order, whose F_c are (m, n), shape (m, m)."""
        mapped = np.ascontiguousarray(self.apply(F.reshape(-1, self.n).T).T)
        product: FloatArray = mapped.reshape(len(F), -1) @ F.reshape(len(F), -1).T
        return product

    def squares(self, F: FloatArray) -> FloatArray:
        """The diagonal of F'K F for F of shape (n, r), shape (r,)."""
        return np.asarray(np.einsum("ir,ir->r", F, self.apply(F)))

    def only(self, rows: IntArray) -> "Gram":
        """The Gram matrix of these rows alone."""
        return Dense(self.block(rows, rows))

    @abstractmethod
    def dense(self) -> FloatArray:
        """The whole matrix, shape (n, n). A `Dense` returns its own array: do not write into it."""

    def add_to(self, H: FloatArray) -> None:
        """Add this matrix to a symmetric H (n, n), where it lies."""
        H += self.dense()

    @abstractmethod
    def scaled(self, factor: float) -> "Gram":
        """`factor` times this Gram; the array of a `Dense` may be reused, so drop the old one."""


class OfTerms(Gram):
    """A Gram matrix that is a sum of terms, none of which is formed."""

    @abstractmethod
    def plus(self, other: Any) -> "OfTerms":
        """The sum with another Gram of this class."""


@attrs.frozen(eq=False)
class Dense(Gram):
    """A Gram matrix that is stored as an (n, n) array."""

    matrix: FloatArray

    @property
    def n(self) -> int:
        return int(self.matrix.shape[0])

    def diag(self) -> FloatArray:
        return np.diagonal(self.matrix).copy()

    def rows(self, index: IntArray) -> FloatArray:
        return self.matrix[index]

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return self.matrix[np.ix_(rows, columns)]

    def apply(self, V: FloatArray) -> FloatArray:
        # v is zero off the support vectors: a product with the other columns would add nothing.
        if self.n <= FEW:
            return symmetric_product(self.matrix, V)
        support = np.flatnonzero(V.any(axis=1) if V.ndim == 2 else V)
        columns = V.reshape(self.n, -1).T
        if 2 * support.size * len(columns) > self.n or not self.matrix.flags.c_contiguous:
            return symmetric_product(self.matrix, V)
        from kernelopt._linalg._compiled_rows import add_rows  # numba is imported when the first problem needs it

        product = np.zeros(columns.shape)
        for v, f in zip(columns, product, strict=True):
            add_rows(self.matrix, support, v[support], f)
        return product.T.reshape(V.shape)

    def forms(self, F: FloatArray) -> FloatArray:
        mapped = F.reshape(-1, self.n) @ self.matrix
        product: FloatArray = mapped.reshape(len(F), -1) @ F.reshape(len(F), -1).T
        return product

    def squares(self, F: FloatArray) -> FloatArray:
        # K = T + T' - diag K with T its triangle, which takes half the work.
        matrix = self.matrix if self.matrix.flags.f_contiguous else self.matrix.T
        half: FloatArray = blas.dtrmm(1.0, matrix, F.T, side=1).T
        return np.asarray(2.0 * np.einsum("ir,ir->r", F, half) - self.diag() @ (F * F))

    def dense(self) -> FloatArray:
        return self.matrix

    def scaled(self, factor: float) -> "Dense":
        if factor == 1.0:
            return self
        np.multiply(self.matrix, factor, out=self.matrix)
        return self


@attrs.frozen(eq=False)
class LowRank(Gram):
    """The matrix F F' + ridge I, which is never formed: F (n, r) holds the features of an explicit family.

    The ridge may be one number for all rows, or one for each row, shape (n,).
    """

    factor: FloatArray
    ridge: float | FloatArray = 0.0

    @property
    def n(self) -> int:
        return int(self.factor.shape[0])

    def diag(self) -> FloatArray:
        squares: FloatArray = np.einsum("ir,ir->i", self.factor, self.factor)
        return squares + self.ridge

    @property
    def thin(self) -> bool:
        """Whether the factors take less than half the memory of the matrix, so that it should not be formed."""
        return bool(2 * self.factor.shape[1] < self.n)

    def rows(self, index: IntArray) -> FloatArray:
        block: FloatArray = self.factor[index] @ self.factor.T
        block[np.arange(len(index)), index] += self._ridges(index)
        return block

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        left = self.factor[rows]
        right = left if rows is columns else self.factor[columns]
        block: FloatArray = left @ right.T  # of one array with itself: half the work
        if np.any(self.ridge):
            here, there = _same(rows, columns)
            block[here, there] += self._ridges(rows[here])
        return block

    def apply(self, V: FloatArray) -> FloatArray:
        product: FloatArray = self.factor @ (self.factor.T @ V)
        return product + (self.ridge * V.T).T

    def only(self, rows: IntArray) -> "LowRank":
        return LowRank(self.factor[rows], self._ridges(rows))

    def _ridges(self, rows: IntArray) -> float | FloatArray:
        """The entries of these rows on the diagonal."""
        return self.ridge[rows] if isinstance(self.ridge, np.ndarray) else self.ridge

    def dense(self) -> FloatArray:
        require(
            8 * self.n * self.n, f"the Gram of {self.n} rows, which {self.factor.shape[1]} features do not replace,"
        )
        matrix: FloatArray = self.factor @ self.factor.T  # of one array with itself: half the work
        matrix[np.diag_indices(self.n)] += self.ridge
        return matrix

    def add_to(self, H: FloatArray) -> None:
        if not (H.flags.c_contiguous and self.factor.flags.c_contiguous and self.factor.shape[1]):
            super().add_to(H)
            return
        # The lower triangle of H is the upper one of its transpose, to which BLAS adds a product of one array with
        # itself in half the work of any other, and with no array of its own.
        blas.dsyrk(1.0, self.factor.T, beta=1.0, c=H.T, trans=1, overwrite_c=1)
        mirrored(H)
        H[np.diag_indices(self.n)] += self.ridge

    def with_constant(self, value: float) -> "LowRank":
        """This Gram plus `value` >= 0 in every entry."""
        if not value:
            return self
        return LowRank(np.column_stack([self.factor, np.full(self.n, np.sqrt(value))]), self.ridge)

    def scaled(self, factor: float) -> "LowRank":
        if factor == 1.0:
            return self
        return LowRank(self.factor * np.sqrt(factor), self.ridge * factor)


def _same(rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    """The places of all pairs of a row and a column that are one sample, without a table of all pairs."""
    order = np.argsort(columns, kind="stable")
    first, end = (np.searchsorted(columns, rows, side, sorter=order) for side in ("left", "right"))
    here = np.repeat(np.arange(len(rows)), end - first)
    within = np.arange(len(here)) - np.repeat(np.cumsum(end - first) - (end - first), end - first)
    return here, order[first[here] + within]


def mirrored(matrix: NDArray[_Real]) -> NDArray[_Real]:
    """The symmetric matrix (n, n) whose lower triangle this is, in place."""
    for i in range(0, len(matrix), _MIRRORED):
        end = i + _MIRRORED
        square = matrix[i:end, i:end]
        n = len(square)
        np.copyto(square, square.T.copy(), where=_ABOVE[:n, :n])
        matrix[i:end, end:] = matrix[end:, i:end].T
    return matrix


def add(first: Gram, second: Gram) -> Gram:
    """The sum of two Grams; low rank stays low rank, a dense array is added to in place."""
    if isinstance(first, OfTerms) and type(first) is type(second):
        return first.plus(second)
    if isinstance(first, LowRank) and isinstance(second, LowRank):
        factors = [one.factor for one in (first, second) if one.factor.shape[1]] or [first.factor]
        return LowRank(factors[0] if len(factors) == 1 else np.hstack(factors), first.ridge + second.ridge)
    if isinstance(first, LowRank):
        first, second = second, first
    matrix = first.dense()
    if isinstance(second, LowRank):
        if second.factor.shape[1]:
            for i in range(0, first.n, _ADDED):
                rows = slice(i, i + _ADDED)
                matrix[rows] += second.factor[rows] @ second.factor.T
        matrix[np.diag_indices(first.n)] += second.ridge
    else:
        matrix += second.dense()
    return Dense(matrix)
