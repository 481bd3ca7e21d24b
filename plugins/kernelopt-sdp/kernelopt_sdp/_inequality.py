"""The matrix inequality of one output, [[K(theta), a], [a', 2 s]] >= 0, as a linear map of (theta, a, s)."""

from collections.abc import Iterable
from typing import Self

import attrs
import numpy as np
import scipy.linalg
from scipy.linalg import blas

from kernelopt.plugin import FloatArray
from kernelopt_sdp._bases import balanced
from kernelopt_sdp._pairs import MatrixPair, symmetric

_AT_ONCE = 32
"""So many matrices are multiplied at once, so that few more than the stack itself are in memory."""


@attrs.frozen(eq=False)
class Span:
    """The Grams of all coordinates in a basis of what any of them sees, where their middle is I.

        root root' = sum of the middle's Grams and the fixed one,    B'root = I,    maps_j = B'K_j B

    Attributes:
        maps: shape (p, r, r).
        fixed: what is added whatever the coordinates are, shape (r, r).
        root: shape (n, r).
    """

    maps: FloatArray
    fixed: FloatArray
    root: FloatArray

    @classmethod
    def of(cls, grams: Iterable[FloatArray], whole: FloatArray, bias_cost: float) -> Self:
        """From the Gram (n, n) of each coordinate, that of their middle, and what multiplies the fixed kernel 11'."""
        fixed = np.full(whole.shape, bias_cost)
        B, root = balanced(whole + fixed)
        maps = np.array([symmetric(B.T @ K @ B) for K in grams])
        return cls(maps, B.T @ fixed @ B, root)

    @property
    def rank(self) -> int:
        """r."""
        return int(self.root.shape[1])

    def matrix(self, theta: FloatArray, a: FloatArray, s: float) -> FloatArray:
        """The value of the inequality at theta (p,), a (r,) and s, shape (r + 1, r + 1)."""
        return self.change(theta, a, s) + np.pad(self.fixed, (0, 1))

    def change(self, theta: FloatArray, a: FloatArray, s: float) -> FloatArray:
        """Its linear part."""
        r = self.rank
        X = np.empty((r + 1, r + 1))
        X[:r, :r], X[:r, r], X[r, :r], X[r, r] = np.tensordot(theta, self.maps, axes=1), a, a, 2.0 * s
        return X

    def form(self, W: FloatArray) -> FloatArray:
        """<W, change> as a linear form in (theta, a, s), shape (p + r + 1,)."""
        r = self.rank
        inner = self.maps.reshape(len(self.maps), -1) @ np.ascontiguousarray(W[:r, :r]).ravel()
        return np.concatenate([inner, 2.0 * W[:r, r], [2.0 * W[r, r]]])

    def schur(self, pair: MatrixPair) -> FloatArray:
        """<E_j, turned(E_k)> over the coordinates of (theta, a, s), shape (p + r + 1, p + r + 1).

        The theta alone take 2 p r^3 + p^2 r^2 multiplications, and all others p r^2.
        """
        p, r = len(self.maps), self.rank
        S, s, c = pair.S[:r, :r], pair.S[:r, r], pair.S[r, r]
        Y, y, d = pair.inverse[:r, :r], pair.inverse[:r, r], pair.inverse[r, r]
        halves = _between(self.maps, scipy.linalg.cholesky(Y, lower=True), pair.dual_root[:r, :r]).reshape(p, -1)
        M, seen, dual = np.empty((p + r + 1, p + r + 1)), self.maps @ y, self.maps @ s
        M[:p, :p] = halves @ halves.T
        M[:p, p:-1] = seen @ S + dual @ Y
        M[:p, -1] = 2.0 * seen @ s
        M[p:-1, p:-1] = d * S + np.outer(s, y) + np.outer(y, s) + c * Y
        M[p:-1, -1] = 2.0 * (d * s + c * y)
        M[-1, -1] = 4.0 * c * d
        M[p:, :p] = M[:p, p:].T
        M[-1, p:-1] = M[p:-1, -1]
        return M


def _between(stack: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """second'A_j first for a stack of matrices A_j (p, r, r) and two lower triangular roots (r, r)."""
    found = np.empty_like(stack)
    for some in np.array_split(np.arange(len(stack)), -(-len(stack) // _AT_ONCE)):
        found[some] = _beside(_beside(stack[some], first), second).transpose(0, 2, 1)
    return found


def _beside(stack: FloatArray, root: FloatArray) -> FloatArray:
    """(A_j root)' for a stack of matrices A_j (p, r, r) and a lower triangular root (r, r): half of a full product."""
    p, r, _ = stack.shape
    turned = blas.dtrmm(1.0, root, stack.reshape(p * r, r).T, lower=True, trans_a=True)
    return np.ascontiguousarray(turned.T.reshape(p, r, r).transpose(0, 2, 1))
