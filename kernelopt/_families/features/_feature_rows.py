"""Rows of features that are never all in memory: computed block by block, whenever they are asked for."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TypeVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._arrays import Arrays
from kernelopt._families._leaf import Leaf
from kernelopt._families.features._device_features import DeviceFeatures
from kernelopt._families.features._feature_columns import columns_of, image_of
from kernelopt._linalg._feature_block import FeatureBlock, HeldBlock
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._rows._coded import Block, BlockWork, CodedRows
from kernelopt._rows._contract import Total, unheard

_ENTRIES = 1 << 21
"""Features that are computed at once: 16 MiB of them, so that a product with a block is worth its call, and a block of
thousands of features takes less than a second."""

_HELD = 1 << 28
"""So many are held for further passes: 2 GiB."""
T = TypeVar("T", bound=Total)


def at_once(width: int) -> int:
    """Of so many rows so many features are computed at once."""
    return max(_ENTRIES // max(width, 1), 1)


def blocks_for(n: int, width: int) -> int:
    """In how many blocks n rows of so many features are gone over."""
    return -(-n // at_once(width))


def holdable(n: int, width: int) -> bool:
    """Whether n rows of so many features are held for further passes: where they take no more than 2 GiB."""
    return width <= most_held(n)


def most_held(n: int) -> int:
    """How many features of n rows are held at most."""
    return _HELD // max(n, 1)


@attrs.frozen(eq=False)
class FeatureMap:
    """The features of explicit lists, one after the other.

    Attributes:
        leaves: explicit lists; the identity on samples is none of them.
        owner: for each leaf the atom that each of its columns belongs to, ascending.
        device: where blocks of them are computed; None where that is in memory.
    """

    leaves: tuple[Leaf, ...]
    owner: tuple[IntArray, ...]
    device: DeviceFeatures | None = None

    @classmethod
    def of(cls, leaves: tuple[Leaf, ...], X: FloatArray, arrays: Arrays | None = None) -> "FeatureMap":
        """The features of all atoms of the leaves, which some rows X (n, d) show, on the device of some arrays."""
        owner = tuple(columns_of(leaf, X[:1])[1] for leaf in leaves)
        return cls(leaves, owner, None if arrays is None else DeviceFeatures.of(arrays, leaves))

    @property
    def width(self) -> int:
        """How many features there are: r."""
        return sum(len(owner) for owner in self.owner)

    @property
    def places(self) -> tuple[slice, ...]:
        """Those of each leaf among all columns."""
        ends = np.cumsum([0, *(len(owner) for owner in self.owner)])
        return tuple(slice(int(i), int(j)) for i, j in pairwise(ends))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of where they are computed."""
        return () if self.device is None else self.device.notes

    @property
    def at_once(self) -> int:
        """Of so many rows the features are computed at once."""
        return at_once(self.width) if self.device is None else self.device.at_once(self.width)

    def holdable(self, n: int) -> bool:
        """Whether those of n rows are held for further passes: where they take no more than 2 GiB, and no device
        computes them anew while they would be moved.
        """
        return self.device is None and holdable(n, self.width)

    def at(self, X: FloatArray) -> FloatArray:
        """Phi of rows X (n, d), shape (n, r)."""
        pieces = [columns_of(leaf, X)[0] for leaf in self.leaves]
        return pieces[0] if len(pieces) == 1 else np.hstack([np.zeros((len(X), 0)), *pieces])

    def image(self, X: FloatArray, B: FloatArray) -> FloatArray:
        """Phi B of rows X (n, d) for B (r, c), shape (n, c): O(r) for each row where that is possible."""
        if self.device is not None:
            return self.device.image(X, B)
        total = np.zeros((len(X), B.shape[1]))
        for leaf, place in zip(self.leaves, self.places, strict=True):
            total += image_of(leaf, X, B[place])
        return total

    def of_block(self, block: Block) -> FeatureBlock:
        """Phi of a block, shape (k, r)."""
        if block.features is not None:
            return HeldBlock(block.features)
        return HeldBlock(self.at(block.X)) if self.device is None else self.device.block(block.X)


