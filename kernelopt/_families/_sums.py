"""What is asked of the Grams of a list: sums over them, over their entries, and their products with vectors."""

from abc import ABC, abstractmethod

from kernelopt._gram import Gram, mirrored
from kernelopt._typing import FloatArray


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
    def surveyed(
        self, V: FloatArray | None, near: FloatArray | None, omega: Gram | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """`images` of V, and `worth` with `near`: all in one pass."""

    def combined(self, w: FloatArray) -> FloatArray:
        """sum_a w_a K_a, shape (n, n)."""
        return mirrored(self.halved(w))

    def images(self, V: FloatArray) -> FloatArray:
        """K_a V for V (n, c), shape (m, n, c)."""
        return self.surveyed(V, None, None)[0]

    def worth(self, V: FloatArray | None, omega: Gram | None) -> tuple[FloatArray, FloatArray]:
        """sum_c V_c'K_a V_c and tr(Omega K_a), each of shape (m,); 0 of what is not given."""
        return self.surveyed(None, V, omega)[1:]
