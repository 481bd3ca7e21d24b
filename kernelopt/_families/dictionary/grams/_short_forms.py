"""Sums over many rows of kernels that have a short form as functions of a new row.

A list may have several Gaussians on each column, and under the evidence every row is a support vector. The sum over
rows and widths is one smooth function of one number: polynomials on short intervals. That of a linear or a quadratic
kernel is a linear or a quadratic form. New rows then need neither rows nor widths.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

import attrs
import numpy as np
from numpy.polynomial import chebyshev

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.grams._blocks import Blocks
from kernelopt._families.dictionary.grams._gram_parts import heights, tiles
from kernelopt._families.dictionary.kernels._closed_form import Form, Gaussian, Linear, Power
from kernelopt._families.dictionary.seen._coded_columns import View, column_sums, depth, image, seen_from, written_out
from kernelopt._families.dictionary.seen._places import Place
from kernelopt._families.dictionary.seen._seen_rows import Seen
from kernelopt._linalg._decay import decayed

_DEGREE = 11
_HALF = 0.27
"""Half the length of an interval, in units of gamma^-1/2. The derivatives of order 12 of exp(-gamma z^2) are at most
665280 gamma^6, so that the polynomial of degree 11 at Chebyshev's points is off by 1e-13 at most."""
_PAD = 0.25
"""The intervals reach beyond the rows by this share of their range; farther out rows are summed one by one."""
_MOST = 4096
"""So many points are looked at; where more are needed, the sum is not smooth enough for this."""

_POINTS = chebyshev.chebpts1(_DEGREE + 1)
_TO_COEFFICIENTS = chebyshev.chebvander(_POINTS, _DEGREE).T * np.array([1.0, *[2.0] * _DEGREE])[:, None] / len(_POINTS)


class Short(Protocol):
    """A sum over rows as a function of what is seen of a new one."""

    def at(self, Z: View) -> FloatArray:
        """The values at rows Z (n', d), shape (n', c)."""


@attrs.frozen(eq=False)
class Widths:
    """Sum_a w_a exp(-gamma_a (z - x)^2): Gaussians of one distance.

    Attributes:
        gammas, weights: shape (k,).
    """

    gammas: FloatArray
    weights: FloatArray

    def summed(self, z: FloatArray, x: FloatArray, V: FloatArray) -> FloatArray:
        """The kernel between z (n',) and x (n,), times V (n, c), shape (n', c)."""
        values, whole = np.empty((len(z), V.shape[1])), len(z) * len(x) * len(self.gammas)
        for rows in heights(len(z), len(x)):
            squares = (z[rows, None] - x) ** 2
            total, one = np.zeros_like(squares), np.empty_like(squares)
            for gamma, weight in zip(self.gammas, self.weights, strict=True):
                decayed(squares, float(gamma), one, whole=whole)
                one *= weight
                total += one
            values[rows] = total @ V
        return values


@attrs.frozen(eq=False)
class ColumnFunction:
    """z -> sum_i k(z, x_i) V_i of one column.

    Attributes:
        widths: k.
        x: the rows' values, each once, shape (u,).
        V: summed over the rows of each value, shape (u, c).
        low: where the intervals begin.
        length: of each.
        coefficients: of the polynomials, in Chebyshev's basis, shape (intervals, degree + 1, c).
    """

    widths: Widths
    x: FloatArray
    V: FloatArray
    low: float
    length: float
    coefficients: FloatArray

    @classmethod
    def of(cls, widths: Widths, x: FloatArray, V: FloatArray) -> "ColumnFunction | None":
        """The function of rows x (n,) with V (n, c); None where too many intervals would be needed."""
        values, place = np.unique(x, return_inverse=True)
        sums = np.column_stack([np.bincount(place, v, len(values)).astype(np.float64) for v in V.T])
        pad = _PAD * (values[-1] - values[0])
        low, high = float(values[0] - pad), float(values[-1] + pad)
        wanted = (high - low) * np.sqrt(float(widths.gammas.max())) / (2.0 * _HALF)
        if not wanted * len(_POINTS) <= _MOST:
            return None
        count = int(wanted) + 1
        length = (high - low) / count or 1.0
        nodes = low + length * (np.arange(count)[:, None] + 0.5 * (_POINTS + 1.0))
        at = widths.summed(nodes.ravel(), values, sums).reshape(count, len(_POINTS), -1)
        return cls(widths, values, sums, low, length, _TO_COEFFICIENTS @ at)

    def at(self, Z: View) -> FloatArray:
        """The values at rows Z (n', 1), shape (n', c)."""
        z = written_out(Z)[:, 0]
        place = (z - self.low) / self.length
        count = len(self.coefficients)
        cell = np.clip(place, 0.0, count - 1.0).astype(np.intp)
        inside = (place >= 0.0) & (place <= count)
        t = np.where(inside, 2.0 * (place - cell) - 1.0, 0.0)
        values = chebyshev.chebval(t[:, None], self.coefficients[cell].transpose(1, 0, 2), tensor=False)
        if not inside.all():
            values[~inside] = self.widths.summed(z[~inside], self.x, self.V)
        return np.asarray(values, dtype=np.float64)


