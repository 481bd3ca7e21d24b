"""Blocks of a list's Grams, one kernel after the other, in one array."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary._base_kernels import Kernel, checked, diagonal, function_of, placed
from kernelopt._families.dictionary._closed_form import Form, written
from kernelopt._families.dictionary._pivoted_cholesky import spanned
from kernelopt._families.dictionary._places import Everywhere, Place

_CACHED = 1 << 16
"""Entries of a block: what is computed from it is still in the cache."""

_ROUNDING = 1e-14


def heights(n: int, width: int) -> list[slice]:
    """The rows 0 to n in blocks that suit the cache, for a Gram of so many columns."""
    height = max(_CACHED // max(width, 1), 1)
    return [slice(i, min(i + height, n)) for i in range(0, n, height)]


def inverse_lengths(squares: FloatArray) -> FloatArray:
    """1 / sqrt(k(x, x)) of each row, shape (n,); 0 where a row is 0 in feature space: it has no direction, and stays 0.

    Args:
        squares: k(x, x), shape (n,).
    """
    longer = squares > 0.0
    return np.where(longer, 1.0 / np.sqrt(np.where(longer, squares, 1.0)), 0.0)


def tiled_bytes(n: int) -> int:
    """What a Gram on n rows holds in tiles of which an eighth at most lies above the diagonal."""
    return 8 * n * n * 9 // 16


@attrs.frozen(eq=False)
class Seen:
    """Rows as kernels see them.

    Attributes:
        X: as they are, shape (n, d).
        views: from each place of a list, shape (n, d').
        inverse_lengths: of each kernel by its number, shape (n,); of none where nothing is brought to length 1.
    """

    X: FloatArray
    views: tuple[FloatArray, ...]
    inverse_lengths: Mapping[int, FloatArray]

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, rows: slice) -> "Seen":
        lengths = {number: one[rows] for number, one in self.inverse_lengths.items()}
        return Seen(self.X[rows], tuple(view[rows] for view in self.views), lengths)


@attrs.frozen(eq=False)
class Blocks:
    """Some kernels of a list, those of the same place together.

    Attributes:
        kernels: the list.
        size: what each kernel of the list is divided by, shape (m,); None: by nothing.
        unit: whether each is brought to k(x, x) = 1 wherever that is not 0.
        groups: places, with the numbers and the forms of the kernels that see rows from there.
        others: the numbers of the kernels without a closed form.
        centre: where the squared distances of all columns are measured from, shape (d,); None: from 0.
    """

    kernels: tuple[Kernel, ...]
    size: FloatArray | None
    unit: bool
    groups: tuple[tuple[Place, tuple[tuple[int, Form], ...]], ...]
    others: tuple[int, ...]
    centre: FloatArray | None = None

    @classmethod
    def of(
        cls,
        kernels: tuple[Kernel, ...],
        size: FloatArray | None,
        unit: bool,
        numbers: Sequence[int],
        centre: FloatArray | None = None,
    ) -> "Blocks":
        """Those of these numbers."""
        groups: dict[Place, list[tuple[int, Form]]] = {}
        others = []
        for number in sorted(numbers):
            place, form = placed(kernels[number])
            if form is None:
                others.append(number)
            else:
                groups.setdefault(place, []).append((number, form))
        return cls(kernels, size, unit, tuple((p, tuple(of)) for p, of in groups.items()), tuple(others), centre)

    def seen(self, X: FloatArray, known: Mapping[int, FloatArray] = MappingProxyType({})) -> Seen:
        """Rows X (n, d) from every place: an image under a metric is computed once, and so is the length of each row
        under each kernel, unless its inverse is known.
        """
        lengths = {}
        for number in self.numbers if self.unit else ():
            found = known.get(number)
            lengths[number] = inverse_lengths(diagonal(self.kernels[number], X)) if found is None else found
        return Seen(X, tuple(place.of(X) for place, _ in self.groups), lengths)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Those of the kernels, which are looked at in this order."""
        return (*(number for _, members in self.groups for number, _ in members), *self.others)

    def only(self, numbers: Sequence[int]) -> "Blocks":
        """Those of these numbers."""
        return Blocks.of(self.kernels, self.size, self.unit, numbers, self.centre)

    def spanned(self, X: FloatArray, most: int) -> dict[int, FloatArray]:
        """The features (n, r) on rows X (n, d), by number, of the kernels that r <= most of them span to rounding."""
        found: dict[int, FloatArray] = {}
        for place, members in self.groups:
            seen = place.of(X)
            for number, form in members:
                if form.few(seen.shape[1]) > most:
                    continue
                size = diagonal(self.kernels[number], X)
                features = spanned(form, seen, size, most)
                if features is not None and self.unit:
                    found[number] = features * inverse_lengths(size)[:, None]
                elif features is not None:
                    found[number] = features / np.sqrt(1.0 if self.size is None else self.size[number])
        return found

    def bytes_of(self, n: int, d: int, most: int) -> int:
        """What all of them hold on n rows of d columns at most: features where at best `most` span one, else tiles."""
        best = [form.few(place.width(d)) for place, members in self.groups for _, form in members]
        thin = sum(few <= most for few in best)
        return 8 * n * most * thin + (len(best) - thin + len(self.others)) * tiled_bytes(n)

    def between(self, Z: Seen, X: Seen) -> Iterator[tuple[int, FloatArray]]:
        """The number of each kernel, and its values between rows Z and X, (n', n), in an array that the next reuses."""
        room = np.empty((3, len(Z), len(X)))
        for (place, members), z, x in zip(self.groups, Z.views, X.views, strict=True):
            centre = self.centre if isinstance(place, Everywhere) else None
            for number, form, block in written(members, z, x, room[0], room[1:], centre):
                if number == members[0][0] or not form.bounded:
                    checked(block, block.shape, self.kernels[number])
                yield number, self._finished(number, block, Z, X)
        for number in self.others:
            kernel = self.kernels[number]
            room[0] = checked(function_of(kernel)(Z.X, X.X), (len(Z), len(X)), kernel)
            yield number, self._finished(number, room[0], Z, X)

    def _finished(self, number: int, block: FloatArray, Z: Seen, X: Seen) -> FloatArray:
        """The block, normalised in place."""
        if self.size is not None and abs(self.size[number] - 1.0) > _ROUNDING:
            block *= 1.0 / self.size[number]
        if self.unit:
            block *= Z.inverse_lengths[number][:, None]
            block *= X.inverse_lengths[number]
        return block
