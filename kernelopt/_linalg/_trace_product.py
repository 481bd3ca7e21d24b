"""Sums of products of the entries of two symmetric matrices, of which neither need be stored."""

import numpy as np

from kernelopt._linalg._gram import ROW_BLOCK, Gram, LowRank


def trace_of_product(first: Gram, second: Gram) -> float:
    """tr(A B), in blocks of rows; in O(n r) products with `second` where `first` is of low rank."""
    if isinstance(first, LowRank):
        value = float(np.vdot(first.factor, second.apply(first.factor))) if first.factor.shape[1] else 0.0
        return value + (float(np.sum(first.ridge * second.diag())) if np.any(first.ridge) else 0.0)
    blocks = np.array_split(np.arange(first.n), first.n // ROW_BLOCK + 1)
    return sum(float(np.vdot(first.rows(rows), second.rows(rows))) for rows in blocks)