@attrs.frozen(eq=False)
class FeatureRows:
    """Features at rows X (n, d).

    Attributes:
        map: the features.
        X: rows, shape (n, d).
        held: Phi, shape (n, r), where there is room for it; None where it is computed whenever it is asked for.
    """

    map: FeatureMap
    X: FloatArray
    held: FloatArray | None = None

    @classmethod
    def of(cls, leaves: tuple[Leaf, ...], X: FloatArray) -> "FeatureRows":
        """The features of all atoms of the leaves."""
        return cls(FeatureMap.of(leaves, X), X)

    @property
    def small(self) -> bool:
        """Whether all features may be held: several passes are cheaper then."""
        return self.map.holdable(len(self.X))

    @property
    def room(self) -> bool:
        """Whether there is room for all features in memory, whether they are held there or a device computes them."""
        return holdable(self.n, self.map.width)

    def only(self, rows: IntArray) -> "FeatureRows":
        """Of these rows (k,) alone."""
        return attrs.evolve(self, X=self.X[rows], held=None if self.held is None else self.held[rows])

    def kept(self) -> "FeatureRows":
        """The same, with all features held where these are small."""
        if self.held is not None or not self.small:
            return self
        return attrs.evolve(self, held=self.map.at(self.X))

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.X)

    @property
    def width(self) -> int:
        """How many features there are: r."""
        return self.map.width

    @property
    def owner(self) -> tuple[IntArray, ...]:
        """For each leaf the atom that each of its columns belongs to, ascending."""
        return self.map.owner

    def at(self, rows: slice | IntArray) -> FloatArray:
        """Phi of some rows, shape (k, r), not to be written into."""
        return self.map.at(self.X[rows]) if self.held is None else self.held[rows]

    def blocks(self, heard: Callable[[float], None] = unheard) -> Iterator[tuple[slice, FloatArray]]:
        """All rows, some at once, with their features (k, r), which are not to be written into.

        A block has rows from everywhere, at equal distances, so that the first blocks stand for all.
        """
        for rows in strided(len(self.X), self.map.at_once, heard):
            yield rows, self.at(rows)

    def image(self, B: FloatArray, heard: Callable[[float], None] = unheard) -> FloatArray:
        """Phi B for B (r, c), shape (n, c)."""
        total = np.empty((len(self.X), B.shape[1]))
        if self.held is not None:
            np.matmul(self.held, B, out=total)
            return total
        size = ROW_BLOCK if self.map.device is None else self.map.at_once
        for i in range(0, len(self.X), size):
            rows = slice(i, i + size)
            total[rows] = self.map.image(self.X[rows], B)
            heard(min(rows.stop / len(self.X), 1.0))
        return total


def strided(n: int, at_once: int, heard: Callable[[float], None] = unheard) -> Iterator[slice]:
    """All of n rows, some at once: rows at equal distances, so that each block has rows from everywhere."""
    many = -(-n // at_once)
    for block in range(many):
        yield slice(block, None, many)
        heard((block + 1) / many)


@attrs.frozen(eq=False)
class HeldRows(CodedRows):
    """Rows that are in memory.

    Attributes:
        features: at the rows.
        y: encoded targets less their level, shape (n, c).
        weight: how often each row counts, > 0, shape (n,).
        places: which of the training rows they are, shape (n,).
    """

    features: FeatureRows
    y: FloatArray
    weight: FloatArray
    places: IntArray

    @classmethod
    def of(cls, features: FeatureRows, y: FloatArray, weight: FloatArray) -> "HeldRows":
        """All training rows."""
        return cls(features, y, weight, np.arange(len(y)))

    @property
    def n(self) -> int:
        return len(self.y)

    def only(self, rows: IntArray) -> "HeldRows":
        """Some of them, by their numbers (k,)."""
        return HeldRows(self.features.only(rows), self.y[rows], self.weight[rows], self.places[rows])

    def total(
        self, work: BlockWork[T], heard: Callable[[float], None] = unheard, stop: Callable[[], bool] = bool
    ) -> tuple[T, "HeldRows"]:
        """The sum, and the rows that were seen, in the order of the blocks; with features, where these are small."""
        if self.features.held is not None or not self.features.small:
            return self._summed(work, heard, stop, None)
        return self._summed(work, heard, stop, np.empty((self.n, self.features.width)))

    def _summed(
        self, work: BlockWork[T], heard: Callable[[float], None], stop: Callable[[], bool], kept: FloatArray | None
    ) -> tuple[T, "HeldRows"]:
        found: T | None = None
        seen: list[IntArray] = []
        first = 0
        for rows in strided(self.n, work.at_once, heard):
            seen.append(np.arange(*rows.indices(self.n)))  # of all numbers a view would hold all
            held = self.features.at(rows) if kept is not None or self.features.held is not None else None
            block = Block(self.features.X[rows], self.y[rows], self.weight[rows], held)
            if kept is not None and held is not None:
                kept[first : first + len(block)] = held
            first += len(block)
            found = work(block) if found is None else found.plus(work(block))
            if stop():
                break
        assert found is not None
        if kept is None and first == self.n:
            return found, self
        there = self.only(np.concatenate(seen))
        return found, there if kept is None else attrs.evolve(
            there, features=attrs.evolve(there.features, held=kept[:first])
        )
