"""Rows of data as the integrals see them, and the volumes of the boxes that pairs of rows span."""

from collections.abc import Iterator
from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray
from kernelopt_tk._basis import Basis

BLOCK = 1 << 16
"""How many numbers a block of a row loop holds: with its companions it stays in a core's cache."""

FEW = 1 << 14
"""For so few pairs of rows plain products take no longer than compiled ones, and nothing is compiled."""
_CORNER = 64
_BELOW = np.tri(_CORNER, k=-1, dtype=bool)


@attrs.frozen(eq=False)
class Rows:
    """n rescaled rows; volumes are relative to the volume of the whole region [a, b].

    Attributes:
        limit: where each row's integration starts, x clipped to [a, b], shape (n, d).
        reach: (b - limit) / (b - a) in [0, 1], transposed, shape (d, n).
        monomials: x^delta, not clipped, shape (n, g).
        volume: of the box [limit, b], shape (n,), in [0, 1].
    """

    limit: FloatArray
    reach: FloatArray
    monomials: FloatArray
    volume: FloatArray

    @classmethod
    def build(cls, X: FloatArray, basis: Basis, lower: FloatArray, upper: FloatArray) -> Self:
        """The rescaled rows X (n, d) in the region [lower, upper], each of shape (d,)."""
        limit = np.clip(X, lower, upper)
        reach = np.ascontiguousarray(((upper - limit) / (upper - lower)).T)
        return cls(limit, reach, basis.monomials(X), np.prod(reach, axis=0))

    def __len__(self) -> int:
        return len(self.volume)

    def take(self, index: slice | IntArray) -> "Rows":
        """Some of the rows."""
        return Rows(self.limit[index], self.reach[:, index], self.monomials[index], self.volume[index])


def blocks(n: int, width: int, least: int = 1) -> Iterator[slice]:
    """Slices that cover range(n), each of about BLOCK / width rows, but at least `least`."""
    size = max(least, min(n, BLOCK // max(width, 1)))
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def triangle(n: int, width: int) -> Iterator[tuple[slice, slice]]:
    """Blocks of rows, each with the columns from the block's first row on: the upper triangle of (n, n)."""
    for rows in blocks(n, width):
        yield rows, slice(rows.start, n)


def mirror(K: FloatArray) -> None:
    """Copies the upper triangle of blocks into the lower, in place; the result is exactly symmetric."""
    for start in range(0, len(K), _CORNER):
        stop = start + _CORNER
        corner = K[start:stop, start:stop]
        size = len(corner)
        np.copyto(corner, corner.T.copy(), where=_BELOW[:size, :size])
        K[stop:, start:stop] = K[start:stop, stop:].T


def pair_volumes(left: Rows, right: Rows) -> FloatArray:
    """The relative volumes of [max(x, y), b], shape (n', n): prod_j min(reach_j(x), reach_j(y))."""
    if len(left) * len(right) <= FEW:
        return np.asarray(np.prod(np.minimum(left.reach[:, :, None], right.reach[:, None]), axis=0))
    from kernelopt_tk._compiled_volumes import products_of_minima  # numba is imported when pairs first need it

    volumes = np.empty((len(left), len(right)))
    products_of_minima(np.ascontiguousarray(left.reach), np.ascontiguousarray(right.reach), volumes)
    return volumes


def all_volumes(rows: Rows) -> FloatArray:
    """The relative volumes of all pairs of rows, shape (n, n): O(n^2 d), once."""
    n = len(rows)
    volumes = np.empty((n, n))
    for block, rest in triangle(n, 2 * n):
        volumes[block, rest] = pair_volumes(rows.take(block), rows.take(rest))
    mirror(volumes)
    return volumes
