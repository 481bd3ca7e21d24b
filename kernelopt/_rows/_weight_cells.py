"""The cells of the column that weighs the rows of a file."""

import math
from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._shown import shown
from kernelopt._base._typing import FloatArray
from kernelopt._base._weights import check_weights
from kernelopt._base.tables._input import NUMBER, missing
from kernelopt._base.tables._number_words import is_number


def weights_of(cells: npt.NDArray[Any], name: str, source: str, place: Callable[[int], str]) -> FloatArray:
    """The weights of rows (n,) of a file.

    Args:
        cells: of the rows, shape (n,): numbers, or whatever stands there.
        name: of the column.
        source: the file.
        place: where a row stands in it, such as "line 3".

    Raises:
        InvalidData: one of the cells is no finite number >= 0.
    """
    faulty = [(i, cell) for i, cell in enumerate(cells.tolist()) if not _weighs(cell)]
    if faulty:  # where one cell is a word, those of numbers are words too
        row, cell = next((one for one in faulty if not (isinstance(one[1], str) and is_number(one[1]))), faulty[0])
        told = "is missing" if missing(cell) else f"is {shown(cell)}"
        raise InvalidData(
            f"{source}, {place(row)}: the weight {name!r} {told}, wanted a finite number >= 0; write how many rows "
            "this row stands for, or 0 to leave it out"
        )
    return check_weights(cells, len(cells))


def _weighs(cell: Any) -> bool:
    return isinstance(cell, NUMBER) and 0.0 <= float(cell) < math.inf
