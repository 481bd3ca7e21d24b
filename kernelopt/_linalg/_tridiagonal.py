"""A symmetric matrix plus multiples of the identity: what all multiples have in common is computed once."""

import attrs
import numpy as np
from scipy.linalg import lapack

from kernelopt._base._typing import FloatArray

_PANEL = 64
"""Columns for each of which LAPACK gets a place to work in."""


@attrs.frozen(eq=False)
class Shifted:
    """K + r I of a symmetric K = Q T Q', T tridiagonal, for any r > 0 at the cost of n numbers.

    Attributes:
        diagonal: of T, shape (n,).
        beside: what stands beside it, shape (n - 1,).
        targets: Q'Y, shape (n, c).
    """

    diagonal: FloatArray
    beside: FloatArray
    targets: FloatArray

    @classmethod
    def of(cls, K: FloatArray, Y: FloatArray) -> "Shifted":
        """Of K (n, n) with n > 1 and Y (n, c): 4/3 n^3, a third of what eigenvalues with their vectors take."""
        work = int(lapack.dsytrd_lwork(len(K), lower=1)[0])
        reflectors, diagonal, beside, sizes, _ = lapack.dsytrd(K.T, lower=1, lwork=work)
        targets = np.array(Y, dtype=np.float64)
        if targets.size:  # LAPACK prints an error where there is nothing to turn
            turned = lapack.dormqr("L", "T", reflectors[1:, :-1], sizes, targets[1:], lwork=_PANEL * Y.shape[1])
            targets[1:] = turned[0]
        return cls(diagonal, beside, targets)

    def at(self, r: float) -> tuple[float, float] | None:
        """log det(K + r I) and tr Y'(K + r I)^-1 Y; None where that is not positive definite."""
        found = self.each(r)
        return None if found is None else (found[0], float(found[1].sum()))

    def each(self, r: float) -> tuple[float, FloatArray] | None:
        """The same with y'(K + r I)^-1 y of each column, shape (c,)."""
        pivots, below, failed = lapack.dpttrf(self.diagonal + r, self.beside)
        if failed:
            return None
        solved, _ = lapack.dpttrs(pivots, below, self.targets)
        return float(np.log(pivots).sum()), np.asarray(np.einsum("ic,ic->c", self.targets, solved))
