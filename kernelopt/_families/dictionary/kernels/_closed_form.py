"""Kernels of a list in closed form: functions of one number for each two rows."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import is_number, plain
from kernelopt._base._typing import FloatArray
from kernelopt._device._arrays import Array
from kernelopt._device._distances import Base
from kernelopt._families.dictionary.kernels._pairwise import base_of
from kernelopt._linalg._decay import Decay, decayed, steepest

_COPY = 1e-14
"""Rows whose squared distance is at most this share of the largest are copies, up to rounding."""

_MOST_PRODUCTS = 16
"""Higher powers are left to numpy: products would lose more digits than it."""

Options = Mapping[str, Any]


class Form(Protocol):
    """A kernel that is a function of one number for each two rows."""

    @property
    def base(self) -> Base:
        """Of which number."""

    @property
    def bounded(self) -> bool:
        """Whether it is finite wherever the distances are."""

    def few(self, width: int) -> float:
        """How many features span it to rounding at best, on rows of `width` numbers; inf where none are known to."""

    def written(self, base: FloatArray, width: int, out: FloatArray) -> None:
        """The kernel's values into `out`, from its base (n', n) between rows of `width` numbers."""

    def there(self, xp: Any, base: Array, width: int) -> Array:
        """The same values in a new array, by the functions `xp` of the array API standard."""

    def slope(self, base: FloatArray, width: int) -> FloatArray:
        """The derivative of the kernel's values in its base (n', n)."""

    def decay(self, width: int) -> Decay | None:
        """How it falls, on rows of `width` numbers, where it is an exponential of its base or of the root of that."""


@attrs.frozen
class _Decaying:
    """Exp(-gamma distance); gamma None: 1 / d."""

    bounded: ClassVar[bool] = True

    gamma: float | None = None

    def rate(self, width: int) -> float:
        """Gamma, on rows of `width` numbers."""
        return _gamma(self.gamma, width)

    def written(self, base: FloatArray, width: int, out: FloatArray) -> None:
        decayed(base, self.rate(width), out)

    def there(self, xp: Any, base: Array, width: int) -> Array:
        return xp.exp(base * -self.rate(width))

    def slope(self, base: FloatArray, width: int) -> FloatArray:
        return self.falling(base, width, decayed(base, self.rate(width), np.empty_like(base)))

    def falling(self, base: FloatArray, width: int, values: FloatArray) -> FloatArray:  # noqa: ARG002
        """The slope, from the kernel's values: it takes no exponential of its own."""
        return values * -self.rate(width)

    def decay(self, width: int) -> Decay:
        return Decay(self.rate(width))


@attrs.frozen
class Gaussian(_Decaying):
    """Exp(-gamma |x - z|^2)."""

    base: ClassVar[Base] = "squares"

    def few(self, width: int) -> float:
        return 1.0 if width == 1 and self.rate(width) > 0.0 else math.inf


@attrs.frozen
class Laplacian(_Decaying):
    """Exp(-gamma sum_j |x_j - z_j|), whose functions have kinks."""

    base: ClassVar[Base] = "absolutes"

    def few(self, width: int) -> float:  # noqa: ARG002
        return math.inf


@attrs.frozen
class Exponential:
    """Exp(-gamma |x - z|); gamma None: 1 / d."""

    base: ClassVar[Base] = "squares"
    bounded: ClassVar[bool] = True

    gamma: float | None = None

    def few(self, width: int) -> float:  # noqa: ARG002
        return math.inf

    def written(self, base: FloatArray, width: int, out: FloatArray) -> None:
        decayed(base, _gamma(self.gamma, width), out, rooted=True)

    def there(self, xp: Any, base: Array, width: int) -> Array:
        return xp.exp(xp.sqrt(base) * -_gamma(self.gamma, width))

    def slope(self, base: FloatArray, width: int) -> FloatArray:
        return self.falling(base, width, decayed(base, _gamma(self.gamma, width), np.empty_like(base), rooted=True))

    def falling(self, base: FloatArray, width: int, values: FloatArray) -> FloatArray:
        """The slope, from the kernel's values. It is infinite at 0, where two rows are one; there no direction is the
        steepest, and it counts as 0.
        """
        root = np.sqrt(base)
        root[~(base > _COPY * float(base.max(initial=0.0)))] = np.inf
        found = values * (-0.5 * _gamma(self.gamma, width))
        found /= root
        return found

    def decay(self, width: int) -> Decay:
        return Decay(_gamma(self.gamma, width), rooted=True)


