"""Products with several Gram matrices in one array (m, n, n): of few rows by numpy, for which nothing is compiled."""

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import Dense

_ROWS, _SHORT = 200, 500
"""Up to so many rows a product with the whole array takes hardly longer than one with the half of each matrix, or with
the rows that count, for which numba would compile; of a short list, up to more rows."""
_ENTRIES = 1 << 22
"""Entries of all matrices of a short list at most: 32 MiB. Worth: `first_call_peer.py`, the line of more rows."""


def _few(grams: FloatArray) -> bool:
    """Whether numpy's products with the whole array cost little beside what numba takes to compile others."""
    n = grams.shape[1]
    return n <= _ROWS or (n <= _SHORT and grams.size <= _ENTRIES)


def weighted_sum(grams: FloatArray, index: IntArray, weights: FloatArray) -> FloatArray:
    """sum over s of weights_s K[index_s], shape (n, n), symmetric; a matrix may come twice."""
    m, n, _ = grams.shape
    if _few(grams):
        total: FloatArray = (np.bincount(index, weights, m) @ grams.reshape(m, n * n)).reshape(n, n)
        return 0.5 * (total + total.T)
    from kernelopt._linalg._compiled_rows import add_up  # numba is imported when the first problem needs it

    total = np.zeros((n, n))
    add_up(grams, index, weights, total)
    return total


def images(grams: FloatArray, V: FloatArray) -> FloatArray:
    """K_a V for V (n, c), shape (m, n, c)."""
    if len(V) <= _ROWS:
        products: FloatArray = grams @ V
        return products
    return np.stack([Dense(K).apply(V) for K in grams])


def forms(grams: FloatArray, V: FloatArray) -> FloatArray:
    """sum over the columns of V (n, c) of v'K_a v, shape (m,)."""
    if _few(grams):
        return np.asarray(np.einsum("anc,nc->a", images(grams, V), V))
    from kernelopt._linalg._compiled_rows import form  # numba is imported when the first problem needs it

    support = np.flatnonzero(V.any(axis=1))
    columns = np.ascontiguousarray(V[support].T)
    return np.array([sum(form(K, support, v, np.zeros(len(K))) for v in columns) for K in grams])
