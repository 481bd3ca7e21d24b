"""What one column of a user's rows holds: numbers, categories, or a fault that is told with what to do."""

import datetime as dt
import math
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._doubles import FARTHEST, alike, double, outside
from kernelopt._base._shown import shown
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._dates import (
    CLEAR,
    DURATIONS,
    SECONDS,
    comparable,
    dates_of_words,
    day_of,
    days_of_array,
    days_of_durations,
    part_of_day,
)
from kernelopt._base.tables._faults import Fault
from kernelopt._base.tables._input import NUMBER, missing
from kernelopt._base.tables._number_words import numerals

Label = str | float
"""The name of a category."""


@attrs.frozen(eq=False)
class Labels:
    """A column of categories.

    Attributes:
        values: the category of each row, None where it is missing, length n; words have no blanks around them.
        text: whether it was given as text; else it was declared to hold categories.
    """

    values: tuple[Label | None, ...]
    text: bool = True

    @property
    def known(self) -> bool:
        """Whether any row has one."""
        return any(value is not None for value in self.values)

    @property
    def words(self) -> bool:
        """Whether the categories are words, and not numbers."""
        return not any(isinstance(value, float) for value in self.values)

    def taken(self, rows: IntArray) -> "Labels":
        """Those of some rows (n',)."""
        return Labels(tuple(self.values[i] for i in rows), self.text)


@attrs.frozen(eq=False)
class DateColumn:
    """What a column of dates, times or durations was given as.

    Attributes:
        order: in which its words are dates, as `dates_of_words` has it, or would be.
        labels: the words of all rows, for other rows may have words there that are no dates; None where the type of the
            column says what it holds.
    """

    order: str
    labels: Labels | None = None

    def taken(self, rows: IntArray) -> "DateColumn":
        """That of some rows (n',)."""
        return attrs.evolve(self, labels=None if self.labels is None else self.labels.taken(rows))


@attrs.frozen(eq=False)
class Dates:
    """A column of dates, times or durations.

    Attributes:
        days: since 1970-01-01, parts of a day, or the days that they last, NaN where one is missing, shape (n,).
        given: what the column was given as.
    """

    days: FloatArray
    given: DateColumn


def categories_of(values: npt.NDArray[Any], name: str) -> Labels | Fault:
    """A column (n,) that was declared to hold categories, or that its durations have no length."""
    if values.dtype.kind == "m" and days_of_durations(values) is None:
        return _lengthless(name, values)
    if values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]").astype(object)
    present = [item for item in values.tolist() if not missing(item)]
    numeric = all(map(_is_number, present))
    return Labels(
        tuple(None if missing(item) else double(item) if numeric else _word(item) for item in values.tolist()),
        text=False,
    )


def column_of(values: npt.NDArray[Any], name: str) -> FloatArray | Labels | Dates | Fault:
    """A column (n,) of numbers, truth values, dates, times, durations or text, or why it is none.

    Objects that are all missing are taken as text, so that whatever new rows have there is a category of its own. Text
    is a column of dates if nobody could take any word of it for anything else.
    """
    if values.ndim != 1:  # a struct of polars, or its arrays
        return Fault(
            name,
            "holds several values in each row, wanted a number or a word",
            f"make a column of each of them, such as with table.unnest({name!r}) of polars, or leave the column out",
        )
    if values.dtype.kind in "biuf":
        return fault_of_alike(values, name) or values.astype(np.float64)
    if values.dtype.kind == "m":
        lasting = days_of_durations(values)
        return _lengthless(name, values) if lasting is None else Dates(lasting, DateColumn(DURATIONS))
    if values.dtype.kind == "M":
        return Dates(days_of_array(values), DateColumn(CLEAR))
    items = values.astype(str).tolist() if values.dtype.kind in "US" else values.tolist()
    present = [item for item in items if not missing(item)]
    if present and all(map(_is_number, present)):
        numbers = np.array([math.nan if missing(item) else double(item) for item in items], dtype=np.float64)
        return fault_of_alike(values, name) or numbers
    if all(isinstance(item, str) for item in present):
        labels = Labels(tuple(None if missing(item) else _word(item) for item in items))
        return _dates(labels) or labels
    return _moments(items) or _strange(present, name)


def _is_number(item: Any) -> bool:
    """Whether it is a number; numpy counts durations among the whole numbers."""
    return isinstance(item, NUMBER) and not isinstance(item, np.timedelta64)


