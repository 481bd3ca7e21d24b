"""What one pass over rows finds before anything is learned: what the columns hold, the targets, and rows by chance."""

import zlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._encoding import Encoding
from kernelopt._base._errors import InvalidData
from kernelopt._base._tables import Label, Labels
from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._rows._contract import Given, Piece

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
    def singular(self) -> bool:
        """Whether each row has another, or they are too many to count: then they say nothing of other rows."""
        return self.many or (not self.heavy and max([self.missing, *self.counts.values()]) < 2)


@attrs.frozen(eq=False)
class Targets:
    """The targets of all rows.

    Attributes:
        width: how many numbers a row has, or None for one.
        kind: "n" for numbers, "w" for words, "b" for truth values.
        whole: whether all are whole numbers.
        values: the weight of each value, ascending; none where they are too many for classes.
        sums: of the numbers with weights, shape (c,).
        largest: the largest size of a number.
    """

    width: int | None
    kind: str
    whole: bool
    values: Mapping[Any, float] | None
    sums: FloatArray
    largest: float

    @classmethod
    def of(cls, y: npt.NDArray[Any], weight: FloatArray) -> "Targets":
        """Those of rows with weights (n,)."""
        kind = "w" if y.dtype.kind in "US" else "b" if y.dtype.kind == "b" else "n"
        numbers = np.zeros((len(y), 0)) if kind == "w" else y.reshape(len(y), -1).astype(np.float64)
        values = None
        if y.ndim == 1:
            distinct, place = np.unique(y, return_inverse=True)
            sums = np.bincount(place, weights=weight, minlength=len(distinct))
            values = _capped(dict(zip(distinct.tolist(), sums.tolist(), strict=True)))
        whole = bool((numbers == np.round(numbers)).all()) and bool((np.abs(numbers) < 2**53).all())
        largest = float(np.abs(numbers).max(initial=0.0))
        return cls(None if y.ndim == 1 else y.shape[1], kind, whole, values, weight @ numbers, largest)

    def plus(self, other: "Targets") -> "Targets":
        """Those of both.

        Raises:
            InvalidData: some are words and others are not, or rows have different numbers of targets.
        """
        if self.width != other.width:
            raise InvalidData("y: some rows have several targets, and others have another number; give all as many")
        if self.kind != other.kind and "w" in (self.kind, other.kind):
            raise InvalidData("y has words in some rows and other values in others; make all of one kind")
        values = None
        if self.values is not None and other.values is not None:
            both = Counter(self.values)
            both.update(other.values)
            values = _capped(dict(sorted(both.items())))
        kind = self.kind if self.kind == other.kind else "n"
        whole, largest = self.whole and other.whole, max(self.largest, other.largest)
        return Targets(self.width, kind, whole, values, self.sums + other.sums, largest)

    def distinct(self) -> npt.NDArray[Any] | None:
        """All values, ascending, of the type that one array of all targets would have; None where they are many."""
        if self.values is None:
            return None
        values = np.array(list(self.values))
        return values.astype(np.int64) if self.whole and values.dtype.kind == "f" else values


def _capped(values: Mapping[Any, float]) -> Mapping[Any, float] | None:
    return values if len(values) <= _DISTINCT else None


@attrs.frozen(eq=False)
class Chosen:
    """Rows by chance: of all rows those of the smallest numbers, which were drawn for each.

    Attributes:
        rows: at most as many as were asked for.
        number: that was drawn for each, ascending, shape (k,).
        place: the piece and the row in it of each, shape (k, 2).
    """

    rows: Given
    number: FloatArray
    place: npt.NDArray[np.int64]

    def plus(self, other: "Chosen", most: int) -> "Chosen":
        """Those of both."""
        rows = Given.joined([self.rows, other.rows])
        number, place = np.concatenate([self.number, other.number]), np.vstack([self.place, other.place])
        order = np.argsort(number, kind="stable")[:most]
        return Chosen(rows[order], number[order], place[order])


