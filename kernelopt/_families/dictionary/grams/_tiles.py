"""Sums over the Grams of a list, of which half is ever looked at: computed or held in tiles of rows."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

import attrs
import numpy as np
from scipy.linalg import blas

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._distances import Base
from kernelopt._families.dictionary.grams._blocks import Bases, Blocks
from kernelopt._families.dictionary.grams._gram_parts import lower_tiles, shelves
from kernelopt._families.dictionary.grams._sums import Sums
from kernelopt._families.dictionary.seen._coded_columns import View
from kernelopt._families.dictionary.seen._seen_rows import Seen
from kernelopt._linalg._gram import Gram, mirrored

_BASES = 1 << 29
"""Bytes that distances between rows of many numbers take at most, where they are computed once."""


@attrs.frozen(eq=False)
class Tile:
    """Some kernels between some rows and others, none of which is behind the last of the former.

    Attributes:
        rows: from start to stop.
        columns: the others. Those before the first of the rows stand for their mirror image as well.
        atoms: the kernels' places.
        values: shape (k, rows, columns).
    """

    rows: slice
    columns: slice
    atoms: slice
    values: FloatArray

    @property
    def flat(self) -> FloatArray:
        """The values, shape (k, rows * columns)."""
        return self.values.reshape(len(self.values), -1)

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Where its rows and its columns start and stop."""
        return self.rows.start, self.rows.stop, self.columns.start, self.columns.stop


class Tiles(Sums):
    """The Grams (m, n, n) of a list, by their lower halves."""

    @abstractmethod
    def tiles(self) -> Iterator[Tile]:
        """Every tile once, each valid until the next is asked for; those of the same place one after the other."""

    def halved(self, w: FloatArray) -> FloatArray:
        matrix = np.zeros((self.n, self.n))
        for (start, stop, left, right), tiles in groupby(self.tiles(), key=lambda tile: tile.place):
            total = np.zeros((stop - start) * (right - left))
            for tile in tiles:
                for weight, values in zip(w[tile.atoms], tile.flat, strict=True):
                    if weight != 0.0:
                        blas.daxpy(values, total, a=weight)  # one pass, where numpy's product takes another array
            matrix[start:stop, left:right] = total.reshape(-1, right - left)
        return matrix

    def surveyed(self, V: FloatArray | None, omega: Gram | None) -> tuple[FloatArray, FloatArray]:
        images = np.zeros((self.m, *(V.shape if V is not None else (0, 0))))
        traces = np.zeros(self.m)
        for (start, stop), places in groupby(self.tiles(), key=lambda tile: (tile.rows.start, tile.rows.stop)):
            inverse = None if omega is None else omega.rows(np.arange(start, stop))
            for (_, _, left, right), tiles in groupby(places, key=lambda tile: tile.place):
                part = None if inverse is None else _doubled(inverse[:, left:right], start - left)
                for tile in tiles:
                    if part is not None:
                        traces[tile.atoms] += tile.flat @ part
                    if V is not None:
                        _map(tile, V, images)
        return images, traces


def _map(tile: Tile, V: FloatArray, images: FloatArray) -> None:
    """Add to the images (m, n, c) what a tile and its mirror image do to V (n, c)."""
    rows, columns = tile.rows, tile.columns
    images[tile.atoms, rows] += tile.values @ V[columns]
    below = slice(columns.start, min(columns.stop, rows.start))
    if below.start < below.stop:
        mirrors = V[rows].T @ tile.values[:, :, : below.stop - below.start]
        images[tile.atoms, below] += mirrors.transpose(0, 2, 1)


def _doubled(block: FloatArray, below: int) -> FloatArray:
    """The block in one row, with its first columns counted for their mirror image too."""
    flat = np.array(block)
    flat[:, : max(below, 0)] *= 2.0
    return flat.ravel()


