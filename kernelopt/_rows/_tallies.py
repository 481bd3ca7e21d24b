"""What is counted of a column of categories and of the targets, as far as it adds up over parts of the rows."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._column import Label, Labels

MOST = 100_000
"""Categories of a column that has more say little of any row, and are not counted."""
_DISTINCT = 1000
"""Targets of so many values are no classes."""


@attrs.frozen(eq=False)
class Categories:
    """The categories of a column, in the order in which they first occur.

    Attributes:
        counts: how many rows each has; none where they are too many.
        text: whether they were given as text.
        missing: how many rows have none.
        heavy: whether a row of weight 2 or more is among them.
        many: whether they are too many.
    """

    counts: Mapping[Label, int]
    text: bool
    missing: int
    heavy: bool
    many: bool = False

    @classmethod
    def of(cls, column: Labels, weight: FloatArray) -> "Categories":
        """Those of a column of rows of weights (n,)."""
        counts = Counter(value for value in column.values if value is not None)
        missing = len(column.values) - sum(counts.values())
        return cls._capped(counts, column.text, missing, heavy=bool((weight >= 2.0).any()))

    def plus(self, other: "Categories") -> "Categories":
        """Those of both."""
        counts: Counter[Label] = Counter(self.counts)
        counts.update(other.counts)
        return self._capped(
            counts,
            self.text or other.text,
            self.missing + other.missing,
            heavy=self.heavy or other.heavy,
            many=self.many or other.many,
        )

    @classmethod
    def _capped(
        cls, counts: Mapping[Label, int], text: bool, missing: int, *, heavy: bool, many: bool = False
    ) -> "Categories":
        many = many or len(counts) > MOST
        return cls({} if many else counts, text, missing, heavy, many)

    @property
    def known(self) -> bool:
        """Whether any row has one."""
        return self.many or bool(self.counts)

    @property
    def singular(self) -> bool:
        """Whether each row has another, or they are too many to count: then they say nothing of other rows."""
        return self.many or (not self.heavy and max([self.missing, *self.counts.values()]) < 2)


@attrs.frozen(eq=False)
class Targets:
    """The targets of all rows.

    Attributes:
        width: how many numbers a row has, or None for one.
        kind: "n" for numbers, "w" for words, "b" for truth values.
        whole: whether all were given as integers, or as truth values; 3.0 is no integer.
        values: the weight of each value, ascending; none where they are too many for classes.
        weight: of all rows.
        sums: of the numbers with weights, shape (c,).
        around: the sums of their squares around their means, with weights, shape (c,).
        largest: the largest size of a number.
    """

    width: int | None
    kind: str
    whole: bool
    values: Mapping[Any, float] | None
    weight: float
    sums: FloatArray
    around: FloatArray
    largest: float

    @classmethod
    def of(cls, y: npt.NDArray[Any], weight: FloatArray) -> "Targets":
        """Those of rows with weights (n,)."""
        kind = "w" if y.dtype.kind in "US" else "b" if y.dtype.kind == "b" else "n"
        numbers = np.zeros((len(y), 0)) if kind == "w" else in_columns(y).astype(np.float64)
        values = None
        if y.ndim == 1:
            distinct, place = np.unique(y, return_inverse=True)
            counts = np.bincount(place, weights=weight, minlength=len(distinct))
            values = _capped(dict(zip(distinct.tolist(), counts.tolist(), strict=True)))
        whole = y.dtype.kind in "biu"
        largest = float(np.abs(numbers).max(initial=0.0))
        total, sums = float(weight.sum()), weight @ numbers
        with np.errstate(over="ignore"):  # numbers that large are refused once all of them are seen
            around = weight @ (numbers - sums / (total or 1.0)) ** 2
        return cls(None if y.ndim == 1 else y.shape[1], kind, whole, values, total, sums, around, largest)

    @property
    def means(self) -> FloatArray:
        """Of the numbers, shape (c,)."""
        return self.sums / (self.weight or 1.0)

    @property
    def deviations(self) -> FloatArray:
        """The standard deviations of the numbers, shape (c,)."""
        return np.sqrt(self.around / (self.weight or 1.0))

    def plus(self, other: "Targets") -> "Targets":
        """Those of both.

        Raises:
            InvalidData: some are words and others are not, or rows have different numbers of targets.
        """
        if self.width != other.width:
            raise InvalidData("y: some rows have more targets than others; give all rows the same number of targets")
        if self.kind != other.kind and "w" in (self.kind, other.kind):
            raise InvalidData("y has words in some rows and other values in others; make all values of one kind")
        values = None
        if self.values is not None and other.values is not None:
            both = Counter(self.values)
            both.update(other.values)
            values = _capped(dict(sorted(both.items())))
        kind = self.kind if self.kind == other.kind else "n"
        whole, largest = self.whole and other.whole, max(self.largest, other.largest)
        weight, sums = self.weight + other.weight, self.sums + other.sums
        between = self.weight * other.weight / (weight or 1.0) * (self.means - other.means) ** 2
        around = self.around + other.around + between
        return Targets(self.width, kind, whole, values, weight, sums, around, largest)

    def distinct(self) -> npt.NDArray[Any] | None:
        """All values, ascending, of the type that one array of all targets would have; None where they are many."""
        if self.values is None:
            return None
        values = np.array(list(self.values))
        return values if self.whole or self.kind == "w" else values.astype(np.float64)


def in_columns(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Targets (n,) or (n, c) as (n, c), also of no rows, as of a block whose rows all have the weight 0."""
    return y[:, None] if y.ndim == 1 else y


def _capped(values: Mapping[Any, float]) -> Mapping[Any, float] | None:
    return values if len(values) <= _DISTINCT else None
