"""Cholesky factorisations of thousands of rows, in pieces of about a second: between two of them Ctrl-C is heard."""

import numpy as np
from scipy.linalg import blas, lapack

from kernelopt._base._typing import FloatArray

_WHOLE = 4096
"""Up to so many rows one call of LAPACK factors all: that is about as much work as `_WORK`."""
_PANEL = 512
"""Rows of the factor that are found at once."""
_WORK = 4e10
"""Operations of one product at most: a core that does 40 billion a second needs a second for them."""


def lower_factor(H: FloatArray) -> FloatArray | None:
    """L of a symmetric positive definite H = L L', both (n, n), in the memory of H; None where a pivot is not positive.

    LAPACK leaves Python no look at anything before its end, and its time grows with n^3. So the factor of many rows is
    found panel by panel (left-looking: Golub and Van Loan (2013), section 4.2.9). With
    U = L', J the rows of the panel, P those before and R those after it,

        U_JJ = chol(H_JJ - U_PJ' U_PJ),      U_JR = U_JJ'^-1 (H_JR - U_PJ' U_PR)

    Args:
        H: in C order. Its upper triangle is read, and written over, also where None is returned; what is below the
            diagonal stays as it was.

    Returns:
        L in Fortran's order, as LAPACK takes it: the lower triangle of the transpose of H, whose other entries are no
        part of it.
    """
    n = len(H)
    if n <= _WHOLE:
        factor, failed = lapack.dpotrf(H.T, lower=1, clean=0, overwrite_a=1)
        return None if failed else np.asarray(factor)
    for start in range(0, n, _PANEL):
        end = min(start + _PANEL, n)
        corner = _corner(H, start, end)
        if corner is None:
            return None
        width = int(_WORK / (2.0 * max(start, _PANEL) * _PANEL))
        for left in range(end, n, width):
            _solve_columns(H, corner, start, end, slice(left, left + width))
    return H.T


def _corner(H: FloatArray, start: int, end: int) -> FloatArray | None:
    """Write U_JJ of the rows from `start` to `end`; its transpose, in Fortran's order."""
    here = H[start:end, start:end]
    rest = here - H[:start, start:end].T @ H[:start, start:end]
    corner, failed = lapack.dpotrf(rest.T, lower=1, clean=0, overwrite_a=1)
    if failed:
        return None
    np.copyto(here, corner.T, where=np.tri(end - start, dtype=bool).T)
    return np.asarray(corner)


def _solve_columns(H: FloatArray, corner: FloatArray, start: int, end: int, columns: slice) -> None:
    """Write U_JR of these columns."""
    rest = H[start:end, columns] - H[:start, start:end].T @ H[:start, columns]
    # in C order: the transpose is what BLAS solves for where it is
    H[start:end, columns] = blas.dtrsm(1.0, corner, rest.T, side=1, lower=1, trans_a=1, overwrite_b=1).T
