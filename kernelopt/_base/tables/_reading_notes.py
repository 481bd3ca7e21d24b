"""What a user should know of how the columns of training rows were read."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np

from kernelopt._base._shown import shown
from kernelopt._base._typing import IntArray
from kernelopt._base.tables._column import Label
from kernelopt._base.tables._date_words import dates_mostly, first_date, is_time, made_dates, no_date, times_mostly
from kernelopt._base.tables._dates import CLEAR, ORDERS, day_of_word, named, orders_of_words
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._measures import is_measure, number_of_word, told
from kernelopt._base.tables._number_words import Numerals, numerals, parted
from kernelopt._base.tables._tables import Table

_NUMBERS = MappingProxyType(
    {"dates": "the days since 1970-01-01", "times": "the parts of a day", "durations": "the days that they last"}
)
"""What is learned from columns of dates, times and durations."""
_COERCE = "errors='coerce'"
"""With this option pandas makes missing values of words that it cannot read."""


def notes_on(
    encoding: Encoding,
    table: Table,
    count: int | None = None,
    gaps: tuple[IntArray, int] | None = None,
    left_out: IntArray | None = None,
) -> tuple[str, ...]:
    """What the user should know of how training rows were read.

    Args:
        encoding: of all training rows.
        table: all of them, or some.
        count: how many values are missing in all; None where these are all rows.
        gaps: the columns with missing values that are to be told of, shape (k,), and how many there are in these;
            None: all.
        left_out: the columns whose categories families leave out, shape (k,); None: none.
    """
    found, without = [], set() if left_out is None else set(left_out.tolist())
    pairs = ((j, labels) for j, labels in enumerate(encoding.labels) if labels and j not in without)
    held = {j: f" ({len(labels)})" for j, labels in pairs}
    if held:
        found.append(f"X: categories in {table.listed(held)}: kernels compare whether two rows have the same")
    for kind, numbers in _NUMBERS.items():
        orders = {j: order for j, order in encoding.dates if named(order) == kind}
        if orders:
            told = {j: f" ({order})" if order not in ("", kind) else "" for j, order in orders.items()}
            found.append(
                f"X: {kind} in {table.listed(told)} were taken as numbers, {numbers}; if the order of such {kind} says "
                'nothing, declare categories with column.astype("category")'
            )
    found.extend(_units(encoding, table))
    found.extend(notes_on_words(encoding, table))
    columns = np.flatnonzero(encoding.gaps).tolist() if gaps is None else gaps[0].tolist()
    if columns:
        count = gaps[1] if gaps is not None else _gaps(encoding, table, columns) if count is None else count
        found.append(
            f"X: {count} values are missing in {table.listed(columns)}: missing is a category of its own, and a "
            "missing number is replaced by the mean of its column"
        )
    return tuple(found)


def _units(encoding: Encoding, table: Table) -> tuple[str, ...]:
    """A note on columns of words that were read as numbers with a unit, where there are some."""
    units = {j: f" ({told(order)})" for j, order in encoding.dates if is_measure(order)}
    if not units:
        return ()
    note = (
        f"X: words in {table.listed(units)} were taken as numbers, without their units; if the order of such numbers "
        'says nothing, declare categories with column.astype("category")'
    )
    return (note,)


def notes_on_words(encoding: Encoding, table: Table) -> tuple[str, ...]:
    """What words of training rows could be numbers, whether families compare them or leave them out."""
    texts = [j for j, column in table.words.items() if column.text and encoding.labels[j] is not None]
    read = {j: numerals(map(str, encoding.labels[j] or ())) for j in texts}
    mostly = {j: numbers for j, numbers in read.items() if numbers is not None}
    return (
        *_numeric(table, {j: numbers for j, numbers in mostly.items() if not numbers.unit}),
        *_measures(table, {j: numbers for j, numbers in mostly.items() if numbers.unit}),
        *_dates(encoding, table, [j for j in texts if dates_mostly(encoding.labels[j] or ())]),
        *_times(encoding, table, [j for j in texts if times_mostly(encoding.labels[j] or ())]),
    )


def _dates(encoding: Encoding, table: Table, columns: list[int]) -> tuple[str, ...]:
    """A note on columns of dates that are words, where there are some."""
    if not columns:
        return ()
    words = encoding.labels[columns[0]] or ()
    date, (why, option) = first_date(words), _trouble(words)
    unclear = first_date((word for word in words if day_of_word(str(word), CLEAR) is None), date)
    lost = ", which makes missing values of what it cannot read" if option == _COERCE else ""
    note = (
        f"X: dates written as text in {table.listed(columns)}, such as {shown(date)}, were taken as categories, "
        f"which have no order, because {why}; if time matters, make dates of them, such as with "
        f"{made_dates(unclear, option)}{lost}"
    )
    return (note,)


def _times(encoding: Encoding, table: Table, columns: list[int]) -> tuple[str, ...]:
    """A note on columns of times that are words, where there are some."""
    if not columns:
        return ()
    words = list(map(str, encoding.labels[columns[0]] or ()))
    strange = next((word for word in words if not is_time(word)), None)
    if strange is None:
        why = "some of them have seconds and others may be minutes and seconds"
        whole = 'column.where(column.str.count(":") == 2, "0:" + column)'
        advice = f"pandas.to_timedelta({whole}).dt.total_seconds() if those are minutes and seconds"
    else:
        why = f"other words stand among them, such as {shown(strange)}"
        whole = "column" if any(word.count(":") == 2 for word in words) else 'column + ":00"'
        lost = ", which makes missing values of what it cannot read"
        advice = f"pandas.to_timedelta({whole}, {_COERCE}).dt.total_seconds(){lost}"
    note = (
        f"X: times written as text in {table.listed(columns)}, such as {shown(next(filter(is_time, words)))}, were "
        f"taken as categories, which have no order, because {why}; if time matters, make numbers of them, such as with "
        f"{advice}"
    )
    return (note,)


def _gaps(encoding: Encoding, table: Table, columns: list[int]) -> int:
    """How many values are missing in these columns."""
    count = int(np.isnan(table.numbers[:, [j for j in columns if encoding.labels[j] is None]]).sum())
    return count + sum(table.labels[j].values.count(None) for j in columns if encoding.labels[j] is not None)


def _trouble(words: Collection[Label]) -> tuple[str, str]:
    """Why words that mostly are dates were not read as such, and the option with which pandas reads them."""
    strange = no_date(words)
    if strange is not None:
        return f"other words stand among them, such as {shown(strange)}", _COERCE
    orders = {str(word): {order for order in ORDERS if day_of_word(str(word), order) is not None} for word in words}
    unread = next((word for word, found in orders.items() if not found), None)
    if unread is not None:
        return f"it is not clear which day or time some of them say, such as {shown(unread)}", _COERCE
    if len(set.intersection(*orders.values())) > 1:
        return "they can be read in more than one way", ""
    return "not all rows have dates that are written in one way", "format='mixed'"


def _numeric(table: Table, columns: Mapping[int, Numerals]) -> tuple[str, ...]:
    """A note on columns of numbers that are words, where there are some."""
    if not columns:
        return ()
    j, first = next(iter(columns.items()))
    among = f"among words such as {shown(first.others[0])}" if first.others else f"such as {shown(first.numbers[0])}"
    note = (
        f"X: numbers written as text in {table.listed(columns.keys())}, {among}, were taken as categories; convert "
        f"them if numbers are meant, column {table.called(j)} for example with {_converted(first)}"
    )
    return (note,)


def _converted(column: Numerals) -> str:
    """How numbers are made of a column, and what is lost by it."""
    lost = f", which makes a missing value of {shown(column.others[0])} and the like" if column.others else ""
    return column.conversion("column") + lost


def _measures(table: Table, columns: Mapping[int, Numerals]) -> tuple[str, ...]:
    """A note on columns of numbers with a unit, where there are some."""
    if not columns:
        return ()
    j, first = next(iter(columns.items()))
    example = next(word for word in first.numbers if (parted(word) or ("",))[0])
    note = (
        f"X: numbers with a unit in {table.listed(columns.keys())}, such as {shown(example)}, were taken as "
        f"categories, which have no order, because {_unclear(first)}; write the numbers alone if numbers are meant, "
        f"column {table.called(j)} for example with {_converted(first)}"
    )
    return (note,)


def _unclear(column: Numerals) -> str:
    """Why words that mostly are numbers with a unit were not read as such."""
    if column.others:
        return f"other words stand among them, such as {shown(column.others[0])}"
    bare = next((word for word in column.numbers if (parted(word) or ("",))[0] == ""), None)
    if bare is not None:
        return f"some have no unit, such as {shown(bare)}"
    orders = orders_of_words(column.numbers)
    if orders:
        double = (word for word in column.numbers if len({number_of_word(word, order) for order in orders}) > 1)
        return f"what stands before decimals and between thousands is not clear, such as in {shown(next(double))}"
    return "they may be codes, or are not all written in one way"
