"""What is asked of the Grams of a list: sums over them, over their entries, and their products with vectors."""

from abc import ABC, abstractmethod

from kernelopt._base._typing import FloatArray
from kernelopt._linalg._gram import Gram, mirrored


class Sums(ABC):
    """The Grams (m, n, n) of a list, however they are held."""

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of rows."""

    @property
    @abstractmethod
    def m(self) -> int:
        """The number of kernels."""

    @abstractmethod
    def halved(self, w: FloatArray) -> FloatArray:
        """sum_a w_a K_a up to the diagonal, anything beyond it, shape (n, n)."""

    @abstractmethod
    def surveyed(self, V: FloatArray | None, omega: Gram | None) -> tuple[FloatArray, FloatArray]:
        """K_a V for V (n, c), shape (m, n, c), and tr(Omega K_a), shape (m,), in one pass: nothing of what is None."""

    def combined(self, w: FloatArray) -> FloatArray:
        """sum_a w_a K_a, shape (n, n)."""
        return mirrored(self.halved(w))
