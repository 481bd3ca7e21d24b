"""`kernelopt.row_blocks`: whatever rows are in becomes blocks of rows."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._rows._arrays import of_arrays
from kernelopt._rows._contract import RowBlocks
from kernelopt._rows._csv import open_csv
from kernelopt._rows._parquet import open_parquet
from kernelopt._rows._stored import Stored, stored

PARQUET = (".parquet", ".pq")
"""What files of Parquet end in; every other file is read as CSV."""


def row_blocks(
    rows: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    target: str | None = None,
    weight: str | None = None,
    ignore: Sequence[str] = (),
) -> RowBlocks:
    """Open rows that are read in blocks, as often as they are needed, so that they may be larger than the memory.

        kernelopt.solve(kernelopt.row_blocks("big.parquet", target="price"))

    Args:
        rows: a Parquet file, which is read one row group at a time; a folder of Parquet files; a CSV file with a header
            line; or an array or a memory map, shape (n, d). A file that is compressed by gzip, bzip2, xz or zip, or
            that is a pipe, is first written to a temporary file.
        y: the targets, shape (n,) or (n, c), as an array or a memory map, if `rows` is one of these.
        sample_weight: the weights of the rows, shape (n,), if `rows` is an array; None: all weights are 1.
        target: the name of the column to learn, if `rows` is a file or a folder.
        weight: the name of the column with the weights of the rows, if `rows` is a file or a folder; None: all are 1.
        ignore: the names of columns to leave out, if `rows` is a file or a folder.

    Raises:
        InvalidData: the file does not exist, cannot be read, or does not have these columns.
        InvalidOption: no target is named.
        MissingLibrary: the file is Parquet, and pyarrow is not installed.
    """
    if not isinstance(rows, str | os.PathLike):
        _refuse_names(target=target, weight=weight, ignore=ignore or None)
        if y is None:
            raise InvalidData("y is missing: rows in blocks need a target per row, as an array beside X")
        return of_arrays(rows, y, sample_weight)
    if y is not None or sample_weight is not None:
        given = "y" if y is not None else "sample_weight"
        raise InvalidData(f"{given} is given beside the file {os.fspath(rows)}; name the column with target or weight")
    return rows_of(stored(Path(rows)), target, weight, ignore)


def rows_of(file: Stored, target: str | None, weight: str | None = None, ignore: Sequence[str] = ()) -> RowBlocks:
    """The rows of a file that is found, or of a folder, as in `row_blocks`."""
    if file.path.is_dir():
        return open_parquet(files_within(file), target, weight, ignore)
    if file.suffix in PARQUET:
        return open_parquet([file], target, weight, ignore)
    return open_csv(file, target, weight, ignore)


def files_within(folder: Stored) -> tuple[Stored, ...]:
    """The Parquet files of a folder, in the order of their names; folders in it are not looked into.

    Raises:
        InvalidData: the folder has no Parquet files, or cannot be read.
    """
    try:
        found = sorted(path for path in folder.path.iterdir() if path.suffix.lower() in PARQUET)
    except OSError as error:
        raise InvalidData(f"{folder.source} cannot be read: {error.strerror or error}") from None
    if not found:
        raise InvalidData(
            f"{folder.source} is a folder without Parquet files ({', '.join(PARQUET)}), and of folders only these are "
            "read; name one file, or write the rows into Parquet files of one folder"
        )
    return tuple(stored(path) for path in found)


def _refuse_names(**names: Any) -> None:
    """Refuse columns that are named where there are arrays.

    Raises:
        InvalidOption: there are some.
    """
    for name, value in names.items():
        if value is not None:
            raise InvalidOption(f"{name}: got {value!r} with an array, wanted a file, whose columns have names")
