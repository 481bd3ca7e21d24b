"""A CSV file with a header becomes arrays; whatever is wrong with it is said with its line and column."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._rows._cells import WORDS, Kind
from kernelopt._rows._csv import check_names, check_width, delimiter_of, refuse_missing
from kernelopt.cli._tables import Table


@attrs.frozen(eq=False)
class TextTable(Table):
    """The cells of a CSV file, still text.

    Attributes:
        cells: one tuple of cells for each row.
        lines: the line number of each row in the file.
    """

    cells: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]

    def column(self, name: str, text: bool = False) -> npt.NDArray[Any]:
        cells = self._cells(name)
        values = (WORDS if text else Kind.of(cells)).values(cells)
        if values.dtype.kind == "f" and np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            raise InvalidData(
                f"{self.source}, line {self.lines[row]}: {name!r} is {cells[row]!r}, wanted a finite number"
            )
        return values

    def target(self, name: str) -> npt.NDArray[Any]:
        cells = self._cells(name)
        refuse_missing(self.source, name, cells, self.lines)
        return Kind.of(cells).labels(cells)

    def _cells(self, name: str) -> list[str]:
        column = self.index(name)
        return [row[column] for row in self.cells]


def read(path: Path) -> TextTable:
    """The table in a CSV file: comma, semicolon or tab, whichever the header holds; UTF-8.

    Raises:
        InvalidData: the file is missing, empty, ragged, without a header or no text.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header = file.readline()
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter_of(header))
            cells = [(reader.line_num, tuple(cell.strip() for cell in row)) for row in reader]
    except FileNotFoundError:
        raise InvalidData(f"{path}: there is no such file") from None
    except OSError as error:
        raise InvalidData(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidData(f"{path} is no CSV file in UTF-8: {error}") from None
    cells = [(line, row) for line, row in cells if any(row)]
    if not cells:
        raise InvalidData(f"{path} is empty, wanted a header line and rows below it")
    (_, names), *body = cells
    _check(path, names, body)
    return TextTable(str(path), names, tuple(row for _, row in body), tuple(line for line, _ in body))


def _check(path: Path, names: tuple[str, ...], body: list[tuple[int, tuple[str, ...]]]) -> None:
    check_names(str(path), names)
    if not body:
        raise InvalidData(f"{path} has a header and no rows")
    for line, row in body:
        check_width(str(path), line, row, len(names))


def write(file: TextIO, columns: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write columns of one length under their names."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
