"""Which columns metrics look at."""

import numpy as np

from kernelopt.plugin import FloatArray


def shares_of(diagonals: FloatArray, heights: FloatArray) -> FloatArray:
    """The mean share of each column in some metrics, shape (d,): of sum 1, or 0 where no metric has any.

    Args:
        diagonals: the diagonal of each M, shape (m, d), >= 0.
        heights: how much each counts, shape (m,), >= 0.
    """
    traces = diagonals.sum(axis=1)
    counted = np.where(traces > 0.0, heights, 0.0)
    total = float(counted.sum())
    if not total > 0.0:
        return np.zeros(diagonals.shape[1])
    return np.asarray((counted / total) @ (diagonals / np.where(traces > 0.0, traces, 1.0)[:, None]))