@attrs.frozen
class Power:
    """(gamma x'z + coef0)^degree; gamma None: 1 / d."""

    base: ClassVar[Base] = "products"
    bounded: ClassVar[bool] = False

    degree: float = 3
    gamma: float | None = None
    coef0: float = 1.0

    def few(self, width: int) -> float:
        whole = float(self.degree).is_integer() and self.degree > 0 and self.coef0 >= 0.0
        return math.comb(width + int(self.degree), width) if whole and _gamma(self.gamma, width) > 0.0 else math.inf

    def written(self, base: FloatArray, width: int, out: FloatArray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            np.multiply(base, _gamma(self.gamma, width), out=out)
            out += self.coef0
            _raise(out, self.degree)

    def there(self, xp: Any, base: Array, width: int) -> Array:  # noqa: ARG002
        return (base * _gamma(self.gamma, width) + float(self.coef0)) ** float(self.degree)

    def slope(self, base: FloatArray, width: int) -> FloatArray:
        gamma = _gamma(self.gamma, width)
        return np.asarray(self.degree * gamma * (gamma * base + self.coef0) ** (self.degree - 1))

    def decay(self, width: int) -> None:  # noqa: ARG002
        return None


@attrs.frozen
class Linear:
    """x'z."""

    base: ClassVar[Base] = "products"
    bounded: ClassVar[bool] = False

    def few(self, width: int) -> float:
        return width

    def written(self, base: FloatArray, width: int, out: FloatArray) -> None:  # noqa: ARG002
        out[...] = base

    def there(self, xp: Any, base: Array, width: int) -> Array:  # noqa: ARG002
        return base

    def slope(self, base: FloatArray, width: int) -> FloatArray:  # noqa: ARG002
        return np.ones_like(base)

    def decay(self, width: int) -> None:  # noqa: ARG002
        return None


_FORMS: dict[str, type] = {
    "rbf": Gaussian,
    "laplacian": Laplacian,
    "exponential": Exponential,
    "linear": Linear,
    "poly": Power,
    "polynomial": Power,
}


def form_of(name: str, options: Options) -> Form | None:
    """The closed form of one of scikit-learn's kernels, None where there is none here."""
    kind = _FORMS.get(name)
    return kind(**options) if kind is not None and options.keys() <= _fields_of(kind) else None


@cache
def _fields_of(kind: type) -> frozenset[str]:
    """The names of what a kernel in closed form can be given."""
    return frozenset(field.name for field in attrs.fields(kind))


def check_values(name: str, options: Options) -> None:
    """Refuse options of a kernel that are no numbers, or none that leave it a kernel.

    Raises:
        InvalidOption: with the kernel and the option.
    """
    for option, value in options.items():
        if option == "dense_output" or (option == "gamma" and value is None):
            continue
        least = -math.inf if option == "coef0" else 0.0
        if not (is_number(value) and value >= least):
            wanted = "a finite number" if option == "coef0" else "a finite number >= 0"
            raise InvalidOption(f"Dictionary: {option} of the kernel {name} must be {wanted}, got {plain(value)!r}")


def evaluated(form: Form, Z: FloatArray, X: FloatArray) -> FloatArray:
    """The kernel between rows Z and X, shape (n', n)."""
    base = base_of(form.base, Z, X, steepest([form.decay(X.shape[1])]))
    form.written(base, X.shape[1], base)
    return base


def written(
    forms: Sequence[tuple[int, Form]], bases: Mapping[Base, FloatArray], width: int, out: FloatArray
) -> Iterator[tuple[int, Form, FloatArray]]:
    """Several kernels of the same rows, each into `out` in turn: its number, its form, and `out` until the next.

    Args:
        forms: kernels with their numbers.
        bases: what they are functions of, each of shape (n', n), not to be written into.
        width: of the rows.
        out: shape (n', n).
    """
    for number, form in forms:
        form.written(bases[form.base], width, out)
        yield number, form, out


def _raise(x: FloatArray, power: float) -> None:
    """x to a power, in place: a small whole one by products, for which numpy takes ten times as long where it is 3."""
    if not (float(power).is_integer() and 2 < power <= _MOST_PRODUCTS):
        x **= power
        return
    once = x.copy()
    for digit in f"{int(power):b}"[1:]:
        x *= x
        if digit == "1":
            x *= once


def _gamma(gamma: float | None, width: int) -> float:
    return 1.0 / width if gamma is None else float(gamma)
