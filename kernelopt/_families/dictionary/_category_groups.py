"""Columns of categories, as the list that needs no choice sees them: each one standard column of its own kind."""

from itertools import pairwise

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._expansion import Expansion, column_of
from kernelopt._families.dictionary._coded_columns import Span, single
from kernelopt._families.dictionary._further_columns import APART
from kernelopt._families.dictionary._places import Some

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
    """

    numbers: int
    sizes: tuple[int, ...]
    standing: tuple[bool, ...]

    @classmethod
    def of(cls, layout: Expansion) -> "Groups":
        """Those of an expansion."""
        return cls(len(layout.numbers), layout.sizes, layout.categories)

    @property
    def columns(self) -> int:
        """The number of columns of which the rows tell."""
        return self.numbers + sum(self.standing)

    def behind(self, numbers: FloatArray, X: FloatArray) -> FloatArray:
        """Columns of numbers (n, D) with those of all indicators of rows X (n, p + q) behind them."""
        n, first = numbers.shape
        rows = np.zeros((n, first + sum(self.sizes) + len(self.sizes)))
        rows[:, :first] = numbers
        spans = zip(self._spans(self.numbers), self._spans(first, 1), self._scales, strict=True)
        for (start, stop), (to, end), scale in spans:
            part = X[:, start:stop]
            found = single(part)
            if found is None:
                np.multiply(part, scale, out=rows[:, to : end - 1])
                rows[:, end - 1] = scale * (1.0 - part.sum(axis=1))
            else:  # of a thousand columns of zeros but few are written
                rows[np.arange(n), to + found[0]] = scale * found[1]
                rows[:, end - 1] = scale * (1.0 - found[1])
        return rows

    def places(self, first: int) -> tuple[tuple[int, ...], ...]:
        """The numbers of each group's columns, where those of the first group begin at one."""
        return tuple(tuple(range(*span)) for span in self._spans(first, 1))

    def coded(self, first: int) -> tuple[Span, ...]:
        """The columns of groups of many categories, where those of the first group begin at one."""
        ends = zip(self._spans(first, 1), self._scales, strict=True)
        return tuple(Span(*span, scale) for span, scale in ends if span[1] - span[0] >= _MANY)

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


@attrs.frozen
class Same(Some):
    """The indicators of one column: their products are 1 where two rows have the same there, up to a factor."""

    def words(self, names: tuple[str, ...]) -> str:
        return f"the values of {column_of(names[self.numbers[0]])}" if names else self.called
