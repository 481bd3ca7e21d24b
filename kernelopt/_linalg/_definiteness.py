"""Whether a matrix that is said to be a Gram can be one: symmetric, with no eigenvalue below 0 but for rounding."""

import numpy as np
from scipy.linalg import lapack

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._extreme_eigenvalues import smallest_eigenvalue
from kernelopt._linalg._gram import Dense, Gram, LowRank
from kernelopt._linalg._tall import Rowwise

_LEAST = 1e-8
"""A matrix is taken for positive semidefinite if it is, with this share of its mean diagonal added to its diagonal."""
_FACTORED = 500
"""So many rows are factored; of more the smallest eigenvalue is approached, which costs less."""
_GLANCE = 250
"""A matrix of so many rows is factored in less time than it takes to copy one of a thousand."""
_STEPS = 24
"""Lanczos steps: the smallest eigenvalue of these is never below that of the matrix."""
_SHORT = 1e-13
"""A vector that is shorter, as a share of the matrix, is rounding: the space is complete."""


def defect_of(gram: Gram, room: float = 0.0, *, whole: bool = False) -> str | None:
    """What is wrong with a matrix that should be symmetric and positive semidefinite, in a sentence; None if nothing.

    A product F F' is both. Of a Gram that is nowhere formed 500 rows are looked at, evenly spaced: they have a Gram of
    their own.

    Costs n^3 / 3 up to 500 rows, or if all are looked at, else 48 n^2 (Lanczos, 1950).

    Args:
        gram: the matrix.
        room: so far below 0 an eigenvalue may be at any rate, >= 0: where it is too little to matter.
        whole: whether a matrix of any number of rows is factored, which misses nothing.
    """
    if isinstance(gram, LowRank | Rowwise):
        return None
    if whole or isinstance(gram, Dense):
        return defect(gram.dense(), room, most=gram.n if whole else _FACTORED)
    rows = spaced(gram.n, _FACTORED)
    return defect(gram.block(rows, rows), room)


def spaced(n: int, most: int) -> IntArray:
    """The numbers of so many of n rows at most, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def glance(n: int) -> IntArray:
    """The numbers of those of n rows on which each of many matrices is looked at, before all rows of their sum are."""
    return spaced(n, _GLANCE)


def defect(K: FloatArray, room: float = 0.0, *, most: int = _FACTORED) -> str | None:
    """The same for a matrix (n, n) that is at hand.

    Args:
        K: shape (n, n).
        room: as in `defect_of`.
        most: up to so many rows are factored, which misses nothing; of more the smallest eigenvalue is approached.
    """
    if not np.isfinite(K.sum()):
        return "it has entries that are NaN or infinite"
    size = float(np.abs(np.diagonal(K)).mean())
    some = slice(None, None, len(K) // _FACTORED + 1)
    few = K[some, some]
    skew = 0.0 if np.array_equal(few, few.T) else float(np.abs(few - few.T).max())
    if skew > _LEAST * max(size, float(np.abs(few).max())):
        return f"it is not symmetric: two entries that should be equal differ by {skew:.3g}"
    room = max(room, _LEAST * size)
    if len(K) <= most and _definite(K, room):
        return None
    smallest = smallest_eigenvalue(K) if len(K) <= most else _lanczos(K)
    if smallest >= -room:
        return None
    return f"it has the eigenvalue {smallest:.3g}, where the mean of its diagonal is {size:.3g}"


def _definite(K: FloatArray, ridge: float) -> bool:
    """Whether K + ridge I has a Cholesky factor."""
    shifted = np.array(K, order="C")
    shifted.flat[:: len(K) + 1] += ridge
    # In C order: its transpose is what LAPACK factors in place.
    _, failed = lapack.dpotrf(shifted.T, lower=1, clean=0, overwrite_a=1)
    return not failed


def _lanczos(K: FloatArray) -> float:
    """The smallest eigenvalue of K on the Krylov space of a random vector, its basis made orthogonal twice."""
    v = np.random.default_rng(0).normal(size=len(K))
    basis = np.zeros((_STEPS, len(K)))
    basis[0] = v / np.linalg.norm(v)
    T = np.zeros((_STEPS, _STEPS))
    for j in range(_STEPS):
        known, w = basis[: j + 1], K @ basis[j]
        T[: j + 1, j] = T[j, : j + 1] = along = known @ w
        w -= along @ known
        w -= (known @ w) @ known
        length = float(np.linalg.norm(w))
        if j + 1 == _STEPS or length <= _SHORT * np.abs(T).max():
            break
        basis[j + 1] = w / length
    return float(np.linalg.eigvalsh(T[: j + 1, : j + 1])[0])
