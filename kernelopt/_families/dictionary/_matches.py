"""Products and distances of rows with categories: where two rows have the same one."""

import attrs

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary._coded_columns import Coded, View, written_out

_FEW = 1 << 18
"""Of so few comparisons numpy takes a quarter of a millisecond more than compiled code, which numba would take .4 s to
compile: a guard, for small tables."""


def matched(Z: View, X: View) -> tuple[FloatArray, FloatArray, "Matches | None"]:
    """The numbers of rows Z (n', d) and X (n, d), and what compares the rest; None where numbers are all columns."""
    if isinstance(Z, Coded) and isinstance(X, Coded) and Z.spans == X.spans:
        return Z.numbers, X.numbers, Matches(Z.codes, X.codes, X.scales)
    return written_out(Z), written_out(X), None


@attrs.frozen(eq=False)
class Matches:
    """Where two blocks of rows have the same categories.

    Attributes:
        Z: codes, shape (n', G).
        X: codes, shape (n, G).
        scales: of the indicators, shape (G,).
    """

    Z: IntArray
    X: IntArray
    scales: FloatArray

    def add_products(self, out: FloatArray) -> None:
        """Out (n', n) += the products of the indicators."""
        self._add(self.scales**2, out, same=True)

    def add_squares(self, out: FloatArray) -> None:
        """Out (n', n) += the squared distances of the indicators."""
        self._add(2.0 * self.scales**2, out, same=False)

    def add_absolutes(self, out: FloatArray) -> None:
        """Out (n', n) += the absolute distances of the indicators."""
        self._add(2.0 * self.scales, out, same=False)

    def _add(self, weights: FloatArray, out: FloatArray, *, same: bool) -> None:
        """Out (n', n) += the sum of the weights (G,) of the columns in which two rows have the same, or have not."""
        if out.size * len(weights) <= _FEW:
            for z, x, weight in zip(self.Z.T, self.X.T, weights, strict=True):
                out += weight * ((z[:, None] == x) == same)
            return
        from kernelopt._linalg._code_matches import add_matches  # imports numba where it is needed

        add_matches(self.Z, self.X, weights, same, out)
