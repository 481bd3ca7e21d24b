"""What a user passes as rows, read column by column: numbers, and categories, with what is missing in them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._doubles import FARTHEST, beyond, outside, rounded
from kernelopt._base._errors import InvalidData
from kernelopt._base._plain_numbers import counted
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._arrow import is_arrow, is_dictionary, plain
from kernelopt._base.tables._column import (
    DateColumn,
    Dates,
    Labels,
    categories_of,
    column_of,
    fault_of_alike,
    fault_of_infinite,
)
from kernelopt._base.tables._dates import days_of_words
from kernelopt._base.tables._faults import Fault, refusal
from kernelopt._base.tables._input import (
    as_array,
    missing,
    names_of_table,
    refuse_empty,
    refuse_lazy,
    refuse_masked,
    refuse_sparse,
    two_dimensional,
)
from kernelopt._base.tables._measures import settled, settles

_CATEGORIES = ("category", "Categorical", "Enum")
"""What pandas and polars call the type of a column of categories."""
_MOST_NAMED = 8
"""So many columns are named in a sentence."""
_WHOLE = ("int", "uint")
"""How they call those of columns of whole numbers, in small letters."""


@attrs.frozen(eq=False)
class Table:
    """Rows, read.

    Attributes:
        numbers: the columns of numbers, NaN where one is missing, shape (n, d); NaN throughout columns of categories.
        labels: the columns of categories, by their places.
        names: of the columns, where all of them have one, else none.
        coded: whether it was an array of numbers, which may hold the codes of an `Encoding`.
        dates: the columns of dates, times and durations, by their places, whose numbers are days, and those of words
            that are numbers with a unit, and what was given.
        marks: the columns of numbers that were text with a comma before decimals or marks between thousands, by their
            places: the mark before decimals, and the other one behind it where it may stand between thousands.
        target_marks: those in the numbers of the target beside the rows, or nothing.
    """

    numbers: FloatArray
    labels: Mapping[int, Labels]
    names: tuple[str, ...] = ()
    coded: bool = False
    dates: Mapping[int, DateColumn] = attrs.field(factory=dict)
    marks: Mapping[int, str] = attrs.field(factory=dict)
    target_marks: str = ""

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return self.numbers.shape[0], self.numbers.shape[1]

    @property
    def texts(self) -> tuple[str, ...]:
        """The names of the columns whose categories are words."""
        return tuple(name for j, name in enumerate(self.names) if j in self.labels and self.labels[j].words)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, as tables of pandas and polars give them."""
        return self.names

    def __getitem__(self, rows: IntArray) -> "Table":
        """Some rows, by their numbers (n',)."""
        labels = {j: column.taken(rows) for j, column in self.labels.items()}
        dates = {j: column.taken(rows) for j, column in self.dates.items()}
        return attrs.evolve(self, numbers=self.numbers[rows], labels=labels, dates=dates)

    @property
    def words(self) -> dict[int, Labels]:
        """The columns of categories, and those of dates that were given as words."""
        read = {j: column.labels for j, column in self.dates.items() if column.labels is not None}
        return {**self.labels, **read}

    def read_in(self, orders: Mapping[int, str]) -> "Table":
        """The same with dates in these columns, where their text can be read in this order, and perhaps in another."""
        numbers, labels, dates = self.numbers.copy(), dict(self.labels), dict(self.dates)
        for j, order in orders.items():
            days = days_of_words(labels[j].values, order) if j in labels and labels[j].text else None
            if days is not None:
                numbers[:, j], dates[j] = days, DateColumn(order, labels.pop(j))
        return attrs.evolve(self, numbers=numbers, labels=labels, dates=dates)

    def marked(self, marks: Mapping[int, str], target: str = "") -> "Table":
        """The same, read from text with these marks in the numbers of columns, by their places, and of the target; some
        have none.
        """
        return attrs.evolve(self, marks={j: mark for j, mark in marks.items() if mark}, target_marks=target)

    def called(self, j: int) -> str:
        """A column in a message."""
        return repr(self.names[j]) if self.names else str(j)

    def listed(self, columns: Mapping[int, str] | Iterable[int]) -> str:
        """Columns in a message, the first of them by name, each with some words on it or none."""
        told = columns if isinstance(columns, Mapping) else dict.fromkeys(columns, "")
        words = [f"{self.called(j)}{more}" for j, more in told.items()]
        rest = f" and {len(words) - _MOST_NAMED} more" if words[_MOST_NAMED:] else ""
        return f"column{'s' * (len(words) > 1)} {', '.join(words[:_MOST_NAMED])}{rest}"


