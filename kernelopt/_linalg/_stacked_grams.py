"""Products with several Gram matrices in one array (m, n, n): of few rows by numpy, for which nothing is compiled."""

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import Dense, Gram

_ROWS, _SHORT = 200, 500
"""Up to so many rows a product with the whole array takes hardly longer than one with the half of each matrix, or with
the rows that count, for which numba would compile; of a short list, up to more rows."""
_ENTRIES = 1 << 22
"""Entries of all matrices of a short list at most: 32 MiB. Worth: `first_call_peer.py`, the line of more rows."""

_CACHED = 1 << 16
"""Entries of a Gram that are added up over the whole list in the cache."""


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


def traces(grams: FloatArray, omega: Gram) -> FloatArray:
    """tr(Omega K_a), shape (m,); rows of Omega (n, n) are looked at while they are in the cache."""
    n = grams.shape[1]
    total, height = np.zeros(len(grams)), max(_CACHED // n, 1)
    for i in range(0, n, height):
        rows = omega.rows(np.arange(i, min(i + height, n)))
        total += [float(np.vdot(K[i : i + height], rows)) for K in grams]
    return total
