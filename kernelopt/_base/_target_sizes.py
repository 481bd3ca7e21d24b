"""Numbers to learn whose squares are no floating point numbers, or are rounded to 0."""

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray

LARGEST = 1e90
"""The square of what is learned from, times any usual price and number of rows, is a floating point number."""
SMALLEST = 1e-140
"""The squares of what is learned from, and of their differences, keep all their digits."""


def sized(largest: float) -> None:
    """Refuse numbers whose squares, or sums of them, are no floating point numbers.

    Raises:
        InvalidData: the largest of them is so large.
    """
    if largest > LARGEST:
        raise InvalidData(
            f"y has values up to {largest:.3g} in size, wanted {LARGEST:g} at most, because sums of their squares "
            "would overflow; divide y by its largest value"
        )


def refuse_faint(y: FloatArray) -> None:
    """Refuse columns of numbers (n, c), or one column (n,), that are not all 0 and whose squares would be.

    Raises:
        InvalidData: the largest number of a column is so small.
    """
    for largest in np.atleast_1d(np.abs(y).max(axis=0)):
        if 0.0 < largest < SMALLEST:
            raise InvalidData(
                f"y has values up to {largest:.3g} in size, wanted {SMALLEST:g} at least, because their squares would "
                "be rounded to 0; divide y by its largest value"
            )
