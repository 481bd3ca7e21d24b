"""An order of rows that does not depend on the order in which they are given."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray, IntArray


def row_order(X: FloatArray, T: FloatArray, categories: Sequence[int] = (), *, classes: bool = False) -> IntArray:
    """The numbers of the rows in an order of their own, shape (n,): rows given in another order come out in the same.

    Copies of a row, with its targets, follow each other, and the others are in the order in which they would be without
    them. Of the different rows every column is replaced by whole numbers r_ij, the ranks of its values, in which sums
    are exact. The rows are in the order of

        h(sum_j c_j r_ij),    sum_j r_ij^2,    sum_j r_ij,    targets,        c_j = 1 + sum_i r_ij t_i,

    with t the ranks of the first target that varies; what comes first counts most. h scatters whole numbers, so that
    neighbours in the order are alike in nothing: parts of the rows that are drawn by places are then drawn at random.
    Neither the units of columns nor their order matter, nor what categories and classes are called. Rows that agree in
    all of these stay as they are given.

    Args:
        X: codes of the rows, shape (n, d), NaN where something is missing.
        T: targets, shape (n, c).
        categories: the columns whose codes have no order: their ranks are those of how many rows have a category, and
            of the sum of the ranks of these rows' targets.
        classes: whether the targets tell classes, which have no order either: their ranks are those of how many rows
            are of a class, and of the sum of all other ranks of these rows.
    """
    number = sets_of_copies(np.column_stack([X, T]))
    first = np.unique(number, return_index=True)[1]
    order = _order_of_different(X[first], T[first], categories, classes=classes)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.argsort(place[number], kind="stable")


def _order_of_different(X: FloatArray, T: FloatArray, categories: Sequence[int], *, classes: bool) -> IntArray:
    """The same of rows without copies."""
    ranks = _ranks(X)
    if classes:
        codes = np.unique(T, axis=0, return_inverse=True)[1].reshape(-1)
        numbers = np.delete(ranks, list(categories), axis=1)
        targets = _ranks_of_names(codes, numbers.sum(axis=1))[:, None]
    else:
        targets = _ranks(T)
    varying = np.flatnonzero(targets.any(axis=0))
    first = targets[:, varying[0]] if varying.size else np.zeros(len(T), dtype=np.int64)
    for j in categories:
        ranks[:, j] = _ranks_of_names(ranks[:, j], first)
    keys = _scattered(ranks @ (ranks.T @ first + 1)), (ranks**2).sum(axis=1), ranks.sum(axis=1), *targets.T
    return np.lexsort(keys[::-1])


def _ranks(X: FloatArray) -> IntArray:
    """Of the values of each column, from 0 on; equal values have one rank, and missing ones the last, shape (n, d)."""
    values = np.where(np.isnan(X), np.inf, X).T
    order = np.argsort(values, axis=1, kind="stable")
    rising = np.take_along_axis(values, order, axis=1)
    ranks = np.zeros(values.shape, dtype=np.int64)
    steps = np.cumsum(rising[:, 1:] > rising[:, :-1], axis=1, dtype=np.int64)
    np.put_along_axis(ranks, order[:, 1:], steps, axis=1)
    return ranks.T


def _ranks_of_names(codes: IntArray, others: IntArray) -> IntArray:
    """The same of names with codes >= 0, shape (n,), by what rows have of them: how many have a name, and the sum of
    other whole numbers (n,) of these rows.
    """
    number, total = np.bincount(codes), np.zeros(codes.max() + 1, dtype=np.int64)
    np.add.at(total, codes, others)
    told = np.column_stack([number, total])[codes]
    return np.unique(told, axis=0, return_inverse=True)[1].reshape(-1)


def _scattered(numbers: IntArray) -> npt.NDArray[np.uint64]:
    """Whole numbers, each replaced by another one of 64 bits that looks random: the last steps of SplitMix64 (Steele,
    Lea and Flood 2014), which send no two numbers to the same one.
    """
    z = numbers.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return z ^ (z >> np.uint64(31))
