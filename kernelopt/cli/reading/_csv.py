"""A CSV file with a header becomes arrays; whatever is wrong with it is said with its line and column."""

import csv
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TextIO

import attrs
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base.tables._faults import Fault, refusal
from kernelopt._base.tables._tables import Table as Rows
from kernelopt._rows._cells import WORDS, Kind
from kernelopt._rows._csv import refuse_missing
from kernelopt._rows._csv_records import LeftOut, check_width, empty, no_text, parsed
from kernelopt._rows._decimals import Decided, decided
from kernelopt._rows._header import (
    LINES,
    Counting,
    delimiter_of,
    empty_note,
    index_note,
    index_of,
    named,
    refuse_comment,
    separator_of,
    trailing_note,
    trailing_of,
    unnamed,
)
from kernelopt._rows._stored import Stored
from kernelopt.cli.reading._tables import Table


@attrs.frozen(eq=False)
class TextTable(Table):
    """The cells of a CSV file, still text.

    Attributes:
        cells: one tuple of cells for each column.
        lines: the line number of each row in the file.
        read: what the columns hold.
        trailing: the columns at the end that have no name and no value.
        lost: the lines of rows in which nothing stands between the separators.
    """

    cells: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    read: Decided
    trailing: tuple[str, ...] = ()
    lost: tuple[int, ...] = ()

    def column(self, name: str, text: bool = False) -> npt.NDArray[Any]:
        column = self.index(name)
        kind = WORDS if text else self.read.kinds[column]
        return kind.values(self.cells[column])

    def rows(self, names: Sequence[str], texts: Container[str] = ()) -> Rows:
        self.require(names)
        self._refuse(name for name in names if name not in texts)
        kinds = {j: self.read.kinds[self.index(name)] for j, name in enumerate(names) if name not in texts}
        return super().rows(names, texts).marked({j: kind.marks for j, kind in kinds.items()})

    def written_as(self, marks: Mapping[str, str]) -> "TextTable":
        return attrs.evolve(self, read=self.read.as_trained(self.names, self.cells, marks))

    def marks_of(self, name: str) -> str:
        return self.read.kinds[self.index(name)].marks

    def target(self, name: str) -> npt.NDArray[Any]:
        column = self.index(name)
        refuse_missing(self.source, name, self.cells[column], self.lines)
        self._refuse([name])
        return self.read.kinds[column].labels(self.cells[column])

    def place(self, row: int) -> str:
        return f"line {self.lines[row]}"

    def notes(self, names: Sequence[str]) -> tuple[str, ...]:
        index = [name for name in self.indices if name not in self.trailing]
        return (
            *index_note(self.source, index),
            *trailing_note(self.source, self.trailing),
            *empty_note(self.source, self.lost),
            *self.read.noted(names).notes(self.source),
        )

    def _refuse(self, names: Iterable[str]) -> None:
        """Refuse columns that look like numbers and cannot be read.

        Raises:
            InvalidData: there are some; all of them are named.
        """
        wanted = set(names)
        faults = [self._placed(fault) for fault in self.read.faults if fault.column in wanted]
        if faults:
            raise refusal(self.source, faults)

    def _placed(self, fault: Fault) -> Fault:
        """The fault with the line of the cell that shows it."""
        cells = [cell.strip() for cell in self.cells[self.names.index(fault.column)]]
        return fault.at(self.lines[cells.index(fault.shown)])


def read(file: Stored) -> TextTable:
    """The table in a CSV file: comma, semicolon or tab, whichever the first lines hold; UTF-8.

    Raises:
        InvalidData: the file is missing, empty, ragged, without a header or no text.
    """
    source = file.source
    try:
        with file.path.open(newline="", encoding="utf-8-sig") as text:
            lines = list(islice((line for line in text if line.strip()), LINES + 1))
            told = separator_of(lines[0]) if lines else None
            lines = lines[1:] if told else lines[:LINES]
            delimiter = told or delimiter_of(lines)
            text.seek(0)
            rows = [(line, tuple(cell.strip() for cell in row)) for line, row in parsed(text, source, delimiter)]
    except OSError as error:
        raise InvalidData(f"{source} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise no_text(source, error) from None
    filled = [(line, row) for line, row in rows if not empty(row)][1 if told else 0 :]
    if not filled:
        raise InvalidData(f"{source} is empty, wanted a header line and rows below it")
    first, header = filled[0]
    left_out = LeftOut(len(header))
    body = [(line, row) for line, row in rows if line > first and not left_out.takes(line, row)]
    refuse_comment(source, first, header, lines, delimiter)
    names = named(source, header)
    if not body:
        raise InvalidData(f"{source} has a header and no rows")
    for line, row in body:
        check_width(source, line, row, len(names))
    cells = tuple(zip(*(row for _, row in body), strict=True))
    index = index_of(source, header, names, [Counting.of(column) for column in cells[: unnamed(names)]])
    kinds = decided(names, [Kind.of(column) for column in cells], delimiter)
    trailing = trailing_of(source, header, names, kinds.kinds)
    lines_of = tuple(line for line, _ in body)
    lost = tuple(left_out.lines)
    return TextTable(source, names, cells, lines_of, kinds, trailing, lost, indices=(*index, *trailing))


def write(file: TextIO, columns: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write columns of one length under their names."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
