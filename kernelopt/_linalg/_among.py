"""The inverse of a covariance whose rows count more than once, with what their copies add to it."""

import attrs

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import Gram


@attrs.frozen(eq=False)
class Among(Gram):
    """An inverse among rows; among the copies of one row there is noise alone, of which the inverse is 1 / noise.

    Attributes:
        inner: the inverse among rows.
        noise: of a row that counts once, > 0.
    """

    inner: Gram
    noise: float

    @property
    def n(self) -> int:
        return self.inner.n

    def diag(self) -> FloatArray:
        return self.inner.diag()

    def rows(self, index: IntArray) -> FloatArray:
        return self.inner.rows(index)

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return self.inner.block(rows, columns)

    def apply(self, V: FloatArray) -> FloatArray:
        return self.inner.apply(V)

    def form(self, F: FloatArray) -> FloatArray:
        return self.inner.form(F)

    def forms(self, F: FloatArray) -> FloatArray:
        return self.inner.forms(F)

    def squares(self, F: FloatArray) -> FloatArray:
        return self.inner.squares(F)

    def dense(self) -> FloatArray:
        return self.inner.dense()

    def scaled(self, factor: float) -> "Among":
        return Among(self.inner.scaled(factor), self.noise / factor)