def table_of(X: Any, name: str = "X") -> Table:
    """What a user passes as rows, shape (n, d): an array, a list, or a table of pandas, polars or pyarrow.

    Raises:
        InvalidData: it is of another shape, a column holds neither numbers nor categories, or a number is infinite.
    """
    if isinstance(X, Table):
        return X
    refuse_lazy(X, name)
    refuse_sparse(X, name)
    refuse_masked(X, name)
    if is_frame(X) or is_arrow(X):
        refuse_empty(tuple(X.shape), name)
        return _of_columns(_arrow_columns(X) if is_arrow(X) else _series(X), names_of_table(X), name)
    array = as_rows(X, name)
    two_dimensional(array, name)
    if array.dtype.kind in "biuf":
        refuse_alike(array, name)
        return Table(finite_or_missing(np.asarray(array, dtype=np.float64), name), {}, coded=True)
    if array.dtype.kind == "c":
        raise InvalidData(f"{name} is complex, wanted real numbers")
    return _of_columns(((column, False) for column in array.T), (), name)


def as_rows(X: Any, name: str) -> npt.NDArray[Any]:
    """An array of what is no table of pandas or polars, in which numbers beside words stay numbers.

    Raises:
        InvalidData: its rows are of different lengths, or it is not computed yet.
    """
    array = as_array(X, name)
    made_words = array.dtype.kind in "US" and not isinstance(X, np.ndarray)
    return np.asarray(X, dtype=object) if made_words else array


def refuse_alike(array: npt.NDArray[Any], name: str) -> None:
    """Refuse an array (n, d) of whole numbers some of which double precision does not tell apart.

    Raises:
        InvalidData: a column has such numbers.
    """
    if array.dtype.kind in "iu" and array.ndim == 2 and beyond(array):
        faults = [fault_of_alike(column, str(j)) for j, column in enumerate(array.T)]
        found = [fault for fault in faults if fault is not None]
        if found:
            raise refusal(name, found, named=False)


def holds_numbers(X: Any) -> bool:
    """Whether this is an array, or becomes one, of numbers alone; the columns of a table are looked into later."""
    if is_table(X):
        return False
    return hasattr(X, "tocsr") or as_array(X, "X").dtype.kind in "biufc"


def refuse_flat(X: Any, name: str) -> None:
    """Refuse what has no rows and columns, such as None or a generator, before anybody counts its rows.

    Raises:
        InvalidData: it has none.
    """
    if not is_table(X):
        two_dimensional(as_array(X, name), name)


def of_columns(columns: Mapping[str, npt.NDArray[Any]], name: str) -> Table:
    """A table of named columns of one length, shape (n,) each.

    Raises:
        InvalidData: as in `table_of`.
    """
    return _of_columns(((values, False) for values in columns.values()), tuple(columns), name)


