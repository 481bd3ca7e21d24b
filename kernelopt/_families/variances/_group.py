"""Groups of rows: the kernel of an effect that all rows of a group share, and no other."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._copies import sets_of_copies
from kernelopt._base._plain_numbers import plain
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._mixture import Part
from kernelopt._families.variances._variance import Variance
from kernelopt._linalg._gram import Dense, Gram


@attrs.frozen
class Group(Variance):
    """k(x, z) = 1 if the rows x and z are equal in all columns that the family sees, else 0.

    On the column that says which patient, site or batch a row is of, its learned weight is the variance of an effect
    that all rows of a group share: a random intercept. A new group has an effect with this variance and mean 0. On all
    columns it is the variance that copies of a row share beyond the noise of each row.

    Rows of a group that nobody knows may have a number of their own, which `_unknown` says: such a row is alone in its
    group, so that its kernel with all other rows is 0, and with itself 1.

    Laird and Ware (1982), equation (2.1), with Z the indicators of groups.
    """

    name: ClassVar[str] = "group"

    _unknown: float | None = attrs.field(default=None, alias="_unknown")

    def seeing(self, columns: IntArray, width: int) -> KernelFamily:  # noqa: ARG002
        return self

    def dictionary(self) -> Part:
        return Part(np.zeros((1, 0)), np.ones(1))

    def bind(self, X: FloatArray) -> IntArray:
        return sets_of_copies(X)

    def bind_bytes(self, n: int, d: int) -> int:  # noqa: ARG002
        return 8 * n

    def gram(self, part: Part, data: IntArray) -> Gram:
        return Dense(np.where(data[:, None] == data, part.mass, 0.0))

    def columns_of(self, data: IntArray, V: FloatArray) -> FloatArray:
        sums = np.zeros((int(data.max()) + 1, V.shape[1]))
        np.add.at(sums, data, V)
        return sums[data][None]

    def apply(self, part: Part, data: IntArray, V: FloatArray) -> FloatArray:
        return np.asarray(part.mass * self.columns_of(data, V)[0])

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        number = sets_of_copies(np.vstack([Z, X]))
        equal = (number[: len(Z), None] == number[len(Z) :]) & ~self._alone(Z)[:, None]
        return np.where(equal, part.mass, 0.0)

    def _alone(self, Z: FloatArray) -> BoolArray:
        """Which rows Z (n, d) are of groups that nobody knows, shape (n,)."""
        if self._unknown is None:
            return np.zeros(len(Z), dtype=bool)
        return np.asarray(np.equal(Z, self._unknown).all(axis=1))

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return np.full(len(X), part.mass)

    def describe(self, part: Part) -> str:
        return f"variance between groups {plain(part.mass, 3)}" if part.mass else "no effect of groups"

    def label(self, atom: FloatArray) -> str:  # noqa: ARG002
        return "equal rows"
