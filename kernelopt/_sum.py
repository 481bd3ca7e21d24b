"""A Gram that is a sum of others, for those who ask for few of its entries."""

import attrs
import numpy as np

from kernelopt._gram import Dense, Gram
from kernelopt._memory import require
from kernelopt._typing import FloatArray, IntArray


@attrs.frozen(eq=False)
class Sum(Gram):
    """sum over k of weights_k terms_k, never added up as a whole.

    Attributes:
        terms: one at least, of one size; a `Dense` may be another's array, which is only read.
        weights: shape (number of terms,).
    """

    terms: tuple[Gram, ...]
    weights: FloatArray

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
        from kernelopt.dual._rows import add_block  # numba is imported when the first problem needs it

        total = np.zeros((len(rows), len(columns)))
        for term, weight in zip(self.terms, self.weights, strict=True):
            if isinstance(term, Dense):
                add_block(term.matrix, rows, columns, weight, total)
            else:
                total += weight * term.block(rows, columns)
        return total

    def apply(self, V: FloatArray) -> FloatArray:
        total = np.zeros(V.shape)
        for term, weight in zip(self.terms, self.weights, strict=True):
            total += weight * term.apply(V)
        return total

    def dense(self) -> FloatArray:
        require(8 * self.n * self.n, f"the Gram of {self.n} rows")
        return self.rows(np.arange(self.n))

    def scaled(self, factor: float) -> "Sum":
        return Sum(self.terms, factor * self.weights)
