"""The pairs of n rows, (i, j) with i <= j, row after row: how they are counted, worked on in blocks, and packed.

A symmetric matrix (n, n) is packed into the n (n + 1) / 2 numbers on and above its diagonal, in that order, which is
the order of LAPACK's packed lower triangles.
"""

from collections.abc import Iterator

import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_hyperkernel._hyperkernels import PairKernel

_BLOCK = 2**16
"""Numbers that are worked on at once: they stay in the cache."""


def count(n: int) -> int:
    """How many pairs n rows have."""
    return n * (n + 1) // 2


def blocks(length: int, across: int) -> Iterator[slice]:
    """Slices of so many pairs, such that a block times `across` numbers stays in the cache."""
    size = max(_BLOCK // max(across, 1), 64)
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def base_values(kernel: PairKernel, X: FloatArray) -> FloatArray:
    """The base kernels' values at all pairs of rows X (n, d), shape (r, n (n + 1) / 2)."""
    first, second = np.triu_indices(len(X))
    width = len(kernel.base(X[:1], X[:1]))
    values = np.empty((width, len(first)))
    for some in blocks(len(first), X.shape[1]):
        values[:, some] = kernel.base(X[first[some]], X[second[some]])
    return values


def packed(matrix: FloatArray) -> FloatArray:
    """The packed form of a symmetric matrix (n, n)."""
    return np.concatenate([row[i:] for i, row in enumerate(matrix)])


def unpacked(numbers: FloatArray, n: int) -> FloatArray:
    """The symmetric matrix (n, n) of its packed form."""
    matrix, start = np.empty((n, n)), 0
    for i in range(n):
        row = numbers[start : start + n - i]
        matrix[i, i:] = row
        matrix[i:, i] = row
        start += n - i
    return matrix
