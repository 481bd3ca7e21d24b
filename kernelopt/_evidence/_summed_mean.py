"""The mean of a Gaussian process by features whose sums over many rows are known, and its errors on rows left out."""

import attrs
import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from kernelopt._base._typing import FloatArray
from kernelopt._families.features._feature_rows import HeldRows

_SURE = 1e-9
"""A row that is left out has at least this share of its own value: less is rounding."""


@attrs.frozen(eq=False)
class SummedMean:
    """The mean of the targets under K = Phi diag(w) Phi' and noise tau.

    Attributes:
        coefficients: of the features, shape (r, c).
        root: the roots of w, shape (r,).
        lower: L, shape (r, r), with L L' = diag(w)^1/2 Phi'S Phi diag(w)^1/2 + tau I.
    """

    coefficients: FloatArray
    root: FloatArray
    lower: FloatArray

    @classmethod
    def of(cls, inner: FloatArray, along: FloatArray, root: FloatArray) -> "SummedMean":
        """That of sums: L L' (r, r), which is written into, and Phi'S Y (r, c); r^3 / 3 operations."""
        lower = np.asarray(cholesky(inner, lower=True, overwrite_a=True, check_finite=False))
        solved = cho_solve((lower, True), root[:, None] * along, check_finite=False)
        return cls(root[:, None] * solved, root, lower)

    def left_out(self, rows: HeldRows, weight: FloatArray) -> FloatArray:
        """The targets of some of the rows less what all others say, so much of the weight of each row (k,) left out in
        turn, shape (k, c); k r^2 operations (Rasmussen and Williams 2006, equation 5.12).
        """
        left = rows.y - rows.features.image(self.coefficients)
        return np.asarray(left / (1.0 - own_share(self.known(rows), weight))[:, None])

    def known(self, rows: HeldRows) -> FloatArray:
        """The posterior's variance at some of the rows as a share of tau, shape (k,); k r^2 operations."""
        phi = rows.features.at(slice(None))
        half = solve_triangular(self.lower, (phi * self.root).T, lower=True, check_finite=False)
        return np.asarray(np.einsum("ij,ij->j", half, half))


def own_share(known: FloatArray, weight: FloatArray) -> FloatArray:
    """The share of the value at some rows (k,) that so much of their own weight (k,) says, below 1.

    Args:
        known: the posterior's variance there as a share of tau.
        weight: of which the row has at least so much.
    """
    return np.minimum(weight * known, 1.0 - _SURE)