def is_frame(X: Any) -> bool:
    """Whether it is a table of pandas or polars."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "__array__")


def is_table(X: Any) -> bool:
    """Whether it has columns of their own types: a table that was read, or one of pandas, polars or pyarrow."""
    return isinstance(X, Table) or is_arrow(X) or is_frame(X)


def sliceable(X: Any, name: str) -> Any:
    """Rows that know their shape (n, d) and can be asked for some of them: a table, or an array.

    Raises:
        InvalidData: as in `table_of` of a table of pyarrow, which is read here, else as in `as_rows`.
    """
    if is_arrow(X):
        return table_of(X, name)
    return X if is_table(X) else as_rows(X, name)


def stacked(tables: Sequence[Table]) -> Table:
    """The rows of all tables with the same columns, in their order.

    A column of categories in one of them is one in all: where another has none, all of it is missing there. A column
    without any value is what it is in others. A column of words is one of dates if it is that in some of
    them, and in all others its words can be read in the same order. So with numbers with a unit.
    """
    tables = _in_one_order(tables)
    numbers, labels = np.vstack([table.numbers for table in tables]), {}
    dates = {j: DateColumn(column.order) for table in tables for j, column in table.dates.items()}
    for j in sorted({j for table in tables for j in table.words}):
        orders = settled({table.dates[j].order for table in tables if j in table.words and j in table.dates})
        words = len(orders) > 1 or any(j in table.labels and table.labels[j].known for table in tables)
        known = any(j not in table.words and not np.isnan(table.numbers[:, j]).all() for table in tables)
        if known and not words:
            continue
        column = _chained([table.words.get(j) for table in tables], tables)
        if orders and not words:
            dates[j] = DateColumn(next(iter(orders)), column)
        else:
            labels[j], numbers[:, j] = column, np.nan
            dates.pop(j, None)
    return attrs.evolve(tables[0], numbers=numbers, labels=labels, dates=dates)


def _in_one_order(tables: Sequence[Table]) -> Sequence[Table]:
    """The same tables, those whose words can be read in more than one order read in that of the others."""
    seen: dict[int, set[str]] = {}
    for table in tables:
        for j, order in orders_of(table):
            seen.setdefault(j, set()).add(order)
    found = {j: settled(orders) for j, orders in seen.items() if any(j in one.labels for one in tables)}
    orders = {j: next(iter(orders)) for j, orders in found.items() if len(orders) == 1 and settles(orders)}
    return [table.read_in(orders) for table in tables] if orders else tables


def orders_of(table: Table) -> tuple[tuple[int, str], ...]:
    """The columns of dates, and the order in which their words are dates."""
    return tuple((j, column.order) for j, column in sorted(table.dates.items()))


def _chained(columns: Sequence[Labels | None], tables: Sequence[Table]) -> Labels:
    """The categories of all rows, some of which may have none."""
    values = (
        (None,) * len(table) if column is None else column.values for column, table in zip(columns, tables, strict=True)
    )
    text = any(column is not None and column.text for column in columns)
    return Labels(tuple(chain.from_iterable(values)), text)


def _series(X: Any) -> Iterable[tuple[npt.NDArray[Any], bool]]:
    """The columns of a table of pandas or polars, and whether each was declared to hold categories."""
    for j in range(X.shape[1]):
        series = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
        yield _values(series), str(series.dtype).startswith(_CATEGORIES)


def _arrow_columns(X: Any) -> Iterable[tuple[npt.NDArray[Any], bool]]:
    """The columns of a table of pyarrow, and whether each was declared to hold categories."""
    for j in range(X.num_columns):
        yield plain(X.column(j)), is_dictionary(X.column(j))


def _values(series: Any) -> npt.NDArray[Any]:
    """A column (n,); one that was declared to hold numbers is one of numbers, even if all of them are missing. Whole
    numbers beside missing ones that double precision would round are objects.
    """
    if getattr(series.dtype, "tz", None) is not None:  # as an array they would be objects
        return np.asarray(series.dt.tz_convert(None))
    values = np.asarray(series)
    if str(series.dtype).lower().startswith(_WHOLE) and rounded(values):
        return np.array(series.to_list(), dtype=object)
    numeric = getattr(series.dtype, "kind", "O") in "biuf"
    return np.full(len(values), np.nan) if numeric and values.dtype == object and all(map(missing, values)) else values


def _of_columns(columns: Iterable[tuple[npt.NDArray[Any], bool]], names: tuple[str, ...], name: str) -> Table:
    """A table of columns (n,), each with whether it was declared to hold categories.

    Raises:
        InvalidData: some columns hold neither numbers nor categories, or infinite numbers; all of them are named.
    """
    numbers, labels, dates, faults = [], {}, {}, []
    for j, (values, declared) in enumerate(columns):
        called = names[j] if names else str(j)
        read = categories_of(values, called) if declared else column_of(values, called)
        if isinstance(read, Dates):
            dates[j], read = read.given, read.days
        if names and isinstance(read, np.ndarray) and outside(read).any():
            read = fault_of_infinite(read, called)
        if isinstance(read, Fault):
            faults.append(read)
        elif isinstance(read, Labels):
            labels[j] = read
        numbers.append(read if isinstance(read, np.ndarray) else np.full(len(values), np.nan))
    if faults:
        raise refusal(name, faults, named=bool(names))
    two_dimensional(np.empty((len(numbers[0]) if numbers else 0, len(numbers))), name)
    return Table(finite_or_missing(np.column_stack(numbers), name), labels, names, dates=dates)


def finite_or_missing(numbers: FloatArray, name: str) -> FloatArray:
    """Numbers (n, d), none of which is infinite or nearly so; every NaN is one and the same.

    Raises:
        InvalidData: some are infinite, or sums of them would be.
    """
    faults = np.argwhere(outside(numbers))
    if len(faults):
        row, column = faults[0]
        if not np.isinf(numbers[tuple(faults.T)]).any():
            raise InvalidData(
                f"{name} has {numbers[row, column]:.3g} in row {row}, column {column}, wanted {FARTHEST:g} in size at "
                "most; leave such values out if they stand for missing ones, with NaN, or divide the column by its "
                "largest value"
            )
        raise InvalidData(
            f"{name} has {counted(len(faults), 'value that is', 'values that are')} infinite, the first in "
            f"row {row}, column {column}; drop those rows, or leave the values out as missing ones, with NaN"
        )
    return np.ascontiguousarray(np.where(np.isnan(numbers), np.nan, numbers))
