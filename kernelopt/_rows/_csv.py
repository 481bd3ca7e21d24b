"""Rows of a CSV file, some megabytes at a time: found in one pass, and read again wherever they are needed."""

from collections.abc import Sequence
from typing import BinaryIO

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._shown import shown
from kernelopt._base.tables._faults import Fault, missing_target, refusal
from kernelopt._base.tables._tables import of_columns
from kernelopt._rows._cells import NO_LABEL, Kind
from kernelopt._rows._columns import Columns
from kernelopt._rows._contract import Given, Piece, RowBlocks
from kernelopt._rows._csv_head import Head, head_of
from kernelopt._rows._csv_records import LeftOut, Span, Text, check_width, records, rows_of
from kernelopt._rows._decimals import decided
from kernelopt._rows._files import Stamps
from kernelopt._rows._header import (
    Counting,
    empty_note,
    index_note,
    index_of,
    trailing_note,
    trailing_of,
    unnamed,
)
from kernelopt._rows._stored import Stored
from kernelopt._rows._weight_cells import weights_of

_BYTES = 1 << 24
"""Of a piece: 16 MiB of text, which become some ten times as much on the way to numbers."""


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
        lines, read = rows_of(text, self.span)
        held = {name: (text.kinds[j], read[j]) for j, name in enumerate(text.names) if name in self.columns.all}
        features = [held[name] for name in self.columns.features]
        columns = [kind.values(cells) for kind, cells in features]
        table = of_columns(dict(zip(self.columns.features, columns, strict=True)), text.source)
        kind, labels = held[self.columns.target]
        table = table.marked({j: kind.marks for j, (kind, _) in enumerate(features)}, kind.marks)
        refuse_missing(text.source, self.columns.target, labels, lines, part=True)
        weight = np.ones(len(table))
        if self.columns.weight is not None:
            kind_of_weight, cells = held[self.columns.weight]
            values = kind_of_weight.values(cells)
            weight = weights_of(values, self.columns.weight, text.source, lambda row: f"line {lines[row]}")
        return Given(table, kind.labels(labels), weight)

    def place(self, row: int) -> str:
        return f"line {rows_of(self.text, self.span)[0][row]}"


def open_csv(stored: Stored, target: str | None, weight: str | None = None, ignore: Sequence[str] = ()) -> RowBlocks:
    """The rows of a CSV file, which is looked through once, for what its columns hold, and is never held.

    Raises:
        InvalidData, InvalidOption: it is missing, empty, ragged, without a header or no text, or lacks a column.
    """
    source, stamps = stored.source, Stamps.of([stored.path])
    try:
        with stored.path.open("rb") as file:
            head = head_of(file, source)
            Columns.of(source, head.names, target, weight, ignore)
            spans, kinds, leading, lost = _looked_through(file, source, head)
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
        *empty_note(source, lost),
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
                f"{source}, line {line}: the target {name!r} is {shown(cell)}, with a NUL byte, which no text has; "
                "write the cell anew, or drop the row"
            )
        if _lacking(cell):
            raise missing_target(source, f"line {line}", name, sum(map(_lacking, cells)) - 1, part=part)


def _lacking(cell: str) -> bool:
    """Whether a cell holds no target."""
    return cell.strip().lower() in NO_LABEL


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
    file: BinaryIO, source: str, head: Head
) -> tuple[list[Span], tuple[Kind, ...], tuple[Counting, ...], list[int]]:
    """Where pieces begin and end, what the columns hold, how those count that may be an index, and the lines of rows in
    which nothing stands between the separators.
    """
    file.seek(0)
    first = file.read(head.end).count(b"\n") + 1
    spans, seen = [], _Seen(tuple(Kind() for _ in head.names))
    held: list[list[str]] = []
    left_out = LeftOut(len(head.names))
    started, leading = (head.end, first), unnamed(head.names)
    for row, _, end, line in records(file, source, head.delimiter, head.end, first):
        if left_out.takes(line, row):
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
    return spans, seen.kinds, seen.leading or (), left_out.lines


def _placed(faults: Sequence[Fault], text: Text, spans: Sequence[Span]) -> list[Fault]:
    """The faults, each with the line of the first cell that shows it; the file is read again as far as needed."""
    found: dict[str, Fault] = {}
    for span in spans:
        lines, cells = rows_of(text, span)
        for fault in faults:
            column = [cell.strip() for cell in cells[text.names.index(fault.column)]]
            if fault.column not in found and fault.shown in column:
                found[fault.column] = fault.at(lines[column.index(fault.shown)])
        if len(found) == len(faults):
            break
    return [found.get(fault.column, fault) for fault in faults]
