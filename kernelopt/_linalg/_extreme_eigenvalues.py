"""A few eigenvalues from either end of the spectrum, of any symmetric matrix."""

import numpy as np
import scipy.linalg

from kernelopt._base._typing import FloatArray


def leading_eigenpairs(D: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """The k largest eigenvalues (k,), rising, and their vectors as columns (q, k), of a symmetric D (q, q).

    LAPACK's search for some of the eigenvalues fails where all of them agree to the last digits (a multiple of the
    identity, say), or finds none without a word; then all are computed.
    """
    many = min(k, len(D))
    first = len(D) - many
    try:
        values, vectors = scipy.linalg.eigh(D, subset_by_index=(first, len(D) - 1))
    except np.linalg.LinAlgError:
        values, vectors = np.empty(0), np.empty((len(D), 0))
    if len(values) < many:
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
        values = scipy.linalg.eigvalsh(D, subset_by_index=(place, place))
    except np.linalg.LinAlgError:
        values = np.empty(0)
    return float(values[0] if len(values) else np.linalg.eigvalsh(D)[place])
