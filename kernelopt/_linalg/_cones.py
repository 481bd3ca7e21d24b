"""The two cones that parameters live in, told apart by their number of dimensions: matrices (k, k) and weights (k,)."""

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._linalg._extreme_eigenvalues import largest_eigenvalue, smallest_eigenvalue
from kernelopt._linalg._lapack import congruent, lower_root, positive_definite
from kernelopt._linalg._triangular_inverse import triangular_inverse


def symmetric(S: FloatArray) -> FloatArray:
    """(S + S') / 2; weights as they are."""
    return S if S.ndim == 1 else 0.5 * (S + S.T)


def identity(like: FloatArray) -> FloatArray:
    """I, or ones."""
    return np.ones_like(like) if like.ndim == 1 else np.eye(len(like))


def root(S: FloatArray) -> FloatArray:
    """The Cholesky factor of S (k, k), with the least share of its trace on the diagonal that rounding makes needed.

    The parameters tend to the wall of the cone; what is added is far below what any bound can show. That of 0 is 0.
    """
    for share in (0.0, 1e-16, 1e-15, 1e-14):
        try:
            return lower_root(S + share * np.trace(S) / len(S) * np.eye(len(S)) if share else S)
        except np.linalg.LinAlgError:
            if not S.any():
                return np.zeros_like(S)
    raise np.linalg.LinAlgError("a matrix of parameters or its slack is not positive definite")


def half_inverse(S: FloatArray) -> FloatArray:
    """R with R S R' = I: the inverse of the Cholesky factor, or 1 / sqrt of weights; raises LinAlgError as `inverse`.

    What is asked again and again of one matrix, how far a direction can be followed and its inverse, follows from R.
    """
    if S.ndim == 2:
        return triangular_inverse(root(S))
    if not (S > 0.0).all():
        raise np.linalg.LinAlgError("a weight, or its slack, is not positive")
    return 1.0 / np.sqrt(S)


def inverse(Z: FloatArray) -> FloatArray:
    """Z^-1, by Cholesky; raises LinAlgError where Z is not positive definite."""
    if Z.ndim == 1:
        if not (Z > 0.0).all():
            raise np.linalg.LinAlgError("a weight's slack is not positive")
        return 1.0 / Z
    return whole_inverse(half_inverse(Z))


def whole_inverse(R: FloatArray) -> FloatArray:
    """Z^-1 from its `half_inverse`."""
    product: FloatArray = R * R if R.ndim == 1 else R.T @ R
    return product


def sandwich(S: FloatArray, T: FloatArray, Zi: FloatArray) -> FloatArray:
    """sym(S T Z^-1)."""
    return S * T * Zi if S.ndim == 1 else symmetric(S @ T @ Zi)


def largest(D: FloatArray) -> float:
    """The largest eigenvalue, or the largest entry."""
    return float(D.max()) if D.ndim == 1 else largest_eigenvalue(D)


def inside(S: FloatArray) -> bool:
    """Whether a symmetric S (k, k) is positive definite, or every weight of S (k,) positive."""
    return bool((S > 0.0).all()) if S.ndim == 1 else positive_definite(S)


def reach(R: FloatArray, dS: FloatArray) -> float:
    """The largest t with S + t dS in the cone, R = half_inverse(S); infinite where dS is in the cone itself.

    Raises LinAlgError where dS is not finite, as from a system that is nearly singular.
    """
    change = dS * R * R if R.ndim == 1 else congruent(R, dS)
    if not np.isfinite(change).all():
        raise np.linalg.LinAlgError("a step in the cone is not finite")
    lowest = float(change.min()) if R.ndim == 1 else smallest_eigenvalue(change)
    return -1.0 / lowest if lowest < 0.0 else np.inf
