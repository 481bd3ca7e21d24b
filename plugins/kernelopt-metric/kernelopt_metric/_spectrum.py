"""The leading directions of a matrix J'J; where J has few rows, nothing of the order of its columns is decomposed."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray

_ROUNDING = 1e-13
"""A value below this share of the largest is 0 but for rounding."""


@attrs.frozen(eq=False)
class Spectrum:
    """J'J = sum_k values_k u_k u_k'.

    Attributes:
        values: falling, >= 0, shape (r,).
        vectors: the u_k, shape (d, r): all d of them or, where J has fewer rows, those of values above rounding.
    """

    values: FloatArray
    vectors: FloatArray

    @classmethod
    def of(cls, J: FloatArray) -> Self:
        """That of J'J for J (m, d), in O(m d min(m, d))."""
        if len(J) >= J.shape[1]:
            values, vectors = np.linalg.eigh(J.T @ J)
        else:
            values, inner = np.linalg.eigh(J @ J.T)
            kept = values > _ROUNDING * values[-1]
            values, vectors = values[kept], (J.T @ inner[:, kept]) / np.sqrt(values[kept])
        return cls(np.maximum(values, 0.0)[::-1], vectors[:, ::-1])

    def diagonal(self, power: float) -> FloatArray:
        """The diagonal of (J'J)^power, shape (d,)."""
        return np.asarray(np.square(self.vectors) @ self.values**power)

    def root(self, rank: int, power: float) -> FloatArray:
        """R of the leading directions, with R R' = (J'J)^power but for the others, shape (d, rank)."""
        R = np.zeros((len(self.vectors), rank))
        axes, values = self.leading(rank)
        R[:, : len(values)] = axes * values ** (0.5 * power)
        return R

    def leading(self, rank: int) -> tuple[FloatArray, FloatArray]:
        """The first directions, shape (d, r), and their values, shape (r,), r at most `rank`."""
        return self.vectors[:, :rank], self.values[:rank]
