"""Kernels with a width for each column, which the evidence has fitted to targets."""

from collections.abc import Sequence

import numpy as np

from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary._base_kernels import PlacedKernel
from kernelopt._families.dictionary._coded_columns import View, seen_from, written_out
from kernelopt._families.dictionary._column_widths import fitted_widths
from kernelopt._families.dictionary._places import Metric, Some

_ROWS = 1000
"""Widths are fitted to so many rows at most: a guard, since the time grows with the cube of the rows."""
_ROWS_OF_A_WIDTH = 4
"""A width is fitted for each column where there are so many rows for each: a guard, since fewer say nothing of it."""
_AROUND = (0.4, 1.0, 2.5)
"""gamma of the kernels of each form, for what is learned together with others may change faster or more slowly.
Worth: `r_tables.py`."""


def width_kernels(
    rows: View, groups: Sequence[Sequence[int]], T: FloatArray, weight: FloatArray
) -> tuple[PlacedKernel, ...]:
    """Gaussians and exponentials with a width for each group of columns; none where rows are too few for that.

    Args:
        rows: as kernels see them, shape (n, D).
        groups: the columns of each width; those in no group do not count.
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0.
    """
    if not groups:
        return ()
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), _ROWS), dtype=np.intp)
    columns = np.concatenate([np.array(group, dtype=np.intp) for group in groups])
    numbers = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    seen = written_out(seen_from(Some(tuple(columns.tolist())), rows[chosen]))
    seen, T, weight = _once(seen, T[chosen], weight[chosen])
    if len(seen) < _ROWS_OF_A_WIDTH * len(columns):
        return ()
    kernels = []
    for found in fitted_widths(seen, T, weight, numbers):
        root = np.zeros(rows.shape[1])
        root[columns] = np.sqrt(found.rates)
        metric = Metric(root)
        kernels += [PlacedKernel((found.name, {"gamma": gamma}), metric) for gamma in _AROUND]
    return tuple(kernels)


def _once(X: FloatArray, T: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows X (n, d) without copies: one of each, with the mean of the targets T (n, c) and the sum of the weights (n,).

    So a row of weight k and k copies of it are the same.
    """
    number = sets_of_copies(X)
    first = np.unique(number, return_index=True)[1]
    total = np.asarray(np.bincount(number, weight), dtype=np.float64)
    means = np.column_stack([np.bincount(number, weight * t) / total for t in T.T])
    return X[first], means, total
