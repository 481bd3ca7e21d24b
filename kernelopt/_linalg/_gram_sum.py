"""A Gram that is a sum of others, for those who ask for few of its entries."""

import attrs
import numpy as np

from kernelopt._base._memory import require
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import Dense, Gram


@attrs.frozen(eq=False)
class Sum(Gram):
    """sum over k of weights_k terms_k, never added up as a whole.

    Attributes:
        terms: one at least, of one size; a `Dense` may be another's array, which is only read.
        weights: shape (number of terms,).
        known: V and K V, of shape (n, c) both, where the product is known already.
    """

    terms: tuple[Gram, ...]
    weights: FloatArray
    known: tuple[FloatArray, FloatArray] | None = None

    @property
    def n(self) -> int:
        return self.terms[0].n

    def diag(self) -> FloatArray:
        total = np.zeros(self.n)
        for term, weight in zip(self.terms, self.weights, strict=True):
            total += weight * term.diag()
        return total

    def rows(self, index: IntArray) -> FloatArray:
        return self.block(index, np.arange(self.n))

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        from kernelopt._linalg._compiled_rows import add_block  # numba is imported when the first problem needs it

        total = np.zeros((len(rows), len(columns)))
        for term, weight in zip(self.terms, self.weights, strict=True):
            if isinstance(term, Dense):
                add_block(term.matrix, rows, columns, weight, total)
            else:
                total += weight * term.block(rows, columns)
        return total

    def apply(self, V: FloatArray) -> FloatArray:
        total: FloatArray = np.zeros(V.shape)
        for v, f in () if self.known is None else zip(self.known[0].T, self.known[1].T, strict=True):
            if np.array_equal(v, V):
                total += f
                return total
        for term, weight in zip(self.terms, self.weights, strict=True):
            total += weight * term.apply(V)
        return total

    def dense(self) -> FloatArray:
        require(8 * self.n * self.n, f"the Gram of {self.n} rows")
        return self.rows(np.arange(self.n))

    def scaled(self, factor: float) -> "Sum":
        known = None if self.known is None else (self.known[0], factor * self.known[1])
        return Sum(self.terms, factor * self.weights, known)
