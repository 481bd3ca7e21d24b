"""What families see of rows with categories and missing values: numbers, and behind them indicators."""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._base.tables._encoding import Encoding

_IS = " = "
_PAGE = 4096
"""Bytes that a system holds or does not hold together."""


@attrs.frozen(eq=False)
class Indicators:
    """Whether a column has each of some codes: 1 where it does, else 0.

    Attributes:
        column: its place.
        codes: shape (k,), NaN for a missing value.
        labels: their names, length k.
    """

    column: int
    codes: FloatArray
    labels: tuple[str, ...]

    def write(self, X: FloatArray, out: FloatArray) -> None:
        """Those of codes X (n, d) into zeros (n, k): a row of a new category has none. In O(n log k)."""
        places = self.places(X)
        rows = np.flatnonzero(places < len(self.codes))
        out[rows, places[rows]] = 1.0

    def places(self, X: FloatArray) -> IntArray:
        """Which of them each of rows of codes X (n, d) has, and k of a new category, shape (n,). In O(n log k)."""
        k = len(self.codes)
        if not k:
            return np.zeros(len(X), dtype=np.intp)
        order = np.argsort(self.codes)  # NaN last, to which a missing value belongs
        known, values = self.codes[order], X[:, self.column]
        at = np.minimum(np.searchsorted(known, values), k - 1)
        return np.where((known[at] == values) | (np.isnan(known[at]) & np.isnan(values)), order[at], k)


@attrs.frozen(eq=False)
class Expansion:
    """Codes (n, d) as numbers (n, p + q): p columns of numbers, then the indicators of each group, or one number for
    each group, which of its indicators a row has.

    A missing number is the mean of its column, and has an indicator of its own; a missing category is a category.

    Attributes:
        numbers: the places of the columns of numbers, shape (p,).
        centres: what stands for a missing number, shape (p,).
        groups: the indicators of each column that has some, in the order of the columns.
        width: d.
        lacking: whether the columns are a view that some training rows lack: rows without any value stay NaN.
        coded: whether there is one number for each group, and not all of its indicators.
    """

    numbers: IntArray
    centres: FloatArray
    groups: tuple[Indicators, ...]
    width: int
    lacking: bool = False
    coded: bool = False

    @classmethod
    def of(cls, encoding: Encoding, X: FloatArray, columns: IntArray, *, view: bool = False) -> "Expansion | None":
        """That of some columns (d,) of training rows, whose codes are X (n, d); None where they are numbers already.

        Of a view only those rows count that have a value in it, where others lack it.
        """
        if all(encoding.labels[j] is None and not encoding.gaps[j] for j in columns):
            return None
        here = ~np.isnan(X).all(axis=1) if view else np.ones(len(X), dtype=bool)
        gaps: BoolArray = encoding.gaps[columns] if here.all() else np.asarray(np.isnan(X[here]).any(axis=0))
        X = X[here]
        numbers = [place for place, j in enumerate(columns) if encoding.labels[j] is None and _tells(X[:, place])]
        groups = (_indicators(encoding, place, int(j), gap=bool(gaps[place])) for place, j in enumerate(columns))
        return cls(
            np.array(numbers, dtype=np.intp),
            encoding.centres[columns[numbers]] if numbers else np.zeros(0),
            tuple(group for group in groups if group is not None),
            len(columns),
            not here.all(),
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many indicators each group has."""
        return tuple(len(group.codes) for group in self.groups)

    @property
    def columns(self) -> int:
        """How many numbers a row has: p and those behind them."""
        return len(self.numbers) + (len(self.groups) if self.coded else sum(self.sizes))

    @property
    def sources(self) -> IntArray:
        """The places of the columns that the numbers and all indicators come from, shape (p + q,)."""
        return np.concatenate([self.numbers, *(np.full(len(one.codes), one.column) for one in self.groups)])

    def bytes_of(self, n: int) -> int:
        """What n rows of numbers take at most: of indicators a row has one that is not 0 in each group, and pages of
        zeros alone are not held.
        """
        return n * min(8 * self.columns, 8 * len(self.numbers) + _PAGE * (len(self.groups) + 1))

    @property
    def categories(self) -> tuple[bool, ...]:
        """Whether each group stands for its column, and does not only say where a number is missing."""
        return tuple(group.column not in self.numbers for group in self.groups)

    def seen(self, X: FloatArray) -> FloatArray:
        """Codes X (n, d) as numbers, shape (n, p + q), or (n, p + G) of G groups that are coded."""
        values, first = X[:, self.numbers], len(self.numbers)
        rows = np.zeros((len(X), self.columns))
        rows[:, :first] = np.where(np.isnan(values), self.centres, values)
        for group, size in zip(self.groups, self.sizes, strict=True):
            if self.coded:
                rows[:, first], first = group.places(X), first + 1
            else:
                group.write(X, rows[:, first : first + size])
                first += size
        if self.lacking:
            rows[np.isnan(X).all(axis=1)] = np.nan
        return rows

    def named(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names for the numbers and all indicators, from those of the columns, such as "age", "colour = red" and "age =
        missing".
        """
        return tuple(self._names(names))

    def _names(self, names: tuple[str, ...]) -> Iterator[str]:
        yield from (names[j] for j in self.numbers)
        for group in self.groups:
            yield from (f"{names[group.column]}{_IS}{label}" for label in group.labels)


def _tells(values: FloatArray) -> bool:
    """Whether a column of codes (n,) has more than one number, or nothing is missing in it."""
    present = values[~np.isnan(values)]
    return len(present) == len(values) or bool(len(present) and present.min() < present.max())


def _indicators(encoding: Encoding, place: int, j: int, *, gap: bool) -> Indicators | None:
    """Those of column j, in which a value may be missing; None for numbers of which none is."""
    labels = encoding.labels[j] or ()
    if encoding.labels[j] is None and not gap:
        return None
    words = (label if isinstance(label, str) else f"{label:g}" for label in labels)
    codes = encoding.codes(j) if labels else np.zeros(0)
    return Indicators(place, np.append(codes, [np.nan] * gap), (*words, *["missing"] * gap))


def column_of(name: str) -> str:
    """The name of the column to which a name of an indicator belongs."""
    return name.partition(_IS)[0]
