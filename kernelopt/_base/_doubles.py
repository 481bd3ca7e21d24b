"""Numbers in double precision: those beyond its range, and whole numbers that it does not tell apart."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

_EXACT = 2**53
"""Up to this size every whole number is one of double precision; the next one is read as this."""


FARTHEST = 1e300
"""Numbers of rows are at most of this size, so that sums and differences of them are numbers too."""


def outside(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which of these numbers are infinite, or so large that sums of them are."""
    return np.asarray((values > FARTHEST) | (values < -FARTHEST))


def double(number: Any) -> float:
    """A number of Python in double precision: one beyond its range is infinite, as it is where text is read."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def beyond(values: npt.NDArray[Any]) -> bool:
    """Whether an array may hold whole numbers that double precision does not tell apart."""
    if values.dtype.kind == "O":
        return True
    large = values.dtype.kind in "iu" and values.dtype.itemsize == 8 and values.size > 0
    return large and bool(values.max() > _EXACT or values.min() < -_EXACT)


def rounded(values: npt.NDArray[Any]) -> bool:
    """Whether an array of floating point numbers has any so large that whole numbers were rounded to it."""
    return values.dtype.kind == "f" and bool((np.abs(values) >= _EXACT).any())


def alike(values: npt.NDArray[Any]) -> tuple[int, int] | None:
    """Two different whole numbers of a column (n,) that are one number in double precision, where there are such."""
    if not beyond(values):
        return None
    items = values if values.dtype.kind == "O" else np.unique(values[(values >= _EXACT) | (values <= -_EXACT)])
    whole = {item for item in items.tolist() if isinstance(item, int) and abs(item) >= _EXACT}
    pairs = pairwise(sorted(whole))
    return next(((one, two) for one, two in pairs if np.isfinite(double(one)) and double(one) == double(two)), None)
