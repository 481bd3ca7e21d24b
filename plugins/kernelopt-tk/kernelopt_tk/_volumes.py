"""The relative volumes of the boxes that pairs of rows span: as a matrix, or in one column as two orders."""

from abc import ABC, abstractmethod
from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray
from kernelopt_tk._bound_rows import BLOCK, Rows, all_volumes, pair_volumes

Index = slice | IntArray


class Volumes(ABC):
    """V_ij, the relative volume of [max(x_i, x_j), b], symmetric (n, n)."""

    @abstractmethod
    def block(self, i: Index, j: Index) -> FloatArray:
        """The entries of these rows and columns, in an array that is not to be written into."""

    @abstractmethod
    def product(self, support: IntArray, F: FloatArray) -> FloatArray:
        """V times rows F (s, r) on the support, zero elsewhere, shape (n, r)."""


@attrs.frozen(eq=False)
class DenseVolumes(Volumes):
    """All volumes, computed once in O(n^2 d)."""

    matrix: FloatArray

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """The volumes of all pairs of rows."""
        return cls(all_volumes(rows))

    def block(self, i: Index, j: Index) -> FloatArray:
        if isinstance(i, slice) or isinstance(j, slice):
            return self.matrix[i][:, j]
        return self.matrix[np.ix_(i, j)]

    def product(self, support: IntArray, F: FloatArray) -> FloatArray:
        if len(support) == len(self.matrix):
            return self.matrix @ F
        result: FloatArray = self.matrix[support].T @ F
        return result


@attrs.frozen(eq=False)
class PassingVolumes(Volumes):
    """Volumes that are computed whenever they are asked for, and not kept: O(n^2 d) for each question."""

    rows: Rows

    def block(self, i: Index, j: Index) -> FloatArray:
        return pair_volumes(self.rows.take(i), self.rows.take(j))

    def product(self, support: IntArray, F: FloatArray) -> FloatArray:
        near, height = self.rows.take(support), max(BLOCK // max(len(support), 1), 1)
        parts = [slice(i, i + height) for i in range(0, len(self.rows), height)]
        return np.vstack([pair_volumes(self.rows.take(part), near) @ F for part in parts])


@attrs.frozen(eq=False)
class LineVolumes(Volumes):
    """One column: V_ij = min(reach_i, reach_j), so a product is two running sums over the sorted rows, in O(n r).

        (V F)_i = sum over reach_j <= reach_i of reach_j F_j + reach_i (the sum over the other rows of F_j)

    Attributes:
        reach: shape (n,).
        order: the rows by rising reach, shape (n,).
    """

    reach: FloatArray
    order: IntArray

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """The volumes of rows of one column."""
        reach = rows.reach[0]
        return cls(reach, np.argsort(reach, kind="stable"))

    def block(self, i: Index, j: Index) -> FloatArray:
        return np.minimum(self.reach[i][:, None], self.reach[j])

    def product(self, support: IntArray, F: FloatArray) -> FloatArray:
        full = np.zeros((len(self.reach), F.shape[1]))
        full[support] = F
        full = full[self.order]
        reach = self.reach[self.order, None]
        above = np.cumsum(full[::-1], axis=0)[::-1] - full
        result = np.empty_like(full)
        result[self.order] = np.cumsum(reach * full, axis=0) + reach * above
        return result