def _dates(labels: Labels) -> Dates | None:
    """A column of words that are dates; None where they are none, or might be other dates than they seem."""
    found = dates_of_words(labels.values)
    return None if found is None else Dates(found[1], DateColumn(found[0], labels))


def _moments(items: list[Any]) -> Dates | None:
    """The column of dates, or of times and durations, of Python, of pandas or of numpy (n,); None where one is none."""
    read = [None if missing(item) else _moment(item) for item in items]
    orders = {one[1] for one in read if one is not None}
    lost = sum(one is None and not missing(item) for one, item in zip(read, items, strict=True))
    if lost or not all(comparable(one, two) for one in orders for two in orders):
        return None
    days = np.array([math.nan if one is None else one[0] for one in read])
    return Dates(days, DateColumn(DURATIONS if DURATIONS in orders else orders.pop()))


def _moment(item: Any) -> tuple[float, str] | None:
    """The number of one date, time or duration, and its order; None where it is none. A period of pandas is its first
    moment.
    """
    if isinstance(item, np.datetime64):
        return float(days_of_array(np.array([item]))[0]), CLEAR
    if isinstance(item, np.timedelta64):
        lasting = days_of_durations(np.array([item]))
        return None if lasting is None else (float(lasting[0]), DURATIONS)
    if isinstance(item, dt.timedelta):
        return item / dt.timedelta(days=1), DURATIONS
    if isinstance(item, dt.time):
        return part_of_day(item), SECONDS
    if type(item).__name__ == "Period":
        try:
            return day_of(item.to_timestamp()), CLEAR
        except ValueError:  # a year that pandas has no moments of
            return None
    return (day_of(item), CLEAR) if isinstance(item, dt.date) else None


def _word(item: Any) -> str:
    """A word without blanks around it, as text files are read: databases pad the words of a column to one length.

    The durations of pandas are called as those of Python.
    """
    return (dt.timedelta.__str__(item) if isinstance(item, dt.timedelta) else str(item)).strip()


def _strange(present: list[Any], name: str) -> Fault:
    """That a column holds neither numbers nor words."""
    strange = [item for item in present if not isinstance(item, str | NUMBER)]
    other = strange[0] if strange else next(item for item in present if not isinstance(item, str))
    word = next((item for item in present if isinstance(item, str)), None)
    if word is not None and not strange:
        return _mixed(present, name, f"such as {shown(word)} and {shown(other)}")
    return Fault(
        name,
        f"holds values such as {shown(other)} ({type(other).__name__}), wanted numbers or words",
        "make numbers or words of them, or leave the column out",
    )


def _mixed(present: list[Any], name: str, example: str) -> Fault:
    """That a column holds words and numbers: most often some of the numbers were written as text."""
    read = numerals(str(item) for item in present)
    if read is None or not read.plain:
        return Fault(
            name,
            f"holds words and other values, {example}",
            "make all values of one kind, for example with astype(str) for categories",
        )
    lost = ", which makes missing values of the other words" if read.others else ""
    return Fault(
        name,
        f"holds words and numbers, {example}",
        f"make numbers of them, such as with {read.conversion('column')}{lost}; or words, with column.astype(str), if "
        "they are categories",
    )


def fault_of_infinite(values: FloatArray, name: str) -> Fault:
    """That a column (n,) of numbers holds infinite ones, or some that are nearly so."""
    faults = np.flatnonzero(outside(values))
    more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
    if not np.isinf(values[faults]).any():
        return Fault(
            name,
            f"holds {values[faults[0]]:.3g}, wanted {FARTHEST:g} in size at most, in row {faults[0]} (counted from "
            f"0){more}",
            "leave the values out if they stand for missing ones, or divide the column by its largest value",
        )
    return Fault(
        name,
        f"holds infinite numbers, in row {faults[0]} (counted from 0){more}",
        "drop those rows, or leave the values out as missing ones",
    )


def fault_of_alike(values: npt.NDArray[Any], name: str) -> Fault | None:
    """That a column (n,) holds whole numbers that double precision does not tell apart; None where it holds none."""
    pair = alike(values)
    if pair is None:
        return None
    return Fault(
        name,
        f"holds whole numbers such as {pair[0]} and {pair[1]}, which are one number in double precision",
        "subtract the smallest of them from the whole column, or leave the column out if it only says which row it is",
    )


def _lengthless(name: str, values: npt.NDArray[Any]) -> Fault:
    return Fault(
        name,
        f"holds durations ({values.dtype}) of which numpy does not know how many days they last",
        'count them, with column.astype("int64")',
    )
