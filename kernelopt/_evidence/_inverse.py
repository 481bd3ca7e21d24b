"""The inverse of a factored matrix whose entries are held in single precision."""

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, cho_solve

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import Gram


@attrs.frozen(eq=False)
class Inverse(Gram):
    """(L L')^-1: products in all digits by L, which cost no more, entries and squares with 7 digits, which cost half.

    Attributes:
        lower: L, shape (n, n) in the order of LAPACK; what stands above its diagonal is not looked at.
        entries: shape (n, n).
    """

    lower: FloatArray
    entries: NDArray[np.float32]

    @property
    def n(self) -> int:
        return len(self.lower)

    def diag(self) -> FloatArray:
        return np.diagonal(self.entries).astype(np.float64)

    def rows(self, index: IntArray) -> FloatArray:
        return self.entries[index].astype(np.float64)

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return self.entries[np.ix_(rows, columns)].astype(np.float64)

    def apply(self, V: FloatArray) -> FloatArray:
        return np.asarray(cho_solve((self.lower, True), V, check_finite=False))

    def form(self, F: FloatArray) -> FloatArray:
        half = np.asarray(blas.dtrsm(1.0, self.lower, F.T, side=1, lower=1, trans_a=1))  # (L^-1 F)', (r, n)
        return np.asarray(half @ half.T)

    def forms(self, F: FloatArray) -> FloatArray:
        half = blas.dtrsm(1.0, self.lower, F.reshape(-1, self.n).T, lower=1).T.reshape(len(F), -1)  # of all L^-1 F_c'
        return np.asarray(half @ half.T)

    def squares(self, F: FloatArray) -> FloatArray:
        lower, columns = self.lower.astype(np.float32), F.T.astype(np.float32)
        half = blas.strsm(1.0, lower, columns, side=1, lower=1, trans_a=1, overwrite_b=1)
        return np.asarray(np.einsum("ri,ri->r", half, half, dtype=np.float64))

    def dense(self) -> FloatArray:
        return self.entries.astype(np.float64)

    def scaled(self, factor: float) -> "Inverse":
        return Inverse(self.lower / np.sqrt(factor), self.entries * np.float32(factor))
