"""Records of a CSV file: where each begins and ends, and the cells of some rows."""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import attrs

from kernelopt._base._errors import InvalidData
from kernelopt._base._plain_numbers import counted
from kernelopt._rows._cells import Kind


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


def empty(row: Sequence[str], width: int = 0) -> bool:
    """Whether nothing stands in a row but blanks: it is left out. In a file of one column an empty cell in quotation
    marks is a missing value.
    """
    return not any(map(str.strip, row)) and not len(row) == width == 1


class LeftOut:
    """Counts the rows that are left out and may have been meant: those of nothing but separators, and in a file of one
    column each blank line before a row that is not left out.

    Attributes:
        width: of the file.
        lines: of these rows.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[int] = []
        self._blank: list[int] = []

    def takes(self, line: int, row: Sequence[str]) -> bool:
        """Whether the next row, which ends in this line, is left out."""
        if not empty(row, self.width):
            self.lines += self._blank
            self._blank = []
            return False
        if len(row) > 1:
            self.lines.append(line)
        elif self.width == 1:
            self._blank.append(line)
        return True


def check_width(source: str, line: int, row: Sequence[str], width: int) -> None:
    """Refuse a row of more or fewer cells than the header has.

    Raises:
        InvalidData: it is one.
    """
    if len(row) == width:
        return
    further = sum(cell.count("\n") for cell in row)
    if further:
        raise InvalidData(
            f"{source}, lines {line - further} to {line}: got one row with {counted(len(row), 'value')}, the header "
            f"has {counted(width, 'column')}; close the quotation mark that is open in one of these lines"
        )
    title = "; or remove the first line, if it is a title and not the names of the columns" if width == 1 else ""
    raise InvalidData(
        f"{source}, line {line}: got {counted(len(row), 'value')}, the header has {counted(width, 'column')}; give "
        "each row a value, or an empty place, for each column, and put values that hold the separator into quotes, as "
        f'in "a, b"{title}'
    )


def no_text(source: str, error: Exception) -> InvalidData:
    """That a file is no CSV file, or in another encoding: UTF-16 where it begins as such text, else that of Windows.

    That of Windows has all letters of latin1, and the euro sign and quotation marks as well.
    """
    if isinstance(error, csv.Error):
        return InvalidData(
            f"{source} is no CSV file ({error}); close quotation marks that are open, and shorten cells of more than "
            f"{csv.field_size_limit()} characters"
        )
    data = error.object if isinstance(error, UnicodeDecodeError) else b""
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "cp1252"
    return InvalidData(
        f"{source} is no CSV file in UTF-8 ({error}); if it is one in another encoding, write it anew, for example "
        f"with iconv --from-code {encoding} --to-code utf-8"
    )


def parsed(lines: Iterable[str], source: str, delimiter: str, before: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV text, each with the number of its last line; `before` lines precede the text.

    Raises:
        InvalidData: the text ends within quotation marks, so that the last cell would hold all rows from there on.
    """
    ended = False

    def watched() -> Iterator[str]:
        nonlocal ended
        yield from lines
        ended = True  # the reader asks for a line beyond the last one within a cell, or else between two rows

    reader, last = csv.reader(watched(), delimiter=delimiter, skipinitialspace=True), 0
    for row in reader:
        if ended:
            raise InvalidData(
                f"{source}, lines {before + last + 1} to {before + reader.line_num}: a quotation mark opens a cell "
                "that goes on to the end of the file; close the mark where the cell ends, or take it away"
            )
        last = reader.line_num
        yield before + last, row


def rows_of(text: Text, span: Span) -> tuple[list[int], list[tuple[str, ...]]]:
    """The lines and the columns of some rows."""
    lines, rows = [], []
    try:
        with Path(text.path).open("rb") as file:
            file.seek(span.begin)
            read = file.read(span.end - span.begin).decode("utf-8")
        for line, row in parsed(io.StringIO(read, newline=""), text.source, text.delimiter, span.line - 1):
            if not empty(row, len(text.names)):
                check_width(text.source, line, row, len(text.names))
                lines.append(line)
                rows.append(row)
    except OSError as error:
        raise InvalidData(f"{text.source} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise no_text(text.source, error) from None
    return lines, list(zip(*rows, strict=True))


def records(
    file: BinaryIO, source: str, delimiter: str | None, begin: int, line: int = 1
) -> Iterator[tuple[list[str], int, int, int]]:
    """The records from a place in the file on: cells, the bytes where each begins and ends, and its last line."""
    file.seek(begin)
    read = [begin]

    def text() -> Iterator[str]:
        for raw in file:
            read[0] += len(raw)
            yield raw.decode("utf-8-sig" if read[0] == len(raw) else "utf-8")

    at = begin
    try:
        for last, row in parsed(text(), source, delimiter or ",", line - 1):
            yield row, at, read[0], last
            at = read[0]
    except (UnicodeDecodeError, csv.Error) as error:
        raise no_text(source, error) from None
