"""The Grams of a list, of which those that few features span are held as features, the others by tiles."""

from itertools import pairwise

import attrs
import numpy as np
from scipy.linalg import blas

from kernelopt._base._memory import require
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._families.dictionary.grams._blocks import Blocks
from kernelopt._families.dictionary.grams._gram_parts import tiled_bytes
from kernelopt._families.dictionary.grams._sums import Sums
from kernelopt._families.dictionary.grams._tiles import Computed, Held
from kernelopt._families.dictionary.seen._coded_columns import View, column_wise
from kernelopt._families.features._feature_lists import Factors
from kernelopt._linalg._gram import Gram

_LITTLE = 1 << 31
"""Bytes of features for a single question, at most."""
_FEW = 128
"""A kernel that more features span is better looked at in tiles. Worth: `constants.py dictionary.few`."""


@attrs.frozen(eq=False)
class Split(Sums):
    """Sums over both.

    Attributes:
        tiles: of kernels that take many features.
        factors: the features of the others.
        places: where each kernel stands among the former and, after them, the latter, shape (m,).
    """

    tiles: Computed | Held
    factors: Factors
    places: IntArray

    @classmethod
    def of(cls, tiles: Computed, thin: dict[int, FloatArray]) -> "Split":
        """All kernels of a list: tiles, and the features (n, r) of the others by their number."""
        numbers = np.array([*tiles.numbers, *thin], dtype=np.intp)
        features = np.hstack([np.zeros((tiles.n, 0)), *thin.values()])
        owner = np.repeat(np.arange(len(thin)), [one.shape[1] for one in thin.values()])
        return cls(tiles, Factors(features, owner, np.zeros(len(thin))), np.argsort(numbers))

    @property
    def n(self) -> int:
        return self.tiles.n

    @property
    def m(self) -> int:
        return len(self.places)

    def halved(self, w: FloatArray) -> FloatArray:
        both = np.zeros(self.m)
        both[self.places] = w
        matrix = self.tiles.halved(both[: self.tiles.m])
        weight = both[self.tiles.m :][self.factors.owner]
        used = weight > 0.0
        if used.any():
            root = self.factors.features[:, used] * np.sqrt(weight[used])
            blas.dsyrk(1.0, root.T, trans=1, beta=1.0, c=matrix.T, overwrite_c=1)
        return matrix

    def surveyed(self, V: FloatArray | None, omega: Gram | None) -> tuple[FloatArray, FloatArray]:
        images, traces = self.tiles.surveyed(V, omega)
        k = len(self.factors.ridges)
        mapped = np.zeros((k, *(V.shape if V is not None else (0, 0))))
        if V is not None:
            for image, F in zip(mapped, self._features(), strict=True):
                np.matmul(F, F.T @ V, out=image)
        paid = np.zeros(k) if omega is None else self.factors.traces(omega)
        return np.concatenate([images, mapped])[self.places], np.concatenate([traces, paid])[self.places]

    def _features(self) -> list[FloatArray]:
        """Of each kernel that has few."""
        starts = np.searchsorted(self.factors.owner, np.arange(len(self.factors.ridges) + 1))
        return [self.factors.features[:, i:j] for i, j in pairwise(starts)]

    def only(self, numbers: IntArray) -> "Split":
        """These kernels alone, in this order."""
        places, many = self.places[numbers], self.tiles.m
        long = places < many
        features, owner = self.factors.columns(places[~long] - many)
        factors = Factors(features, owner, np.zeros(len(places) - int(long.sum())))
        return Split(self.tiles.only(places[long]), factors, _order(long))

    def remembering(self) -> "Split":
        """The same, for many looks: as `Computed.remembering`."""
        return self if isinstance(self.tiles, Held) else attrs.evolve(self, tiles=self.tiles.remembering())

    def held(self, before: "Split | None" = None) -> "Split":
        """The same with all tiles in memory; none is computed that was held before."""
        if isinstance(self.tiles, Held):
            return self
        known = None if before is None else before.tiles
        assert known is None or isinstance(known, Held)
        return attrs.evolve(self, tiles=Held.of(self.tiles, known))


def _order(long: BoolArray) -> IntArray:
    """The places of kernels of which these are tiles."""
    return np.where(long, np.cumsum(long), long.sum() + np.cumsum(~long)) - 1


def split(blocks: Blocks, rows: View) -> Split:
    """The Grams of a whole list on n rows as the kernels see them.

    Raises:
        NotEnoughMemory: the tiles take more than there is.
    """
    tiles, thin = _parted(blocks, rows, _most(len(rows)))
    require(tiles.m * tiled_bytes(len(rows)), f"the Grams of {tiles.m} kernels on {len(rows)} rows")
    return Split.of(tiles, thin)


def passing(blocks: Blocks, rows: View) -> Split:
    """The same for a single question about many rows, with features only where they take little memory."""
    n, most = len(rows), _most(len(rows))
    return Split.of(*_parted(blocks, rows, most if 8 * n * most * len(blocks.kernels) <= _LITTLE else 0))


def split_bytes(blocks: Blocks, n: int, width: int) -> int:
    """What `split` holds on n rows of so many columns as the kernels see them, if all kernels have weight."""
    return blocks.bytes_of(n, width, _most(n))


def _parted(blocks: Blocks, rows: View, most: int) -> tuple[Computed, dict[int, FloatArray]]:
    """The kernels that no `most` features span, and the features of the others."""
    seen = column_wise(rows)
    thin = blocks.spanned(seen, most) if most else {}
    rest = tuple(a for a in sorted(blocks.numbers) if a not in thin)
    return Computed.of(blocks.only(rest), rest, seen), thin


def _most(n: int) -> int:
    """The number of features by which a kernel on n rows is held."""
    return min(_FEW, n // 4)
