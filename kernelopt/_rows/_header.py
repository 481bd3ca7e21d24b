"""The header of a CSV file: what stands between cells, what the columns are called, and which one is an index."""

import csv
import re
from collections.abc import Sequence

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._plain_numbers import counted
from kernelopt._base._typing import IntArray
from kernelopt._base.tables._number_words import reads_as_number
from kernelopt._rows._cells import Kind
from kernelopt._rows._columns import refuse_twins, shortened

LINES = 20
"""So many lines say what stands between cells."""
_MARKS = (",", ";", "\t")
_UNNAMED = re.compile(r"Unnamed: \d+(\.\d+)*")
"""What pandas calls a column without a name."""
_SEPARATOR = re.compile(r""""?sep=([^\w"'\s]|\t)"?[,;\t]*[\r\n]*""")
"""The line above the header in which Excel says what stands between cells."""


def delimiter_of(lines: Sequence[str]) -> str:
    """What stands between the cells of a file that begins with these lines: comma, semicolon or tab.

    It is that by which all rows have as many cells as the header; where there are several, that by which more of the
    cells are numbers, and then that which gives more cells. A header of one name is as wide as rows of one number, such
    as 1,5, and not as rows of one word, for it may be a title.
    """
    return max(_MARKS, key=lambda mark: _fitness(lines, mark))


def separator_of(line: str) -> str | None:
    """What stands between cells, as the first line of a file such as `sep=;` says; None if it says nothing."""
    found = _SEPARATOR.fullmatch(line)
    return None if found is None else found[1]


def refuse_comment(source: str, line: int, header: Sequence[str], lines: Sequence[str], delimiter: str) -> None:
    """Refuse a comment in place of the header.

    Args:
        source: for messages.
        line: the number of the line of the header.
        header: its cells.
        lines: those from the header on, for a while.
        delimiter: what stands between cells.

    Raises:
        InvalidData: it begins as a comment, and is not as wide as the rows below it.
    """
    if header[0].startswith("#") and not _fitness(lines, delimiter)[0]:
        raise InvalidData(
            f"{source}, line {line}: the first line begins with '#' and has no name for each column, wanted a header; "
            "remove lines of comments, so that the names of the columns stand in the first line"
        )


def _fitness(lines: Sequence[str], mark: str) -> tuple[bool, float, int]:
    """Whether rows have the width of the header, the share of numbers in them, and this width."""
    try:
        header, *rows = [row for row in csv.reader(lines, delimiter=mark, skipinitialspace=True) if any(row)]
        rows = rows[:-1] if len(lines) == LINES else rows  # a row may go on below
    except (csv.Error, ValueError):
        return False, 0.0, 0
    cells = [cell for row in rows for cell in row]
    numbers = sum(map(reads_as_number, cells)) / max(len(cells), 1)
    alone = len(header) == 1 and numbers == 1.0 and not any(mark in header[0] for mark in _MARKS)
    even = (len(header) > 1 or alone) and all(len(row) == len(header) for row in rows)
    return even, numbers if even else 0.0, len(header)


