"""What a column may say besides its number: its rank where it has heavy tails, and which of few values it has."""

from collections.abc import Sequence
from itertools import pairwise

import attrs
import numpy as np
from scipy.special import ndtri

from kernelopt._base._copies import rows_observed
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._families.dictionary.columns._standard_columns import Frame, mean, rescaled

HEAVY = 6.0
"""A column with a larger fourth moment, in units of its deviation, has heavy tails: a Gaussian has 3."""
FEW = 12
"""A column of whole numbers with up to so many values may be one of categories."""
_PAIR = 2
APART = 1.5
"""An indicator's value: two categories are then as far apart as numbers that differ by two deviations."""
_ROWS_OF_A_NUMBER, _NUMBERS = 3, 5000
"""A column of numbers may be one of names if so many rows have the same one in the mean, for of fewer rows little is
learned of each, and if it has no more numbers than the latter: a guard, for memory. Worth: `r_tables.py`."""
_LOOKS = 2
"""So many rows for each number are looked at first, to see whether a column has more numbers than asked about."""


@attrs.frozen(eq=False)
class Ranked:
    """Normal scores of a column: the standard normal's quantile at the share of smaller values, linear between those
    of the training rows, and beyond them the nearest.

    Attributes:
        column: its number.
        values: those of the training rows, increasing, shape (k,).
        scores: of the values, shape (k,).
    """

    column: int
    values: FloatArray
    scores: FloatArray

    @classmethod
    def of(cls, column: int, x: FloatArray, weight: FloatArray) -> "Ranked":
        """The scores of a column x (n,), a sample of weight k counting as k samples."""
        values, place = np.unique(x, return_inverse=True)
        counts = np.bincount(place, weights=weight)
        return cls(column, values, np.asarray(ndtri((np.cumsum(counts) - 0.5 * counts) / counts.sum())))

    def __call__(self, X: FloatArray) -> FloatArray:
        """The scores of rows X (n, d), shape (n, 1)."""
        return np.interp(X[:, self.column], self.values, self.scores)[:, None]


@attrs.frozen(eq=False)
class Categories:
    """Indicators of a column's values; a value that no training row has is like none of them.

    Attributes:
        column: its number.
        values: those of the training rows, shape (k,).
    """

    column: int
    values: FloatArray

    def __call__(self, X: FloatArray) -> FloatArray:
        """The indicators of rows X (n, d), shape (n, k)."""
        return np.asarray(APART * (X[:, self.column, None] == self.values))


@attrs.frozen(eq=False)
class Numbered:
    """A column of numbers, of which each stands in several rows, so that they may be names of something: two rows have
    the same or not, whatever the numbers are.

    Attributes:
        column: its number.
        values: those of the training rows as they came, increasing, shape (k,).
    """

    column: int
    values: FloatArray

    def codes(self, X: FloatArray) -> IntArray:
        """The places of the values of rows X (n, d), and k of a value that no training row has, shape (n,)."""
        x, k = X[:, self.column], len(self.values)
        at = np.minimum(np.searchsorted(self.values, x), k - 1)
        return np.where(self.values[at] == x, at, k).astype(np.int32)

    def lacking(self, X: FloatArray) -> BoolArray:
        """Where the mean stands for a number that is missing in rows X (n, d), as whole numbers tell, shape (n,)."""
        x = X[:, self.column]
        return np.asarray((x != np.round(x)) & whole(self.values))


def _fourth_moments(standard: FloatArray, weight: FloatArray) -> FloatArray:
    """Of standard columns (n, d), shape (d,)."""
    powers = standard * standard
    powers *= powers
    return mean(powers, weight)


def whole(x: FloatArray) -> bool:
    """Whether a column x (n,) has whole numbers, but for the mean in place of those that are missing."""
    others = x[x != np.round(x)]
    return not others.size or bool((others == others[0]).all())


