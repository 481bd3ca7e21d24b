"""The sums over many rows of their features, their targets and the products of both, block by block."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.features._feature_rows import FeatureMap
from kernelopt._rows._coded import Block


@attrs.frozen(eq=False)
class Sums:
    """What many rows are summed up to. Sums over parts of the rows add.

    Attributes:
        inner: Phi'S Phi, S = diag of the weights, shape (r, r).
        along: Phi'S Y, shape (r, c).
        squares: Y'S Y, shape (c, c).
        total: Y'S 1, shape (c,).
        rows: the sum of the weights.
    """

    inner: FloatArray
    along: FloatArray
    squares: FloatArray
    total: FloatArray
    rows: float

    def plus(self, other: "Sums") -> "Sums":
        """Those over both parts."""
        return Sums(
            self.inner + other.inner,
            self.along + other.along,
            self.squares + other.squares,
            self.total + other.total,
            self.rows + other.rows,
        )


@attrs.frozen(eq=False)
class Summing:
    """Sums a block up: k r^2 operations.

    Attributes:
        map: the features.
    """

    map: FeatureMap

    @property
    def at_once(self) -> int:
        """So many rows a block has at most."""
        return self.map.at_once

    def __call__(self, block: Block) -> Sums:
        phi, y, weight = self.map.of_block(block), block.y, block.weight
        counted, root = weight[:, None] * y, np.sqrt(weight)[:, None] * y
        return Sums(phi.inner(weight), phi.sums(counted), root.T @ root, weight @ y, float(weight.sum()))
