"""Blocks of a list's Grams, one kernel after the other, in one array."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import TypeAlias

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._device._distances import FELT, Base
from kernelopt._families.dictionary.grams._gram_parts import heights, lower_tiles, tiled_bytes, tiles
from kernelopt._families.dictionary.grams._pivoted_cholesky import spanned
from kernelopt._families.dictionary.kernels._base_kernels import (
    Kernel,
    at_hand,
    checked,
    diagonal,
    finite,
    function_of,
    placed,
)
from kernelopt._families.dictionary.kernels._closed_form import Form, written
from kernelopt._families.dictionary.kernels._pairwise import bases_of, largest_square, lifted
from kernelopt._families.dictionary.seen._coded_columns import Coded, View, depth, seen_from, written_out
from kernelopt._families.dictionary.seen._places import Everywhere, Place
from kernelopt._families.dictionary.seen._seen_rows import Seen
from kernelopt._linalg._decay import FEW, add_decayed, steepest

_DEAR = 100
"""To compute distances of rows of so many numbers anew takes longer than to read them and to apply a kernel."""
_ROUNDING = 1e-14

_DEAREST: tuple[Base, ...] = ("absolutes", "squares", "products")
"""What takes the longest to compute between rows of many numbers comes first."""

Bases: TypeAlias = tuple[Mapping[Base, FloatArray], ...]
"""For each place of a list, what its kernels are functions of, as far as that is at hand."""


def inverse_lengths(squares: FloatArray) -> FloatArray:
    """1 / sqrt(k(x, x)) of each row, shape (n,); 0 where a row is 0 in feature space: it has no direction, and stays 0.

    Args:
        squares: k(x, x), shape (n,).
    """
    longer = squares > 0.0
    return np.where(longer, 1.0 / np.sqrt(np.where(longer, squares, 1.0)), 0.0)


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

    def seen(self, X: View, known: Mapping[int, FloatArray] = MappingProxyType({})) -> Seen:
        """Rows X (n, d) from every place: an image under a metric is computed once, and so is the length of each row
        under each kernel, unless its inverse is known.
        """
        lengths = {}
        for number in self.numbers if self.unit else ():
            found = known.get(number)
            lengths[number] = inverse_lengths(diagonal(self.kernels[number], X)) if found is None else found
        pairs = tuple(self._view(place, members, X) for place, members in self.groups)
        felt = tuple(
            0.0 if lifts is None else _steepness(members, view.shape[1]) * largest_square(lifts)
            for (view, lifts), (_, members) in zip(pairs, self.groups, strict=True)
        )
        return Seen(X, tuple(view for view, _ in pairs), lengths, tuple(one for _, one in pairs), felt, len(X))

    def _view(self, place: Place, members: tuple[tuple[int, Form], ...], X: View) -> tuple[View, FloatArray | None]:
        """Rows X (n, d) from a place, and lifted where its kernels are functions of distances in more than one column;
        what only the place has of them is held once.
        """
        view, centre = seen_from(place, X), self._centre(place)
        if view.shape[1] == 1 or not any(form.base == "squares" for _, form in members):
            return view, None
        lifts = lifted(view, centre)
        return (view if isinstance(view, Coded) or centre is not None else lifts[:, :-2]), lifts

    def _centre(self, place: Place) -> FloatArray | None:
        """Where squared distances that are seen from a place are measured from."""
        return self.centre if isinstance(place, Everywhere) else None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Those of the kernels, which are looked at in this order."""
        return (*(number for _, members in self.groups for number, _ in members), *self.others)

    def only(self, numbers: Sequence[int]) -> "Blocks":
        """Those of these numbers."""
        return Blocks.of(self.kernels, self.size, self.unit, numbers, self.centre)

    def spanned(self, X: View, most: int) -> dict[int, FloatArray]:
        """The features (n, r) on rows X (n, d), by number, of the kernels that r <= most of them span to rounding."""
        found: dict[int, FloatArray] = {}
        for place, members in self.groups:
            thin = [(number, form) for number, form in members if form.few(place.width(X.shape[1])) <= most]
            seen = written_out(seen_from(place, X)) if thin else np.zeros((0, 0))
            for number, form in thin:
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

    def between(self, Z: Seen, X: Seen, known: Bases | None = None) -> Iterator[tuple[int, FloatArray]]:
        """The number of each kernel, and its values between rows Z and X, (n', n), in an array that the next reuses.

        Args:
            Z: some rows.
            X: others.
            known: what kernels of each place are functions of between these rows, as far as that is at hand.
        """
        room = np.empty((3, len(Z), len(X)))
        for place, (_, members) in enumerate(self.groups):
            held: Mapping[Base, FloatArray] = {} if known is None else known[place]
            wanted = {form.base for _, form in members} - held.keys()
            bases = {**held, **self._bases(place, wanted, Z, X, room[1:])}
            for number, form, block in written(members, bases, Z.views[place].shape[1], room[0]):
                if number == members[0][0] or not form.bounded:
                    checked(block, block.shape, self.kernels[number])
                yield number, self._finished(number, block, Z, X, block)
        for number in self.others:
            kernel = self.kernels[number]
            yield number, self._finished(number, _called(kernel, Z, X), Z, X, room[0])

    def given(self, X: Seen, out: FloatArray) -> set[int]:
        """Write the Grams on rows X of the kernels that matrices hold, where they lie in `out`, (m, n, n); their
        numbers.
        """
        found = set()
        for number in self.others:
            kernel = self.kernels[number]
            if at_hand(kernel):
                rows = written_out(X.X)
                self._finished(number, kernel(rows, rows), X, X, out[number])
                found.add(number)
        return found

    def summed(self, w: Mapping[int, float], Z: Seen, X: Seen, whole: int) -> FloatArray:
        """The sum of all kernels, each times its weight, between rows Z and X, shape (n', n), a part of a matrix with
        so many entries as a whole.

        Exponentials of one number, such as Gaussians of several widths, are added up in one pass over it.
        """
        if not self.unit and self.size is None and len(Z) * len(X) >= FEW:
            total = self._decayed(w, Z, X, whole)
            if finite(total):
                return total
        total = np.zeros((len(Z), len(X)))
        for number, block in self.between(Z, X):  # says which kernel is not finite, where one is not
            block *= w[number]
            total += block
        return total

    @np.errstate(over="ignore", invalid="ignore")  # whoever asks looks for what is not finite
    def _decayed(self, w: Mapping[int, float], Z: Seen, X: Seen, whole: int) -> FloatArray:
        """The same of many entries, divided by nothing."""
        total, room = np.zeros((len(Z), len(X))), np.empty((3, len(Z), len(X)))
        for place, (_, members) in enumerate(self.groups):
            width = Z.views[place].shape[1]
            bases = self._bases(place, {form.base for _, form in members}, Z, X, room[1:])
            falling = [(number, form.base, form.decay(width)) for number, form in members]
            for base, values in bases.items():
                decays = [(w[number], decay) for number, of, decay in falling if of == base and decay is not None]
                if decays:
                    add_decayed(values, decays, total, whole=whole)
            others = [one for one in members if one[1].decay(width) is None]
            for number, _, block in written(others, bases, width, room[0]):
                block *= w[number]
                total += block
        for number in self.others:
            kernel = self.kernels[number]
            total += w[number] * _called(kernel, Z, X)
        return total

    def bases(self, X: Seen, most: int) -> Bases:
        """What the kernels of places from which rows are many numbers are functions of between rows X, each of shape
        (n, n), up to the diagonal: those that take the longest to compute, as many as so many bytes have room for.
        """
        n, found = len(X), tuple[dict[Base, FloatArray], ...]({} for _ in self.groups)
        dear = [
            (_DEAREST.index(base), place, base)
            for place, (view, (_, members)) in enumerate(zip(X.views, self.groups, strict=True))
            if depth(view) >= _DEAR
            for base in {form.base for _, form in members}
        ]
        for _, place, base in sorted(dear)[: most // tiled_bytes(n)]:
            found[place][base] = np.empty((n, n))
        for rows, across in lower_tiles(n) if any(found) else ():
            some = X[rows]
            for columns in across:
                others, scratch = X[columns], np.empty((2, len(some), columns.stop - columns.start))
                for place, held in enumerate(found):
                    bases = self._bases(place, held.keys(), some, others, scratch)
                    for base, values in held.items():
                        values[rows, columns] = bases[base]
        return found

    def _bases(
        self, place: int, wanted: AbstractSet[Base], Z: Seen, X: Seen, scratch: FloatArray
    ) -> dict[Base, FloatArray]:
        """What kernels of a place are functions of between rows Z and X, of these kinds, each of shape (n', n)."""
        if not wanted:
            return {}
        zz, xx = Z.lifted[place], X.lifted[place]
        known = None if zz is None or xx is None else (zz, xx)
        (there, members), felt = self.groups[place], Z.felt[place] + X.felt[place] > FELT
        steepness = _steepness(members, Z.views[place].shape[1]) if felt else 0.0
        centre, pairs = self._centre(there), Z.in_all * X.in_all
        return bases_of(wanted, Z.views[place], X.views[place], scratch, steepness, centre, known, pairs)

    def _finished(self, number: int, block: FloatArray, Z: Seen, X: Seen, out: FloatArray) -> FloatArray:
        """The block, normalised, in `out`, which may be the block itself."""
        if self.size is not None and abs(self.size[number] - 1.0) > _ROUNDING:
            block = np.multiply(block, 1.0 / self.size[number], out=out)
        if self.unit:
            block = np.multiply(block, Z.inverse_lengths[number][:, None], out=out)
            block = np.multiply(block, X.inverse_lengths[number], out=out)
        if block is not out:
            np.copyto(out, block)
        return out


def _steepness(members: tuple[tuple[int, Form], ...], width: int) -> float:
    """One over the least squared distance at which one of these kernels falls, on rows of so many columns."""
    return steepest(form.decay(width) for _, form in members if form.base == "squares")


def _called(kernel: Kernel, Z: Seen, X: Seen) -> FloatArray:
    """What a kernel without a closed form returns between rows Z and X, shape (n', n)."""
    return checked(function_of(kernel)(written_out(Z.X), written_out(X.X)), (len(Z), len(X)), kernel)


def added(blocks: Blocks, w: Mapping[int, float], Z: Seen, X: Seen) -> FloatArray:
    """The sum of kernels, each times its weight, between rows Z and X, shape (n', n)."""
    matrix = np.empty((len(Z), len(X)))
    for rows, columns in tiles(len(Z), len(X)):
        matrix[rows, columns] = blocks.summed(w, Z[rows], X[columns], matrix.size)
    return matrix


def grams(blocks: Blocks, rows: View) -> FloatArray:
    """The Gram of each kernel of a whole list on n rows as the kernels see them, shape (m, n, n)."""
    n = len(rows)
    found, seen = np.empty((len(blocks.kernels), n, n)), blocks.seen(rows)
    given = blocks.given(seen, found)
    computed = blocks.only([number for number in blocks.numbers if number not in given])
    for some in heights(n, n, seen.deep) if computed.numbers else ():
        for number, block in computed.between(seen[some], seen):
            found[number, some] = block
    return found
