"""Rows of a CSV file, some megabytes at a time: found in one pass, and read again wherever they are needed."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._input import check_weights
from kernelopt._base._tables import of_columns
from kernelopt._rows._cells import NO_LABEL, Kind, is_number
from kernelopt._rows._columns import Columns
from kernelopt._rows._contract import Given, Piece, RowBlocks
from kernelopt._rows._files import Stamps

_BYTES = 1 << 24
"""Of a piece: 16 MiB of text, which become some ten times as much on the way to numbers."""


@attrs.frozen
class Span:
    """Some rows of a CSV file.

    Attributes:
        begin, end: the bytes that they take.
        line: the number of their first line in the file.
    """

    begin: int
    end: int
    line: int


@attrs.frozen(eq=False)
class CsvPiece(Piece):
    """Some rows of a CSV file.

    Attributes:
        path: of the file.
        span: where they are.
        delimiter: what stands between two cells.
        names: of all columns of the file.
        kinds: of all columns, as all rows have them.
        columns: those that are read.
    """

    path: str
    span: Span
    delimiter: str
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    columns: Columns

    def read(self) -> Given:
        lines, cells = _rows(self.path, self.span, self.delimiter, len(self.names))
        held = {name: (self.kinds[self.names.index(name)], cells[self.names.index(name)]) for name in self.columns.all}
        table = of_columns({name: self._numbers(name, *held[name], lines) for name in self.columns.features}, self.path)
        kind, labels = held[self.columns.target]
        refuse_missing(self.path, self.columns.target, labels, lines)
        weight = None
        if self.columns.weight is not None:
            weight = self._numbers(self.columns.weight, *held[self.columns.weight], lines)
        return Given(table, kind.labels(labels), check_weights(weight, len(table)))

    def _numbers(self, name: str, kind: Kind, cells: Sequence[str], lines: Sequence[int]) -> npt.NDArray[np.generic]:
        """The values of a column.

        Raises:
            InvalidData: one is infinite.
        """
        values = kind.values(cells)
        if values.dtype.kind == "f" and np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            raise InvalidData(f"{self.path}, line {lines[row]}: {name!r} is {cells[row]!r}, wanted a finite number")
        return values


def open_csv(path: Path, target: str | None, weight: str | None = None, ignore: Sequence[str] = ()) -> RowBlocks:
    """The rows of a CSV file, which is looked through once, for what its columns hold, and is never held.

    Raises:
        InvalidData, InvalidOption: it is missing, empty, ragged, without a header or no text, or lacks a column.
    """
    source, stamps = str(path), Stamps.of([path])
    try:
        with path.open("rb") as file:
            delimiter, names, begin = _header(file, source)
            columns = Columns.of(source, names, target, weight, ignore)
            spans, kinds = _looked_through(file, source, delimiter, names, begin)
    except OSError as error:
        raise InvalidData(f"{source} cannot be read: {error.strerror}") from None
    pieces = (CsvPiece(source, span, delimiter, names, kinds, columns) for span in spans)
    return RowBlocks(source, tuple(pieces), changed=stamps)


def delimiter_of(header: str) -> str:
    """What stands between the cells of a header line: comma, semicolon or tab."""
    return next((mark for mark in (",", ";", "\t") if mark in header), ",")


def check_names(source: str, names: Sequence[str]) -> None:
    """Refuse a header that names no columns.

    Raises:
        InvalidData: names are missing, numbers, or twice the same.
    """
    if all(is_number(name) for name in names):
        raise InvalidData(f"{source}: the first line holds numbers only, wanted a header with the names of the columns")
    if "" in names:
        raise InvalidData(f"{source}: column {list(names).index('') + 1} has no name in the header")
    twice = next((name for name in names if list(names).count(name) > 1), None)
    if twice is not None:
        raise InvalidData(f"{source}: two columns are called {twice!r}; rename one")


def check_width(source: str, line: int, row: Sequence[str], width: int) -> None:
    """Refuse a row of more or fewer cells than the header has.

    Raises:
        InvalidData: it is one.
    """
    if len(row) != width:
        raise InvalidData(f"{source}, line {line}: got {len(row)} values, the header has {width} columns")


def refuse_missing(source: str, name: str, cells: Sequence[str], lines: Sequence[int]) -> None:
    """Refuse targets of which one is missing.

    Raises:
        InvalidData: one is.
    """
    for cell, line in zip(cells, lines, strict=True):
        if cell.strip().lower() in NO_LABEL:
            raise InvalidData(f"{source}, line {line}: the target {name!r} is missing; drop the row")


def _header(file: BinaryIO, source: str) -> tuple[str, tuple[str, ...], int]:
    """The delimiter, the names, and where the rows begin."""
    for row, begin, end, _ in _records(file, source, None, 0):
        if any(row):
            file.seek(begin)
            delimiter = delimiter_of(file.readline().decode("utf-8-sig"))
            row, _, end, _ = next(_records(file, source, delimiter, begin))
            names = tuple(cell.strip() for cell in row)
            check_names(source, names)
            return delimiter, names, end
    raise InvalidData(f"{source} is empty, wanted a header line and rows below it")


def _looked_through(
    file: BinaryIO, source: str, delimiter: str, names: Sequence[str], begin: int
) -> tuple[list[Span], tuple[Kind, ...]]:
    """Where pieces begin and end, and what the columns hold."""
    file.seek(0)
    first = file.read(begin).count(b"\n") + 1
    spans, kinds = [], tuple(Kind() for _ in names)
    held: list[list[str]] = []
    started = (begin, first)
    for row, _, end, line in _records(file, source, delimiter, begin, first):
        if not any(row):
            continue
        check_width(source, line, row, len(names))
        held.append(row)
        if end - started[0] >= _BYTES:
            spans.append(Span(started[0], end, started[1]))
            kinds, held, started = _widened(kinds, held), [], (end, line + 1)
        last = end
    if held:
        spans.append(Span(started[0], last, started[1]))
        kinds = _widened(kinds, held)
    if not spans:
        raise InvalidData(f"{source} has a header and no rows")
    return spans, kinds


def _widened(kinds: tuple[Kind, ...], rows: list[list[str]]) -> tuple[Kind, ...]:
    """The kinds of columns that have these rows too."""
    return tuple(kind.plus(Kind.of(cells)) for kind, cells in zip(kinds, zip(*rows, strict=True), strict=True))


def _rows(path: str, span: Span, delimiter: str, width: int) -> tuple[list[int], list[tuple[str, ...]]]:
    """The lines and the columns of some rows."""
    lines, rows = [], []
    try:
        with Path(path).open("rb") as file:
            file.seek(span.begin)
            text = file.read(span.end - span.begin).decode("utf-8")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        for row in reader:
            if any(row):
                check_width(path, line := span.line + reader.line_num - 1, row, width)
                lines.append(line)
                rows.append(row)
    except OSError as error:
        raise InvalidData(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidData(f"{path} is no CSV file in UTF-8: {error}") from None
    return lines, list(zip(*rows, strict=True))


def _records(
    file: BinaryIO, source: str, delimiter: str | None, begin: int, line: int = 1
) -> Iterator[tuple[list[str], int, int, int]]:
    """The records from a place in the file on: cells, the bytes where each begins and ends, and its last line."""
    file.seek(begin)
    read = [begin]

    def text() -> Iterator[str]:
        for raw in file:
            read[0] += len(raw)
            yield raw.decode("utf-8-sig" if read[0] == len(raw) else "utf-8")

    reader = csv.reader(text(), delimiter=delimiter or ",")
    at = begin
    try:
        for row in reader:
            yield row, at, read[0], line + reader.line_num - 1
            at = read[0]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidData(f"{source} is no CSV file in UTF-8: {error}") from None
