"""A few eigenvalues from either end of the spectrum, of any symmetric matrix."""

from kernelopt._base._typing import FloatArray
from kernelopt._linalg._lapack import eigenpairs, eigenvalue


def leading_eigenpairs(D: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """The k largest eigenvalues (k,), rising, and their vectors as columns (q, k), of a symmetric D (q, q)."""
    return eigenpairs(D, len(D) - min(k, len(D)), len(D) - 1)


def largest_eigenvalue(D: FloatArray) -> float:
    """The largest eigenvalue of a symmetric D (q, q)."""
    return eigenvalue(D, len(D) - 1)


def smallest_eigenvalue(D: FloatArray) -> float:
    """The smallest eigenvalue of a symmetric D (q, q)."""
    return eigenvalue(D, 0)
