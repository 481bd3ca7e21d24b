"""A CSV file with a header becomes arrays; whatever is wrong with it is said with its line and column."""

import csv
import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt.cli._tables import Table

_MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none"})
_TRUTHS = MappingProxyType({"true": True, "false": False})
_NO_LABEL = _MISSING - {"none"}
"""What is no label; none may be one."""


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
        column = self.index(name)
        cells = [None if row[column].lower() in _MISSING else row[column] for row in self.cells]
        present = [cell for cell in cells if cell is not None]
        if text or not all(map(_is_number, present)):
            truths = not text and all(cell.lower() in _TRUTHS for cell in present)
            kept = [cell if cell is None or not truths else _TRUTHS[cell.lower()] for cell in cells]
            return np.array(kept, dtype=object)
        values = np.array([math.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)
        for line, cell, value in zip(self.lines, cells, values, strict=True):
            if np.isinf(value):
                raise InvalidData(f"{self.source}, line {line}: {name!r} is {cell!r}, wanted a finite number")
        return values

    def target(self, name: str) -> npt.NDArray[Any]:
        column = self.index(name)
        cells = [row[column] for row in self.cells]
        for cell, line in zip(cells, self.lines, strict=True):
            if cell.lower() in _NO_LABEL:
                raise InvalidData(f"{self.source}, line {line}: the target {name!r} is missing; drop the row")
        if any(cell.isdigit() and cell != str(int(cell)) for cell in cells) and all(cell.isdigit() for cell in cells):
            return np.array(cells)  # codes such as 007, which is not 7
        for kind in (int, float):
            try:
                return np.array([kind(cell) for cell in cells])
            except (ValueError, OverflowError):
                continue
        return np.array(cells)


def read(path: Path) -> TextTable:
    """The table in a CSV file: comma, semicolon or tab, whichever the header holds; UTF-8.

    Raises:
        InvalidData: the file is missing, empty, ragged, without a header or no text.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header = file.readline()
            file.seek(0)
            reader = csv.reader(file, delimiter=_delimiter(header))
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


def _delimiter(header: str) -> str:
    return next((mark for mark in (",", ";", "\t") if mark in header), ",")


def _check(path: Path, names: tuple[str, ...], body: list[tuple[int, tuple[str, ...]]]) -> None:
    if all(_is_number(name) for name in names):
        raise InvalidData(f"{path}: the first line holds numbers only, wanted a header with the names of the columns")
    if "" in names:
        raise InvalidData(f"{path}: column {names.index('') + 1} has no name in the header")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidData(f"{path}: two columns are called {twice!r}; rename one")
    if not body:
        raise InvalidData(f"{path} has a header and no rows")
    for line, row in body:
        if len(row) != len(names):
            raise InvalidData(f"{path}, line {line}: got {len(row)} values, the header has {len(names)} columns")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def write(file: TextIO, columns: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write columns of one length under their names."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
