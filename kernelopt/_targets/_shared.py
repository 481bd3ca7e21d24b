"""The kernels as all targets share them: centred, of one size, in a basis of what they span."""

from collections.abc import Sequence

import attrs
import numpy as np
from scipy.linalg.lapack import dpstrf

from kernelopt._base._typing import BoolArray, FloatArray, IntArray

_SPANNED = 1e-10
"""An eigenvalue of the mean kernel, whose mean diagonal is 1, that is rounding."""
_WORTHWHILE = 0.75
"""A basis is worth its products where it has at most this share of the rows."""
_FLAT = 1e-12
"""A mean diagonal after centring, as a share of that before, at which a kernel is constant."""


@attrs.frozen(eq=False)
class Shared:
    """S H K_a H' S / size_a in an orthonormal basis of r dimensions: H centres n rows, S has the roots of counts.

    A row of count k is k copies of it: their mean has the noise divided by k, and between copies there is noise alone.

    Attributes:
        grams: shape (m, r, r).
        basis: shape (n, r); None where r = n and it is the identity.
        sizes: the mean diagonals of the centred kernels, shape (m,); 1 of one that is constant, whose gram is 0.
        varied: the places of kernels that are not constant.
        means: of the columns of each kernel before centring, shape (m, n).
        counts: how many times each row counts, shape (n,), > 0.
    """

    grams: FloatArray
    basis: FloatArray | None
    sizes: FloatArray
    varied: IntArray
    means: FloatArray
    counts: FloatArray

    @property
    def n(self) -> float:
        """How many rows there are with all copies."""
        return float(self.counts.sum())

    @property
    def free(self) -> float:
        """How many directions the mean leaves free: in one, that of equal rows, neither kernels nor targets vary.

        Noise alone would explain nothing there. If that counted, targets would be the more likely the less noise there
        is, and so the likelihood is that of what the mean leaves, the restricted one (Patterson and Thompson 1971).
        """
        return self.n - 1.0

    @property
    def rank(self) -> int:
        """R."""
        return int(self.grams.shape[1])

    @classmethod
    def of(cls, kernels: Sequence[FloatArray], counts: FloatArray) -> "Shared":
        """From Gram matrices, shape (n, n) each, of which copies are made, and how many times each row counts."""
        n, m = len(kernels[0]), len(kernels)
        share, root = counts / counts.sum(), np.sqrt(counts)
        grams, means, sizes, varied = np.empty((m, n, n)), np.empty((m, n)), np.ones(m), np.ones(m, dtype=bool)
        for a, K in enumerate(kernels):
            means[a] = share @ K
            gram = grams[a]
            np.subtract(K, means[a], out=gram)
            gram -= (means[a] - means[a] @ share)[:, None]
            _centre(gram, share)
            size = float(share @ np.diagonal(gram))
            varied[a] = size > _FLAT * float(np.abs(np.diagonal(K)).mean())
            if varied[a]:
                sizes[a] = size
                gram *= root / size
                gram *= root[:, None]
            else:
                gram[:] = 0.0
        basis = _basis(grams)
        if basis is not None:
            grams = np.stack([basis.T @ gram @ basis for gram in grams])
        return cls(grams, basis, sizes, np.flatnonzero(varied), means, counts)

    def coordinates(self, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Targets (n, t) in the basis, shape (t, r), and the squares of what lies outside of it, shape (t,)."""
        Y = Y * np.sqrt(self.counts)[:, None]
        if self.basis is None:
            return np.ascontiguousarray(Y.T), np.zeros(Y.shape[1])
        Z = Y.T @ self.basis
        outside = Y.T - Z @ self.basis.T
        return Z, np.asarray(np.einsum("tn,tn->t", outside, outside))

    def back(self, V: FloatArray) -> FloatArray:
        """Vectors (t, r) in the basis as coefficients of rows, shape (t, n).

        They sum to 0, as those of centred kernels and targets do, and do so here beyond rounding: the kernels that
        predict are not centred, and a column of a large level would multiply what is left of the sum.
        """
        root = np.sqrt(self.counts)
        rows = V if self.basis is None else V @ self.basis.T
        rows = rows - np.outer(rows @ root, root / self.n)
        return np.asarray(rows * root)


def _centre(gram: FloatArray, share: FloatArray) -> None:
    """Centre once more what was centred up to the rounding of a kernel of columns of a high level.

    Such a rounding is small beside the gram, but not beside the least noise, which is all that V has along the mean.
    """
    left = share @ gram
    gram -= left
    gram -= (left - left @ share)[:, None]


def _basis(grams: FloatArray) -> FloatArray | None:
    """An orthonormal basis of what the kernels span, shape (n, r); None where it is hardly smaller than all."""
    mean = grams.mean(axis=0)
    if dpstrf(mean, tol=_SPANNED, lower=1)[2] > _WORTHWHILE * len(mean):  # the rank, to the rounding of its pivots
        return None
    values, vectors = np.linalg.eigh(mean)
    kept = _spanned(values)
    kept[-1] = True
    return np.ascontiguousarray(vectors[:, kept])


def _spanned(values: FloatArray) -> BoolArray:
    """Which increasing eigenvalues are more than rounding."""
    return np.asarray(values > _SPANNED * max(float(values[-1]), 1.0))
