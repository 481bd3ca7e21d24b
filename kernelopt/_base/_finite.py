"""The one guard against numbers that are none: where rows are bound, where Grams are formed, where rows are predicted.

What a family computes overflows where columns are wild, in prediction as in training; nothing goes on from there.
"""

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray

_AT_ONCE = 1 << 16
"""So many values are looked at in the processor's own memory."""


def finite_in_training(values: FloatArray, what: str) -> FloatArray:
    """Values of the training rows, of any shape, which are finite numbers.

    Raises:
        InvalidData: some are not.
    """
    flat = values.reshape(-1, order="A")
    if not all(np.isfinite(flat[i : i + _AT_ONCE]).all() for i in range(0, flat.size, _AT_ONCE)):
        raise InvalidData(
            f"{what}: its values on the training rows are NaN or infinite; rescale the columns of X, or keep the "
            "family's own way to rescale them"
        )
    return values


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
