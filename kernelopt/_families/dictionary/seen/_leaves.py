"""What a kernel of a list sees of a row through trees: the leaf of each in which the row lies."""

import math
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._arrays import Array, Arrays
from kernelopt._families._description import largest_shares


@attrs.frozen(eq=False)
class Leaves:
    """The leaves of some trees: one number for each leaf, which is 1 / sqrt(trees) for the rows in it and else 0.

    The inner product of two rows is the share of the trees in which both lie in one leaf, and the squared distance is
    twice the share of the others. The first is the kernel of a forest: Breiman (2000), Davies and Ghahramani (2014).

    Attributes:
        columns: the column that each split looks at, shape (s,).
        thresholds: a row goes to the right of a split where its value is larger, shape (s,).
        sides: of each leaf the side of each split on which it lies: 1 right, -1 left, and 0 where that split is not on
            the way to the leaf, shape (s, l).
        trees: how many there are.
        shares: how much of what the splits explain each column's do, shape (d,), of sum 1 or 0.
    """

    columns: IntArray
    thresholds: FloatArray
    sides: npt.NDArray[np.int8]
    trees: int
    shares: FloatArray

    @property
    def _rights(self) -> FloatArray:
        """How many of the splits on the way to each leaf it lies to the right of, shape (l,)."""
        return np.asarray((self.sides > 0).sum(axis=0), dtype=np.float64)

    @property
    def _height(self) -> float:
        return 1.0 / math.sqrt(self.trees)

    def of(self, X: FloatArray) -> FloatArray:
        return self.reached(X[:, self.columns])

    def reached(self, values: FloatArray) -> FloatArray:
        """The same of rows of which each split's column is known, shape (n, s)."""
        right = (values > self.thresholds).astype(np.float32)  # sums of few small whole numbers are exact
        return np.asarray((right @ self.sides.astype(np.float32) == self._rights) * self._height)

    def there(self, arrays: Arrays, X: Array) -> Array:
        xp = arrays.xp
        right = xp.take(X, arrays.places(self.columns), axis=1) > arrays.put(self.thresholds)
        reached = xp.astype(right, arrays.dtype) @ arrays.put(self.sides) > arrays.put(self._rights - 0.5)
        return xp.astype(reached, arrays.dtype) * self._height

    def among(self, columns: IntArray, d: int) -> "Leaves":
        """The same trees on rows of d columns, of which they were grown on these (k,)."""
        shares = np.zeros(d)
        shares[columns] = self.shares
        return attrs.evolve(self, columns=columns[self.columns], shares=shares)

    def width(self, d: int) -> int:  # noqa: ARG002
        return int(self.sides.shape[1])

    def pulled(self, gradients: FloatArray, seen: FloatArray, d: int) -> FloatArray:  # noqa: ARG002
        """Steps have no slope."""
        return np.zeros((len(gradients), d))

    def words(self, names: tuple[str, ...]) -> str:
        """The columns of the splits and what these explain, such as "the leaves of 100 trees (x3 62 %, x1 21 %)"."""
        sums: dict[str, float] = {}  # what the kernels see of one column shares a name
        for share, name in zip(self.shares, names or map("x{}".format, range(len(self.shares))), strict=True):
            sums[name] = sums.get(name, 0.0) + float(share)
        shown = largest_shares(np.array(list(sums.values())), tuple(sums))
        return f"the leaves of {self.trees} trees" + (f" ({shown})" if shown else "")


def leaves_of(trees: Sequence[Any], shares: npt.ArrayLike) -> Leaves:
    """The leaves of trees of scikit-learn, and how much of what their splits explain each column's do (d,)."""
    columns, thresholds, blocks = [], [], []
    for tree in trees:
        inner = np.flatnonzero(tree.children_left >= 0)
        columns.append(tree.feature[inner])
        thresholds.append(tree.threshold[inner])
        blocks.append(_sides(tree.children_left, tree.children_right, inner))
    sides = np.zeros((sum(len(block) for block in blocks), sum(block.shape[1] for block in blocks)), dtype=np.int8)
    row = column = 0
    for block in blocks:
        sides[row : row + len(block), column : column + block.shape[1]] = block
        row, column = row + len(block), column + block.shape[1]
    return Leaves(
        np.concatenate(columns).astype(np.int64),
        np.concatenate(thresholds).astype(np.float64),
        sides,
        len(blocks),
        np.asarray(shares, dtype=np.float64),
    )


def _sides(left: Any, right: Any, inner: Any) -> FloatArray:
    """Of the leaves of one tree the sides of its inner nodes on which they lie, shape (splits, leaves)."""
    ways = np.zeros((len(left), len(inner)))  # of each node
    for place, node in enumerate(inner):  # a node stands before its children
        for child, side in ((left[node], -1.0), (right[node], 1.0)):
            ways[child] = ways[node]
            ways[child, place] = side
    return np.asarray(ways[left < 0].T)
