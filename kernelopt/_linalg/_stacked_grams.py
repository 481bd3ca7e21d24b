"""Products with several Gram matrices in one array (m, n, n): of few rows by numpy, for which nothing is compiled."""

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import Dense

_SMALL = 200
"""Up to so many rows a product with the whole array takes hardly longer than a sum over one half of each matrix, for
which numba would compile."""
_FEW = 256
"""Products with all of so few rows take no longer than to find out which count; nothing is compiled for them."""


def weighted_sum(grams: FloatArray, index: IntArray, weights: FloatArray) -> FloatArray:
    """sum over s of weights_s K[index_s], shape (n, n), symmetric; a matrix may come twice."""
    m, n, _ = grams.shape
    if n <= _SMALL:
        total: FloatArray = (np.bincount(index, weights, m) @ grams.reshape(m, n * n)).reshape(n, n)
        return 0.5 * (total + total.T)
    from kernelopt._linalg._compiled_rows import add_up  # numba is imported when the first problem needs it

    total = np.zeros((n, n))
    add_up(grams, index, weights, total)
    return total


def images(grams: FloatArray, V: FloatArray) -> FloatArray:
    """K_a V for V (n, c), shape (m, n, c)."""
    if len(V) <= _FEW:
        products: FloatArray = grams @ V
        return products
    return np.stack([Dense(K).apply(V) for K in grams])


def forms(grams: FloatArray, V: FloatArray) -> FloatArray:
    """sum over the columns of V (n, c) of v'K_a v, shape (m,)."""
    if len(V) <= _FEW:
        return np.asarray(np.einsum("anc,nc->a", grams @ V, V))
    from kernelopt._linalg._compiled_rows import form  # numba is imported when the first problem needs it

    support = np.flatnonzero(V.any(axis=1))
    columns = np.ascontiguousarray(V[support].T)
    return np.array([sum(form(K, support, v, np.zeros(len(K))) for v in columns) for K in grams])
