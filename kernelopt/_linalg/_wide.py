"""A Gram matrix on more rows than an array can hold: the kernel is computed in blocks whenever the matrix is asked."""

from typing import Any, Protocol

import attrs
import numpy as np

from kernelopt._base._memory import require
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import ROW_BLOCK, OfTerms


class CrossKernel(Protocol):
    """What a `Wide` Gram needs of a family; a part is the family's own business."""

    def cross(self, part: Any, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The kernel between rows."""

    def diag(self, part: Any, X: FloatArray) -> FloatArray:
        """k(x, x)."""

    def apart(self, part: Any, X: FloatArray) -> FloatArray:
        """What the Gram of rows has on its diagonal beyond the kernel between rows."""


@attrs.frozen(eq=False)
class Term:
    """factor times one family's kernel on rows X (n, d)."""

    family: CrossKernel
    part: Any
    X: FloatArray
    factor: float = 1.0


@attrs.frozen(eq=False)
class Wide(OfTerms):
    """A Gram on more rows than an (n, n) array can hold: computed in blocks whenever it is asked.

    Attributes:
        terms: the kernels, added up.
        known: vectors v (n,) with K v (n,), from which other products are reached where few entries differ.
    """

    terms: tuple[Term, ...]
    known: tuple[tuple[FloatArray, FloatArray], ...] = ()

    @property
    def n(self) -> int:
        return int(self.terms[0].X.shape[0])

    def plus(self, other: "Wide") -> "Wide":
        return Wide(self.terms + other.terms)

    def knowing(self, V: FloatArray, KV: FloatArray) -> "Wide":
        """The same, with the products K V (n, c) of the columns of V (n, c)."""
        return Wide(self.terms, tuple(zip(V.T, KV.T, strict=True)))

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        total = np.zeros((len(rows), len(columns)))
        if not total.size:
            return total
        same = rows[:, None] == columns
        for term in self.terms:
            total += term.factor * term.family.cross(term.part, term.X[rows], term.X[columns])
            apart = term.factor * term.family.apart(term.part, term.X[rows])
            if apart.any():
                total += np.where(same, apart[:, None], 0.0)
        return total

    def diag(self) -> FloatArray:
        total: FloatArray = np.sum([t.factor * t.family.diag(t.part, t.X) for t in self.terms], axis=0)
        return total

    def rows(self, index: IntArray) -> FloatArray:
        return self.block(index, np.arange(self.n))

    def apply(self, V: FloatArray) -> FloatArray:
        if V.ndim == 2 and V.shape[1] == 1:
            return self.apply(V[:, 0])[:, None]
        if V.ndim == 1:
            v, Kv = min(self.known, key=lambda one: np.count_nonzero(V - one[0]), default=(V, V))
            if np.count_nonzero(V - v) < np.count_nonzero(V) and self.known:
                return Kv + self._product(V - v)
        return self._product(V)

    def _product(self, V: FloatArray) -> FloatArray:
        support = np.flatnonzero(V.any(axis=1) if V.ndim == 2 else V)
        blocks = np.array_split(np.arange(self.n), self.n // ROW_BLOCK + 1)
        return np.concatenate([self.block(rows, support) @ V[support] for rows in blocks])

    def dense(self) -> FloatArray:
        require(8 * self.n * self.n, f"the Gram of {self.n} rows")
        return self.rows(np.arange(self.n))

    def scaled(self, factor: float) -> "Wide":
        return Wide(tuple(attrs.evolve(term, factor=factor * term.factor) for term in self.terms))
