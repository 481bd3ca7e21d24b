"""A few eigenvalues from either end of the spectrum, of any symmetric matrix."""

import numpy as np
import scipy.linalg

from kernelopt._base._typing import FloatArray


def leading_eigenpairs(D: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """The k largest eigenvalues (k,), rising, and their vectors as columns (q, k), of a symmetric D (q, q).

    LAPACK's search for some of the eigenvalues fails where all of them agree to the last digit (a multiple of the
    identity, say); then all are computed.
    """
    first = len(D) - min(k, len(D))
    try:
        values, vectors = scipy.linalg.eigh(D, subset_by_index=(first, len(D) - 1))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(D)
        values, vectors = values[first:], vectors[:, first:]
    return values, vectors


def largest_eigenvalue(D: FloatArray) -> float:
    """The largest eigenvalue of a symmetric D (q, q)."""
    return _end(D, len(D) - 1)


def smallest_eigenvalue(D: FloatArray) -> float:
    """The smallest eigenvalue of a symmetric D (q, q)."""
    return _end(D, 0)


def _end(D: FloatArray, place: int) -> float:
    try:
        return float(scipy.linalg.eigvalsh(D, subset_by_index=(place, place))[0])
    except np.linalg.LinAlgError:
        return float(np.linalg.eigvalsh(D)[place])
