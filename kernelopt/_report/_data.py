"""The data of a report: each column in a few words, and the target."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._plain_numbers import plain
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._dates import date_of
from kernelopt._base.tables._measures import is_measure, unit_of
from kernelopt._base.tables._tables import Table

_MOST = 4
"""So many categories are named with their shares."""
_DIGITS, _ALL_DIGITS = 4, 17
"""A range is written with so many digits at least, and with more where both its ends would look alike, such as those of
the numbers of orders."""


@attrs.frozen
class Column:
    """A column in words.

    Attributes:
        name: what it is called.
        values: its range, or its most frequent categories.
        missing: how much of it is missing, "" for nothing.
    """

    name: str
    values: str
    missing: str


def columns_of(table: Table, names: tuple[str, ...]) -> tuple[Column, ...]:
    """Every column of rows, under these names."""
    return tuple(_column(table, j, name) for j, name in enumerate(names))


def target_of(y: npt.NDArray[Any], *, classes: bool) -> str:
    """What the targets (n,) or (n, c) are: classes with their shares, or the range of the numbers."""
    if classes:
        return _shares(y.tolist())
    return "; ".join(_range(column) for column in np.asarray(y, dtype=np.float64).reshape(len(y), -1).T)


def _column(table: Table, j: int, name: str) -> Column:
    total = len(table)
    if j in table.labels:
        words = [value for value in table.labels[j].values if value is not None]
        return Column(name, _shares(words), _share(total - len(words), total))
    numbers = table.numbers[~np.isnan(table.numbers[:, j]), j]
    told = _range(numbers) if j not in table.dates else _read(numbers, table.dates[j].order)
    return Column(name, told, _share(total - len(numbers), total))


def _read(numbers: FloatArray, order: str) -> str:
    """The range of numbers (n,) of which words were read in this order."""
    return f"{_range(numbers)} ({unit_of(order)})" if is_measure(order) else _span(numbers, order)


def _span(days: FloatArray, order: str) -> str:
    """From which date, or time, to which, of days since 1970-01-01 (n,), of which words were read in this order."""
    if not len(days):
        return "nothing"
    least, middle, most = (date_of(float(day), order) for day in (days.min(), np.median(days), days.max()))
    return f"always {least}" if least == most else f"{least} to {most}, median {middle}"


def _range(values: FloatArray) -> str:
    if not len(values):
        return "nothing"
    least, most = float(values.min()), float(values.max())
    if (least, most) == (0.0, 1.0) and np.isin(values, (0.0, 1.0)).all():
        ones = float(values.mean())
        return f"no, false or 0: {1.0 - ones:.0%}; yes, true or 1: {ones:.0%}"
    if least == most:
        return f"always {plain(least)}"
    digits = next((k for k in range(_DIGITS, _ALL_DIGITS) if plain(least, k) != plain(most, k)), _ALL_DIGITS)
    return f"{plain(least, digits)} to {plain(most, digits)}, median {plain(float(np.median(values)), digits)}"


def _shares(values: Sequence[Any]) -> str:
    """The most frequent ones with their shares."""
    counts = Counter(map(str, values))
    shown = ", ".join(f"{word} {_percent(count / len(values))}" for word, count in counts.most_common(_MOST))
    more = len(counts) - _MOST
    return (shown + (f", and {more} more" if more > 0 else "")) or "nothing"


def _percent(share: float) -> str:
    """A share, > 0; one that would be rounded to nothing is still there."""
    return f"{share:.0%}" if share >= 0.005 else "under 1%"


def _share(count: int, total: int) -> str:
    return f"{count} ({count / total:.1%})" if count else ""
