"""The few routines of LAPACK and BLAS that small matrices are asked for so often that a wrapper around them counts.

For a matrix of order 12, `scipy.linalg.eigh` takes twenty times as long as the routine of LAPACK that it calls.
"""

import math

import numpy as np
from scipy.linalg import blas, lapack

from kernelopt._base._typing import FloatArray

_SMALL = 24
"""Up to this order all eigenvalues of a matrix take less time than a search for one of them."""
_IN_CACHE, _FEW_COLUMNS = 200, 4
"""A product with a matrix of more rows than this, by no more columns than that, waits for the memory it reads."""


def lower_root(S: FloatArray) -> FloatArray:
    """The Cholesky factor L of S = L L' (q, q); raises LinAlgError where S is not positive definite."""
    factor, failed = lapack.dpotrf(S.T, lower=1, clean=1)
    if failed:
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    root: FloatArray = factor
    return root


def solved_by(root: FloatArray, B: FloatArray) -> FloatArray:
    """S^-1 B for B of shape (q,) or (q, k), where S = L L' and L is the lower triangle of `root` (q, q)."""
    solution: FloatArray = lapack.dpotrs(root, B, lower=1)[0]
    return solution


def positive_definite(S: FloatArray) -> bool:
    """Whether a symmetric S (q, q) has a Cholesky factor; NaN has none."""
    factor, failed = lapack.dpotrf(S.T, lower=1, clean=0)
    return not failed and math.isfinite(factor[-1, -1])


def congruent(R: FloatArray, D: FloatArray) -> FloatArray:
    """R D R' for a lower triangle R and a symmetric D, both (q, q)."""
    half = blas.dtrmm(1.0, R, D, lower=1)
    whole: FloatArray = blas.dtrmm(1.0, R, half, side=1, lower=1, trans_a=1)
    return whole


def times_lower(R: FloatArray, L: FloatArray) -> FloatArray:
    """R L for R (n, q) and a lower triangle L (q, q)."""
    product: FloatArray = blas.dtrmm(1.0, L, R.T, lower=1, trans_a=1)
    return product.T


def solve_lower(L: FloatArray, r: FloatArray) -> FloatArray:
    """(L L')^-1 r for a lower triangle L (q, q), in Fortran's order, and r (q,): LAPACK takes twice as long for it."""
    half = blas.dtrsv(L, r, lower=1)
    solution: FloatArray = blas.dtrsv(L, half, lower=1, trans=1, overwrite_x=1)
    return solution


def symmetric_product(K: FloatArray, V: FloatArray) -> FloatArray:
    """K V for a symmetric K (n, n) and V of shape (n,) or (n, c).

    Where V has few columns one half of K is read, because such a product waits for the memory.
    """
    columns = V.reshape(len(K), -1).T
    if len(K) <= _IN_CACHE or len(columns) > _FEW_COLUMNS or not K.flags.forc:
        whole: FloatArray = K @ V
        return whole
    by_columns = K if K.flags.f_contiguous else K.T
    product = np.empty(columns.shape)
    for v, place in zip(columns, product, strict=True):
        place[:] = blas.dsymv(1.0, by_columns, v, lower=1)
    return product.T.reshape(V.shape)


def small_solve(A: FloatArray, r: FloatArray) -> FloatArray:
    """A^-1 r for any square A (k, k) and r (k,); raises LinAlgError where A is singular."""
    if not len(r):
        return r
    _, _, solution, failed = lapack.dgesv(A, r)
    if failed:
        raise np.linalg.LinAlgError("the matrix is singular")
    result: FloatArray = solution
    return result


def small_inverse(A: FloatArray) -> FloatArray:
    """A^-1 of any square A (k, k); raises LinAlgError where A is singular."""
    _, _, inverse, failed = lapack.dgesv(A, np.eye(len(A)))
    if failed:
        raise np.linalg.LinAlgError("the matrix is singular")
    return np.ascontiguousarray(inverse)


def eigenpairs(D: FloatArray, first: int, last: int) -> tuple[FloatArray, FloatArray]:
    """The eigenvalues with these numbers (k,), counted from the smallest, and their vectors as columns (q, k).

    LAPACK's search for some of the eigenvalues fails where all of them agree to the last digits (a multiple of the
    identity, say), or finds none without a word; then all are computed.

    Args:
        D: symmetric, shape (q, q).
        first: the number of the smallest that is wanted, from 0.
        last: that of the largest, below q.

    Raises:
        ValueError: an entry is NaN or infinite.
    """
    _finite(D)
    many = last - first + 1
    if len(D) <= _SMALL or many == len(D):
        values, vectors, failed = lapack.dsyevd(D)
        if not failed:
            return values[first : last + 1], vectors[:, first : last + 1]
    values, vectors, found, _, failed = lapack.dsyevr(D, range="I", il=first + 1, iu=last + 1)
    if failed or found < many:
        values, vectors = np.linalg.eigh(D)
        return values[first : last + 1], vectors[:, first : last + 1]
    return values[:many], vectors[:, :many]


def eigenvalue(D: FloatArray, place: int) -> float:
    """The eigenvalue with this number, counted from the smallest, of a symmetric D (q, q); raises as `eigenpairs`."""
    _finite(D)
    if len(D) <= _SMALL:
        values, _, failed = lapack.dsyevd(D, compute_v=0)
        if not failed:
            return float(values[place])
    values, _, found, _, failed = lapack.dsyevr(D, compute_v=0, range="I", il=place + 1, iu=place + 1)
    return float(np.linalg.eigvalsh(D)[place] if failed or not found else values[0])


def _finite(D: FloatArray) -> None:
    """Raises ValueError where an entry is NaN or infinite: then their sum is too, or is looked at once more."""
    if not math.isfinite(np.add.reduce(D, axis=None)):
        np.asarray_chkfinite(D)
