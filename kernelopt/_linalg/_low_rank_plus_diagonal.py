"""Solving with F F' + diag(D), F with fewer columns than rows, and never an n x n array."""

import math
from collections.abc import Callable
from typing import TypeAlias

import attrs
import numpy as np
from scipy.linalg import LinAlgError, lapack, qr, solve_triangular

from kernelopt._base._threads import all_threads
from kernelopt._base._typing import FloatArray, IntArray

Solve: TypeAlias = Callable[[FloatArray], FloatArray]
"""B -> A^-1 B."""
_FEW = 8
"""So many columns are turned by one reflector after the other: to gather reflectors costs more than it saves there."""


@attrs.frozen(eq=False)
class Thin:
    """The factored matrix F F' + diag(D), D > 0, in O(n r^2) by a QR factorisation of D^-1/2 F = Q [R; 0].

        x = D^-1/2 Q [(I + R R')^-1 t_1; t_2],    [t_1; t_2] = Q' D^-1/2 b

    Q is the whole orthogonal matrix, held as its reflectors, so that nothing cancels; the rows are sorted by their
    size before Householder's method, which then is stable row by row. The formula of Woodbury, the same algebra,
    loses all digits where R is large.

    Attributes:
        factor: F, shape (n, r).
        diagonal: D, shape (n,).
        root: D^1/2 in the order of `order`.
        order: the rows by falling size.
        reflectors, scales: Q, as LAPACK holds it.
        inner: the triangular T with T'T = I + R R', shape (r, r).
    """

    factor: FloatArray
    diagonal: FloatArray
    root: FloatArray
    order: IntArray
    reflectors: FloatArray
    scales: FloatArray
    inner: FloatArray

    @classmethod
    def of(cls, factor: FloatArray, diagonal: FloatArray) -> "Thin":
        """From F (n, r) with r <= n, and D > 0 (n,).

        Raises:
            LinAlgError: something is not finite.
        """
        if not (diagonal > 0.0).all():
            raise LinAlgError("the diagonal is not positive")
        with np.errstate(over="ignore"):
            order = np.argsort(-np.einsum("ir,ir->i", factor, factor) / diagonal, kind="stable")
            columns = np.take(factor.T, order, axis=1).T
            columns /= np.sqrt(diagonal[order])[:, None]
        if not np.isfinite(columns).all():
            raise LinAlgError("a row is too large beside its diagonal")
        r = factor.shape[1]
        work = int(lapack.dgeqrf_lwork(*columns.shape)[0]) if r else 1
        with all_threads(math.isqrt(len(factor) * r)):
            reflectors, scales, _, _ = lapack.dgeqrf(columns, lwork=work, overwrite_a=1)
        stacked = np.vstack([np.triu(reflectors[:r]).T, np.eye(r)])
        inner = qr(stacked, mode="r", check_finite=False, overwrite_a=True)[0][:r]
        return cls(factor, diagonal, np.sqrt(diagonal[order]), order, reflectors, scales, inner)

    def solve(self, B: FloatArray) -> FloatArray:
        """The solution for B of shape (n,) or (n, k)."""
        right = B if B.ndim == 2 else B[:, None]
        return self._once(right).reshape(B.shape)

    def apply(self, X: FloatArray) -> FloatArray:
        """(F F' + diag(D)) X for X of shape (n, k)."""
        product: FloatArray = self.factor @ (self.factor.T @ X) + self.diagonal[:, None] * X
        return product

    def _once(self, B: FloatArray) -> FloatArray:
        r = self.factor.shape[1]
        turned = self._turned(B[self.order] / self.root[:, None], "T")
        half = solve_triangular(self.inner, turned[:r], trans="T", check_finite=False)
        turned[:r] = solve_triangular(self.inner, half, check_finite=False)
        x = np.empty_like(B)
        x[self.order] = self._turned(turned, "N") / self.root[:, None]
        return x

    def _turned(self, t: FloatArray, trans: str) -> FloatArray:
        """Q' t or Q t with the whole orthogonal Q, (n, n) in name only."""
        if not self.factor.shape[1] or not t.shape[1]:
            return t.copy()  # LAPACK prints an error where there is nothing to turn
        columns = np.asfortranarray(t)
        work = columns.shape[1]  # with no more space than that LAPACK gathers none
        if work > _FEW:
            work = int(lapack.dormqr("L", trans, self.reflectors, self.scales, columns, -1)[1][0])
        product: FloatArray = lapack.dormqr("L", trans, self.reflectors, self.scales, columns, work)[0]
        return product
