"""A data set in a file of the folder KERNELOPT_DATA, with the splits that its source fixes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base import _npz
from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._io._bundled import DataSet

Arrays = Mapping[str, npt.NDArray[Any]]
Split = tuple[IntArray, IntArray]


def load_from_file(path: Path, name: str) -> DataSet:
    """The set of this name in an npz file.

    Raises:
        InvalidData: the file is none, or its arrays do not belong together.
    """
    held = _npz.arrays(path)
    if not {"X", "y"} <= held.keys():
        raise InvalidData(f"{path} holds {', '.join(held) or 'nothing'}, a data set holds the arrays X and y")
    X = _numbers(held["X"], path)
    return DataSet(X, held["y"], name, _splits(held, len(X), path), _npz.names_of(held, path))


def _numbers(X: npt.NDArray[Any], path: Path) -> FloatArray:
    """The rows (n, d) in double precision."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InvalidData(
            f"{path}: X has the shape {X.shape} and the type {X.dtype}, wanted rows and columns of real numbers"
        )
    return X.astype(np.float64)


def _splits(held: Arrays, n: int, path: Path) -> tuple[Split, ...]:
    """The source's own splits of n rows: as row numbers, or as the number of the test fold of each row."""
    given = [name for name in ("train_splits", "test_splits") if name in held]
    if len(given) == 1:
        raise InvalidData(
            f"{path} holds {given[0]} alone, wanted train_splits and test_splits, which belong together, or neither"
        )
    if given:
        return _of_numbers(held["train_splits"], held["test_splits"], n, path)
    return _of_folds(held["fold"], n, path) if "fold" in held else ()


def _of_numbers(train: npt.NDArray[Any], test: npt.NDArray[Any], n: int, path: Path) -> tuple[Split, ...]:
    """Splits of row numbers (splits, rows) for training and for the test."""
    for name, rows in (("train_splits", train), ("test_splits", test)):
        inside = rows.ndim == 2 and rows.dtype.kind in "iu" and rows.size > 0 and rows.min() >= 0 and rows.max() < n
        if not inside:
            raise InvalidData(
                f"{path}: {name} has the shape {rows.shape} and the type {rows.dtype}, wanted one row of numbers from "
                f"0 to {n - 1} for each split"
            )
    if len(train) != len(test):
        raise InvalidData(f"{path}: train_splits holds {len(train)} splits, test_splits {len(test)}, wanted as many")
    for k, (learned, asked) in enumerate(zip(train, test, strict=True)):
        both = np.intersect1d(learned, asked)
        if len(both):
            raise InvalidData(
                f"{path}: in split {k}, counted from 0, row {both[0]} is in train_splits and in test_splits, so its "
                "error would say nothing of new rows; wanted each row in one of them at most"
            )
    return tuple(zip(train, test, strict=True))


def _of_folds(fold: npt.NDArray[Any], n: int, path: Path) -> tuple[Split, ...]:
    """One split for each fold, of which the rows (n,) have the numbers."""
    if fold.shape != (n,) or fold.dtype.kind not in "biu":
        raise InvalidData(
            f"{path}: fold has the shape {fold.shape} and the type {fold.dtype}, wanted a whole number for each of the "
            f"{n} rows: that of the fold in which it is tested"
        )
    return tuple((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold))
