"""Rows of arrays and memory maps."""

import os
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._weights import check_weights
from kernelopt._base.tables._input import as_array, check_target, two_dimensional
from kernelopt._base.tables._tables import table_of
from kernelopt._rows._contract import Given, Piece, RowBlocks
from kernelopt._rows._files import Stamps

_BYTES = 1 << 26
"""Of a piece: 64 MiB, so that reading it is worth the call."""


@attrs.frozen(eq=False)
class ArrayPiece(Piece):
    """Some rows of arrays.

    Attributes:
        X: shape (k, d).
        y: shape (k,) or (k, c).
        weight: shape (k,), or None where all rows count once.
        start: how many rows stand before these.
    """

    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    weight: npt.NDArray[Any] | None
    start: int = 0

    def read(self) -> Given:
        return Given(table_of(self.X), check_target(self.y), check_weights(self.weight, len(self.X)))

    def place(self, row: int) -> str:
        return f"row {self.start + row}, counted from 0"


def of_arrays(X: Any, y: Any, weight: Any = None) -> RowBlocks:
    """Arrays or memory maps as blocks of rows; they stay where they are.

    Raises:
        InvalidData: they are no arrays with as many rows.
    """
    rows, targets = _array(X, "X"), _array(y, "y")
    two_dimensional(rows, "X")
    if targets.ndim not in (1, 2) or len(targets) != len(rows):
        raise InvalidData(f"y has shape {targets.shape} and X has {len(rows)} rows, wanted a target for each row")
    weights = None if weight is None else as_array(weight, "sample_weight")
    if weights is not None and weights.shape != (len(rows),):
        raise InvalidData(f"sample_weight has shape {weights.shape}, wanted ({len(rows)},)")
    step = max(_BYTES // (8 * rows.shape[1]), 1)
    starts = range(0, len(rows), step)
    pieces = (
        ArrayPiece(rows[i : i + step], targets[i : i + step], None if weights is None else weights[i : i + step], i)
        for i in starts
    )
    return RowBlocks(f"an array of shape {rows.shape}", tuple(pieces), changed=_watched(rows, targets), rows=len(rows))


def _array(values: Any, name: str) -> npt.NDArray[Any]:
    """An array; a memory map stays one."""
    return values if isinstance(values, np.memmap) else as_array(values, name)


def _watched(*arrays: npt.NDArray[Any]) -> Callable[[], str | None]:
    """What notices that the files of memory maps are no longer what they were."""
    files = [os.fspath(array.filename) for array in arrays if isinstance(array, np.memmap) and array.filename]
    return Stamps.of(files)
