"""A Gram between two diagonal matrices."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import Gram


@attrs.frozen(eq=False)
class Sided(Gram):
    """D K D with D diagonal, never formed.

    Attributes:
        inner: K.
        sides: the diagonal of D, > 0, shape (n,).
    """

    inner: Gram
    sides: FloatArray

    @property
    def n(self) -> int:
        return self.inner.n

    def diag(self) -> FloatArray:
        return self.inner.diag() * self.sides * self.sides

    def rows(self, index: IntArray) -> FloatArray:
        return self.inner.rows(index) * self.sides * self.sides[index, None]

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return self.inner.block(rows, columns) * self.sides[columns] * self.sides[rows, None]

    def apply(self, V: FloatArray) -> FloatArray:
        return np.asarray((self.sides * self.inner.apply((self.sides * V.T).T).T).T)

    def form(self, F: FloatArray) -> FloatArray:
        return self.inner.form(F * self.sides[:, None])

    def forms(self, F: FloatArray) -> FloatArray:
        return self.inner.forms(F * self.sides)

    def squares(self, F: FloatArray) -> FloatArray:
        return self.inner.squares(F * self.sides[:, None])

    def dense(self) -> FloatArray:
        return self.inner.dense() * self.sides * self.sides[:, None]

    def scaled(self, factor: float) -> "Sided":
        return Sided(self.inner.scaled(factor), self.sides)
