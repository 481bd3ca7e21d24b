"""The contract of a finite list whose Grams are all in memory."""

from abc import abstractmethod

from kernelopt._family import FiniteFamily
from kernelopt._typing import Data, FloatArray, IntArray


class StoredFamily(FiniteFamily):
    """A finite list that binds the Gram of every atom: a part of one costs no more than it holds."""

    @abstractmethod
    def block(self, data: Data, atom: FloatArray, rows: IntArray) -> FloatArray:
        """The Gram of one atom (p,) on some of the bound rows (k,), shape (k, k), in an array of its own."""
