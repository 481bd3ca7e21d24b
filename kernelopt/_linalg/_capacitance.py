"""Solving with F F' + diag(D) where the diagonal is not small beside the factors: by products alone."""

import math

import attrs
import numpy as np
from scipy.linalg import LinAlgError, blas, lapack

from kernelopt._base._threads import all_threads
from kernelopt._base._typing import FloatArray
from kernelopt._linalg._lapack import solved_by
from kernelopt._linalg._low_rank_plus_diagonal import Thin

_MILD = 1e6
"""Up to this sum_i |f_i|^2 / D_i the formula of Woodbury loses six digits of sixteen at most, and more above.
Worth: `constants.py linalg.mild`."""


@attrs.frozen(eq=False)
class Capacitance:
    """The factored matrix F F' + diag(D), D > 0, by the Cholesky factor of the r x r matrix I + F'D^-1 F.

        x = D^-1 (b - F t),    (I + F'D^-1 F) t = F'D^-1 b        (Woodbury, 1950)

    A fraction of the time of `Thin`, whose reflectors take twice the operations and go through the array column by
    column. What cancels in b - F t costs digits: as many as sum_i |f_i|^2 / D_i has.

    Attributes:
        factor: F, shape (n, r).
        diagonal: D, shape (n,).
        inner: the lower Cholesky factor of I + F'D^-1 F, shape (r, r).
    """

    factor: FloatArray
    diagonal: FloatArray
    inner: FloatArray

    @classmethod
    def of(cls, factor: FloatArray, diagonal: FloatArray) -> "Capacitance":
        """From F (n, r), and D > 0 (n,).

        Raises:
            LinAlgError: something is not finite.
        """
        n, r = factor.shape
        if not r:
            return cls(factor, diagonal, np.zeros((0, 0)))
        scaled = factor / np.sqrt(diagonal)[:, None]
        with all_threads(math.isqrt(n * r)):
            matrix = blas.dsyrk(1.0, scaled.T, lower=1)
            matrix[np.diag_indices(r)] += 1.0
            inner, failed = lapack.dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
        if failed or not np.isfinite(np.diagonal(inner)).all():
            raise LinAlgError("the capacitance matrix is not positive definite")
        return cls(factor, diagonal, inner)

    def solve(self, B: FloatArray) -> FloatArray:
        """The solution for B of shape (n,) or (n, k)."""
        D = self.diagonal if B.ndim == 1 else self.diagonal[:, None]
        scaled = B / D
        if not self.factor.shape[1]:
            return np.asarray(scaled)
        inner = solved_by(self.inner, self.factor.T @ scaled)
        return np.asarray(scaled - (self.factor @ inner) / D)

    def apply(self, X: FloatArray) -> FloatArray:
        """(F F' + diag(D)) X for X of shape (n, k)."""
        product: FloatArray = self.factor @ (self.factor.T @ X) + self.diagonal[:, None] * X
        return product


def factored(factor: FloatArray, diagonal: FloatArray) -> Thin | Capacitance:
    """F F' + diag(D) in the cheapest way that keeps ten digits: `Capacitance` where the diagonal is large, else `Thin`.

    Args:
        factor: F, shape (n, r), r <= n.
        diagonal: D > 0, shape (n,).

    Raises:
        LinAlgError: the diagonal is not positive, or something is not finite.
    """
    if (diagonal > 0.0).all():
        with np.errstate(over="ignore"):
            size = float(np.sum(np.einsum("ir,ir->i", factor, factor) / diagonal))
        if size <= _MILD:
            return Capacitance.of(factor, diagonal)
    return Thin.of(factor, diagonal)
