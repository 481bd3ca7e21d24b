"""Parquet, svmlight and npz files, and data sets by name, as tables."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt import datasets
from kernelopt._base import _npz
from kernelopt._base._errors import InvalidData
from kernelopt._base._memory import require
from kernelopt._base.tables._arrow import plain
from kernelopt._base.tables._faults import missing_target
from kernelopt._rows._columns import shortened
from kernelopt._rows._open import files_within
from kernelopt._rows._parquet import index_note, index_of, read_whole
from kernelopt._rows._stored import Stored
from kernelopt.cli.reading._tables import Table, narrowed

TARGET = "y"
"""What the target is called where the format has one and gives it no name, unless a column is called so."""


_INDEX = re.compile(r"x\d+")
"""What a column of a svmlight file is called: x and its index."""


@attrs.frozen(eq=False)
class ArrayTable(Table):
    """Columns that are arrays already.

    Attributes:
        columns: each column by its name, shape (rows,).
        fill: what a column holds that is not there and is called by its index; None: it must be there.
        typed: whether the file says of each column whether it holds integers; else whole targets are taken as such.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    fill: float | None = None
    typed: bool = False

    def column(self, name: str, text: bool = False) -> npt.NDArray[Any]:  # noqa: ARG002
        if self.fill is not None and name not in self.columns:
            return np.full(len(next(iter(self.columns.values()))), self.fill)
        return self.columns[self.names[self.index(name)]]

    def require(self, names: Sequence[str]) -> None:
        super().require(names if self.fill is None else [name for name in names if not _INDEX.fullmatch(name)])

    def target(self, name: str) -> npt.NDArray[Any]:
        column = self.columns[self.names[self.index(name)]]
        missing = [i for i, cell in enumerate(column) if cell is None or cell != cell]
        if missing:
            raise missing_target(self.source, f"row {missing[0] + 1}", name, len(missing) - 1)
        if column.dtype.kind not in "biuf":
            return column.astype(str)
        return column if self.typed else narrowed(column)

    def notes(self, names: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        return index_note(self.source, self.indices)


def of_matrix(source: str, X: npt.NDArray[Any], y: npt.NDArray[Any] | None, names: Sequence[str] = ()) -> ArrayTable:
    """A table of a matrix X (n, d), its columns called x0, x1, ... where they have no names, and of y (n,) or None.

    The target is called y, or target where a column has that name.
    """
    if X.ndim != 2 or 0 in X.shape:
        raise InvalidData(f"{source}: X has shape {X.shape}, wanted rows and columns")
    columns = dict(zip(names or [f"x{j}" for j in range(X.shape[1])], X.T, strict=True))
    if y is None:
        return ArrayTable(source, tuple(columns), columns)
    if y.shape != X.shape[:1]:
        raise InvalidData(f"{source}: y has shape {y.shape}, wanted one target for each of the {len(X)} rows of X")
    target = next(name for name in chain([TARGET, "target"], map("target_{}".format, count(2))) if name not in columns)
    return ArrayTable(source, (*columns, target), {**columns, target: y}, own_target=target)


def read_npz(file: Stored) -> ArrayTable:
    """An npz file with X (n, d), and y (n,) and names (d,) where there are any."""
    held = _npz.arrays(file.path)
    source = file.source
    if "X" not in held:
        raise InvalidData(
            f"{source} holds {shortened(tuple(held)) or 'nothing'}, wanted the array X, and y to learn from"
        )
    return of_matrix(source, held["X"], held.get("y"), _npz.names_of(held, source))


def read_svmlight(file: Stored) -> ArrayTable:
    """A file of lines `target index:value ...`; column x7 is the index 7, and what is not written is 0."""
    from sklearn.datasets import load_svmlight_file

    source = file.source
    try:
        X, y = load_svmlight_file(str(file.path), zero_based=True)
    except (OSError, ValueError) as error:
        raise InvalidData(f"{source} is no svmlight file ({error})") from None
    require(8 * X.shape[0] * X.shape[1], f"{source} as a dense table")
    used = range(0 if X[:, [0]].nnz else 1, X.shape[1])
    columns = {f"x{j}": column for j, column in zip(used, X[:, list(used)].toarray().T, strict=True)}
    return ArrayTable(source, (*columns, TARGET), {**columns, TARGET: y}, fill=0.0, own_target=TARGET)


def read_parquet(file: Stored) -> ArrayTable:
    """A Parquet file; columns of numbers, of truth values and of words, and any column as the target."""
    return _of_parquet(file.source, [file])


def read_folder(folder: Stored) -> ArrayTable:
    """A folder of Parquet files with the same columns, as one table."""
    return _of_parquet(folder.source, files_within(folder))


def _of_parquet(source: str, files: Sequence[Stored]) -> ArrayTable:
    table = read_whole(files)
    columns = {name: plain(table.column(name)) for name in table.column_names}
    return ArrayTable(source, tuple(columns), columns, typed=True, indices=index_of(tuple(columns)))


def read_named(name: str) -> ArrayTable:
    """A data set of `kernelopt.datasets`."""
    data = datasets.load(name)
    return of_matrix(data.title, data.X, data.y, data.names)
