"""The inverse of a matrix of low rank plus a multiple of the identity, never formed."""

import attrs
import numpy as np

from kernelopt._base._memory import require
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import Gram


@attrs.frozen(eq=False)
class Resolvent(Gram):
    """The inverse of F F' + tau I, stored as (I - B B') / tau with |B| < 1, where B = F R^-1 and R'R = F'F + tau I.

    Attributes:
        B: the matrix F R^-1, shape (n, r).
        tau: the number tau, > 0.
    """

    B: FloatArray
    tau: float

    @property
    def n(self) -> int:
        return len(self.B)

    def diag(self) -> FloatArray:
        return np.asarray((1.0 - np.einsum("ir,ir->i", self.B, self.B)) / self.tau)

    def rows(self, index: IntArray) -> FloatArray:
        return self.block(index, np.arange(self.n))

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        same = rows[:, None] == columns
        return np.asarray((same - self.B[rows] @ self.B[columns].T) / self.tau)

    def apply(self, V: FloatArray) -> FloatArray:
        return np.asarray((V - self.B @ (self.B.T @ V)) / self.tau)

    def dense(self) -> FloatArray:
        require(8 * self.n * self.n, f"the inverse of the Gram of {self.n} rows")
        matrix: FloatArray = self.B @ self.B.T
        matrix *= -1.0 / self.tau
        matrix[np.diag_indices(self.n)] += 1.0 / self.tau
        return matrix

    def scaled(self, factor: float) -> "Resolvent":
        return Resolvent(self.B, self.tau / factor)
