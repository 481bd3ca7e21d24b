"""The size of kernels on rows: the mean of k(x, x), and what of it is variance in feature space."""

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from kernelopt._base._row_slices import row_slices
from kernelopt._base._typing import FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import ROW_BLOCK

_DIAGONAL_BLOCK, _HALVES = 64, 256
_ROWS = 2000
"""Pairs of so many rows are looked at, at most: a mean over four million of them is known to a few percent."""
_PAIRS, _FEWEST = 1 << 30, 125
"""So many values of kernels are computed for a list of them, at most, which takes a second or two; but on no fewer rows
than these: 6500 kernels between 2000 rows took as long as learning from them."""

Adjoint: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Rows X (k, d) and V (k, c) -> D, symmetric, with p'Dp = sum_c V_c'K_pp V_c on these rows."""


def spread(family: KernelFamily, part: Part, X: FloatArray, weight: FloatArray, *, centred: bool) -> float:
    """The mean diagonal sum_i s_i k(x_i, x_i) of a kernel, s = weight / sum weight; centred: less s'Ks.

    The latter is that of some rows, chosen by a fixed seed, where there are many: O(n), and right to a few percent.

    Args:
        family: prepared.
        part: the kernel.
        X: rows, shape (n, d).
        weight: shape (n,), > 0.
        centred: the variance of the rows in the kernel's feature space.
    """
    share = weight / weight.sum()
    size = float(share @ family.diag(part, X))
    if centred:
        X, share = some_rows(X, share)
        for i, counted in pairs_of(share):
            size -= float(share[i] @ family.cross(part, X[i], X[: i.stop]) @ counted)
        size -= float(family.apart(part, X) @ (share * share))
    return size


def largest_of_matrix(order: int, adjoint: Adjoint, X: FloatArray, weight: FloatArray, *, centred: bool) -> float:
    """The largest `spread` of a matrix family's atoms: an eigenvalue.

    sum_i s_i k_pp(x_i, x_i) = p'Dp with D the adjoint at V = diag(s)^1/2, and s'K_pp s = p'D(s)p. Both add over blocks
    of rows: the first by itself, the second by D(s_i + s_j) - D(s_i) - D(s_j) for the pairs of blocks.

    Args:
        order: of P.
        adjoint: D of some rows and V.
        X: rows, shape (n, d).
        weight: shape (n,), > 0.
        centred: the variance of the rows in the kernel's feature space.
    """
    share = weight / weight.sum()
    D = np.zeros((order, order))
    for i in row_slices(len(X), _DIAGONAL_BLOCK):
        D += adjoint(X[i], np.diag(np.sqrt(share[i])))
    if centred:
        D -= _mean(adjoint, *some_rows(X, share))
    return float(np.linalg.eigvalsh(D)[-1])


def some_rows(X: FloatArray, share: FloatArray, kernels: int = 1) -> tuple[FloatArray, FloatArray]:
    """At most so many rows with their shares, which sum to 1; fewer for a long list of kernels."""
    most = min(_ROWS, max(_FEWEST, math.isqrt(2 * _PAIRS // max(kernels, 1))))
    if len(X) <= most:
        return X, share
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[:most])
    return X[rows], share[rows] / share[rows].sum()


def _mean(adjoint: Adjoint, X: FloatArray, share: FloatArray) -> FloatArray:
    """D(s) with p'D(s)p = s'K_pp s, (order, order); never more than two blocks of rows are looked at together."""

    def at(*slices: slice) -> FloatArray:
        index = np.concatenate([np.arange(one.start, one.stop) for one in slices])
        return adjoint(X[index], share[index, None])

    blocks = row_slices(len(X), ROW_BLOCK)
    alone = [at(i) for i in blocks]
    total: FloatArray = np.sum(alone, axis=0)
    for a, i in enumerate(blocks):
        for b, j in enumerate(blocks[:a]):
            total += at(i, j) - alone[a] - alone[b]
    return total


def pairs_of(share: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Blocks of rows with shares (n,), each with what the rows up to its end count as beside it: a pair of rows is
    looked at once, and counts twice.
    """
    for i in row_slices(len(share), _HALVES):
        yield i, np.append(2.0 * share[: i.start], share[i])
