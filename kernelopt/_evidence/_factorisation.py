"""K + tau I factored: its determinant, its inverse, and what it solves."""

import math
from abc import ABC, abstractmethod
from typing import Any, TypeGuard

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr

from kernelopt._base._threads import all_threads
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._inverse import Inverse
from kernelopt._linalg._among import Among
from kernelopt._linalg._gram import ROW_BLOCK, Dense, Gram, LowRank, mirrored
from kernelopt._linalg._sided import Sided
from kernelopt._linalg._triangular_inverse import inverse_of_factored, triangular_inverse
from kernelopt._linalg._woodbury import Resolvent

_SPREAD = 30.0
"""Where pivots' roots differ by more than this, single precision has too few digits for the inverse: to this, prices of
atoms have three digits or more, and two where they differ by 300."""


class Factored(ABC):
    """A positive definite K + tau I of which the inverse is asked for in several ways."""

    @property
    @abstractmethod
    def log_determinant(self) -> float:
        """log det(K + tau I)."""

    @abstractmethod
    def solve(self, B: FloatArray) -> FloatArray:
        """(K + tau I)^-1 B for B of shape (n,) or (n, k)."""

    @abstractmethod
    def inverse(self, *, single: bool = False, last: bool = False) -> Gram:
        """(K + tau I)^-1, a matrix or in factors.

        Args:
            single: its entries in single precision will do, where that has digits enough.
            last: nothing more is asked of this object, so that its memory serves the inverse.
        """

    def last_variances(self, *, single: bool = False) -> FloatArray:
        """The diagonal of the inverse, shape (n,), after which nothing more is asked of this object.

        Args:
            single: single precision will do, where that has digits enough.
        """
        return self.inverse(single=single, last=True).diag()

    @property
    @abstractmethod
    def factor(self) -> FloatArray:
        """The triangular factor, lower: of the whole (n, n), or of F'F + tau I (r, r)."""


@attrs.frozen(eq=False)
class _Whole(Factored):
    """By Cholesky's L L' = K + tau I, L in either precision."""

    lower: NDArray[Any]

    @property
    def log_determinant(self) -> float:
        return 2.0 * float(np.log(np.diagonal(self.lower).astype(np.float64)).sum())

    @property
    def factor(self) -> FloatArray:
        return np.tril(self.lower)

    def solve(self, B: FloatArray) -> FloatArray:
        found = cho_solve((self.lower, True), B.astype(self.lower.dtype, copy=False), check_finite=False)
        return np.asarray(found, dtype=np.float64)

    def inverse(self, *, single: bool = False, last: bool = False) -> Gram:
        if single and self._spread <= _SPREAD:
            half = self.lower.astype(np.float32)
            with all_threads(len(half)):
                return Inverse(self.lower, mirrored(inverse_of_factored(half, overwrite=True)).T)
        with all_threads(len(self.lower)):
            return Dense(mirrored(inverse_of_factored(self.lower, overwrite=last)).T)

    def last_variances(self, *, single: bool = False) -> FloatArray:
        """From L^-1 alone, whose columns' squared lengths these are: half the work of the inverse."""
        half = single and self._spread <= _SPREAD
        lower = self.lower.astype(np.float32) if half else self.lower
        with all_threads(len(lower)):
            inverse = triangular_inverse(lower, overwrite=True)
        return np.concatenate([_squared_lengths(inverse, i) for i in range(0, len(inverse), ROW_BLOCK)])

    @property
    def _spread(self) -> float:
        """The ratio of the pivots' roots, at most the condition number's root."""
        pivots = np.diagonal(self.lower)
        return float(pivots.max() / pivots.min())


def _squared_lengths(lower: NDArray[Any], start: int) -> FloatArray:
    """Of some columns of a lower triangular matrix, shape (k,); what stands above its diagonal is not looked at."""
    columns = lower[start:, start : start + ROW_BLOCK]
    k = columns.shape[1]
    corner, below = np.tril(columns[:k]), columns[k:]
    squares = [np.einsum("ij,ij->j", part, part, dtype=np.float64) for part in (corner, below)]
    return np.asarray(squares[0] + squares[1])


