"""Grams of features that need not be held: their rows are gone over block by block, whenever they are asked for."""

from collections.abc import Iterator
from typing import Protocol

import attrs
import numpy as np

from kernelopt._base._memory import require
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import ROW_BLOCK, OfTerms


class Tall(Protocol):
    """Features Phi of shape (n, r), which are never all in memory, or need not be."""

    @property
    def n(self) -> int:
        """How many rows there are."""

    @property
    def width(self) -> int:
        """How many features there are: r."""

    def at(self, rows: slice | IntArray) -> FloatArray:
        """Phi of some rows, shape (k, r), not to be written into."""

    def blocks(self) -> Iterator[tuple[slice | IntArray, FloatArray]]:
        """All rows, each once, some at a time, with their features (k, r), which are not to be written into."""


@attrs.frozen(eq=False)
class Held:
    """Features that are in memory.

    Attributes:
        values: Phi, shape (n, r).
        many: in so many blocks they are gone over.
    """

    values: FloatArray
    many: int

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def width(self) -> int:
        return int(self.values.shape[1])

    def at(self, rows: slice | IntArray) -> FloatArray:
        return self.values[rows]

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        size = -(-self.n // self.many)
        for start in range(0, self.n, size):
            rows = slice(start, start + size)
            yield rows, self.values[rows]


@attrs.frozen(eq=False)
class WithConstant:
    """Features with one more, which is the same number in all rows.

    Attributes:
        features: the others.
        value: the number.
    """

    features: Tall
    value: float

    @property
    def n(self) -> int:
        return self.features.n

    @property
    def width(self) -> int:
        return self.features.width + 1

    def at(self, rows: slice | IntArray) -> FloatArray:
        return self._extended(self.features.at(rows))

    def blocks(self) -> Iterator[tuple[slice | IntArray, FloatArray]]:
        for rows, phi in self.features.blocks():
            yield rows, self._extended(phi)

    def _extended(self, phi: FloatArray) -> FloatArray:
        return np.column_stack([phi, np.full(len(phi), self.value)])


@attrs.frozen(eq=False)
class Some:
    """Features of some of the rows.

    Attributes:
        features: of all.
        rows: which, shape (m,).
    """

    features: Tall
    rows: IntArray

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return self.features.width

    def at(self, rows: slice | IntArray) -> FloatArray:
        return self.features.at(self.rows[rows])

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        many = -(-self.n // ROW_BLOCK)
        for block in range(many):
            rows = slice(block, None, many)
            yield rows, self.at(rows)


def image(features: Tall, B: FloatArray) -> FloatArray:
    """Phi B for B (r, c), shape (n, c), in one pass."""
    total = np.empty((features.n, B.shape[1]))
    for rows, phi in features.blocks():
        total[rows] = phi @ B
    return total


def sums(features: Tall, V: FloatArray) -> FloatArray:
    """Phi'V for V (n, c), shape (r, c), in one pass."""
    total = np.zeros((features.width, V.shape[1]))
    for rows, phi in features.blocks():
        total += phi.T @ V[rows]
    return total


@attrs.frozen(eq=False)
class Weighed:
    """Phi diag(p) Phi'.

    Attributes:
        features: Phi.
        p: >= 0, shape (r,).
    """

    features: Tall
    p: FloatArray


@attrs.frozen(eq=False)
class Known:
    """What was computed on the way.

    Attributes:
        V, F: the Gram times V is F, both of shape (n, c).
        diagonal: of the Gram, shape (n,).
    """

    V: FloatArray
    F: FloatArray
    diagonal: FloatArray


@attrs.frozen(eq=False)
class Rowwise(OfTerms):
    """sum Phi diag(p) Phi' over its terms, one at least: a product takes two passes over the rows.

    Attributes:
        terms: the features, and how much each counts.
        known: what needs no pass.
    """

    terms: tuple[Weighed, ...]
    known: Known | None = None

    @property
    def n(self) -> int:
        return self.terms[0].features.n

    def plus(self, other: "Rowwise") -> "Rowwise":
        return Rowwise(self.terms + other.terms)

    def diag(self) -> FloatArray:
        if self.known is not None:
            return self.known.diagonal
        total = np.zeros(self.n)
        for term in self.terms:
            for rows, phi in term.features.blocks():
                total[rows] += (phi * phi) @ term.p
        return total

    def rows(self, index: IntArray) -> FloatArray:
        total = np.zeros((len(index), self.n))
        for term in self.terms:
            left = term.features.at(index) * term.p
            for rows, phi in term.features.blocks():
                total[:, rows] += left @ phi.T
        return total

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        total = np.zeros((len(rows), len(columns)))
        for term in self.terms:
            total += (term.features.at(rows) * term.p) @ term.features.at(columns).T
        return total

    def apply(self, V: FloatArray) -> FloatArray:
        right = V if V.ndim == 2 else V[:, None]
        for k in range(0 if self.known is None or right.shape[1] > 1 else self.known.V.shape[1]):
            assert self.known is not None
            if np.array_equal(self.known.V[:, k], right[:, 0]):
                return self.known.F[:, k].reshape(V.shape)
        total = np.zeros(right.shape)
        for term in self.terms:
            total += image(term.features, term.p[:, None] * sums(term.features, right))
        return total.reshape(V.shape)

    def dense(self) -> FloatArray:
        require(8 * self.n * self.n, f"the Gram of {self.n} rows")
        return self.rows(np.arange(self.n))

    def scaled(self, factor: float) -> "Rowwise":
        if factor == 1.0:
            return self
        return Rowwise(tuple(attrs.evolve(term, p=factor * term.p) for term in self.terms))
