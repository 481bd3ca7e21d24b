"""The pivots' Grams on bound rows, each packed into the half that a symmetric matrix has."""

import attrs
import numpy as np
from scipy.linalg import blas

from kernelopt.plugin import FloatArray
from kernelopt_hyperkernel._hyperkernels import PairKernel
from kernelopt_hyperkernel._pairs import base_values, blocks, count, packed


@attrs.frozen(eq=False)
class Bound:
    """Rows with the Grams of all pivots.

    Attributes:
        X: the rows, shape (n, d).
        grams: the packed Grams, shape (p, n (n + 1) / 2).
    """

    X: FloatArray
    grams: FloatArray

    @classmethod
    def of(cls, kernel: PairKernel, first: FloatArray, X: FloatArray) -> "Bound":
        """From rows X (n, d) and the base values (r, p) of the pivots."""
        second = base_values(kernel, X)
        grams = np.empty((first.shape[1], count(len(X))))
        for some in blocks(grams.shape[1], len(grams)):
            grams[:, some] = kernel.between(first, second[:, some])
        return cls(X, grams)

    def summed(self, weights: FloatArray) -> FloatArray:
        """sum_a w_a K_a, packed; a Gram without weight is not read."""
        total = np.zeros(self.grams.shape[1])
        for a in np.flatnonzero(weights):
            total = blas.daxpy(self.grams[a], total, a=weights[a])  # in place
        return total

    def values(self, V: FloatArray) -> FloatArray:
        """sum_c V_c' K_a V_c for every pivot, shape (p,)."""
        outer = 2.0 * (V @ V.T)
        outer[np.diag_indices(len(outer))] *= 0.5
        return np.asarray(self.grams @ packed(outer))

    def columns(self, V: FloatArray) -> FloatArray:
        """K_a V for every pivot, shape (p, n, c), by packed products that unpack nothing."""
        result = np.empty((len(self.grams), *V.shape))
        for c, v in enumerate(V.T):
            for a, gram in enumerate(self.grams):
                result[a, :, c] = product(gram, v)
        return result


def product(gram: FloatArray, v: FloatArray) -> FloatArray:
    """K v for a packed K."""
    return np.asarray(blas.dspmv(len(v), 1.0, gram, v, lower=1))
