"""A whole Gram on a device, in single precision: formed in blocks of rows, multiplied with columns."""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._arrays import Array, Arrays, chosen

_ENTRIES = 1 << 23
"""Entries that are computed at once, in double precision."""


@attrs.frozen(eq=False)
class DeviceGram:
    """A symmetric matrix on a device.

    Attributes:
        arrays: of the device, in single precision.
        matrix: shape (n, n).
    """

    arrays: Arrays
    matrix: Array

    @classmethod
    def of(
        cls, arrays: Arrays, n: int, between: Callable[[slice, slice], Array], stop: Callable[[float], bool]
    ) -> "DeviceGram | None":
        """The values between rows in double precision, each pair once; None where it was to stop, after a share of the
        work. 4 n^2 bytes are taken.

        Args:
            arrays: of the device.
            n: how many rows there are.
            between: the values between some rows and others, shape (k, k').
            stop: of a share of the work, whether to stop.
        """
        single = attrs.evolve(arrays, single=True)
        xp, matrix, height = arrays.xp, single.zeros(n, n), max(_ENTRIES // n, 1)
        for i in range(0, n, height):
            j = min(i + height, n)
            block = xp.astype(between(slice(i, j), slice(0, j)), single.dtype)
            matrix[i:j, :j] = block
            matrix[:i, i:j] = xp.matrix_transpose(block[:, :i])
            if stop((j / n) ** 2):
                return None
        return cls(single, matrix)

    def image(self, B: FloatArray) -> FloatArray:
        """K B for B (n, c), shape (n, c)."""
        return self.arrays.back(self.matrix @ self.arrays.put(B))

    def between(self, rows: IntArray, V: FloatArray) -> FloatArray:
        """K of some rows (k,) with all, times V (n, c), shape (k, c)."""
        part = self.arrays.back(chosen(self.arrays, self.matrix, rows))
        return np.asarray(part @ V)
