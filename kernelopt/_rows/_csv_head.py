"""How a CSV file begins: what stands between its cells, and the names of its columns."""

from collections.abc import Sequence
from itertools import islice
from typing import BinaryIO

import attrs

from kernelopt._base._errors import InvalidData
from kernelopt._rows._csv_records import records
from kernelopt._rows._header import LINES, delimiter_of, named, refuse_comment, separator_of


@attrs.frozen
class Head:
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


def head_of(file: BinaryIO, source: str) -> Head:
    """How a file begins.

    Raises:
        InvalidData: it is empty or no text, or has no header.
    """
    for row, begin, _, _ in records(file, source, None, 0):
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


def _header(file: BinaryIO, source: str, delimiter: str, begin: int, lines: Sequence[str]) -> Head:
    """The header, which stands in the first of these lines that is not empty."""
    file.seek(0)
    first = file.read(begin).count(b"\n") + 1
    for row, _, end, line in records(file, source, delimiter, begin, first):
        if any(row):
            header = tuple(cell.strip() for cell in row)
            refuse_comment(source, line, header, lines, delimiter)
            return Head(delimiter, header, named(source, header), end)
    raise InvalidData(f"{source} is empty, wanted a header line and rows below it")