@attrs.frozen(eq=False)
class Survey:
    """What all rows have. Surveys of parts of the rows add.

    Attributes:
        n: how many rows have a weight.
        dropped: how many have none.
        names: of the columns, or none.
        weight: the sum of all weights.
        known: of the weights of rows whose number is not missing, shape (d,).
        sums: of these numbers with weights, shape (d,).
        missing: how many numbers are, shape (d,); all of them in columns of categories.
        least, greatest: of the numbers, shape (d,); infinite where there is none.
        categories: by their columns.
        targets: of all rows.
        chosen: some rows.
        most: how many of them at most.
    """

    n: int
    dropped: int
    names: tuple[str, ...]
    weight: float
    known: FloatArray
    sums: FloatArray
    missing: npt.NDArray[np.int64]
    least: FloatArray
    greatest: FloatArray
    categories: Mapping[int, Categories]
    targets: Targets
    chosen: Chosen
    most: int

    def plus(self, other: "Survey") -> "Survey":
        """That of both.

        Raises:
            InvalidData: the rows do not belong together.
        """
        if self.names != other.names or len(self.sums) != len(other.sums):
            raise InvalidData(
                f"X has {_columns(self)} in some rows and {_columns(other)} in others; give all the same columns"
            )
        return Survey(
            self.n + other.n,
            self.dropped + other.dropped,
            self.names,
            self.weight + other.weight,
            self.known + other.known,
            self.sums + other.sums,
            self.missing + other.missing,
            np.minimum(self.least, other.least),
            np.maximum(self.greatest, other.greatest),
            _merged(self, other),
            self.targets.plus(other.targets),
            self.chosen.plus(other.chosen, self.most),
            self.most,
        )

    @property
    def encoding(self) -> Encoding:
        """How all rows are encoded."""
        labels: list[tuple[Label, ...] | None] = [None] * len(self.sums)
        gaps = self.missing > 0
        for j, column in self.categories.items():
            labels[j] = tuple(column.counts)
            gaps[j] = column.missing > 0
        return Encoding(self.sums / np.where(self.known > 0.0, self.known, 1.0), gaps, tuple(labels))

    @property
    def singular(self) -> BoolArray:
        """Which columns hold categories that say nothing of other rows, shape (d,)."""
        found = np.zeros(len(self.sums), dtype=bool)
        found[[j for j, column in self.categories.items() if column.singular]] = True
        return found

    @property
    def varying(self) -> BoolArray:
        """Which columns tell rows apart, shape (d,)."""
        gaps = (self.missing > 0) & (self.missing < self.n)
        found: BoolArray = (self.least < self.greatest) | gaps
        for j, column in self.categories.items():
            found[j] = len(column.counts) + (column.missing > 0) > 1 or column.many
        return found & ~self.singular

    @property
    def gaps(self) -> int:
        """How many values are missing."""
        numbers = sum(int(count) for j, count in enumerate(self.missing) if j not in self.categories)
        return numbers + sum(column.missing for column in self.categories.values())


@attrs.frozen(eq=False)
class Surveying:
    """Surveys a piece.

    Attributes:
        seed: of the rows that are chosen.
        most: how many of them at most.
    """

    seed: int
    most: int

    def __call__(self, piece: Piece) -> Survey:
        given = piece.read()
        counted = np.flatnonzero(given.weight > 0.0)
        dropped = len(given) - len(counted)
        given = given[counted] if dropped else given
        numbers, weight = given.table.numbers, given.weight
        known = ~np.isnan(numbers)
        return Survey(
            len(given),
            dropped,
            given.table.names,
            float(weight.sum()),
            weight @ known,
            weight @ np.where(known, numbers, 0.0),
            np.sum(~known, axis=0),
            np.where(known, numbers, np.inf).min(axis=0, initial=np.inf),
            np.where(known, numbers, -np.inf).max(axis=0, initial=-np.inf),
            {j: Categories.of(column, weight) for j, column in given.table.labels.items()},
            Targets.of(given.targets, weight),
            self._chosen(given),
            self.most,
        )

    def _chosen(self, given: Given) -> Chosen:
        """Some rows of a piece. Its own content seeds what is drawn, so that it does not matter where it is read."""
        told = zlib.crc32(np.ascontiguousarray(given.table.numbers).tobytes())
        number = np.random.default_rng([self.seed, told, len(given)]).random(len(given))
        order = np.argsort(number, kind="stable")[: self.most]
        place = np.column_stack([np.full(len(order), told, dtype=np.int64), order])
        return Chosen(given[order], number[order], place)


def _merged(one: Survey, two: Survey) -> dict[int, Categories]:
    """The categories of both, where a column without any value may stand beside one with categories.

    Raises:
        InvalidData: a column has numbers in some rows and categories in others.
    """
    found = {}
    for j in sorted({*one.categories, *two.categories}):
        for survey in (one, two):
            if j not in survey.categories and survey.missing[j] < survey.n:
                name = repr(survey.names[j]) if survey.names else str(j)
                raise InvalidData(
                    f"X: column {name} holds numbers in some rows and categories in others; make all of one kind"
                )
        parts = [
            survey.categories.get(j) or Categories({}, False, survey.n, False)  # nothing but missing values
            for survey in (one, two)
        ]
        found[j] = parts[0].plus(parts[1])
    return found


def _columns(survey: Survey) -> str:
    return f"the columns {', '.join(survey.names)}" if survey.names else f"{len(survey.sums)} columns"