@attrs.frozen(eq=False)
class Computed(Tiles):
    """Tiles that are computed whenever they are asked for.

    Attributes:
        blocks: the kernels.
        numbers: theirs in their list, shape (m,).
        rows: as they see them.
        bases: what the kernels are functions of, where that takes long to compute and little room, shape (n, n), up to
            the diagonal.
    """

    blocks: Blocks
    numbers: tuple[int, ...]
    rows: Seen
    bases: Bases | None = None

    @classmethod
    def of(cls, blocks: Blocks, numbers: tuple[int, ...], X: View) -> "Computed":
        """Those of the kernels of these numbers, which are all of the blocks', on rows X (n, d)."""
        return cls(blocks, numbers, blocks.seen(X))

    def remembering(self) -> "Computed":
        """The same, for many looks: distances between rows of many numbers are computed once, as far as they have room,
        those first that take the longest.
        """
        return attrs.evolve(self, bases=self.blocks.bases(self.rows, _BASES))

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def m(self) -> int:
        return len(self.numbers)

    def only(self, places: IntArray) -> "Computed":
        """Those in these places."""
        numbers = tuple(self.numbers[a] for a in places)
        blocks = self.blocks.only(numbers)
        rows = blocks.seen(self.rows.X, self.rows.inverse_lengths)
        if self.bases is None:
            return Computed(blocks, numbers, rows)
        known = {place: one for (place, _), one in zip(self.blocks.groups, self.bases, strict=True)}
        return Computed(blocks, numbers, rows, tuple(known[place] for place, _ in blocks.groups))

    def tiles(self) -> Iterator[Tile]:
        return self.by(lower_tiles(self.n))

    def by(self, places: Iterable[tuple[slice, list[slice]]]) -> Iterator[Tile]:
        """The tiles of these rows and, for each block of them, of these columns."""
        place = {number: a for a, number in enumerate(self.numbers)}
        for rows, across in places:
            some = self.rows[rows]
            for columns in across:
                known = None if self.bases is None else tuple(_within(one, rows, columns) for one in self.bases)
                for number, block in self.blocks.between(some, self.rows[columns], known):
                    a = place[number]
                    yield Tile(rows, columns, slice(a, a + 1), block[None])


def _within(bases: Mapping[Base, FloatArray], rows: slice, columns: slice) -> dict[Base, FloatArray]:
    """Bases (n, n) between these rows and others up to the diagonal and the rest of a square, which need not have been
    filled before: where other rows were taken together, another square was.
    """
    if columns.stop > rows.start:
        for values in bases.values():
            mirrored(values[rows, rows])
    return {base: values[rows, columns] for base, values in bases.items()}


@attrs.frozen(eq=False)
class Held(Tiles):
    """Tiles that are held in memory: half of each Gram.

    Attributes:
        size: the number of rows.
        numbers: the kernels' in their list, shape (m,).
        grams: for each kernel its tiles, one for each of `shelves`.
    """

    size: int
    numbers: tuple[int, ...]
    grams: tuple[tuple[FloatArray, ...], ...]

    @classmethod
    def of(cls, tiles: Computed, before: "Held | None" = None) -> "Held":
        """Those of others, computed once, unless they were held before."""
        known = {} if before is None else dict(zip(before.numbers, before.grams, strict=True))
        fresh = tiles.only(np.flatnonzero([number not in known for number in tiles.numbers]))
        grams: list[list[FloatArray]] = [[] for _ in range(fresh.m)]
        for tile in fresh.by((rows, [slice(0, rows.stop)]) for rows in shelves(tiles.n)):
            grams[tile.atoms.start].append(tile.values[0].copy())
        known.update(zip(fresh.numbers, map(tuple, grams), strict=True))
        return cls(tiles.n, tiles.numbers, tuple(known[number] for number in tiles.numbers))

    @property
    def n(self) -> int:
        return self.size

    @property
    def m(self) -> int:
        return len(self.grams)

    def only(self, places: IntArray) -> "Held":
        """Those in these places."""
        chosen = places.tolist()
        return Held(self.size, tuple(self.numbers[a] for a in chosen), tuple(self.grams[a] for a in chosen))

    def tiles(self) -> Iterator[Tile]:
        for i, rows in enumerate(shelves(self.size)):
            for a, gram in enumerate(self.grams):
                yield Tile(rows, slice(0, rows.stop), slice(a, a + 1), gram[i][None])
