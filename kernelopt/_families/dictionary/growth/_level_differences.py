"""How much a function of a list's kernels changes between the values of a column that has few of them.

A slope says little of a column that has two values, or one of categories: no row lies between them. What such a column
is worth is how the function differs where only the value of that column is another one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary.columns._category_groups import Groups
from kernelopt._families.dictionary.columns._column_layout import Layout
from kernelopt._families.dictionary.columns._further_columns import APART, Further
from kernelopt._families.dictionary.grams._blocks import Blocks
from kernelopt._families.dictionary.grams._gram_parts import heights
from kernelopt._families.dictionary.seen._coded_columns import Coded, View, same, seen_from, with_values

_ROWS, _FEWEST = 256, 16
"""Differences are averaged over so many rows at most: they are as exact as one over the root of it. With fewer than the
latter slopes say as much."""
_PASSES = 8
"""All differences together take as long as so many looks at the Grams of all rows."""
_FLAT = 1e-3
"""A coordinate along which categories differ by a smaller share of the largest is left out."""


class Levels(Protocol):
    """A column with few values, or one of categories."""

    @property
    def numbers(self) -> IntArray:
        """Those of what the kernels see of the column, shape (p,)."""

    def __len__(self) -> int:
        """How many values there are."""

    def at(self, rows: View) -> Iterator[View]:
        """Rows as the kernels see them (n, D), with each value in turn in place of theirs."""

    def directions(self, F: FloatArray, D: int) -> FloatArray:
        """Directions in the D columns that the kernels see, shape (D, r), along which values are as far apart as the
        function F (k, m) at these is.
        """


@attrs.frozen(eq=False)
class Pair:
    """A column that has two values on these rows.

    Attributes:
        numbers: its own, shape (1,).
        values: shape (2,).
    """

    numbers: IntArray
    values: FloatArray

    def __len__(self) -> int:
        return 2

    def at(self, rows: View) -> Iterator[View]:
        return (with_values(rows, self.numbers, value) for value in self.values[:, None])

    def directions(self, F: FloatArray, D: int) -> FloatArray:
        found = np.zeros((D, 1))
        found[self.numbers] = np.linalg.norm(F[1] - F[0]) / (self.values[1] - self.values[0])
        return found


@attrs.frozen(eq=False)
class FewValues:
    """A column of few values, which the kernels see as it is or by indicators.

    Attributes:
        column: its number.
        values: shape (k,).
        indicators: their numbers, shape (k,).
    """

    column: int
    values: FloatArray
    indicators: IntArray

    def __len__(self) -> int:
        return len(self.values)

    @property
    def numbers(self) -> IntArray:
        return np.array([self.column, *self.indicators])

    def at(self, rows: View) -> Iterator[View]:
        seen = np.column_stack([self.values, APART * np.eye(len(self))])
        return (with_values(rows, self.numbers, value) for value in seen)

    def directions(self, F: FloatArray, D: int) -> FloatArray:
        return _between(F, self.indicators, APART, D)


@attrs.frozen(eq=False)
class Grouped:
    """A column of categories, of which the kernels see indicators.

    Attributes:
        numbers: those of the indicators, shape (p,).
        present: the places of those that some rows have, shape (k,).
        size: an indicator's value.
    """

    numbers: IntArray
    present: IntArray
    size: float

    def __len__(self) -> int:
        return len(self.present)

    def at(self, rows: View) -> Iterator[View]:
        for place in self.present:
            value = np.zeros(len(self.numbers))
            value[place] = self.size
            yield with_values(rows, self.numbers, value)

    def directions(self, F: FloatArray, D: int) -> FloatArray:
        return _between(F, self.numbers[self.present], self.size, D)


def _between(F: FloatArray, indicators: IntArray, size: float, D: int) -> FloatArray:
    """Directions (D, r) along which indicators (k,) of this value are as far apart as the function F (k, m) is."""
    axes, lengths, _ = np.linalg.svd(F - F.mean(axis=0), full_matrices=False)
    kept = lengths > _FLAT * lengths[0]
    found = np.zeros((D, int(kept.sum())))
    found[indicators] = axes[:, kept] * lengths[kept] / size
    return found


def levels_of(seen: View, d: int, further: Further | None, groups: Groups | None = None) -> tuple[Levels, ...]:
    """The columns of few values: those of categories, and those that have but two on these rows.

    Args:
        seen: rows as the kernels see them, shape (n, D).
        d: how many of the columns come first and are numbers of the rows' own.
        further: what stands behind them.
        groups: what stands behind that.
    """
    held = {} if further is None else further.indicators(d)
    few = [] if further is None else further.categories
    coded = [FewValues(one.column, one.values, np.array(held[one.column])) for one in few]
    grouped = [] if groups is None else groups.places(Layout(d, further, groups).grouped)
    own = (seen.numbers if isinstance(seen, Coded) else seen)[:, :d]
    ends = np.column_stack([own.min(axis=0), own.max(axis=0)])
    pairs = ((own == ends[:, 0]) | (own == ends[:, 1])).all(axis=0) & (ends[:, 0] < ends[:, 1])
    plain = [Pair(np.array([j]), ends[j]) for j in np.flatnonzero(pairs) if j not in held]
    return (*coded, *plain, *(_group(np.array(numbers), seen) for numbers in grouped))


def _group(numbers: IntArray, seen: View) -> Grouped:
    """The indicators of a group that some rows (n, D) have."""
    own = seen.among(numbers) if isinstance(seen, Coded) else seen[:, numbers]
    if isinstance(own, Coded):
        return Grouped(numbers, np.unique(own.codes), float(own.sizes.max()))
    return Grouped(numbers, np.flatnonzero(own.max(axis=0) > 0.0), float(own.max()))


@attrs.frozen(eq=False)
class Function:
    """f = sum_a w_a sum_j V_j k_a(., x_j), of some kernels of a list.

    Attributes:
        blocks: the kernels.
        weights: by their numbers.
        X: rows as the kernels see them, shape (n, D).
        V: shape (n, c).
    """

    blocks: Blocks
    weights: Mapping[int, float]
    X: View
    V: FloatArray

    def shares(self, Z: View) -> dict[int, FloatArray]:
        """What each kernel, by its number, adds to the values at rows as the kernels see them (m, D), shape (m, c)."""
        found = {a: np.zeros((len(Z), self.V.shape[1])) for a in self.blocks.numbers}
        first, second = self.blocks.seen(Z), self.blocks.seen(self.X)
        for rows in heights(len(Z), len(self.X)):
            for a, block in self.blocks.between(first[rows], second):
                found[a][rows] = self.weights[a] * (block @ self.V)
        return found

    def telling(self, rows: View, others: Sequence[View]) -> "Function":
        """The kernels alone that tell some rows (m, D) from one of others, each of this shape."""
        told = list(self.blocks.others)
        for place, members in self.blocks.groups:
            here = seen_from(place, rows)
            if any(not same(here, seen_from(place, one)).all() for one in others):
                told += [number for number, _ in members]
        return attrs.evolve(self, blocks=self.blocks.only(told))


def differences(function: Function, levels: Sequence[Levels], D: int) -> dict[tuple[int, ...], FloatArray]:
    """For each of some columns with few values, by the numbers of what the kernels see of it, directions in the
    first D columns that they see, shape (D, r).

    Two values are as far apart along them as the function changes where one takes the place of the other: the root of
    the mean of its squared differences, over the rows and all outputs. In O(n^2 D) for each kernel at most; where so
    little time allows but few rows there are none. A row keeps its own value once for all columns, and kernels that do
    not see a column are no part of the differences.
    """
    n, swaps = len(function.X), sum(map(len, levels))
    count = min(n, _ROWS, _PASSES * n // max(swaps, 1))
    if count < min(n, _FEWEST):
        return {}
    rows, found = function.X[np.linspace(0, n - 1, count, dtype=np.intp)], {}
    own = function.shares(rows)
    for one in levels:
        F = _exchanged(function, rows, own, one).reshape(len(one), -1) / np.sqrt(count)
        found[tuple(one.numbers.tolist())] = one.directions(F, D)
    return found


def _exchanged(function: Function, rows: View, own: Mapping[int, FloatArray], levels: Levels) -> FloatArray:
    """The function at rows (m, D) with each value of a column in turn, but for what all values have in common, shape
    (k, m, c); `own` is what each kernel adds at the rows as they are.
    """
    changed = list(levels.at(rows))
    telling = function.telling(rows, changed)
    base = np.zeros((len(rows), function.V.shape[1]))
    for number in telling.blocks.numbers:
        base += own[number]
    F = np.repeat(base[None], len(changed), axis=0)
    for values, other in zip(F, changed, strict=True):
        moved = ~same(other, rows)
        if moved.any():
            values[moved] = sum(telling.shares(other[moved]).values())
    return F