def named(source: str, header: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns; those without one at the beginning, as of an index, and at the end, as behind a comma
    that ends each line, are called as pandas calls them.

    Raises:
        InvalidData: names are missing elsewhere, are numbers, or twice the same.
    """
    leading = next((j for j, name in enumerate(header) if name), len(header))
    end = _end(header) if all(header[leading : _end(header)]) else len(header)
    unnamed_ = {j: f"Unnamed: {j}" for j in (*range(leading), *range(end, len(header)))}
    names = tuple(
        name if j not in unnamed_ else f"{unnamed_[j]}.1" if unnamed_[j] in header else unnamed_[j]
        for j, name in enumerate(header)
    )
    if all(reads_as_number(name) for name in header[: max(end, 1)]):
        raise InvalidData(f"{source}: the first line holds numbers only, wanted a header with the names of the columns")
    nameless = [str(j + 1) for j, name in enumerate(names) if not name]
    if nameless:
        which = f"column {nameless[0]} has" if len(nameless) == 1 else f"columns {shortened(nameless)} have"
        raise InvalidData(f"{source}: {which} no name in the header; give each column a name there")
    refuse_twins(source, names)
    return names


def _end(header: Sequence[str]) -> int:
    """How many columns there are up to the last one that has a name; all of them if none has."""
    return next((j + 1 for j in reversed(range(len(header))) if header[j]), len(header))


def trailing_of(source: str, header: Sequence[str], names: Sequence[str], kinds: Sequence[Kind]) -> tuple[str, ...]:
    """The columns without a name at the end, which are left out: nothing is in them.

    Args:
        source: for messages.
        header: as it is in the file.
        names: of the columns.
        kinds: of their cells.

    Raises:
        InvalidData: one of them holds something.
    """
    for j in range(_end(header), len(header)):
        if not kinds[j].unknown:
            raise InvalidData(f"{source}: column {j + 1} has no name in the header; give each column a name there")
    return tuple(names[_end(header) :])


def trailing_note(source: str, trailing: Sequence[str]) -> tuple[str, ...]:
    """That empty columns at the end are left out, where there are some."""
    if not trailing:
        return ()
    which, have, it = ("column", "has", "was") if len(trailing) == 1 else ("columns", "have", "were")
    note = f"data: the last {which} of {source} {have} no name and no value, as if a comma ended each line, and {it}"
    return (f"{note} left out",)


def empty_note(source: str, lines: Sequence[int]) -> tuple[str, ...]:
    """That rows are left out in which nothing stands between the separators, where there are some, in these lines."""
    if not lines:
        return ()
    hold, were = ("holds", "was") if len(lines) == 1 else ("hold", "were")
    first = f"in line {lines[0]}" if len(lines) == 1 else f"the first in line {lines[0]}"
    return (f"data: {counted(len(lines), 'row')} of {source} {hold} no value and {were} left out, {first}",)


def unnamed(names: Sequence[str]) -> int:
    """How many columns at the beginning may be an index: those that pandas calls unnamed."""
    return next((j for j, name in enumerate(names) if not _UNNAMED.fullmatch(name)), len(names))


@attrs.frozen(eq=False)
class Counting:
    """Whether the cells of a column count rows: whole numbers, none of them twice. Parts of a column add.

    Attributes:
        first, last: of each run of consecutive numbers; None where a cell is none.
    """

    first: IntArray | None
    last: IntArray | None

    @classmethod
    def of(cls, cells: Sequence[str]) -> "Counting":
        """That of these cells, at least one."""
        if not all(cell.strip().isdecimal() for cell in cells):
            return cls(None, None)
        try:
            values = np.array([int(cell) for cell in cells], dtype=np.int64)
        except OverflowError:
            return cls(None, None)
        ends = np.flatnonzero(np.diff(values) != 1)
        return cls(values[np.append(0, ends + 1)], values[np.append(ends, len(values) - 1)])

    def plus(self, other: "Counting") -> "Counting":
        """That of a column of both."""
        if self.first is None or self.last is None or other.first is None or other.last is None:
            return Counting(None, None)
        return Counting(np.append(self.first, other.first), np.append(self.last, other.last))

    @property
    def counts(self) -> bool:
        """Whether no number comes twice."""
        if self.first is None or self.last is None:
            return False
        order = np.argsort(self.first, kind="stable")
        return bool(np.all(self.first[order][1:] > self.last[order][:-1]))


def index_of(source: str, header: Sequence[str], names: Sequence[str], leading: Sequence[Counting]) -> tuple[str, ...]:
    """The columns at the beginning that are an index, as tables are written with one: unnamed, and they count rows.

    Args:
        source: for messages.
        header: as it is in the file.
        names: of the columns.
        leading: the cells of the columns that `unnamed` counts.

    Raises:
        InvalidData: a column has no name and does not count rows.
    """
    index: list[str] = []
    for j, cells in enumerate(leading):
        if not cells.counts and not header[j]:
            raise InvalidData(
                f"{source}: column {j + 1} has no name in the header, and does not count the rows as an index would; "
                "give it a name there"
            )
        if not cells.counts:
            break
        index.append(names[j])
    return tuple(index)


def index_note(source: str, index: Sequence[str]) -> tuple[str, ...]:
    """That an index is left out, where there is one."""
    if not index:
        return ()
    which, have, count = ("column", "has", "counts") if len(index) == 1 else ("columns", "have", "count")
    return (f"data: the first {which} of {source} {have} no name and {count} the rows: an index, which was left out",)
