"""The frame of a Gaussian mixture: how columns are rescaled, and how far apart rows are."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, InvalidData

_LARGEST = 1e70
"""The fourth power of it, times any number of rows, is a floating point number."""


@attrs.frozen
class Frame:
    """The small constants of a prepared family.

    Attributes:
        width: the columns are divided by it, shape (d,).
        spread: the mean squared distance of two training rows after that; 1 where all rows are one.
        shift: taken from the columns before, shape (d,): the kernels do not see it, their rounding does. Files of
            earlier versions have none.
    """

    width: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    spread: float
    shift: FloatArray | float = attrs.field(default=0.0, eq=attrs.cmp_using(eq=np.array_equal), hash=False)

    @classmethod
    def fit(cls, X: FloatArray, weight: FloatArray, rescale: str | None) -> Self:
        """The frame of training rows X (n, d) with weights (n,), not all 0.

        Raises:
            InvalidData: without rescaling some column is too wild for its squares.
        """
        counted = weight > 0
        shift = np.average(X, axis=0, weights=weight)
        difference = X[counted] - shift
        difference -= np.average(difference, axis=0, weights=weight[counted])  # far from 0 a mean has few digits
        # In units of the largest difference, so that no square leaves the floating point numbers.
        largest = _positive(np.abs(difference).max(axis=0))
        deviation = largest * np.sqrt(np.average((difference / largest) ** 2, axis=0, weights=weight[counted]))
        varying = int(np.count_nonzero(deviation))
        if rescale is None and not deviation.max() < _LARGEST:
            raise InvalidData(
                f"Gaussian: a column has the standard deviation {deviation.max():.3g}, wanted less than "
                f'{_LARGEST:g}, because sums of fourth powers would overflow; use rescale="distance"'
            )
        if rescale is None:
            return cls(np.ones_like(deviation), 2.0 * float(deviation @ deviation) or 1.0, shift)
        return cls(_positive(deviation) * np.sqrt(2.0 * max(varying, 1)), 1.0, shift)

    def rescaled(self, X: FloatArray) -> FloatArray:
        """Rows (n, d) in the units of the widths."""
        return (X - self.shift) / self.width


def _positive(size: FloatArray) -> FloatArray:
    """Sizes of columns; 1 for a constant column."""
    return np.asarray(np.where(size > 0.0, size, 1.0))
