"""Kernels of low rank among many rows, by their factors."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dpstrf

from kernelopt._base._typing import FloatArray

Thin = Mapping[int, FloatArray]
"""F_a with K_a = F_a F_a', shape (r, k), of the kernels a of low rank."""
NONE: Thin = MappingProxyType({})
"""No kernel is known to have a low rank."""
_ROUNDING = 1e-12
"""A pivot is rounding at this share of the largest diagonal entry."""
_THIN = 0.45
"""A kernel of so low a rank, as a share of the dimensions, is worth its factor."""


def factors(grams: FloatArray) -> Thin:
    """Of grams (m, r, r), by Cholesky's factorisation with pivots."""
    found = {}
    for a, gram in enumerate(grams):
        lower, pivots, rank, _ = dpstrf(gram, tol=_ROUNDING * np.diagonal(gram).max(), lower=1)
        if 0 < rank < _THIN * len(gram):
            F = found[a] = np.empty((len(gram), rank))
            F[pivots - 1] = np.tril(lower[:, :rank])
    return MappingProxyType(found)


def decomposed(F: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues (r,), >= 0 and increasing, and eigenvectors (r, r) of F F' in order r k^2 operations and those of a
    basis of r vectors.
    """
    rank = F.shape[1]
    Q, R = qr(F, check_finite=False)
    values, inner = np.linalg.eigh(R[:rank] @ R[:rank].T)
    vectors = np.concatenate([Q[:, rank:], Q[:, :rank] @ inner], axis=1)
    return np.append(np.zeros(len(F) - rank), np.maximum(values, 0.0)), vectors
