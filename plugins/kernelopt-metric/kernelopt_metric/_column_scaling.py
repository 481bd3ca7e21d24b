"""The frame of a metric: how columns are rescaled, how much they vary, and where their rows spread the most."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, InvalidData
from kernelopt_metric._spectrum import Spectrum

_LARGEST = 1e70
"""The fourth power of it, times any number of rows, is a floating point number."""


@attrs.frozen
class Frame:
    """The small constants of a prepared family.

    Attributes:
        width: the columns are divided by it, shape (d,).
        shift: taken from the columns before, shape (d,): the kernels do not see it, their rounding does.
        variance: of each training column after that, shape (d,).
        axes: the directions along which the rescaled rows vary the most, the first ones first, shape (d, r); 0 where
            they vary along fewer.
        axial: the variance along each of them, shape (r,).
    """

    width: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    shift: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    variance: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    axes: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    axial: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)

    @classmethod
    def fit(cls, X: FloatArray, weight: FloatArray, rescale: str | None, rank: int) -> Self:
        """The frame of training rows X (n, d) with weights (n,), not all 0, for metrics of this rank.

        Raises:
            InvalidData: without rescaling some column is too wild for its squares.
        """
        counted = weight > 0
        share = weight[counted] / weight[counted].sum()
        shift = np.average(X, axis=0, weights=weight)
        difference = X[counted] - shift
        difference -= share @ difference  # far from 0 a mean has few digits
        # In units of the largest difference, so that no square leaves the floating point numbers.
        largest = _positive(np.abs(difference).max(axis=0))
        deviation = largest * np.sqrt(share @ (difference / largest) ** 2)
        if rescale is None and not deviation.max() < _LARGEST:
            raise InvalidData(
                f"Metric: a column has the standard deviation {deviation.max():.3g}, wanted less than "
                f'{_LARGEST:g}, because sums of fourth powers would overflow; use rescale="standard"'
            )
        width = np.ones_like(deviation) if rescale is None else _positive(deviation) * np.sqrt(2.0)
        rows = difference / width
        spread, axes, axial = Spectrum.of(rows * np.sqrt(share)[:, None]), np.zeros((len(width), rank)), np.zeros(rank)
        leading, values = spread.leading(rank)
        axes[:, : len(values)], axial[: len(values)] = leading, values
        return cls(width, shift, (deviation / width) ** 2, axes, axial)

    @property
    def d(self) -> int:
        """How many columns there are."""
        return len(self.width)

    @property
    def spread(self) -> float:
        """The mean squared distance of two training rows after rescaling; 1 where all rows are one."""
        return 2.0 * float(self.variance.sum()) or 1.0

    def rescaled(self, X: FloatArray) -> FloatArray:
        """Rows (n, d) in the units of the metric."""
        return np.asarray((X - self.shift) / self.width)


def _positive(size: FloatArray) -> FloatArray:
    """Sizes of columns; 1 for a constant column."""
    return np.asarray(np.where(size > 0.0, size, 1.0))
