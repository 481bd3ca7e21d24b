"""The one guard against numbers that are none: where rows are bound, where Grams are formed, where rows are predicted.

What a family computes overflows where columns are wild, in prediction as in training; nothing goes on from there.
"""

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray

_AT_ONCE = 1 << 16
"""So many values are looked at in the processor's own memory."""


def finite_in_training(values: FloatArray, what: str, *, of_rows: bool = False) -> FloatArray:
    """Values of the training rows, of any shape, which are finite numbers.

    With `of_rows`, they are of each row, shape (n,), or between all pairs of rows, (n, n), and the first that is none
    is named.

    Raises:
        InvalidData: some are not.
    """
    flat = values.reshape(-1, order="A")
    if all(np.isfinite(flat[i : i + _AT_ONCE]).all() for i in range(0, flat.size, _AT_ONCE)):
        return values
    first = _first_rows(values) if of_rows else ""
    raise InvalidData(
        f"{what}: its values on the training rows are NaN or infinite{first}; rescale the columns of X where their "
        "numbers are very large or very small, or keep the family's own way to rescale them; otherwise the family has "
        "no number for these rows, for example for two equal ones"
    )


def _first_rows(values: FloatArray) -> str:
    """Which training rows, or which pair of them, come first among those without a finite value."""
    place = sorted({int(i) for i in np.argwhere(~np.isfinite(values))[0]})
    return f", first for row {place[0]}" if len(place) == 1 else f", first between rows {place[0]} and {place[1]}"


def finite_at(values: FloatArray, Z: FloatArray, what: str) -> FloatArray:
    """Values (n, ...) at rows Z (n, d), which are finite numbers.

    Raises:
        InvalidData: some are not.
    """
    finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if not finite.all():
        size = np.abs(Z).max(axis=1)
        row = int(np.argmax(np.where(finite, -1.0, size)))
        raise InvalidData(
            f"{what} is no finite number at row {row} of {len(Z)}, with values up to {size[row]:.3g} in size; drop "
            "such rows, or give them in the units of training"
        )
    return values
