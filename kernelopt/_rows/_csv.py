"""Rows of a CSV file, some megabytes at a time: found in one pass, and read again wherever they are needed."""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import attrs

from kernelopt._base._errors import InvalidData
from kernelopt._base._faults import Fault, missing_target, refusal
from kernelopt._base._input import check_weights
from kernelopt._base._tables import of_columns
from kernelopt._rows._cells import NO_LABEL, Kind
from kernelopt._rows._columns import Columns
from kernelopt._rows._contract import Given, Piece, RowBlocks
from kernelopt._rows._decimals import decided
from kernelopt._rows._files import Stamps
from kernelopt._rows._header import (
    LINES,
    Counting,
    delimiter_of,
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

_BYTES = 1 << 24
"""Of a piece: 16 MiB of text, which become some ten times as much on the way to numbers."""


@attrs.frozen
class Span:
    """Some rows of a CSV file.

    Attributes:
        begin, end: the bytes that they take.
        line: the number of their first line in the file.
        rows: how many they are.
    """

    begin: int
    end: int
    line: int
    rows: int


@attrs.frozen(eq=False)
class Text:
    """A CSV file, and how it is read.

    Attributes:
        path: of the file.
        source: what the user calls it, for messages.
        delimiter: what stands between two cells.
        names: of all columns.
        kinds: of all columns, as all rows have them.
    """

    path: str
    source: str
    delimiter: str
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]


@attrs.frozen(eq=False)
class CsvPiece(Piece):
    """Some rows of a CSV file.

    Attributes:
        text: the file.
        span: where they are.
        columns: those that are read.
    """

    text: Text
    span: Span
    columns: Columns

    def read(self) -> Given:
        text = self.text
        lines, cells = _rows(text, self.span)
        held = {name: (text.kinds[j], cells[j]) for j, name in enumerate(text.names) if name in self.columns.all}
        table = of_columns({name: held[name][0].values(held[name][1]) for name in self.columns.features}, text.source)
        kind, labels = held[self.columns.target]
        refuse_missing(text.source, self.columns.target, labels, lines, part=True)
        weight = None
        if self.columns.weight is not None:
            kind_of_weight, weights = held[self.columns.weight]
            weight = kind_of_weight.values(weights)
        return Given(table, kind.labels(labels), check_weights(weight, len(table)))

    def place(self, row: int) -> str:
        return f"line {_rows(self.text, self.span)[0][row]}"


def open_csv(stored: Stored, target: str | None, weight: str | None = None, ignore: Sequence[str] = ()) -> RowBlocks:
    """The rows of a CSV file, which is looked through once, for what its columns hold, and is never held.

    Raises:
        InvalidData, InvalidOption: it is missing, empty, ragged, without a header or no text, or lacks a column.
    """
    source, stamps = stored.source, Stamps.of([stored.path])
    try:
        with stored.path.open("rb") as file:
            head = _head(file, source)
            Columns.of(source, head.names, target, weight, ignore)
            spans, kinds, leading = _looked_through(file, source, head)
    except OSError as error:
        raise InvalidData(f"{source} cannot be read: {error.strerror}") from None
    index = index_of(source, head.header, head.names, leading)
    trailing = trailing_of(source, head.header, head.names, kinds)
    left_out = (name for name in (*index, *trailing) if name != target)
    used = Columns.of(source, head.names, target, weight, [*ignore, *left_out])
    read = decided(head.names, kinds, head.delimiter)
    faults = [fault for fault in read.faults if fault.column in used.all]
    text = Text(str(stored.path), source, head.delimiter, head.names, read.kinds)
    if faults:
        raise refusal(source, _placed(faults, text, spans))
    notes = (
        *index_note(source, index),
        *trailing_note(source, trailing),
        *read.noted(used.all).notes(source),
        *stored.notes,
    )
    return RowBlocks(
        source,
        tuple(CsvPiece(text, span, used) for span in spans),
        changed=stamps,
        rows=sum(span.rows for span in spans),
        notes=notes,
        kept=stored,
    )


def check_width(source: str, line: int, row: Sequence[str], width: int) -> None:
    """Refuse a row of more or fewer cells than the header has.

    Raises:
        InvalidData: it is one.
    """
    if len(row) != width:
        raise InvalidData(
            f"{source}, line {line}: got {len(row)} values, the header has {width} columns; give each row a value, or "
            'an empty place, for each column, and put values that hold the separator into quotes, as in "a, b"'
        )


def no_text(source: str, error: Exception) -> InvalidData:
    """That a file is no CSV file, or in another encoding: UTF-16 where it begins as such text, else that of Windows.

    That of Windows has all letters of latin1, and the euro sign and quotation marks as well.
    """
    data = error.object if isinstance(error, UnicodeDecodeError) else b""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "cp1252"
    return InvalidData(
        f"{source} is no CSV file in UTF-8 ({error}); if it is one in another encoding, write it anew, for example "
        f"with iconv --from-code {encoding} --to-code utf-8"
    )


def refuse_missing(source: str, name: str, cells: Sequence[str], lines: Sequence[int], *, part: bool = False) -> None:
    """Refuse targets of which one is missing, or is no text: arrays of words hold no NUL bytes.

    Args:
        source: the file.
        name: of the target.
        cells: of the rows.
        lines: of the rows in the file.
        part: whether these are the rows of a part of the file.

    Raises:
        InvalidData: one is.
    """
    for cell, line in zip(cells, lines, strict=True):
        if "\0" in cell:
            raise InvalidData(
                f"{source}, line {line}: the target {name!r} is {cell!r}, with a NUL byte, which no text has; write "
                "the cell anew, or drop the row"
            )
        if _lacking(cell):
            raise missing_target(source, f"line {line}", name, sum(map(_lacking, cells)) - 1, part=part)


