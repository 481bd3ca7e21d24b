"""Where polynomials might be positive: intervals halved until the Bernstein coefficients tell."""

import math

import attrs
import numpy as np

from kernelopt.plugin import BoolArray, FloatArray, IntArray

_LEVELS = 40


@attrs.frozen(eq=False)
class Pieces:
    """Parts of intervals, with the polynomial's Bernstein coefficients on each.

    Attributes:
        owner: the interval of each, shape (m,).
        start, end: shares of the interval, shape (m,).
        coefficients: shape (m, degree + 1); the first and the last are the values at both ends, all others bound it.
    """

    owner: IntArray
    start: FloatArray
    end: FloatArray
    coefficients: FloatArray

    def among(self, keep: BoolArray) -> "Pieces":
        """Some of them."""
        return Pieces(self.owner[keep], self.start[keep], self.end[keep], self.coefficients[keep])

    def halved(self) -> "Pieces":
        """Both halves of each, by de Casteljau's algorithm."""
        row, left, right = self.coefficients, [self.coefficients[:, 0]], [self.coefficients[:, -1]]
        while row.shape[1] > 1:
            row = 0.5 * (row[:, :-1] + row[:, 1:])
            left.append(row[:, 0])
            right.append(row[:, -1])
        middle = 0.5 * (self.start + self.end)
        return Pieces(
            np.concatenate([self.owner, self.owner]),
            np.concatenate([self.start, middle]),
            np.concatenate([middle, self.end]),
            np.vstack([np.stack(left, axis=1), np.stack(right[::-1], axis=1)]),
        )


def bernstein(polynomials: FloatArray, h: FloatArray) -> FloatArray:
    """The Bernstein coefficients on [0, h] of polynomials (m, degree + 1), lowest power first."""
    degree = polynomials.shape[1] - 1
    matrix = [[math.comb(i, j) / math.comb(degree, j) for j in range(degree + 1)] for i in range(degree + 1)]
    return np.asarray((polynomials * h[:, None] ** np.arange(degree + 1)) @ np.array(matrix).T)


def undecided(polynomials: FloatArray, rest: FloatArray, h: FloatArray) -> FloatArray:
    """Where p(t) + r t^(degree + 1) could be positive for some 0 <= t <= h: a likely t, or NaN where it cannot.

    Args:
        polynomials: p, shape (m, degree + 1), lowest power first.
        rest: r, shape (m,).
        h: shape (m,).
    """
    power = polynomials.shape[1]
    size = rest * h**power
    found, height = np.full(len(h), np.nan), np.full(len(h), -np.inf)
    pieces = Pieces(np.arange(len(h)), np.zeros(len(h)), np.ones(len(h)), bernstein(polynomials, h))
    for level in range(_LEVELS):
        room = size[pieces.owner] * pieces.end**power
        pieces = pieces.among(pieces.coefficients.max(axis=1) + room > 0.0)
        if not len(pieces.owner):
            break
        # Halving does not help where an end, with its own remainder, is positive already.
        ends = np.stack([pieces.start, pieces.end], axis=1)
        values = pieces.coefficients[:, [0, -1]]
        positive = values + size[pieces.owner, None] * ends**power > 0.0
        hopeless = positive.any(axis=1) | (level == _LEVELS - 1)
        where = np.argmax(np.where(positive, values, -np.inf), axis=1)
        _record(found, height, pieces.owner[hopeless], ends[hopeless, where[hopeless]], values.max(axis=1)[hopeless])
        pieces = pieces.among(~hopeless).halved()
    return found * h


def _record(found: FloatArray, height: FloatArray, owner: IntArray, t: FloatArray, values: FloatArray) -> None:
    """For each owner the t of the largest value so far, in place."""
    order = np.argsort(values, kind="stable")
    for a in order:
        if values[a] >= height[owner[a]]:
            found[owner[a]], height[owner[a]] = t[a], values[a]
