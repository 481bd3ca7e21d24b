"""Pivots by incomplete Cholesky factorisation of the hyper-Gram of all pairs, which is never formed."""

import numpy as np

from kernelopt.plugin import FloatArray, IntArray
from kernelopt_hyperkernel._hyperkernels import PairKernel
from kernelopt_hyperkernel._pairs import blocks


def pivots(
    kernel: PairKernel, values: FloatArray, squares: FloatArray, most: int, tolerance: float
) -> tuple[IntArray, float]:
    """The pairs that the others are nearly combinations of, the most important first.

        G = [],  D = diag of the hyper-Gram
        while the largest D_a exceeds tolerance times the largest of the beginning:
            g = (H_a - G G_a) / sqrt(D_a);  append g to G;  D -= g^2

    H - G G' is positive semidefinite with the diagonal D throughout (Fine and Scheinberg, 2001). Time
    O(N p (p + r)), memory N p, for N pairs and p pivots.

    Args:
        kernel: between pairs.
        values: the base kernels' values at all pairs, shape (r, N).
        squares: the diagonal of the hyper-Gram, shape (N,), finite.
        most: how many pivots at most.
        tolerance: in [0, 1).

    Returns:
        The pivots' numbers, shape (p,), the first of equals, so that their order is that of the pairs; and the share of
        the trace of H that they leave, 0 where they end by the tolerance.
    """
    rest = squares.copy()
    most = min(most, len(rest))
    factor, chosen = np.empty((most, len(rest))), np.zeros(most, dtype=int)
    least = max(tolerance, np.finfo(float).eps) * float(rest.max())
    for k in range(most):
        a = int(np.argmax(rest))
        if rest[a] <= least:
            return chosen[:k], 0.0
        chosen[k] = a
        column = factor[k]
        for some in blocks(len(rest), 2):
            column[some] = kernel.between(values[:, a : a + 1], values[:, some])[0]
        column -= factor[:k, a] @ factor[:k]
        column /= np.sqrt(rest[a])
        rest -= column * column
        rest[chosen[: k + 1]] = 0.0
    return chosen, float(rest.sum() / squares.sum()) if rest.max() > least else 0.0
