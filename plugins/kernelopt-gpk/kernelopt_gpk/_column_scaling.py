"""The frame of a generalised polynomial kernel: how columns are shifted and rescaled."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray


@attrs.frozen
class Frame:
    """The small constants of a prepared family, each of shape (d,).

    Attributes:
        middle: taken from the columns.
        half: the columns are then divided by it.
        rest: taken from them before that, what the middle lacks: far from 0 it has fewer digits than differences from
            it. Files of earlier versions have none.
    """

    middle: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    half: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    rest: FloatArray | float = attrs.field(default=0.0, eq=attrs.cmp_using(eq=np.array_equal), hash=False)

    @classmethod
    def fit(cls, X: FloatArray, rescale: str | None) -> Self:
        """The frame of training rows X (n, d), n >= 1: to [-1, 1], but to 0 for a constant column; or none."""
        low, high = X.min(axis=0), X.max(axis=0)
        if rescale is None:
            return cls(np.zeros_like(low), np.ones_like(low))
        half = 0.5 * (high - low)
        middle = low + half
        return cls(middle, np.where(half > 0.0, half, 1.0), half - (middle - low))

    @property
    def d(self) -> int:
        """The number of columns."""
        return len(self.middle)

    def rescaled(self, X: FloatArray) -> FloatArray:
        """Rows (n, d) in the units of the monomials."""
        return (X - self.middle - self.rest) / self.half