@attrs.frozen(eq=False)
class QuadraticFunction:
    """z -> z'A_c z + b_c'z + a_c, which is sum_i w (gamma x_i'z + coef0)^degree V_i of degree 1 or 2.

    Attributes:
        A: shape (c, d, d), or None of degree 1.
        b: shape (d, c).
        a: shape (c,).
    """

    A: FloatArray | None
    b: FloatArray
    a: FloatArray

    @classmethod
    def of(cls, form: Form, weight: float, rows: View, V: FloatArray) -> "QuadraticFunction | None":
        """The function of rows (n, d) with V (n, c); None of another kernel, or where that is no less work."""
        if isinstance(form, Linear):
            return cls(None, weight * column_sums(rows, V), np.zeros(V.shape[1]))
        if not isinstance(form, Power) or form.degree != 2:
            return None
        if rows.shape[1] ** 2 * V.shape[1] > len(rows) * depth(rows):
            return None
        X = written_out(rows)
        gamma = 1.0 / X.shape[1] if form.gamma is None else float(form.gamma)
        A = np.stack([X.T @ (v[:, None] * X) for v in V.T])
        b = 2.0 * gamma * form.coef0 * weight * (X.T @ V)
        return cls(weight * gamma**2 * A, b, weight * form.coef0**2 * V.sum(axis=0))

    def at(self, Z: View) -> FloatArray:
        """The values at rows Z (n', d), shape (n', c)."""
        values = image(Z, self.b) + self.a
        if self.A is not None:
            Z = written_out(Z)
            values += np.column_stack([np.einsum("ij,ij->i", Z @ A, Z) for A in self.A])
        return np.asarray(values, dtype=np.float64)


@attrs.frozen(eq=False)
class ListFunction:
    """z -> sum_i k(z, x_i) V_i of a list of kernels.

    Attributes:
        short: what has a short form, with where rows are seen for it.
        rest: the other kernels, divided by nothing.
        weights: theirs, by their numbers.
        rows: the x_i, as those see them.
        V: shape (n, c).
    """

    short: tuple[tuple[Place, Short], ...]
    rest: Blocks
    weights: dict[int, float]
    rows: Seen
    V: FloatArray

    @classmethod
    def of(cls, blocks: Blocks, weights: dict[int, float], seen: View, V: FloatArray) -> "ListFunction":
        """The function of kernels of these weights by their numbers, divided by nothing, on rows as they see them."""
        short, rest = functions(blocks, weights, seen, V)
        others = blocks.only(rest)
        return cls(short, others, weights, others.seen(seen), V)

    def at(self, Z: View) -> FloatArray:
        """The values at rows Z (n', d) as the kernels see them, shape (n', c)."""
        total = np.zeros((len(Z), self.V.shape[1]))
        seen, whole = self.rest.seen(Z), len(Z) * len(self.rows)
        for here, there in tiles(len(Z), len(self.rows)) if self.rest.numbers else ():
            total[here] += self.rest.summed(self.weights, seen[here], self.rows[there], whole) @ self.V[there]
        for place, function in self.short:
            total += function.at(seen_from(place, Z))
        return total


def functions(
    blocks: Blocks, weights: dict[int, float], seen: View, V: FloatArray
) -> tuple[tuple[tuple[Place, Short], ...], list[int]]:
    """What has a short form in a list of kernels, and the numbers of the kernels that have none.

    Args:
        blocks: the kernels.
        weights: theirs, > 0, by their numbers.
        seen: rows as the kernels see them, shape (n, d).
        V: shape (n, c).
    """
    found: list[tuple[Place, Short]] = []
    rest = list(blocks.others)
    for place, members in blocks.groups:
        view = seen_from(place, seen)
        known = dict(_short(members, weights, view, V, blocks.unit))
        found += [(place, function) for function in dict.fromkeys(known.values())]
        rest += [number for number, _ in members if number not in known]
    return tuple(found), sorted(rest)


def _short(
    members: Sequence[tuple[int, Form]], weights: dict[int, float], X: View, V: FloatArray, unit: bool
) -> Iterator[tuple[int, Short]]:
    """The numbers of the kernels on rows X (n, d) that have a short form, with that form, which several may share."""
    gaussians = [(number, form.gamma) for number, form in members if isinstance(form, Gaussian)]
    if gaussians and X.shape[1] == 1:
        gammas = np.array([1.0 if gamma is None else float(gamma) for _, gamma in gaussians])
        widths = Widths(gammas, np.array([weights[number] for number, _ in gaussians]))
        smooth = ColumnFunction.of(widths, written_out(X)[:, 0], V)
        if smooth is not None:
            yield from ((number, smooth) for number, _ in gaussians)
    for number, form in () if unit else members:  # a Gaussian has k(x, x) = 1 in any case
        quadratic = QuadraticFunction.of(form, weights[number], X, V)
        if quadratic is not None:
            yield number, quadratic
