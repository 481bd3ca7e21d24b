"""Features of some rows, wherever they are: what is asked of them, and the answers of those that are in memory."""

from abc import ABC, abstractmethod

import attrs
import numpy as np
from scipy.linalg import blas

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import mirrored


class FeatureBlock(ABC):
    """Phi of k rows, shape (k, r). What comes back is in memory."""

    @abstractmethod
    def rows(self, index: IntArray) -> FloatArray:
        """Phi of some of the rows (k',), shape (k', r), not to be written into."""

    @abstractmethod
    def times(self, B: FloatArray) -> FloatArray:
        """Phi B for B (r, c), shape (k, c)."""

    @abstractmethod
    def sums(self, V: FloatArray) -> FloatArray:
        """Phi'V for V (k, c), shape (r, c)."""

    @abstractmethod
    def inner(self, s: FloatArray) -> FloatArray:
        """Phi'S Phi, S = diag(s), for s >= 0 of shape (k,), shape (r, r)."""

    @abstractmethod
    def squares(self, p: FloatArray) -> FloatArray:
        """sum_j p_j phi_ij^2 of each row, for p of shape (r,), shape (k,)."""


@attrs.frozen(eq=False)
class HeldBlock(FeatureBlock):
    """Features that are in memory.

    Attributes:
        values: Phi, shape (k, r), not to be written into.
    """

    values: FloatArray

    def rows(self, index: IntArray) -> FloatArray:
        return self.values[index]

    def times(self, B: FloatArray) -> FloatArray:
        return np.asarray(self.values @ B)

    def sums(self, V: FloatArray) -> FloatArray:
        return np.asarray(self.values.T @ V)

    def inner(self, s: FloatArray) -> FloatArray:
        scaled = self.values if (s == 1.0).all() else np.sqrt(s)[:, None] * self.values
        upper = blas.dsyrk(1.0, scaled.T)  # columns first: its transpose has the lower triangle, rows first
        return mirrored(upper.T)

    def squares(self, p: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("ij,j,ij->i", self.values, p, self.values))
