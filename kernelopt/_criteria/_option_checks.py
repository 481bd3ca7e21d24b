"""What the criteria refuse: options out of their range, and options that no data of this kind can meet."""

import math
from typing import Any

import attrs

from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import plain, positive, within
from kernelopt._base._typing import FloatArray

ROUNDING = 1e-12
"""By how much of itself a sum may miss its bound and count as meeting it."""


def share(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A number above 0 and at most 1."""
    within(0.0, 1.0)(owner, field, value)
    if value == 0:
        raise InvalidOption(f"{type(owner).__name__}: {field.name} must be above 0, got {plain(value)!r}")


LARGEST = 1e100
"""The square of what a loss costs, times usual targets and rows, is a floating point number."""


def price(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A number above 0 that can be multiplied by usual ones."""
    positive(owner, field, value)
    if float(value) > LARGEST:  # a number of single precision could not hold the other side
        raise InvalidOption(f"{type(owner).__name__}: {field.name} must be at most {LARGEST:g}, got {plain(value)!r}")


def divisor(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A price that usual numbers can be divided by as well: the square of what comes out is a floating point number."""
    price(owner, field, value)
    if float(value) < 1.0 / LARGEST:
        least = f"{1.0 / LARGEST:g}"
        raise InvalidOption(f"{type(owner).__name__}: {field.name} must be at least {least}, got {plain(value)!r}")


def positive_or_infinite(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A number above 0, or infinity."""
    if isinstance(value, float) and value == math.inf:
        return
    try:
        price(owner, field, value)
    except InvalidOption:
        name = type(owner).__name__
        raise InvalidOption(
            f"{name}: {field.name} must be a positive number of at most {LARGEST:g}, or inf, got {plain(value)!r}"
        ) from None


def smaller_class(y: FloatArray, weight: FloatArray) -> float:
    """The weight of the smaller class; 0 where there is only one."""
    return float(min(weight[y > 0.0].sum(), weight[y < 0.0].sum()))
