"""Rows that occur more than once."""

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray


def sets_of_copies(X: FloatArray) -> IntArray:
    """The number of the set of equal rows that each row of X (n, d) is in, counted as they first occur, shape (n,)."""
    place: dict[bytes, int] = {}
    return np.array([place.setdefault(row.tobytes(), len(place)) for row in X + 0.0])  # -0.0 is 0.0
