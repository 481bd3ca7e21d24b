"""Rows of Parquet files, one row group at a time."""

import re
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData, MissingLibrary
from kernelopt._base.tables._arrow import plain
from kernelopt._base.tables._faults import missing_target
from kernelopt._base.tables._tables import of_columns
from kernelopt._rows._columns import Columns, refuse_twins
from kernelopt._rows._contract import Given, Piece, RowBlocks
from kernelopt._rows._files import Stamps
from kernelopt._rows._stored import Stored
from kernelopt._rows._weight_cells import weights_of

_INDEX = re.compile(r"__index_level_\d+__")
"""What pandas calls an index without a name in a Parquet file."""


@attrs.frozen(eq=False)
class ParquetPiece(Piece):
    """A row group of a Parquet file.

    Attributes:
        path: of the file.
        source: what the user calls it, for messages.
        group: the number of the row group.
        columns: that are read.
    """

    path: str
    source: str
    group: int
    columns: Columns

    def read(self) -> Given:
        parquet, broken = library(self.source)
        try:
            with parquet.ParquetFile(self.path) as file:
                held = file.read_row_group(self.group, columns=list(self.columns.all))
        except (OSError, broken) as error:
            raise InvalidData(f"{self.source} is no Parquet file ({error})") from None
        source, columns = f"{self.source}, row group {self.group}", self.columns
        table = of_columns({name: plain(held.column(name)) for name in columns.features}, source)
        weight = np.ones(len(table))
        if columns.weight is not None:
            weight = weights_of(
                plain(held.column(columns.weight)), columns.weight, source, lambda row: f"row {row + 1}"
            )
        target = _target(plain(held.column(columns.target)), columns.target, source)
        return Given(table, target, weight)

    def place(self, row: int) -> str:
        return f"row {row + 1} of row group {self.group} of {self.source}"


def open_parquet(
    files: Sequence[Stored], target: str | None, weight: str | None = None, ignore: Sequence[str] = ()
) -> RowBlocks:
    """The rows of some Parquet files with the same columns, which are read a row group at a time.

    Raises:
        InvalidData, InvalidOption, MissingLibrary: a file is none, a column is not there, or pyarrow is not installed.
    """
    stamps = Stamps.of([file.path for file in files])
    schemas = [(file, *_schema(file)) for file in files]
    first, names, _ = files[0].source, schemas[0][1], schemas[0][2]
    index = index_of(names)
    columns = Columns.of(first, names, target, weight, [*ignore, *(name for name in index if name != target)])
    for file, others, _ in schemas:
        _require_all(columns.all, first, file, others)
    pieces = [
        ParquetPiece(str(file.path), file.source, group, columns) for file, _, groups in schemas for group in groups
    ]
    if not pieces:
        raise InvalidData(f"{first} has no rows")
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    notes = (*index_note(first, index), *(note for file in files for note in file.notes))
    rows = sum(sum(groups.values()) for _, _, groups in schemas)
    return RowBlocks(f"{first}{more}", tuple(pieces), changed=stamps, rows=rows, notes=notes, kept=tuple(files))


def read_whole(files: Sequence[Stored]) -> Any:
    """The table of all rows of some Parquet files with the same columns, as pyarrow holds it.

    Raises:
        InvalidData: a file is no Parquet file, lacks a column of the first one, or has a column of another type; or
            there are no rows.
        MissingLibrary: pyarrow is not installed.
    """
    parquet, broken = library(files[0].source)
    held: list[Any] = []
    for file in files:
        try:
            table = parquet.ParquetFile(file.path).read()
        except (OSError, broken) as error:
            raise InvalidData(f"{file.source} is no Parquet file ({error})") from None
        refuse_twins(file.source, table.column_names)
        names = (held or [table])[0].column_names
        _require_all(names, files[0].source, file, table.column_names)
        held.append(table.select(names))
    whole = _joined(held, files)
    if not whole.num_rows:
        raise InvalidData(f"{files[0].source} has no rows")
    return whole


def _joined(tables: Sequence[Any], files: Sequence[Stored]) -> Any:
    """One table of several, whose columns may hold whole numbers in one file and fractions in another."""
    from pyarrow import ArrowException, concat_tables

    try:
        return concat_tables(tables, promote_options="permissive")
    except ArrowException as error:
        raise InvalidData(
            f"{files[0].source} and {len(files) - 1} more: the files hold different types in one column ({error}); "
            "write them anew with one type for each column"
        ) from None


def _require_all(wanted: Sequence[str], first: str, file: Stored, names: Sequence[str]) -> None:
    """Refuse a file that lacks columns of the first one.

    Raises:
        InvalidData: a column is not there.
    """
    lacking = [name for name in wanted if name not in names]
    if lacking:
        raise InvalidData(f"{file.source} has no column {lacking[0]!r}, and {first} has; the files must have the same")


def index_of(names: Sequence[str]) -> tuple[str, ...]:
    """The columns in which pandas keeps an index without a name."""
    return tuple(name for name in names if _INDEX.fullmatch(name))


def index_note(source: str, index: Sequence[str]) -> tuple[str, ...]:
    """That an index is left out, where there is one."""
    which = "column" if len(index) == 1 else "columns"
    return (f"data: the {which} {', '.join(index)} of {source}, an index of pandas, was left out",) if index else ()


def rows_of_parquet(file: Stored) -> int:
    """How many rows a file has.

    Raises:
        InvalidData, MissingLibrary: as in `open_parquet`.
    """
    Stamps.of([file.path])
    parquet, broken = library(file.source)
    try:
        with parquet.ParquetFile(file.path) as opened:
            return int(opened.metadata.num_rows)
    except (OSError, broken) as error:
        raise InvalidData(f"{file.source} is no Parquet file ({error})") from None


def _schema(file: Stored) -> tuple[tuple[str, ...], dict[int, int]]:
    """The names of the columns, and how many rows the row groups have that have some."""
    parquet, broken = library(file.source)
    try:
        with parquet.ParquetFile(file.path) as opened:
            refuse_twins(file.source, opened.schema_arrow.names)
            about = opened.metadata
            counts = {i: int(about.row_group(i).num_rows) for i in range(about.num_row_groups)}
            return tuple(opened.schema_arrow.names), {i: rows for i, rows in counts.items() if rows}
    except (OSError, broken) as error:
        raise InvalidData(f"{file.source} is no Parquet file ({error})") from None


def library(path: str) -> tuple[Any, type[Exception]]:
    """What reads Parquet, and what it raises.

    Raises:
        MissingLibrary: it is not installed.
    """
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingLibrary(
            f"{path}: Parquet needs pyarrow, which is not installed; install it with: python -m pip install pyarrow"
        ) from None
    return parquet, ArrowException


def _target(column: npt.NDArray[Any], name: str, source: str) -> npt.NDArray[Any]:
    """Numbers, or words.

    Raises:
        InvalidData: one is missing.
    """
    missing = [i for i, cell in enumerate(column) if cell is None or cell != cell]
    if missing:
        raise missing_target(source, f"row {missing[0] + 1}", name, len(missing) - 1, part=True)
    return column if column.dtype.kind in "biuf" else column.astype(str)
