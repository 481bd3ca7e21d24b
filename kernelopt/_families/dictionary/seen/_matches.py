"""Products and distances of rows with categories: where two rows have the same one."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary.seen._coded_columns import Coded, View, written_out

_FEW = 1 << 18
"""Where all rows have so few comparisons numpy takes a quarter of a millisecond more for a Gram than compiled code, and
numba would take .4 s to compile that: a guard, for small tables."""


def matched(Z: View, X: View) -> tuple[FloatArray, FloatArray, "Matches | None"]:
    """The numbers of rows Z (n', d) and X (n, d), and what compares the rest; None where numbers are all columns."""
    if isinstance(Z, Coded) and isinstance(X, Coded) and Z.spans == X.spans:
        return Z.numbers, X.numbers, Matches(Z.codes, X.codes, Z.sizes, X.sizes)
    return written_out(Z), written_out(X), None


@attrs.frozen(eq=False)
class Matches:
    """Where two blocks of rows have the same categories.

    Attributes:
        Z: codes, shape (n', G).
        X: codes, shape (n, G).
        first: the values of the indicators that rows Z have, shape (n', G).
        second: those of rows X, shape (n, G).
    """

    Z: IntArray
    X: IntArray
    first: FloatArray
    second: FloatArray

    def add_products(self, out: FloatArray, pairs: int) -> None:
        """Out (n', n) += the products of the indicators; of so many pairs of rows in all."""
        values = self.first**2
        if self._few(pairs):
            for z, x, value in zip(self.Z.T, self.X.T, values.T, strict=True):
                out += value[:, None] * (z[:, None] == x)
            return
        from kernelopt._linalg._code_matches import add_same  # imports numba where it is needed

        add_same(self.Z, self.X, values, out)

    def add_squares(self, out: FloatArray, pairs: int) -> None:
        """Out (n', n) += the squared distances of the indicators; of so many pairs of rows in all."""
        self._add_apart(self.first**2, self.second**2, out, pairs)

    def add_absolutes(self, out: FloatArray, pairs: int) -> None:
        """Out (n', n) += the absolute distances of the indicators; of so many pairs of rows in all."""
        self._add_apart(np.abs(self.first), np.abs(self.second), out, pairs)

    def _add_apart(self, first: FloatArray, second: FloatArray, out: FloatArray, pairs: int) -> None:
        """Out (n', n) += the sum over the columns in which two rows differ of a number of each."""
        if self._few(pairs):
            for z, x, a, b in zip(self.Z.T, self.X.T, first.T, second.T, strict=True):
                out += (a[:, None] + b) * (z[:, None] != x)
            return
        from kernelopt._linalg._code_matches import add_different  # imports numba where it is needed

        add_different(self.Z, self.X, first, second, out)

    def _few(self, pairs: int) -> bool:
        """Whether there are so few comparisons that nothing is compiled for them."""
        return bool(pairs * self.Z.shape[1] <= _FEW)
