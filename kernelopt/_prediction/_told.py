"""Rows that are predicted block by block, so that somebody who waits can be told how many are done."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from kernelopt._base._typing import FloatArray

Told: TypeAlias = Callable[[int], None]
"""Gets the number of rows of a block that is done."""


def untold(rows: int) -> None:
    """Nobody is told."""


def blocks(rows: FloatArray, size: int) -> Iterator[FloatArray]:
    """The rows (n, d) in blocks of so many, the last one perhaps of fewer."""
    return (rows[i : i + size] for i in range(0, len(rows), size))


def told_of(block: FloatArray, told: Told) -> FloatArray:
    """What was computed of the rows of a block, after somebody was told of these."""
    told(len(block))
    return block
