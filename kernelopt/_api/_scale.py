"""What a scale makes 1 on the training rows, and the factor of each leaf that follows."""

import math
from collections.abc import Sequence
from typing import Any

import attrs

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._options import plain
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._kernel_size import spread

Scale = str | float
SCALES = ("auto", "unit", "atom", "variance", "paper")
_ROUNDING = 1e-12
"""What is left of a constant kernel after centring is below this share of it."""


def check_scale(scale: Any) -> Scale:
    """The scale, or an error that lists the choices."""
    scale = plain(scale)
    if isinstance(scale, str) and scale in SCALES:
        return scale
    if isinstance(scale, int | float) and not isinstance(scale, bool) and math.isfinite(scale) and scale > 0:
        return float(scale)
    names = ", ".join(f'"{name}"' for name in SCALES)
    raise InvalidOption(f"scale must be {names} or a positive finite number, got {scale!r}")


@attrs.frozen(eq=False)
class Member:
    """A prepared family with the columns (d',) and the rows (n, d'') that it sees, and how these come from those."""

    family: KernelFamily
    columns: IntArray
    X: FloatArray
    expansion: Expansion | None = None


def factors_of(members: Sequence[Member], weight: FloatArray, scale: Scale) -> list[float]:
    """The factor of each leaf. In a union "auto" lets all atoms compete at one size, where that is known.

    The margin prefers large atoms. Alone a scale is only another C.
    """
    if scale != "auto":
        return [_factor(one.family, one.X, weight, scale) for one in members]
    if len(members) > 1:
        sizes = [_size(one.family, one.X, weight, "variance") for one in members]
        if all(size is not None and size.proper for size in sizes):
            return [1.0 / size.value for size in sizes if size is not None]
    return [_factor(one.family, one.X, weight, "unit") for one in members]


def _factor(family: KernelFamily, X: FloatArray, weight: FloatArray, scale: Scale) -> float:
    """1 / the size that the scale makes 1 on the rows; paper: the family's own; a number: itself."""
    if scale == "paper":
        return family.paper_scale()
    if not isinstance(scale, str):
        return scale
    size = _size(family, X, weight, scale)
    if size is None:
        raise InvalidOption(
            f'scale="{scale}": the largest atom of {family.name} is not known; use scale="unit", or a number'
        )
    if not size.proper:
        raise InvalidData(
            f"{family.name}: {size.what} {size.value:g} on the training rows, wanted a positive finite one; rescale "
            "the columns of X, or take another scale"
        )
    return 1.0 / size.value


@attrs.frozen
class _Size:
    """What a scale makes 1: in words, its value, and what of it is rounding."""

    what: str
    value: float
    least: float = 0.0

    @property
    def proper(self) -> bool:
        """Whether something can be divided by it."""
        return math.isfinite(self.value) and self.value > self.least


def _size(family: KernelFamily, X: FloatArray, weight: FloatArray, scale: str) -> _Size | None:
    """What the scale makes 1; None where it is not known."""
    if scale == "unit":
        value = spread(family, family.center(), X, weight, centred=False)
        return _Size("the centre kernel has the mean diagonal", value)
    plain = family.largest_atom(X, weight, centred=False)
    largest = family.largest_atom(X, weight, centred=True) if scale == "variance" else plain
    if largest is None or plain is None:
        return None
    if scale == "variance":
        return _Size("the largest atom has, after centring, the mean diagonal", largest, _ROUNDING * plain)
    return _Size("the largest atom has the mean diagonal", largest)
