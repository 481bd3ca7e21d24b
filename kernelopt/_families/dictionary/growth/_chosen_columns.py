"""Of many columns those few that say most of the targets, one after the other and by themselves."""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.growth._telling_columns import column_gains

_DEPENDENT = 1e-6
"""A column of whose variance the columns before it leave less says nothing more."""


def chosen_columns(
    X: FloatArray, T: FloatArray, weight: FloatArray, groups: Sequence[Sequence[int]], most: int
) -> tuple[tuple[int, ...], ...]:
    """The groups of columns that say most of the targets, so many columns at most.

    They are taken in turn from two lists. In one, each column is the best after those before it: it leaves the smallest
    sum of squares of a linear function of them all (orthogonal least squares: Chen, Billings and Luo 1989). In the
    other, each is judged by its own best split of the rows, which even functions have as well.

    Args:
        X: rows, shape (n, d).
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0.
        groups: the columns that are taken together.
        most: columns, >= 1.

    Returns:
        the groups, in the order of the given ones.
    """
    owner = {column: place for place, group in enumerate(groups) for column in group}
    columns = np.array(sorted(owner), dtype=np.intp)
    split = np.argsort(-column_gains(X[:, columns], T, weight), kind="stable")
    both = zip_longest(_one_after_another(X[:, columns], T, weight, most), split.tolist())
    taken: dict[int, int] = {}
    for column in chain.from_iterable(both):
        place = None if column is None else owner[int(columns[column])]
        if place is not None and place not in taken and sum(taken.values()) + len(groups[place]) <= most:
            taken[place] = len(groups[place])
        if sum(taken.values()) >= most:
            break
    return tuple(tuple(groups[place]) for place in sorted(taken))


def _one_after_another(X: FloatArray, T: FloatArray, weight: FloatArray, most: int) -> Iterator[int]:
    """Columns of X (n, d), each the best after those before it; so many at most, and none that those before it make."""
    root = np.sqrt(weight / weight.mean())[:, None]
    left = root * (X - np.average(X, axis=0, weights=weight))
    rest = root * (T - np.average(T, axis=0, weights=weight))
    squares = np.einsum("ij,ij->j", left, left)
    least = _DEPENDENT * squares
    for _ in range(min(most, len(X) - 1)):
        usable = squares > least
        if not usable.any():
            return
        along = np.square(rest.T @ left).sum(axis=0)
        best = int(np.argmax(np.divide(along, squares, out=np.zeros_like(along), where=usable)))
        yield best
        direction = left[:, best] / np.sqrt(squares[best])
        left -= np.outer(direction, direction @ left)
        rest -= np.outer(direction, direction @ rest)
        squares = np.einsum("ij,ij->j", left, left)
        squares[best] = 0.0
