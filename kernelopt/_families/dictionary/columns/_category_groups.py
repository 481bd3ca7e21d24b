"""Columns of categories, as the list that needs no choice sees them: each one standard column of its own kind."""

from itertools import pairwise

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._expansion import Expansion, column_of
from kernelopt._families.dictionary.columns._further_columns import APART
from kernelopt._families.dictionary.seen._coded_columns import Coded, Span, View
from kernelopt._families.dictionary.seen._places import Some

UNKNOWN = 0.5**0.5
"""The same of a gap among numbers: the squared distance to one that is known is x^2 + 1, as it is in the mean to a
number of mean 0 and deviation 1 that nobody knows."""

_MANY = 16
"""Of so many indicators codes are compared in place of these columns: a guard, for few cost as little."""


@attrs.frozen
class Groups:
    """Indicators behind p columns of numbers, a group for each column with categories or gaps.

    Each group gets an indicator more, of a category that no training row has: so new categories are as far from the
    others as these from each other, and a row is as like itself as any.

    Attributes:
        numbers: p.
        sizes: how many indicators each group has.
        standing: whether each group stands for a column, and does not only say where a number is missing.
        coded: whether rows come with a number for each group, which of its indicators they have, or its size of a
            category that no training row has; models of format 4 and before were learned from all indicators.
    """

    numbers: int
    sizes: tuple[int, ...]
    standing: tuple[bool, ...]
    coded: bool = False

    @classmethod
    def of(cls, layout: Expansion) -> "Groups":
        """Those of an expansion."""
        return cls(len(layout.numbers), layout.sizes, layout.categories, layout.coded)

    @property
    def columns(self) -> int:
        """The number of columns of which the rows tell."""
        return self.numbers + sum(self.standing)

    def behind(self, numbers: FloatArray, X: FloatArray) -> View:
        """Columns of numbers (n, D) with those of all indicators of rows X (n, p + q) behind them, or of rows with a
        number for each group; those of groups of many categories are not written out.
        """
        n, first = numbers.shape
        spans = [Span(*span) for span in self._spans(first, 1)]
        codes = self._codes(X)
        kept = [g for g, span in enumerate(spans) if span.size >= _MANY and codes[g] is not None]
        plain = np.ones(self.end(first), dtype=bool)
        for g in kept:
            plain[spans[g].start : spans[g].stop] = False
        others = np.flatnonzero(plain)
        rows = np.zeros((n, len(others)))
        rows[:, :first] = numbers
        for g in sorted(set(range(len(spans))) - set(kept)):
            start = int(np.searchsorted(others, spans[g].start))
            self._write(g, codes[g], X, rows[:, start : start + spans[g].size])
        if not kept:
            return rows
        own = np.column_stack([code for g in kept if (code := codes[g]) is not None])
        sizes = np.broadcast_to(np.array([self._scales[g] for g in kept]), own.shape)
        return Coded(rows, others, own, sizes, tuple(spans[g] for g in kept))

    def _codes(self, X: FloatArray) -> list[IntArray | None]:
        """Which indicator of each group the rows have, shape (n,); None where rows have others than one, or none."""
        if self.coded:
            found = X[:, self.numbers :].astype(np.int32)
            return list(np.clip(found, 0, np.array(self.sizes, dtype=np.int32)).T)
        return [_code(X[:, slice(*span)]) for span in self._spans(self.numbers)]

    def _write(self, g: int, codes: IntArray | None, X: FloatArray, out: FloatArray) -> None:
        """The indicators of one group into zeros (n, k + 1)."""
        scale = self._scales[g]
        if codes is not None:
            out[np.arange(len(out)), codes] = scale
            return
        part = X[:, slice(*self._spans(self.numbers)[g])]
        np.multiply(part, scale, out=out[:, :-1])
        out[:, -1] = scale * (1.0 - part.sum(axis=1))

    def places(self, first: int) -> tuple[tuple[int, ...], ...]:
        """The numbers of each group's columns, where those of the first group begin at one."""
        return tuple(tuple(range(*span)) for span in self._spans(first, 1))

    def many(self, first: int) -> tuple[Span, ...]:
        """The columns of groups of many categories, where those of the first group begin at one."""
        return tuple(span for ends in self._spans(first, 1) if (span := Span(*ends)).size >= _MANY)

    def end(self, first: int) -> int:
        """How many columns there are, where those of the first group begin at one."""
        return first + sum(self.sizes) + len(self.sizes)

    @property
    def _scales(self) -> tuple[float, ...]:
        """An indicator's value in each group."""
        return tuple(APART if standing else UNKNOWN for standing in self.standing)

    def _spans(self, first: int, more: int = 0) -> list[tuple[int, int]]:
        return list(pairwise(np.cumsum([first, *(size + more for size in self.sizes)]).tolist()))

    def named(self, numbers: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
        """Names for all columns: from those of the numbers' (D,), and of what the family sees (p + q,)."""
        found = list(numbers)
        for span in self._spans(self.numbers):
            own = names[slice(*span)]
            found += [*own, f"{column_of(own[0])} = something else"]
        return tuple(found)


def _code(X: FloatArray) -> IntArray | None:
    """Which of the indicators X (n, k) each row has, or k of none of them, shape (n,); None where rows have others."""
    places, whole = X.argmax(axis=1).astype(np.int32), X.sum(axis=1)
    found = X[np.arange(len(X)), places] == 1.0
    alone = np.where(found, whole == 1.0, whole == 0.0) & ((X == 0.0) | (X == 1.0)).all(axis=1)
    return np.where(found, places, np.int32(X.shape[1])) if alone.all() else None


@attrs.frozen
class Same(Some):
    """The indicators of one column: their products are 1 where two rows have the same there, up to a factor."""

    def words(self, names: tuple[str, ...]) -> str:
        return f"the values of {column_of(names[self.numbers[0]])}" if names else self.called
