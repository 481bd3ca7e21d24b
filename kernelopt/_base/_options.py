"""Validators for option fields: `C: float = attrs.field(default=1.0, validator=positive)`.

Each raises `InvalidOption` with the class, the field, what was got and what was wanted. If users do not know the class,
its class variable `caller` is the function that they call, whose name the message then has. A scalar of numpy, as a
grid of options has them, is kept as the number or word of Python that it is: one of single precision would spoil all
that is computed from it.
"""

import math
import numbers
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def plain(value: Any) -> Any:
    """A scalar of numpy as the number or word of Python that it is: a message then says 1 and not np.int64(1)."""
    scalar = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim)
    return value.item() if scalar else value


def _refuse(owner: Any, field: "attrs.Attribute[Any]", value: Any, wanted: str) -> None:
    called = getattr(owner, "caller", type(owner).__name__)
    raise InvalidOption(f"{called}: {field.name} must be {wanted}, got {plain(value)!r}")


def _keep(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """The option as Python's, before anybody has seen it."""
    own = plain(value)
    if own is not value:
        object.__setattr__(owner, field.name, own)


def is_number(value: Any) -> bool:
    """Whether it is a finite real number, and no truth value."""
    if type(value) is float:  # most are, and what is asked of an abstract class takes ten times as long
        return math.isfinite(value)
    if isinstance(value, bool | np.bool_):
        return False
    try:
        return isinstance(value, numbers.Real) and math.isfinite(value)
    except OverflowError:  # an integer beyond all floating point numbers
        return False


def positive(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A check of an option that must be a finite number above 0."""
    if not (is_number(value) and value > 0):
        _refuse(owner, field, value, "a positive finite number")
    _keep(owner, field, value)


def positive_or(*words: str) -> Validator:
    """A check of an option that must be a finite number above 0, or one of some words."""

    def check(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if not (value in words if isinstance(value, str) else is_number(value) and value > 0):
            _refuse(owner, field, value, " or ".join(["a positive finite number", *(f'"{word}"' for word in words)]))
        _keep(owner, field, value)

    return check


def within(low: float, high: float, *, integer: bool = False) -> Validator:
    """A check of an option that must be a finite number, or an integer, between two bounds (included)."""

    def check(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        right_kind = isinstance(value, numbers.Integral) or not integer
        if not (is_number(value) and right_kind and low <= value <= high):
            kind = "an integer" if integer else "a number"
            bound = f"of at least {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"
            _refuse(owner, field, value, f"{kind} {bound}")
        _keep(owner, field, value)

    return check


def one_of(*choices: Any) -> Validator:
    """A check of an option that must be one of a few values; a string may be of numpy, as those of a grid are."""

    def check(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if not any(_same(value, choice) for choice in choices):
            _refuse(owner, field, value, "one of " + ", ".join(map(repr, choices)))
        _keep(owner, field, value)

    return check


def _same(value: Any, choice: Any) -> bool:
    """Whether a value is a choice, and not only equal to it, as True is to 1."""
    if isinstance(choice, str):
        return isinstance(value, str) and value == choice
    return value is choice or (type(value) is type(choice) and value == choice)


def instance(kind: type, wanted: str) -> Validator:
    """A check of an option that must be an instance of a class; `wanted` describes the class in words."""

    def check(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if not isinstance(value, kind):
            _refuse(owner, field, value, wanted)

    return check