@attrs.frozen(eq=False)
class _Thin(Factored):
    """K = F F' in O(n r^2): [F; tau^1/2 I] = [B; .] R with orthonormal columns, so that F'F + tau I = R'R.

    The formula of Woodbury from F'F itself, the same algebra, loses twice as many digits.
    """

    features: FloatArray
    tau: float
    B: FloatArray
    R: FloatArray

    @property
    def log_determinant(self) -> float:
        n, r = self.features.shape
        value: float = (n - r) * math.log(self.tau) + 2.0 * float(np.log(np.abs(np.diagonal(self.R))).sum())
        return value

    @property
    def factor(self) -> FloatArray:
        return np.asarray(self.R.T)

    def solve(self, B: FloatArray) -> FloatArray:
        X = self.inverse().apply(B)
        return X + self.inverse().apply(B - self.features @ (self.features.T @ X) - self.tau * X)

    def inverse(self, *, single: bool = False, last: bool = False) -> Gram:  # noqa: ARG002
        return Resolvent(self.B, self.tau)


@attrs.frozen(eq=False)
class _Uneven(Factored):
    """D^-1 A D^-1 with D diagonal: F F' and a ridge for each row, 1 / D^2, by features D F and a ridge of 1.

    Attributes:
        inner: A factored.
        sides: the diagonal of D, > 0, shape (n,).
    """

    inner: Factored
    sides: FloatArray

    @property
    def log_determinant(self) -> float:
        return self.inner.log_determinant - 2.0 * float(np.log(self.sides).sum())

    @property
    def factor(self) -> FloatArray:
        return self.inner.factor

    def solve(self, B: FloatArray) -> FloatArray:
        return np.asarray((self.sides * self.inner.solve((self.sides * B.T).T).T).T)

    def inverse(self, *, single: bool = False, last: bool = False) -> Gram:
        return Sided(self.inner.inverse(single=single, last=last), self.sides)


@attrs.frozen(eq=False)
class Repeated(Factored):
    """The same where rows count more than once: among their copies there is noise alone.

    Attributes:
        inner: the factor among rows.
        between: how many rows of noise alone there are.
        noise: of a row that counts once, > 0.
        shift: the sum of the weights' logarithms.
    """

    inner: Factored
    between: float
    noise: float
    shift: float

    @property
    def log_determinant(self) -> float:
        return self.inner.log_determinant + self.shift + self.between * math.log(self.noise)

    @property
    def factor(self) -> FloatArray:
        return self.inner.factor

    def solve(self, B: FloatArray) -> FloatArray:
        return self.inner.solve(B)

    def inverse(self, *, single: bool = False, last: bool = False) -> Gram:
        return Among(self.inner.inverse(single=single, last=last), self.noise)

    def last_variances(self, *, single: bool = False) -> FloatArray:
        return self.inner.last_variances(single=single)


def factored(gram: Gram, noise: float | FloatArray, *, keep: bool = True) -> Factored | None:
    """K + noise I for noise > 0; None where rounding leaves nothing positive of it.

    The Gram is not written into, unless nobody keeps it. Noise may be a number for each row, shape (n,).
    """
    if by_features(gram):
        ridge = gram.ridge + noise
        if not isinstance(ridge, np.ndarray):
            return _thin(gram.factor, ridge)
        inner = _thin(gram.factor / np.sqrt(ridge)[:, None], 1.0)
        return None if inner is None else _Uneven(inner, 1.0 / np.sqrt(ridge))
    whole = gram.dense()
    matrix = (whole.copy() if keep else whole).T  # symmetric, and so the same in the order of LAPACK
    matrix[np.diag_indices(gram.n)] += np.asarray(noise, dtype=matrix.dtype)
    try:
        with all_threads(gram.n):
            return _Whole(cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)[0])
    except LinAlgError:
        return None


def by_features(gram: Gram) -> TypeGuard[LowRank]:
    """Whether K + noise I is factored by features of K."""
    return isinstance(gram, LowRank) and gram.thin


def _thin(features: FloatArray, tau: float) -> _Thin | None:
    n, r = features.shape
    if not np.isfinite(features).all():
        return None
    stacked = np.vstack([features, math.sqrt(tau) * np.eye(r)])
    with all_threads(math.isqrt(features.size)):
        Q, R = qr(stacked, mode="economic", overwrite_a=True, check_finite=False)
    return _Thin(features, tau, np.ascontiguousarray(Q[:n]), R)
