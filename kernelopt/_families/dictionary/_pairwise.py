"""What kernels in closed form are functions of: products and distances of rows, in arrays that are reused."""

from collections.abc import Collection

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._device._distances import Base
from kernelopt._families.dictionary._coded_columns import Coded, View
from kernelopt._families.dictionary._matches import matched

_FEW = 1 << 20
"""Of so few differences of numbers numpy takes a millisecond more than compiled code, which numba would take a third of
a second to compile. Worth: `first_call_peer.py`, three classes."""
_HEIGHT = 64
"""So many rows at a time then."""


def base_of(base: Base, Z: View, X: View) -> FloatArray:
    """What kernels are a function of, between rows Z and X, shape (n', n)."""
    numbers, scratch = (X.numbers if isinstance(X, Coded) else X), np.empty((2, len(Z), len(X)))
    return bases_of({base}, Z, X, scratch, middle(numbers))[base]


def bases_of(
    wanted: Collection[Base],
    Z: View,
    X: View,
    scratch: FloatArray,
    centre: FloatArray | None = None,
    lengths: tuple[FloatArray, FloatArray] | None = None,
) -> dict[Base, FloatArray]:
    """What several kernels are functions of, between the same rows, each of shape (n', n), in arrays of `scratch` or
    of its own.

    Args:
        wanted: which; there may be more.
        Z: shape (n', d).
        X: shape (n, d).
        scratch: shape (2, n', n).
        centre: taken from all rows before squared distances, shape (d,), or of numbers alone where the rest is coded;
            None: nothing, where 0 is among the rows.
        lengths: `squared_lengths` of Z and of X, where they are known.
    """
    first, second, matches = matched(Z, X)
    if matches is None and (first is not Z or second is not X):
        lengths = None  # they are those of the numbers alone
    Z, X = first, second
    bases: dict[Base, FloatArray] = {}
    if "products" in wanted or ("squares" in wanted and X.shape[1] != 1 and centre is None):
        bases["products"] = _products(Z, X, scratch[0])
    if "squares" in wanted:
        bases["squares"] = _squares(Z, X, bases.get("products"), scratch[1], centre, lengths)
    if "absolutes" in wanted:
        bases["absolutes"] = _absolutes(Z, X)
    if matches is not None:
        adding = {"products": matches.add_products, "squares": matches.add_squares, "absolutes": matches.add_absolutes}
        for base, values in bases.items():
            adding[base](values)
    return bases


def middle(X: FloatArray) -> FloatArray | None:
    """A place among rows X (n, d), whose distances lose no digits where they are measured from it, shape (d,).

    Of one column distances are differences, and none is needed.
    """
    if X.shape[1] == 1:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(X[0] + np.mean(X - X[0], axis=0))


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def squared_lengths(rows: View, centre: FloatArray | None) -> FloatArray:
    """|x|^2 of rows (n, d), from the centre, shape (n,); of their numbers alone where the rest is coded."""
    numbers = rows.numbers if isinstance(rows, Coded) else rows
    X = numbers if centre is None else numbers - centre
    return np.asarray(np.einsum("ij,ij->i", X, X))


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _products(Z: FloatArray, X: FloatArray, out: FloatArray) -> FloatArray:
    return np.multiply(Z, X.T, out=out) if X.shape[1] == 1 else np.matmul(Z, X.T, out=out)


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _squares(
    Z: FloatArray,
    X: FloatArray,
    products: FloatArray | None,
    out: FloatArray,
    centre: FloatArray | None,
    lengths: tuple[FloatArray, FloatArray] | None,
) -> FloatArray:
    """|z - x|^2 = |z|^2 - 2 z'x + |x|^2 from the centre, shape (n', n); of one column (z - x)^2."""
    if X.shape[1] == 1:
        np.subtract(Z, X.T, out=out)
        return np.multiply(out, out, out=out)
    first, second = (squared_lengths(Z, centre), squared_lengths(X, centre)) if lengths is None else lengths
    if centre is not None:
        products = _products(Z - centre, X - centre, out)
    assert products is not None
    np.multiply(products, -2.0, out=out)
    out += first[:, None]
    out += second
    return np.maximum(out, 0.0, out=out)


def _add_plainly(Z: FloatArray, X: FloatArray, total: FloatArray) -> None:
    """Total (n', n) += the sum of |z_j - x_j| of few rows Z (n', d) and X (n, d), in arrays that the cache holds."""
    apart = np.empty_like(total)
    for z, x in zip(Z.T, X.T, strict=True):
        np.subtract(z[:, None], x, out=apart)
        total += np.abs(apart, out=apart)


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _absolutes(Z: FloatArray, X: FloatArray) -> FloatArray:
    """The sum of |z_j - x_j|, shape (n', n)."""
    if len(Z) * X.size <= _FEW:
        total = np.zeros((len(Z), len(X)))
        for i in range(0, len(Z), _HEIGHT):
            _add_plainly(Z[i : i + _HEIGHT], X, total[i : i + _HEIGHT])
        return total
    from kernelopt._linalg._absolute_distances import absolute_distances  # imports numba where it is needed

    return absolute_distances(Z, X)
