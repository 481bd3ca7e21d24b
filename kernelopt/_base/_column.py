"""What one column of a user's rows holds: numbers, categories, or a fault that is told with what to do."""

import datetime as dt
import math
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._dates import dates_of_words, day_of, days_of_array
from kernelopt._base._doubles import FARTHEST, alike, double, outside
from kernelopt._base._faults import Fault
from kernelopt._base._input import NUMBER, missing
from kernelopt._base._shown import shown
from kernelopt._base._typing import FloatArray, IntArray

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
class DateWords:
    """The words of a column of dates, for other rows may have words there that are no dates.

    Attributes:
        labels: of all rows.
        order: in which they are dates, as `dates_of_words` has it.
    """

    labels: Labels
    order: str

    def taken(self, rows: IntArray) -> "DateWords":
        """Those of some rows (n',)."""
        return attrs.evolve(self, labels=self.labels.taken(rows))


@attrs.frozen(eq=False)
class Dates:
    """A column of dates or times.

    Attributes:
        days: since 1970-01-01, NaN where one is missing, shape (n,).
        words: that they were given as; None where the column was declared to hold dates.
    """

    days: FloatArray
    words: DateWords | None = None


def categories_of(values: npt.NDArray[Any], name: str) -> Labels | Fault:
    """A column (n,) that was declared to hold categories, or that these are durations."""
    if values.dtype.kind == "m":
        return _as_words(_durations(name, str(values.dtype)))
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]").astype(object)
    present = [item for item in values.tolist() if not missing(item)]
    timed = next((item for item in present if isinstance(item, dt.timedelta)), None)
    if timed is not None:
        return _as_words(_durations(name, type(timed).__name__))
    numeric = all(isinstance(item, NUMBER) for item in present)
    return Labels(
        tuple(None if missing(item) else double(item) if numeric else _word(item) for item in values.tolist()),
        text=False,
    )


def column_of(values: npt.NDArray[Any], name: str) -> FloatArray | Labels | Dates | Fault:
    """A column (n,) of numbers, truth values, dates or text, or why it is none.

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
        return _durations(name, str(values.dtype))
    if values.dtype.kind == "M":
        return Dates(days_of_array(values))
    items = values.astype(str).tolist() if values.dtype.kind in "US" else values.tolist()
    present = [item for item in items if not missing(item)]
    if present and all(isinstance(item, NUMBER) for item in present):
        numbers = np.array([math.nan if missing(item) else double(item) for item in items], dtype=np.float64)
        return fault_of_alike(values, name) or numbers
    if all(isinstance(item, str) for item in present):
        labels = Labels(tuple(None if missing(item) else _word(item) for item in items))
        return _dates(labels) or labels
    days = _days(items)
    return _strange(present, name) if days is None else Dates(days)


def _dates(labels: Labels) -> Dates | None:
    """A column of words that are dates; None where they are none, or might be other dates than they seem."""
    found = dates_of_words(labels.values)
    return None if found is None else Dates(found[1], DateWords(labels, found[0]))


def _days(items: list[Any]) -> FloatArray | None:
    """Those of dates of Python, of pandas or of numpy (n,), NaN where one is missing; None where one is no date."""
    days = [math.nan if missing(item) else _day(item) for item in items]
    known = [day for day in days if day is not None]
    return np.array(known) if len(known) == len(days) else None


def _day(item: Any) -> float | None:
    """That of one date; None where it is none. A period of pandas is its first moment."""
    if isinstance(item, np.datetime64):
        return float(days_of_array(np.array([item]))[0])
    if type(item).__name__ == "Period":
        try:
            return day_of(item.to_timestamp())
        except ValueError:  # a year that pandas has no moments of
            return None
    return day_of(item) if isinstance(item, dt.date) else None


def _word(item: Any) -> str:
    """A word without blanks around it, as text files are read: databases pad the words of a column to one length."""
    return str(item).strip()


def _strange(present: list[Any], name: str) -> Fault:
    """That a column holds neither numbers nor words."""
    strange = [item for item in present if not isinstance(item, str | NUMBER)]
    other = strange[0] if strange else next(item for item in present if not isinstance(item, str))
    kind = type(other).__name__
    if isinstance(other, dt.timedelta):
        return _durations(name, kind)
    word = next((item for item in present if isinstance(item, str)), None)
    if word is not None and not strange:
        return Fault(
            name,
            f"holds words and other values, such as {shown(word)} and {shown(other)}",
            "make all values of one kind, for example with astype(str) for categories",
        )
    return Fault(
        name,
        f"holds values such as {shown(other)} ({kind}), wanted numbers or words",
        "make numbers or words of them, or leave the column out",
    )


def _as_words(fault: Fault) -> Fault:
    """The same of a column of categories, which may be meant."""
    return attrs.evolve(fault, advice=f"{fault.advice}; or words, with column.astype(str), if categories are meant")


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


def _durations(name: str, kind: str) -> Fault:
    return Fault(
        name,
        f"holds durations ({kind}), wanted numbers or categories",
        "make numbers of them, such as the seconds with pandas.to_timedelta(column).dt.total_seconds()",
    )
