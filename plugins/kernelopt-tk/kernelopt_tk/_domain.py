"""The frame of a tessellated kernel: how columns are rescaled, and the region of integration [a, b]."""

from functools import cached_property
from typing import Any, Self, TypeAlias

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray, InvalidOption

Bound: TypeAlias = float | tuple[float, ...]
Bounds: TypeAlias = tuple[Bound, Bound]

LARGEST_LOG10 = 250
"""Kernel values are of the size of the volume; beyond this their sums and inverses leave the floating point numbers."""


def as_bounds(value: Any) -> Bounds | None:
    """(a, b), each a number or a tuple with one per column, from anything array-like; a < b."""
    if value is None:
        return None
    try:
        low, high = (np.asarray(side, dtype=float) for side in value)
        ordered = low.ndim <= 1 and high.ndim <= 1 and bool(np.all(low < high))
    except (TypeError, ValueError):
        ordered = False
    if not ordered or not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise InvalidOption(
            f"TK: bounds must be None or a pair (a, b) with a < b, finite numbers or one per column, got {value!r}"
        )
    return _plain(low), _plain(high)


def _plain(side: FloatArray) -> Bound:
    return float(side) if side.ndim == 0 else tuple(side.tolist())


@attrs.frozen
class Frame:
    """The small constants of a prepared family, each of shape (d,).

    Attributes:
        shift: taken from the columns.
        width: the columns are then divided by it.
        lower: a, in the units after that.
        upper: b.
    """

    shift: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    width: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    lower: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)
    upper: FloatArray = attrs.field(eq=attrs.cmp_using(eq=np.array_equal), hash=False)

    @classmethod
    def fit(cls, X: FloatArray, rescale: str | None, margin: float, bounds: Bounds | None) -> Self:
        """The frame of training rows X (n, d), n >= 1."""
        low, high = X.min(axis=0), X.max(axis=0)
        d = len(low)
        if rescale is None:
            shift, width = np.zeros(d), np.ones(d)
        else:
            shift, width = low, _positive(high - low)
        low, high = (low - shift) / width, (high - shift) / width
        if bounds is None:
            span = _positive(high - low)
            frame = cls(shift, width, low - margin * span, low + span + margin * span)
        else:
            frame = cls(shift, width, *(_per_column(side, d) for side in bounds))
            frame._check_columns((X - shift) / width)
        return frame._check_volume()

    @property
    def d(self) -> int:
        """The number of columns."""
        return len(self.shift)

    @cached_property
    def volume(self) -> float:
        """Of the region [a, b]."""
        return float(np.exp2(np.log2(self.upper - self.lower).sum()))

    def rescaled(self, X: FloatArray) -> FloatArray:
        """Rows (n, d) in the units of the region."""
        return (X - self.shift) / self.width

    def count_outside(self, X: FloatArray) -> int:
        """How many raw rows lie outside the region by more than rounding."""
        x = self.rescaled(X)
        slack = 1e-9 * (self.upper - self.lower)
        beyond = (x < self.lower - slack) | (x > self.upper + slack)
        return int(np.count_nonzero(beyond.any(axis=1)))

    def _check_columns(self, x: FloatArray) -> None:
        lost = ((x < self.lower) | (x > self.upper)).all(axis=0)
        if lost.any():
            j = int(np.argmax(lost))
            raise InvalidOption(
                f"TK: every training value of the family's column {j} lies outside its bounds "
                f"[{self.lower[j]:g}, {self.upper[j]:g}]; they are in the units after rescale, "
                f"where the column runs from {x[:, j].min():g} to {x[:, j].max():g}"
            )

    def _check_volume(self) -> Self:
        size = float(np.log10(self.upper - self.lower).sum())
        if not abs(size) <= LARGEST_LOG10:
            raise InvalidOption(
                f"TK: the region of integration has the volume 1e{size:.0f} in {self.d} columns, which is too "
                f"large or too small for floating point numbers; use margin=0 with rescale='minmax' (volume 1), "
                "other bounds=, or fewer columns"
            )
        return self


def _positive(span: FloatArray) -> FloatArray:
    """Column ranges; 1 for a constant column."""
    result: FloatArray = np.where(span > 0, span, 1.0)
    return result


def cut(bounds: Bounds, columns: IntArray, width: int) -> Bounds:
    """The bounds of these of `width` columns, (d',)."""
    low, high = (
        tuple(_per_column(side, width)[columns].tolist()) if isinstance(side, tuple) else side for side in bounds
    )
    return low, high


def _per_column(side: Bound, d: int) -> FloatArray:
    values = np.atleast_1d(np.asarray(side, dtype=float))
    if values.size not in (1, d) or (values.size == 1 and not np.isscalar(side) and d != 1):
        raise InvalidOption(f"TK: bounds have {values.size} entries for {d} columns; give one number or one per column")
    return np.broadcast_to(values, (d,)).copy()
