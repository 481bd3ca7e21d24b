"""The inverse of a triangle, and of the matrix whose Cholesky factor it is.

A triangle is inverted half by half,

    [A  0]^-1   [    A^-1        0  ]
    [B  C]    = [-C^-1 B A^-1  C^-1 ],

since BLAS multiplies two triangles of some hundred rows in less time than LAPACK inverts one. It took half of LAPACK's
time at 200 and at 400 rows, and three quarters of it at 1000 (`python asv_benchmarks/inverse_peer.py`).
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

Real = TypeVar("Real", bound=np.floating[Any])

_LEAF = 64
"""Up to so many rows LAPACK is as quick. Worth: `constants.py linalg.leaf`."""
_MOST = 1024
"""Of more rows it nearly is, and makes no copy. A guard, for memory."""
_ALIGNED = 8
"""The first half has a multiple of so many rows. A guard, for time."""


def triangular_inverse(L: NDArray[Real], *, overwrite: bool = False) -> NDArray[Real]:
    """L^-1 of a lower triangle (q, q) in single or double precision, in Fortran's order.

    Args:
        L: what stands above its diagonal is not read, and stands there in what is returned.
        overwrite: whether the memory of L may serve the inverse, where it is in Fortran's order.

    Raises:
        numpy.linalg.LinAlgError: a diagonal entry is 0.
    """
    if not len(L):
        return L.copy(order="F")  # LAPACK refuses a triangle of no rows
    if len(L) <= _LEAF or len(L) > _MOST:
        return _by_lapack(L, overwrite)
    inverse = L if overwrite and L.flags.f_contiguous else L.copy(order="F")
    _invert(inverse)
    return inverse


def inverse_of_factored(L: NDArray[Real], *, overwrite: bool = False) -> NDArray[Real]:
    """The lower triangle of (L L')^-1 of one row or more, as `triangular_inverse` returns that of L."""
    inverse = triangular_inverse(L, overwrite=overwrite)
    multiplied = lapack.slauum if inverse.dtype == np.float32 else lapack.dlauum
    half: NDArray[Real] = multiplied(inverse, lower=1, overwrite_c=1)[0]
    return half


def _invert(L: NDArray[Any]) -> None:
    """Write the inverse of a lower triangle over it, in halves."""
    if len(L) <= _LEAF:
        L[...] = _by_lapack(L, overwrite=False)
        return
    middle = -(len(L) // -2 // _ALIGNED) * _ALIGNED
    A, B, C = L[:middle, :middle], L[middle:, :middle], L[middle:, middle:]
    _invert(A)
    _invert(C)
    multiplied = blas.strmm if L.dtype == np.float32 else blas.dtrmm
    half = multiplied(-1.0, C, B, lower=1)
    B[...] = multiplied(1.0, A, half, side=1, lower=1, overwrite_b=1)


def _by_lapack(L: NDArray[Real], overwrite: bool) -> NDArray[Real]:
    inverted = lapack.strtri if L.dtype == np.float32 else lapack.dtrtri
    inverse, failed = inverted(L, lower=1, overwrite_c=overwrite)
    if failed:
        raise np.linalg.LinAlgError("the triangular matrix is singular")
    found: NDArray[Real] = inverse
    return found
