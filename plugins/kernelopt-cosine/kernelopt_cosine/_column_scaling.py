"""The frame of a cosine mixture: how columns are shifted and rescaled."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, InvalidData

_LARGEST = 1e70
"""The fourth power of it, times any number of rows, is a floating point number."""


@attrs.frozen
class Frame:
    """The small constants of a prepared family, each of shape (d,).

    Attributes:
        shift: taken from the columns; the kernels do not see it, their rounding does.
        width: the columns are then divided by it.
        spread: the standard deviation of the columns after that, 1 for a constant column.
        total: the sum of their variances after that.
        varied: how many columns are not constant.
    """

    shift: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    width: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    spread: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    total: float = 0.0
    varied: int = 0

    @classmethod
    def fit(cls, X: FloatArray, weight: FloatArray, rescale: str | None) -> Self:
        """The frame of training rows X (n, d) with weights (n,), not all 0.

        Raises:
            InvalidData: without rescaling some column is too wild for its squares.
        """
        shift = np.average(X, axis=0, weights=weight)
        # In units of the largest difference, so that no square leaves the floating point numbers.
        difference = X[weight > 0] - shift
        difference -= np.average(difference, axis=0, weights=weight[weight > 0])  # far from 0 a mean has few digits
        largest = _positive(np.abs(difference).max(axis=0))
        variance = np.average((difference / largest) ** 2, axis=0, weights=weight[weight > 0])
        deviation = _positive(largest * np.sqrt(variance))
        if rescale is None and not deviation.max() < _LARGEST:
            raise InvalidData(
                f"Cosine: a column has the standard deviation {deviation.max():.3g}, wanted less than "
                f'{_LARGEST:g}, because sums of fourth powers would overflow; use rescale="standard"'
            )
        varied = int(np.count_nonzero(variance))
        if rescale is None:
            return cls(shift, np.ones_like(shift), deviation, float(np.sum(variance * largest * largest)), varied)
        return cls(shift, deviation, np.ones_like(shift), float(varied), varied)

    @property
    def d(self) -> int:
        """The number of columns."""
        return len(self.shift)

    def rescaled(self, X: FloatArray) -> FloatArray:
        """Rows (n, d) in the units of the frequencies."""
        rows = X - self.shift
        if (self.width != 1.0).any():
            rows /= self.width
        return rows


def _positive(size: FloatArray) -> FloatArray:
    """Sizes of columns; 1 for a constant column."""
    return np.asarray(np.where(size > 0.0, size, 1.0))
