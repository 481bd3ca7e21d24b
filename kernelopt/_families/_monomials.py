"""Monomials of several variables: their exponents and their values."""

from itertools import combinations_with_replacement
from math import comb

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray


def exponents(d: int, degree: int) -> IntArray:
    """The exponents of d variables with total degree at most `degree`, last index fastest, shape (g, d).

    g = C(d + degree, degree); the rows are in lexicographic order: for d = 2 and degree 1 they are 00, 01, 10.
    """
    rows = np.zeros((comb(d + degree, degree), d), dtype=np.int64)
    number = 0
    for total in range(degree + 1):
        for chosen in combinations_with_replacement(range(d), total):
            for j in chosen:
                rows[number, j] += 1
            number += 1
    return rows[np.lexsort(rows.T[::-1])] if d else rows


def reading_order(powers: IntArray) -> IntArray:
    """The order in which a reader expects the monomials of these exponents (g, d), by their rows, shape (g,).

    By total degree, and within it the first variable's powers first: 1, x0, x1, x0^2, x0 x1, x1^2.
    """
    return np.lexsort((*-powers.T[::-1], powers.sum(axis=1)))


def monomial_names(powers: IntArray, variables: tuple[str, ...]) -> tuple[str, ...]:
    """The monomials of these exponents (g, d) in words: "1", "x0", "x0^2 x1"."""
    return tuple(
        " ".join(f"{name}^{k}" if k > 1 else name for name, k in zip(variables, row, strict=True) if k) or "1"
        for row in powers.tolist()
    )


def monomials(X: FloatArray, powers: IntArray) -> FloatArray:
    """The monomials x^delta for every row of X (n, d) and every row delta of the exponents (g, d), shape (n, g)."""
    result, total = np.ones((len(X), len(powers))), powers.sum(axis=1)
    if total.max(initial=0) == 1:  # one variable each: no products
        alone = total.nonzero()[0]
        result[:, alone] = X[:, powers[alone].argmax(axis=1)]
        return result
    for j in range(X.shape[1]):
        for k in range(1, int(powers[:, j].max(initial=0)) + 1):
            result[:, powers[:, j] >= k] *= X[:, j, None]
    return result