def _lacking(cell: str) -> bool:
    """Whether a cell holds no target."""
    return cell.strip().lower() in NO_LABEL


@attrs.frozen
class _Head:
    """How a CSV file begins.

    Attributes:
        delimiter: what stands between two cells.
        header: the names as they stand in the file.
        names: of the columns.
        end: where the rows begin.
    """

    delimiter: str
    header: tuple[str, ...]
    names: tuple[str, ...]
    end: int


def _head(file: BinaryIO, source: str) -> _Head:
    for row, begin, _, _ in _records(file, source, None, 0):
        if any(row):
            told, begin = _separator(file, begin)
            lines = [line.decode("utf-8-sig", errors="replace") for line in islice(file, LINES)]
            delimiter = told or delimiter_of(lines)
            return _header(file, source, delimiter, begin, lines)
    raise InvalidData(f"{source} is empty, wanted a header line and rows below it")


def _separator(file: BinaryIO, begin: int) -> tuple[str | None, int]:
    """What the line that begins there says of what stands between cells, and where the header begins.

    The file is read from there on.
    """
    file.seek(begin)
    line = file.readline()
    told = separator_of(line.decode("utf-8-sig", errors="replace"))
    begin += len(line) if told else 0
    file.seek(begin)
    return told, begin


def _header(file: BinaryIO, source: str, delimiter: str, begin: int, lines: Sequence[str]) -> _Head:
    """The header, which stands in the first of these lines that is not empty."""
    file.seek(0)
    first = file.read(begin).count(b"\n") + 1
    for row, _, end, line in _records(file, source, delimiter, begin, first):
        if any(row):
            header = tuple(cell.strip() for cell in row)
            refuse_comment(source, line, header, lines, delimiter)
            return _Head(delimiter, header, named(source, header), end)
    raise InvalidData(f"{source} is empty, wanted a header line and rows below it")


@attrs.frozen(eq=False)
class _Seen:
    """What columns hold, so far.

    Attributes:
        kinds: of all columns.
        leading: whether those at the beginning that may be an index count the rows; None before the first row.
    """

    kinds: tuple[Kind, ...]
    leading: tuple[Counting, ...] | None = None

    def plus(self, rows: list[list[str]], unnamed: int) -> "_Seen":
        """With further rows, of which so many columns may be an index."""
        columns = list(zip(*rows, strict=True))
        kinds = tuple(kind.plus(Kind.of(cells)) for kind, cells in zip(self.kinds, columns, strict=True))
        counting = tuple(Counting.of(cells) for cells in columns[:unnamed])
        if self.leading is not None:
            counting = tuple(one.plus(more) for one, more in zip(self.leading, counting, strict=True))
        return _Seen(kinds, counting)


def _looked_through(
    file: BinaryIO, source: str, head: _Head
) -> tuple[list[Span], tuple[Kind, ...], tuple[Counting, ...]]:
    """Where pieces begin and end, what the columns hold, and how those count that may be an index."""
    file.seek(0)
    first = file.read(head.end).count(b"\n") + 1
    spans, seen = [], _Seen(tuple(Kind() for _ in head.names))
    held: list[list[str]] = []
    started, leading = (head.end, first), unnamed(head.names)
    for row, _, end, line in _records(file, source, head.delimiter, head.end, first):
        if not any(row):
            continue
        check_width(source, line, row, len(head.names))
        held.append(row)
        if end - started[0] >= _BYTES:
            spans.append(Span(started[0], end, started[1], len(held)))
            seen, held, started = seen.plus(held, leading), [], (end, line + 1)
        last = end
    if held:
        spans.append(Span(started[0], last, started[1], len(held)))
        seen = seen.plus(held, leading)
    if not spans:
        raise InvalidData(f"{source} has a header and no rows")
    return spans, seen.kinds, seen.leading or ()


def _rows(text: Text, span: Span) -> tuple[list[int], list[tuple[str, ...]]]:
    """The lines and the columns of some rows."""
    lines, rows = [], []
    try:
        with Path(text.path).open("rb") as file:
            file.seek(span.begin)
            read = file.read(span.end - span.begin).decode("utf-8")
        reader = csv.reader(io.StringIO(read, newline=""), delimiter=text.delimiter)
        for row in reader:
            if any(row):
                check_width(text.source, line := span.line + reader.line_num - 1, row, len(text.names))
                lines.append(line)
                rows.append(row)
    except OSError as error:
        raise InvalidData(f"{text.source} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise no_text(text.source, error) from None
    return lines, list(zip(*rows, strict=True))


def _placed(faults: Sequence[Fault], text: Text, spans: Sequence[Span]) -> list[Fault]:
    """The faults, each with the line of the first cell that shows it; the file is read again as far as needed."""
    found: dict[str, Fault] = {}
    for span in spans:
        lines, cells = _rows(text, span)
        for fault in faults:
            column = [cell.strip() for cell in cells[text.names.index(fault.column)]]
            if fault.column not in found and fault.shown in column:
                found[fault.column] = fault.at(lines[column.index(fault.shown)])
        if len(found) == len(faults):
            break
    return [found.get(fault.column, fault) for fault in faults]


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
        raise no_text(source, error) from None