def counted(x: FloatArray, most: int) -> int:
    """How many different numbers a column x (n,) has; a number above `most` where it has more than that. Of a column
    whose first rows show as much no further row is looked at.
    """
    few = len(np.unique(x[: _LOOKS * most]))
    return few if few > most or len(x) <= _LOOKS * most else len(np.unique(x))


def _most(weight: FloatArray) -> int:
    """So many different numbers at most may be names in rows of weights (n,)."""
    return min(int(rows_observed(weight) / _ROWS_OF_A_NUMBER), _NUMBERS)


def numbered_columns(X: FloatArray, counts: Sequence[int], weight: FloatArray) -> tuple[Numbered, ...]:
    """The columns of X (n, d) whose numbers may be names, where `counted` says so much of each of the d and rows have
    weights (n,).
    """
    most = _most(weight)
    return tuple(Numbered(j, np.unique(x)) for j, x in enumerate(X.T) if FEW < counts[j] <= most)


@attrs.frozen(eq=False)
class Further:
    """Columns that stand behind the standard ones.

    Attributes:
        ranks: of columns with heavy tails.
        categories: of columns with few values.
        numbered: columns of more numbers that may be names, whose indicators stand behind all others.
    """

    ranks: tuple[Ranked, ...]
    categories: tuple[Categories, ...]
    numbered: tuple[Numbered, ...] = ()

    @classmethod
    def of(cls, X: FloatArray, standard: FloatArray, weight: FloatArray) -> "Further | None":
        """Those of rows X (n, d) of weights (n,), `standard` in the units of a frame; None where no column asks."""
        counts = [counted(x, max(FEW, _most(weight))) for x in X.T]
        tails = _fourth_moments(standard, weight)
        ranks = tuple(Ranked.of(j, x, weight) for j, x in enumerate(standard.T) if tails[j] > HEAVY and counts[j] > FEW)
        categories = tuple(
            Categories(j, np.unique(x))
            for j, x in enumerate(standard.T)
            if _PAIR < counts[j] <= FEW and (X[:, j] == np.round(X[:, j])).all()
        )
        numbered = tuple(one for one in numbered_columns(X, counts, weight) if whole(one.values))
        return cls(ranks, categories, numbered) if ranks or categories or numbered else None

    def behind(self, X: FloatArray, frame: Frame) -> FloatArray:
        """Rows X (n, d) in the units of a frame, with these columns behind them, shape (n, D)."""
        n, d = X.shape
        rows = np.empty((n, self.end(d)))
        standard = rescaled(X, frame, rows[:, :d])
        for rank in self.ranks:
            rows[:, d : d + 1], d = rank(standard), d + 1
        for one in self.categories:
            rows[:, d : d + len(one.values)], d = one(standard), d + len(one.values)
        return rows

    def end(self, d: int) -> int:
        """How many columns there are with those behind d standard ones."""
        return d + len(self.ranks) + sum(len(one.values) for one in self.categories)

    def ranked(self, d: int) -> tuple[int, ...]:
        """The numbers of d columns, those with heavy tails as their ranks."""
        place = {one.column: d + i for i, one in enumerate(self.ranks)}
        return tuple(place.get(j, j) for j in range(d))

    def indicators(self, d: int) -> dict[int, tuple[int, ...]]:
        """For each column of categories, of d columns in all, the numbers of its indicators."""
        ends = np.cumsum([d + len(self.ranks), *(len(one.values) for one in self.categories)]).tolist()
        return {one.column: tuple(range(*span)) for one, span in zip(self.categories, pairwise(ends), strict=True)}

    def told_apart(self, d: int) -> tuple[int, ...]:
        """The numbers of d columns, those of categories as their indicators."""
        held = self.indicators(d)
        return tuple(k for j in range(d) for k in held.get(j, (j,)))

    def named(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names for all columns, from those of the standard ones."""
        ranks = (f"rank of {names[one.column]}" for one in self.ranks)
        values = (f"values of {names[one.column]}" for one in self.categories for _ in one.values)
        return (*names, *ranks, *values)
