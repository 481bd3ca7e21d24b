"""Features of a block of rows on a device: products with them, and sums over the rows."""

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._arrays import Array, Arrays, chosen
from kernelopt._linalg._feature_block import FeatureBlock
from kernelopt._linalg._triangular_inverse import triangular_inverse

_STEEP = 1e3
"""Of the least pivot: where the largest is larger, products with the inverse lose digits that a second one brings back.
A guard: twice the products for landmarks of thin kernels, which are few."""


@attrs.frozen(eq=False)
class DeviceBlock(FeatureBlock):
    """Features that are on a device.

    Attributes:
        arrays: of the device.
        values: Phi, shape (k, r), an array of the device.
    """

    arrays: Arrays
    values: Array

    def rows(self, index: IntArray) -> FloatArray:
        return self.arrays.back(chosen(self.arrays, self.values, index))

    def times(self, B: FloatArray) -> FloatArray:
        return self.arrays.back(self.values @ self.arrays.put(B))

    def sums(self, V: FloatArray) -> FloatArray:
        return self.arrays.back(self.arrays.xp.matrix_transpose(self.values) @ self.arrays.put(V))

    def inner(self, s: FloatArray) -> FloatArray:
        """Phi'S Phi.

        Raises:
            InvalidData: some features are NaN or infinite.
        """
        scaled = self.values if (s == 1.0).all() else self.values * self.arrays.put(np.sqrt(s)[:, None])
        found = self.arrays.back(self.arrays.xp.matrix_transpose(scaled) @ scaled)
        if not np.isfinite(found).all():
            raise InvalidData(
                f"device: the kernel's values on {self.arrays.name} are NaN or infinite for some rows, and finite "
                "numbers are wanted; scale the columns of X"
            )
        return 0.5 * (found + found.T)

    def squares(self, p: FloatArray) -> FloatArray:
        return self.arrays.back((self.values * self.values) @ self.arrays.put(p[:, None]))[:, 0]


@attrs.frozen(eq=False)
class Factor:
    """A triangular factor L (r, r) on a device, for features phi with phi L' = k(X, Z).

    The standard has no triangular solver, so they are products with the inverse, k r^2 operations each.

    Attributes:
        arrays: of the device.
        inverse: L^-T.
        lower: L, where L is so steep that what rounding leaves is multiplied once more; else None.
    """

    arrays: Arrays
    inverse: Array
    lower: Array | None

    @classmethod
    def of(cls, arrays: Arrays, lower: FloatArray) -> "Factor":
        """That of L (r, r)."""
        inverse = triangular_inverse(lower).T
        pivots = np.diagonal(lower)
        steep = pivots.max(initial=0.0) > _STEEP * pivots.min(initial=np.inf)
        return cls(arrays, arrays.put(inverse), arrays.put(lower) if steep else None)

    def __len__(self) -> int:
        return int(self.inverse.shape[0])

    def features(self, cross: Array) -> Array:
        """phi from k(X, Z) of rows and landmarks, shape (k, r)."""
        phi = cross @ self.inverse
        if self.lower is None:
            return phi
        return phi + (cross - phi @ self.arrays.xp.matrix_transpose(self.lower)) @ self.inverse

    def solved(self, B: FloatArray) -> Array:
        """L^-T B for B (r, c), shape (r, c)."""
        return self.inverse @ self.arrays.put(B)
