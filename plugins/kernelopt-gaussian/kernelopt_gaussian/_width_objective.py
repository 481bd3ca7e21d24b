"""What a width is worth to given dual variables: a function of one number, and its Taylor series."""

import math
from typing import Self

import attrs
import numpy as np
from scipy.linalg import blas

from kernelopt.plugin import FloatArray, IntArray, decayed

DEGREE = 9
"""Of the Taylor polynomials: an interval is then about as wide as the series converges well."""
BENT = 2
"""The moments up to this degree give the second derivative."""
_PAIRS = 2**12
"""Pairs at a time, and widths: their exponentials stay in the cache."""
_WIDTHS = 16
_ROWS = 64
"""Rows at a time whose pairs with the rows before them are collected."""
_FACTORIALS = np.array([math.factorial(j) for j in range(DEGREE + 2)], dtype=float)


@attrs.frozen(eq=False)
class Nodes:
    """The sum at some widths, ascending where a method speaks of the next one.

    Attributes:
        omega: shape (b,).
        moments: sum_k s_k D_k^j exp(-omega D_k) for j = 0 to p, shape (b, p + 1); p is DEGREE where what is between the
            widths matters.
        rest: sum_k |s_k| D_k^(p + 1) exp(-omega D_k), shape (b,).
    """

    omega: FloatArray
    moments: FloatArray
    rest: FloatArray

    def __len__(self) -> int:
        return len(self.omega)

    def joined(self, other: "Nodes") -> "Nodes":
        """Both, each width once."""
        omega, first = np.unique(np.concatenate([self.omega, other.omega]), return_index=True)
        moments, rest = np.vstack([self.moments, other.moments]), np.concatenate([self.rest, other.rest])
        return Nodes(omega, moments[first], rest[first])

    def at(self, index: IntArray) -> "Nodes":
        """Some of them."""
        return Nodes(self.omega[index], self.moments[index], self.rest[index])


@attrs.frozen(eq=False)
class Curve:
    """g(omega) = exp(-eta omega^2) sum_k s_k exp(-omega D_k), k over pairs of rows: sum_c v_c' K_omega v_c.

    Attributes:
        squared: D, the squared distances of pairs, shape (K,), from 0 to 1.
        shares: s, shape (K,): twice sum_c v_ic v_jc, or the sum over all i = j, where D = 0.
        eta: >= 0.
    """

    squared: FloatArray
    shares: FloatArray
    eta: float

    @classmethod
    def normalised(cls, D: FloatArray, V: FloatArray, eta: float) -> tuple[Self, float]:
        """The curve of squared distances D (n, n), in units of the largest, and that unit.

        A width on it is `unit` times the width in D. Rows with v = 0 do not count.

        Args:
            D: symmetric, its diagonal 0.
            V: shape (n, c).
            eta: in the units of D.
        """
        support = np.flatnonzero(V.any(axis=1))
        some, count = V[support], len(support) * (len(support) - 1) // 2
        squared, shares = np.zeros(1 + count), np.full(1 + count, np.sum(V * V))
        end = 1
        for first in range(0, len(support), _ROWS):
            rows = slice(first, first + _ROWS)
            block = D[np.ix_(support[rows], support[: first + _ROWS])]
            pairs = np.tri(block.shape[0], block.shape[1], first - 1, bool)  # each pair once
            here, end = slice(end, end + int(pairs.sum())), end + int(pairs.sum())
            squared[here] = block[pairs]
            shares[here] = 2.0 * (some[rows] @ some[: first + _ROWS].T)[pairs]
        unit = float(squared.max()) or 1.0
        squared /= unit
        return cls(squared, shares, eta / (unit * unit)), unit

    @property
    def total(self) -> float:
        """sum_k |s_k|."""
        return float(blas.dasum(self.shares))

    def faintest(self, share: float) -> float:
        """The width at which exp(-eta omega^2) falls to `share`, in (0, 1]; infinite where eta = 0."""
        return math.sqrt(-math.log(share) / self.eta) if self.eta > 0.0 else math.inf

    def price(self, omega: FloatArray) -> FloatArray:
        """exp(-eta omega^2)."""
        return np.asarray(np.exp(-self.eta * omega * omega))

    def nodes(self, omega: FloatArray, degree: int = DEGREE) -> Nodes:
        """The sum at widths (b,), with the moments up to this degree >= 0, in O(b K)."""
        sums = np.zeros((len(omega), degree + 2))
        for first in range(0, len(self.squared), _PAIRS):
            squared, shares = self.squared[first : first + _PAIRS], self.shares[first : first + _PAIRS]
            terms = np.empty((degree + 2, len(squared)))
            terms[0] = shares
            for j in range(degree + 1):
                np.multiply(terms[j], squared, out=terms[j + 1])
            np.abs(terms[-1], out=terms[-1])
            for some in np.array_split(np.arange(len(omega)), len(omega) // _WIDTHS + 1):
                exponents = omega[some, None] * squared
                sums[some] += decayed(exponents, 1.0, exponents) @ terms.T
        return Nodes(omega, sums[:, :-1], sums[:, -1])

    def derivatives(self, at: Nodes) -> tuple[FloatArray, FloatArray, FloatArray]:
        """g, g' and g'' at nodes with moments up to `BENT` at least, each of shape (b,)."""
        z, eta, price = 2.0 * self.eta * at.omega, self.eta, self.price(at.omega)
        m0, m1, m2 = at.moments.T[:3]
        return price * m0, -price * (m1 + z * m0), price * (m2 + 2.0 * z * m1 + (z * z - 2.0 * eta) * m0)

    def excess(self, at: Nodes, target: float) -> tuple[FloatArray, FloatArray]:
        """How far g exceeds a target, up to a positive factor, as polynomials to the right of each node.

        g(a + t) <= target where exp(-eta a^2) sum_k s_k exp(-(a + t) D_k) <= target exp(2 eta a t + eta t^2). The left
        is its Taylor polynomial and a remainder; the right is above its own, whose coefficients c_j are all positive:
        j c_j = 2 eta (a c_(j-1) + c_(j-2)).

        Returns:
            The coefficients of the difference, shape (b, DEGREE + 1), and r, shape (b,), where the remainder at t is
            r t^(DEGREE + 1) at most.
        """
        price, growth = self.price(at.omega), np.ones((len(at), DEGREE + 1))
        for j in range(1, DEGREE + 1):
            before = growth[:, j - 2] if j > 1 else 0.0
            growth[:, j] = 2.0 * self.eta * (at.omega * growth[:, j - 1] + before) / j
        signs = (-1.0) ** np.arange(DEGREE + 1)
        series = price[:, None] * signs * at.moments / _FACTORIALS[:-1]
        return series - target * growth, price * at.rest / _FACTORIALS[-1]
