"""The one encoding of rows: numbers stay, categories become their codes, and what is missing is NaN.

    table  --encode-->  codes (n, d), a column for each of the user's  --`Expansion`-->  numbers that families see

Codes are what a solution keeps of its rows. An array of codes is encoded as itself.
"""

import math
from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._caller import warn_caller
from kernelopt._base._errors import InvalidData, KerneloptWarning, NewMissingValues
from kernelopt._base._shown import shown
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._column import Label
from kernelopt._base.tables._dates import CLEAR, comparable, day_of_word, named, read_as
from kernelopt._base.tables._number_words import reads_as_number
from kernelopt._base.tables._tables import Table, orders_of


@attrs.frozen(eq=False)
class Encoding:
    """How the columns of training rows are encoded.

    The code of a category is its place among those of its column, or its value where categories are numbers. They
    stand in the order in which they first occur, so that nothing depends on what they are called.

    Attributes:
        centres: the mean of each column of numbers, shape (d,); 0 where there is none.
        gaps: whether training rows have missing values in it, shape (d,).
        labels: the categories of each column, or None for a column of numbers, length d.
        dates: the places of the columns whose numbers are days, or which hold numbers with a unit, and the order in
            which words are dates, times, durations or such numbers; none in files of earlier versions.
        marks: the places of the columns whose numbers were text with a comma before decimals or marks between
            thousands, and these marks, as in `Table`; new rows of a text file are read with them.
        target_marks: those of the target, as in `Table`.
    """

    centres: FloatArray
    gaps: npt.NDArray[np.bool_]
    labels: tuple[tuple[Label, ...] | None, ...]
    dates: tuple[tuple[int, str], ...] = ()
    marks: tuple[tuple[int, str], ...] = ()
    target_marks: str = ""

    @classmethod
    def of(cls, table: Table, weight: FloatArray) -> "Encoding":
        """That of training rows of weights (n,), > 0."""
        known = ~np.isnan(table.numbers)
        share = np.ldexp(weight, -np.frexp(weight.max(initial=0.0))[1])  # of at most 1: sums of 1e300 stay finite
        total = share @ known
        centres = share @ np.where(known, table.numbers, 0.0) / np.where(total > 0.0, total, 1.0)
        gaps = np.asarray(np.isnan(table.numbers).any(axis=0))
        found: list[tuple[Label, ...] | None] = [None] * table.shape[1]
        for j, column in table.labels.items():
            found[j] = tuple(dict.fromkeys(value for value in column.values if value is not None))
            gaps[j] = None in column.values
        marks = tuple(sorted(table.marks.items()))
        return cls(centres, gaps, tuple(found), orders_of(table), marks, table.target_marks)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.labels)

    @property
    def plain(self) -> bool:
        """Whether all columns are numbers without gaps, which families see as they are."""
        return not self.gaps.any() and all(labels is None for labels in self.labels)

    @property
    def texts(self) -> tuple[int, ...]:
        """The places of the columns whose categories are words."""
        return tuple(j for j, labels in enumerate(self.labels) if labels is not None and _words(labels))

    def varying(self, coded: FloatArray, weight: FloatArray) -> npt.NDArray[np.bool_]:
        """Which columns of training rows tell rows apart, shape (d,): codes (n, d) with weights (n,).

        One that is constant does not, and neither do categories of which each row has another: they say nothing of any
        other row.
        """
        first = coded[:1]
        varies: npt.NDArray[np.bool_] = ~((coded == first) | (np.isnan(coded) & np.isnan(first))).all(axis=0)
        return varies & ~self.singular(coded, weight)

    def singular(self, coded: FloatArray, weight: FloatArray) -> npt.NDArray[np.bool_]:
        """Which columns hold categories of which each row has another, shape (d,); a row of weight 2 is two rows."""
        found = np.zeros(self.width, dtype=bool)
        for j, labels in enumerate(self.labels):
            if labels is not None:
                _, place, rows = np.unique(coded[:, j], return_inverse=True, return_counts=True)
                found[j] = max(int(rows.max()), float(np.bincount(place, weights=weight).max())) < 2
        return found

    def codes(self, j: int) -> FloatArray:
        """Those of the categories of column j, shape (k,)."""
        labels = self.labels[j] or ()
        return np.arange(len(labels), dtype=float) if _words(labels) else np.array(labels, dtype=np.float64)

    def new(self, j: int) -> float:
        """The code of every category that training rows lack in column j."""
        return float(self.codes(j).min(initial=0.0)) - 1.0

    def encode(self, table: Table, name: str = "X") -> FloatArray:
        """The codes of rows, shape (n, d): NaN only where training rows have gaps too.

        Warns:
            NewMissingValues: a value is missing in a column where training rows have all, or a few words are no dates
                in a column of dates.
            KerneloptWarning: a category is written in other letters than in training rows.

        Raises:
            InvalidData: the table has another number of columns, or numbers where categories were, or the reverse.
        """
        if table.shape[1] != self.width:
            raise InvalidData(f"{name} has {table.shape[1]} columns, wanted {self.width} as in training")
        coded, orders = table.numbers.copy(), dict(self.dates)
        for j, labels in enumerate(self.labels):
            if labels is not None:
                coded[:, j] = self._coded(table, j, name)
            elif j in orders:
                coded[:, j] = self._days(table, j, orders[j], name)
            elif (j in table.labels and table.labels[j].known) or j in table.dates:
                self._refuse(table, j, name, "numbers")
        return self._filled(coded, table, name)

    def _coded(self, table: Table, j: int, name: str) -> FloatArray:
        """The codes of a column of categories, shape (n,)."""
        given = table.words.get(j)
        if given is None:
            values = table.numbers[:, j]
            if not self.labels[j]:
                return np.where(np.isnan(values), np.nan, self.new(j))  # training rows have nothing there
            strange = j in table.dates or (j in self.texts and not table.coded)
            if strange and not np.isnan(values).all():
                self._refuse(table, j, name, self._kind(j))
            return np.where(np.isnan(values) | np.isin(values, self.codes(j)), values, self.new(j))
        labels = self.labels[j] or ()
        if given.words != _words(labels) and labels and any(value is not None for value in given.values):
            self._refuse(table, j, name, self._kind(j))
        words = (label.strip() if isinstance(label, str) else label for label in labels)  # of an old model file
        code = dict(zip(words, self.codes(j).tolist(), strict=True))
        new = self.new(j)
        self._warn_of_letters(table, j, name, code)
        return np.array([np.nan if value is None else code.get(value, new) for value in given.values])

    def _warn_of_letters(self, table: Table, j: int, name: str, known: Mapping[Label, float]) -> None:
        """Of a new category that training rows have in other letters."""
        new = [value for value in dict.fromkeys(table.words[j].values) if isinstance(value, str) and value not in known]
        if not new:
            return
        usual = {label.lower(): label for label in known if isinstance(label, str)}
        word = next((value for value in new if value.lower() in usual), None)
        if word is not None:
            warn_caller(
                f"{name} has {shown(word)} in column {table.called(j)}, where the training rows have "
                f"{shown(usual[word.lower()])}: it counts as a new category; write it as the training rows do if it is "
                "the same",
                KerneloptWarning,
            )

    def _kind(self, j: int) -> str:
        """What a column of categories holds."""
        return "categories that are " + ("words" if j in self.texts else "numbers")

    def _days(self, table: Table, j: int, order: str, name: str) -> FloatArray:
        """The days of a column of dates, shape (n,)."""
        values, given = table.numbers[:, j], table.words.get(j)
        if given is None:
            dated = j in table.dates and comparable(table.dates[j].order, order)
            if not (dated or table.coded or np.isnan(values).all()):
                self._refuse(table, j, name, named(order), order)
            return values
        known = {word: math.nan if word is None else _day(str(word), order) for word in set(given.values)}
        days = np.array([known[word] for word in given.values])
        strange = [word for word, lost in zip(given.values, np.isnan(days), strict=True) if lost and word is not None]
        if given.known and np.isnan(days).all():
            self._refuse(table, j, name, named(order), order)
        if not strange:
            return days
        self._warn(table, j, name, strange, named(order))
        unread = np.array([word is not None for word in given.values]) & np.isnan(days)
        return days if self.gaps[j] else np.where(unread, self.centres[j], days)

    def _warn(self, table: Table, j: int, name: str, strange: list[Label], wanted: str) -> None:
        """Of words in a column of dates or times that are none."""
        instead = "" if self.gaps[j] else ", and the mean of the column takes their place"
        warn_caller(
            f"{name} has {len(strange)} values in column {table.called(j)} that are no {wanted}, such as "
            f"{shown(strange[0])}, where the training rows have {wanted}: they count as missing{instead}; write them "
            f"as the training rows do if {wanted} are meant",
            NewMissingValues,
        )

    def _refuse(self, table: Table, j: int, name: str, wanted: str, order: str = CLEAR) -> None:
        values = table.words[j].values if j in table.words else table.numbers[:, j].tolist()
        known = [(i, value) for i, value in enumerate(values) if value is not None and value == value]
        row, value = next((one for one in known if not _reads_as(wanted, order, one[1])), known[0])
        typed = j in table.dates and j not in table.words
        held = named(table.dates[j].order) if typed else shown(value)
        raise InvalidData(
            f"{name}: column {table.called(j)} holds {held}, wanted {wanted} as in training (row {row}, counted from "
            "0); read or convert the column as the training rows were"
        )

    def _filled(self, coded: FloatArray, table: Table, name: str) -> FloatArray:
        """Codes (n, d) with those of gaps where training rows have none; with a warning."""
        holes = np.isnan(coded) & ~self.gaps
        columns = np.flatnonzero(holes.any(axis=0))
        if not len(columns):
            return coded
        warn_caller(
            f"{name} has {int(holes.sum())} missing values in {table.listed(columns.tolist())}, where the "
            "training rows have none: a missing number is replaced by the mean of its column, and a missing "
            "category counts as a new category; standard deviations and probabilities do not know that it is "
            "missing, so they are too sure; train with such rows too if they are usual",
            NewMissingValues,
        )
        stand = [self.centres[j] if labels is None else self.new(j) for j, labels in enumerate(self.labels)]
        return np.where(holes, np.array(stand), coded)


def is_category(encoding: Encoding | None, column: int) -> bool:
    """Whether a column of X holds categories; none does without an encoding."""
    return encoding is not None and encoding.labels[column] is not None


def is_date(encoding: Encoding | None, column: int) -> bool:
    """Whether a column of X holds dates, and not times; none does without an encoding."""
    order = None if encoding is None else dict(encoding.dates).get(column)
    return order is not None and named(order) == "dates"


def _reads_as(wanted: str, order: str, value: Label) -> bool:
    """Whether a value might have been meant as what is wanted."""
    if wanted == "numbers":
        return reads_as_number(str(value))
    return wanted == named(order) and day_of_word(str(value), order) is not None


def _day(word: str, order: str) -> float:
    """The days that a word of new rows says, whose training rows were read in this order; NaN where it is no date."""
    return next((day for one in read_as(order) if (day := day_of_word(word, one)) is not None), math.nan)


def _words(labels: tuple[Label, ...]) -> bool:
    """Whether categories are words; where there are none, they might be."""
    return not any(isinstance(label, float) for label in labels)
