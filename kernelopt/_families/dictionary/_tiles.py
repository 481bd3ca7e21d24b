"""Sums over the Grams of a list, of which half is ever looked at: computed or held in tiles of rows."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from itertools import groupby

import attrs
import numpy as np
from scipy.linalg import blas

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._device._distances import Base
from kernelopt._families.dictionary._blocks import Bases, Blocks, Seen, heights, shelf
from kernelopt._families.dictionary._coded_columns import View
from kernelopt._families.dictionary._sums import Sums
from kernelopt._linalg._gram import Gram, mirrored

_CACHED = 1 << 18
"""Entries of a block of a Gram that is held."""
_BASES = 1 << 29
"""Bytes that distances between rows of many numbers take at most, where they are computed once."""


@attrs.frozen(eq=False)
class Tile:
    """Some kernels on some rows, up to the diagonal and the rest of a square.

    Attributes:
        rows: from start to stop.
        atoms: the kernels' places.
        values: shape (k, stop - start, stop).
    """

    rows: slice
    atoms: slice
    values: FloatArray

    @property
    def flat(self) -> FloatArray:
        """The values, shape (k, (stop - start) stop)."""
        return self.values.reshape(len(self.values), -1)


class Tiles(Sums):
    """The Grams (m, n, n) of a list, by their lower halves."""

    @abstractmethod
    def tiles(self) -> Iterator[Tile]:
        """Every tile once, each valid until the next is asked for; all of a row block before those of the next."""

    def halved(self, w: FloatArray) -> FloatArray:
        matrix = np.zeros((self.n, self.n))
        for rows, tiles in groupby(self.tiles(), key=lambda tile: (tile.rows.start, tile.rows.stop)):
            total = np.zeros((rows[1] - rows[0]) * rows[1])
            for tile in tiles:
                for weight, values in zip(w[tile.atoms], tile.flat, strict=True):
                    if weight != 0.0:
                        blas.daxpy(values, total, a=weight)  # one pass, where numpy's product takes another array
            matrix[slice(*rows), : rows[1]] = total.reshape(-1, rows[1])
        return matrix

    def surveyed(self, V: FloatArray | None, omega: Gram | None) -> tuple[FloatArray, FloatArray]:
        images = np.zeros((self.m, *(V.shape if V is not None else (0, 0))))
        traces = np.zeros(self.m)
        for rows, tiles in groupby(self.tiles(), key=lambda tile: (tile.rows.start, tile.rows.stop)):
            inverse = None if omega is None else _doubled(omega.rows(np.arange(*rows))[:, : rows[1]], rows[0])
            for tile in tiles:
                if inverse is not None:
                    traces[tile.atoms] += tile.flat @ inverse
                if V is not None:
                    _map(tile, V, images)
        return images, traces


def _map(tile: Tile, V: FloatArray, images: FloatArray) -> None:
    """Add to the images (m, n, c) what a tile and its mirror image do to V (n, c)."""
    start, stop = tile.rows.start, tile.rows.stop
    images[tile.atoms, start:stop] += tile.values @ V[:stop]
    if start:
        images[tile.atoms, :start] += (V[start:stop].T @ tile.values[:, :, :start]).transpose(0, 2, 1)


def _doubled(block: FloatArray, start: int) -> FloatArray:
    """The block in one row, with what stands on either side of the diagonal counted for both, (h * stop,)."""
    flat = np.array(block)
    flat[:, :start] *= 2.0
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
        return self.by(heights(self.n, self.n, self.rows.deep))

    def by(self, parts: list[slice]) -> Iterator[Tile]:
        """The tiles of these rows."""
        place = {number: a for a, number in enumerate(self.numbers)}
        for rows in parts:
            known = None if self.bases is None else tuple(_within(one, rows) for one in self.bases)
            for number, block in self.blocks.between(self.rows[rows], self.rows[: rows.stop], known):
                a = place[number]
                yield Tile(rows, slice(a, a + 1), block[None])


def _within(bases: Mapping[Base, FloatArray], rows: slice) -> dict[Base, FloatArray]:
    """Bases (n, n) in these rows, up to the diagonal and the rest of a square, which need not have been filled before:
    where other rows were taken together, another square was.
    """
    for values in bases.values():
        mirrored(values[rows, rows])
    return {base: values[rows, : rows.stop] for base, values in bases.items()}


@attrs.frozen(eq=False)
class Held(Tiles):
    """Tiles that are held in memory: half of each Gram.

    Attributes:
        size: the number of rows.
        numbers: the kernels' in their list, shape (m,).
        grams: for each kernel its tiles, one for each of `_shelves`.
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
        for tile in fresh.by(_shelves(tiles.n)):
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
        for i, rows in enumerate(_shelves(self.size)):
            for a, gram in enumerate(self.grams):
                yield Tile(rows, slice(a, a + 1), gram[i][None])


def _shelves(n: int) -> list[slice]:
    """The rows 0 to n in blocks that are held."""
    height = max(min(shelf(n), _CACHED // n), 1)
    return [slice(i, min(i + height, n)) for i in range(0, n, height)]
