"""Compiled work on some rows of a Gram matrix: their sum, the block that they make with each other, and its form.

Importing this module imports numba. In numpy both copy the rows first, which costs more than what is then done.
"""

import numpy as np

from kernelopt._typing import FloatArray, IntArray
from kernelopt.dual._compiled import compiled


@compiled
def add_rows(K: FloatArray, rows: IntArray, weights: FloatArray, total: FloatArray) -> None:
    """total += sum over s of weights_s K[rows_s], eight rows at a time.

    Args:
        K: shape (n, n), C-contiguous.
        rows: shape (k,).
        weights: shape (k,).
        total: shape (n,), written to.
    """
    k, n = rows.shape[0], total.shape[0]
    whole = k // 8 * 8
    for s in range(0, whole, 8):
        a, b, c, d = K[rows[s]], K[rows[s + 1]], K[rows[s + 2]], K[rows[s + 3]]
        e, f, g, h = K[rows[s + 4]], K[rows[s + 5]], K[rows[s + 6]], K[rows[s + 7]]
        p, q, r, t = weights[s], weights[s + 1], weights[s + 2], weights[s + 3]
        u, v, w, x = weights[s + 4], weights[s + 5], weights[s + 6], weights[s + 7]
        for j in range(n):
            first = (p * a[j] + q * b[j]) + (r * c[j] + t * d[j])
            total[j] += first + ((u * e[j] + v * f[j]) + (w * g[j] + x * h[j]))
    for s in range(whole, k):
        row, weight = K[rows[s]], weights[s]
        for j in range(n):
            total[j] += weight * row[j]


@compiled
def form(K: FloatArray, rows: IntArray, v: FloatArray) -> float:
    """sum over s and t of v_s v_t K[rows_s, rows_t] for a symmetric K, of which one half is read.

    Args:
        K: shape (n, n), C-contiguous.
        rows: shape (k,), ascending.
        v: shape (k,).
    """
    total = 0.0
    for s in range(rows.shape[0]):
        row = K[rows[s]]
        a, b, c, d, whole = 0.0, 0.0, 0.0, 0.0, s // 4 * 4
        for t in range(0, whole, 4):
            a += row[rows[t]] * v[t]
            b += row[rows[t + 1]] * v[t + 1]
            c += row[rows[t + 2]] * v[t + 2]
            d += row[rows[t + 3]] * v[t + 3]
        for t in range(whole, s):
            a += row[rows[t]] * v[t]
        total += v[s] * (2.0 * ((a + b) + (c + d)) + row[rows[s]] * v[s])
    return total


@compiled
def square(K: FloatArray, rows: IntArray) -> FloatArray:
    """K[rows][:, rows], shape (k, k); a row may come twice."""
    k = rows.shape[0]
    block = np.empty((k, k))
    for i in range(k):
        row = K[rows[i]]
        for j in range(k):
            block[i, j] = row[rows[j]]
    return block
