"""Where rows go along a column of categories: no value lies between two of them, and none is next to another."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._encoding import Encoding


@attrs.frozen(eq=False)
class Swaps:
    """Two other categories for each row, each as likely as it is frequent.

    The deviation of the column is that of zeros and ones where there are two categories: the root of half the share of
    pairs of rows that differ.

    Attributes:
        column: its number.
        codes: of the categories, of a gap and of a new category, shape (k + 2,).
        at, first, second: places among them at the rows and of those to go to, shape (m,).
        deviation: of the column, > 0.
    """

    column: int
    codes: FloatArray
    at: IntArray
    first: IntArray
    second: IntArray
    deviation: float

    @classmethod
    def of(cls, encoding: Encoding, values: FloatArray, chosen: IntArray, column: int) -> "Swaps":
        """Those of a column with codes (n,), of which some rows are chosen (m,); the same draws for the same rows."""
        codes = np.append(encoding.codes(column), [np.nan, encoding.new(column)])
        place = np.argmax((values[:, None] == codes) | (np.isnan(values)[:, None] & np.isnan(codes)), axis=1)
        counts = np.bincount(place, minlength=len(codes)).astype(float)
        shares = counts / counts.sum()
        at = place[chosen]
        draws = np.random.default_rng(0).random((2, len(at)))
        first, second = (_others(counts, at, draw) for draw in draws)
        return cls(column, codes, at, first, second, float(np.sqrt(0.5 * (1.0 - shares @ shares))))

    def rows(self, X: FloatArray) -> FloatArray:
        """Rows X (m, d) with the first other category, and then with the second, shape (2 m, d)."""
        moved = np.concatenate([X, X])
        moved[:, self.column] = self.codes[np.concatenate([self.first, self.second])]
        return moved

    def slopes(self, values: FloatArray, first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The mean of the slopes to both, and half their difference, (m, c) each, of a function's values there."""
        one, other = self._slope(values, first, self.first), self._slope(values, second, self.second)
        return 0.5 * (one + other), 0.5 * (one - other)

    def _slope(self, values: FloatArray, there: FloatArray, place: IntArray) -> FloatArray:
        """Towards the category that occurs later in the training rows."""
        return np.asarray(np.sign(place - self.at)[:, None] * (there - values) * self.deviation)


def _others(counts: FloatArray, at: IntArray, draw: FloatArray) -> IntArray:
    """A place other than that of each row (m,), by its counts (k,), for numbers in [0, 1)."""
    left = np.where(np.arange(len(counts)) == at[:, None], 0.0, counts)
    reached = np.cumsum(left, axis=1)
    return np.asarray((reached <= draw[:, None] * reached[:, -1:]).sum(axis=1), dtype=np.intp)
