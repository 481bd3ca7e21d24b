"""The monomials Z(z, x) of a tessellated kernel and the bookkeeping of their exponents."""

from math import comb
from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray, exponents, monomials


def basis_size(d: int, degree: int, basis: str) -> int:
    """The length q of Z: C(d + degree, degree), or C(2 d + degree, degree) for monomials of x and z."""
    return comb((2 * d if basis == "xz" else d) + degree, degree)


@attrs.frozen(eq=False)
class Basis:
    """Z(z, x)_i = x^delta_i z^gamma_i.

    Attributes:
        exponents: shape (q, d) in basis "x", (q, 2 d) in basis "xz", x before z, last index fastest.
        powers: the exponents of the monomials x^delta that occur, shape (g, d).
        delta: which row of `powers` each entry of Z takes, shape (q,).
        z_powers: the exponents of the monomials z^gamma that occur, shape (h, d); h = 1 in basis "x".
        gamma: which row of `z_powers` each entry of Z takes, shape (q,).
        members: for each row of `z_powers`, the entries of Z that take it; their delta ascend.
    """

    exponents: IntArray
    powers: IntArray
    delta: IntArray
    z_powers: IntArray
    gamma: IntArray
    members: tuple[IntArray, ...]

    @classmethod
    def build(cls, d: int, degree: int, basis: str) -> Self:
        """The monomials of total degree at most `degree` in x (basis "x") or in x and z (basis "xz")."""
        powers = exponents(d, degree)
        if basis == "x":
            q = len(powers)
            return cls(powers, powers, np.arange(q), powers[:1], np.zeros(q, dtype=np.int64), (np.arange(q),))
        both = exponents(2 * d, degree)
        number = {row.tobytes(): k for k, row in enumerate(powers)}
        delta = np.array([number[row.tobytes()] for row in np.ascontiguousarray(both[:, :d])])
        gamma = np.array([number[row.tobytes()] for row in np.ascontiguousarray(both[:, d:])])
        members = tuple(np.flatnonzero(gamma == k) for k in range(len(powers)))
        return cls(both, powers, delta, powers, gamma, members)

    @property
    def q(self) -> int:
        """The length of Z; P is 2 q x 2 q."""
        return len(self.delta)

    def monomials(self, X: FloatArray) -> FloatArray:
        """x^delta for every row and every delta that occurs, shape (n, g)."""
        return monomials(X, self.powers)

    def collapse(self, H: FloatArray) -> FloatArray:
        """The sums over the entries of Z that share a delta, (n, q) to (n, g)."""
        collected = np.zeros((len(H), len(self.powers)))
        for members in self.members:  # within one gamma no delta occurs twice
            collected[:, self.delta[members]] += H[:, members]
        return collected
