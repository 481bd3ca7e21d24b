"""Kernels of a list in closed form, in arrays that are reused: what several of them share is computed once."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import is_number, plain
from kernelopt._base._typing import FloatArray

Options = Mapping[str, Any]


class Form(Protocol):
    """A kernel that is a function of the squared distances, or of the products, of the rows."""

    of_squares: bool
    bounded: bool
    """Whether it is finite wherever the squared distances are."""

    def few(self, width: int) -> float:
        """How many features span it to rounding at best, on rows of `width` numbers; inf where none are known to."""

    def written(self, base: FloatArray, width: int, out: FloatArray) -> None:
        """The kernel's values into `out`, from squared distances or products (n', n) of rows of `width` numbers."""


@attrs.frozen
class Gaussian:
    """Exp(-gamma |x - z|^2); gamma None: 1 / d."""

    of_squares: ClassVar[bool] = True
    bounded: ClassVar[bool] = True

    gamma: float | None = None

    def few(self, width: int) -> float:
        return 1.0 if width == 1 and _gamma(self.gamma, width) > 0.0 else math.inf

    def written(self, base: FloatArray, width: int, out: FloatArray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            np.multiply(base, -_gamma(self.gamma, width), out=out)
            np.exp(out, out=out)


@attrs.frozen
class Power:
    """(gamma x'z + coef0)^degree; gamma None: 1 / d."""

    of_squares: ClassVar[bool] = False
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
            out **= self.degree


@attrs.frozen
class Linear:
    """x'z."""

    of_squares: ClassVar[bool] = False
    bounded: ClassVar[bool] = False

    def few(self, width: int) -> float:
        return width

    def written(self, base: FloatArray, width: int, out: FloatArray) -> None:  # noqa: ARG002
        out[...] = base


_FORMS: dict[str, type] = {"rbf": Gaussian, "linear": Linear, "poly": Power, "polynomial": Power}


def form_of(name: str, options: Options) -> Form | None:
    """The closed form of one of scikit-learn's kernels, None where there is none here."""
    kind = _FORMS.get(name)
    known = {field.name for field in attrs.fields(kind)} if kind is not None else set()
    return kind(**options) if kind is not None and set(options) <= known else None


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
    base = np.empty((len(Z), len(X)))
    base = _squares(Z, X, None, base, middle(X)) if form.of_squares else _products(Z, X, base)
    form.written(base, X.shape[1], base)
    return base


def written(
    forms: Sequence[tuple[int, Form]],
    Z: FloatArray,
    X: FloatArray,
    out: FloatArray,
    scratch: FloatArray,
    centre: FloatArray | None = None,
) -> Iterator[tuple[int, Form, FloatArray]]:
    """Several kernels of the same rows, each into `out` in turn: its number, its form, and `out` until the next.

    Args:
        forms: kernels with their numbers.
        Z: shape (n', d).
        X: shape (n, d).
        out: shape (n', n).
        scratch: shape (2, n', n).
        centre: taken from all rows before squared distances, shape (d,); None: nothing, where 0 is among the rows.
    """
    squares = products = None
    if (X.shape[1] > 1 and centre is None) or not all(form.of_squares for _, form in forms):
        products = _products(Z, X, scratch[0])
    for number, form in forms:
        if form.of_squares and squares is None:
            squares = _squares(Z, X, products, scratch[1], centre)
        base = squares if form.of_squares else products
        assert base is not None
        form.written(base, X.shape[1], out)
        yield number, form, out


def middle(X: FloatArray) -> FloatArray | None:
    """A place among rows X (n, d), whose distances lose no digits where they are measured from it, shape (d,).

    Of one column distances are differences, and none is needed.
    """
    if X.shape[1] == 1:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(X[0] + np.mean(X - X[0], axis=0))


def _gamma(gamma: float | None, width: int) -> float:
    return 1.0 / width if gamma is None else gamma


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _products(Z: FloatArray, X: FloatArray, out: FloatArray) -> FloatArray:
    return np.multiply(Z, X.T, out=out) if X.shape[1] == 1 else np.matmul(Z, X.T, out=out)


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _squares(
    Z: FloatArray, X: FloatArray, products: FloatArray | None, out: FloatArray, centre: FloatArray | None
) -> FloatArray:
    """|z - x|^2 = |z|^2 - 2 z'x + |x|^2 from the centre, shape (n', n); of one column (z - x)^2."""
    if X.shape[1] == 1:
        np.subtract(Z, X.T, out=out)
        return np.multiply(out, out, out=out)
    if centre is not None:
        Z, X = Z - centre, X - centre
        products = _products(Z, X, out)
    assert products is not None
    np.multiply(products, -2.0, out=out)
    out += np.einsum("ij,ij->i", Z, Z)[:, None]
    out += np.einsum("ij,ij->i", X, X)
    return np.maximum(out, 0.0, out=out)
