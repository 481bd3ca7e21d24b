"""What kernels in closed form are functions of: products and distances of rows, in arrays that are reused."""

from collections.abc import Collection

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._device._distances import FELT, Base, wide
from kernelopt._families.dictionary.seen._coded_columns import Coded, View
from kernelopt._families.dictionary.seen._matches import matched

_FEW = 1 << 20
"""Where all rows have so few differences of numbers numpy takes a millisecond more for a Gram than compiled code, and
numba would take a third of a second to compile that. Worth: `first_call_peer.py`, three classes."""
_HEIGHT = 64
"""So many rows at a time then."""
_AMONG = 512
"""A mean of so many rows lies among all of them."""


def base_of(base: Base, Z: View, X: View, steepness: float) -> FloatArray:
    """What kernels of this steepness at most are a function of, between rows Z and X, shape (n', n)."""
    numbers, scratch = (X.numbers if isinstance(X, Coded) else X), np.empty((2, len(Z), len(X)))
    return bases_of({base}, Z, X, scratch, steepness, middle(numbers))[base]


def bases_of(
    wanted: Collection[Base],
    Z: View,
    X: View,
    scratch: FloatArray,
    steepness: float,
    centre: FloatArray | None = None,
    known: tuple[FloatArray, FloatArray] | None = None,
    pairs: int | None = None,
) -> dict[Base, FloatArray]:
    """What several kernels are functions of, between the same rows, each of shape (n', n), in arrays of `scratch` or
    of its own.

    Args:
        wanted: which; there may be more.
        Z: shape (n', d).
        X: shape (n, d).
        scratch: shape (2, n', n).
        steepness: one over the squared distance at which the steepest of the kernels falls; 0 where it is known that
            none feels what products lose.
        centre: taken from all rows before squared distances, shape (d,), or of numbers alone where the rest is coded;
            None: nothing, where 0 is among the rows.
        known: Z and X `lifted` from the centre, where they are at hand.
        pairs: how many pairs of rows there are in all, of which these are a block; None: these alone. Of many, compiled
            code is worth its wait.
    """
    pairs = len(Z) * len(X) if pairs is None else pairs
    first, second, matches = matched(Z, X)
    if matches is None and (first is not Z or second is not X):
        known = None  # they are those of the numbers alone
    Z, X = first, second
    bases: dict[Base, FloatArray] = {}
    if "products" in wanted:
        bases["products"] = _products(Z, X, scratch[0])
    if "squares" in wanted and X.shape[1] == 1:
        bases["squares"] = _squared_differences(Z, X, scratch[1])
    elif "squares" in wanted:
        bases["squares"] = _squares(*(known or (lifted(Z, centre), lifted(X, centre))), steepness, scratch[1])
    if "absolutes" in wanted:
        bases["absolutes"] = _absolutes(Z, X, pairs)
    if matches is not None:
        adding = {"products": matches.add_products, "squares": matches.add_squares, "absolutes": matches.add_absolutes}
        for base, values in bases.items():
            adding[base](values, pairs)
    return bases


def middle(X: FloatArray) -> FloatArray | None:
    """A place among rows X (n, d), whose distances lose no digits where they are measured from it, shape (d,).

    Of one column distances are differences, and none is needed. It need not be the mean: of many rows it is that of
    some.
    """
    if X.shape[1] == 1:
        return None
    X = X[:: max(len(X) // _AMONG, 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(X[0] + np.mean(X - X[0], axis=0))


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def lifted(rows: View, centre: FloatArray | None) -> FloatArray:
    """(x, 1, |x|^2) of rows x (n, d) from the centre, shape (n, d + 2); of their numbers alone where the rest is coded.

    With it a product of matrices is all that squared distances take.
    """
    numbers = rows.numbers if isinstance(rows, Coded) else rows
    n, d = numbers.shape
    values = np.empty((n, d + 2))
    X = values[:, :d]
    np.subtract(numbers, 0.0 if centre is None else centre, out=X)
    values[:, d] = 1.0
    np.einsum("ij,ij->i", X, X, out=values[:, d + 1])
    return values


def largest_square(lifts: FloatArray) -> float:
    """The largest |x|^2 of lifted rows (n, d + 2); 0 of none."""
    return float(lifts[:, -1].max(initial=0.0))


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _products(Z: FloatArray, X: FloatArray, out: FloatArray) -> FloatArray:
    return np.multiply(Z, X.T, out=out) if X.shape[1] == 1 else np.matmul(Z, X.T, out=out)


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _squared_differences(Z: FloatArray, X: FloatArray, out: FloatArray) -> FloatArray:
    """(z - x)^2 of one column, shape (n', n)."""
    np.subtract(Z, X.T, out=out)
    return np.multiply(out, out, out=out)


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _squares(Z: FloatArray, X: FloatArray, steepness: float, out: FloatArray) -> FloatArray:
    """|z - x|^2 of lifted rows, shape (n', n): columns that are too wide for a kernel of this steepness are told apart
    by differences.
    """
    if not steepness or steepness * (largest_square(Z) + largest_square(X)) <= FELT:
        return _of_products(Z, X, out)
    Z, X = Z[:, :-2], X[:, :-2]
    columns = wide(_largest_squares(Z) + _largest_squares(X), steepness)
    others = np.setdiff1d(np.arange(X.shape[1]), columns)
    _of_products(lifted(Z[:, others], None), lifted(X[:, others], None), out)
    return _add_differences(Z[:, columns], X[:, columns], out)


@np.errstate(over="ignore")
def _largest_squares(rows: FloatArray) -> FloatArray:
    """The largest square in each column of rows (n, d), shape (d,)."""
    return np.asarray(np.square(rows).max(axis=0, initial=0.0))


def _add_differences(Z: FloatArray, X: FloatArray, out: FloatArray) -> FloatArray:
    """Out (n', n) += |z - x|^2 of rows Z (n', k) and X (n, k), a few rows at a time."""
    from scipy.spatial.distance import cdist  # imported where it is needed

    for i in range(0, len(Z), _HEIGHT):
        out[i : i + _HEIGHT] += cdist(Z[i : i + _HEIGHT], X, "sqeuclidean")
    return out


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _of_products(Z: FloatArray, X: FloatArray, out: FloatArray) -> FloatArray:
    """|z - x|^2 = (-2 z, |z|^2, 1)'(x, 1, |x|^2) of lifted rows, shape (n', n)."""
    first = np.empty_like(Z)
    np.multiply(Z[:, :-2], -2.0, out=first[:, :-2])
    first[:, -2:] = Z[:, :-3:-1]
    np.matmul(first, X.T, out=out)
    return np.maximum(out, 0.0, out=out)


def _add_plainly(Z: FloatArray, X: FloatArray, total: FloatArray) -> None:
    """Total (n', n) += the sum of |z_j - x_j| of few rows Z (n', d) and X (n, d), in arrays that the cache holds."""
    apart = np.empty_like(total)
    for z, x in zip(Z.T, X.T, strict=True):
        np.subtract(z[:, None], x, out=apart)
        total += np.abs(apart, out=apart)


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def _absolutes(Z: FloatArray, X: FloatArray, pairs: int) -> FloatArray:
    """The sum of |z_j - x_j|, shape (n', n)."""
    if pairs * X.shape[1] <= _FEW:
        total = np.zeros((len(Z), len(X)))
        for i in range(0, len(Z), _HEIGHT):
            _add_plainly(Z[i : i + _HEIGHT], X, total[i : i + _HEIGHT])
        return total
    from kernelopt._linalg._absolute_distances import absolute_distances  # imports numba where it is needed

    return absolute_distances(Z, X)
