"""Which columns of numbers are names, such as those of shops: where neighbouring numbers say nothing of each other."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise

import attrs
import numpy as np

from kernelopt._base._copies import without_copies
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._families.dictionary.growth._column_weights import variances
from kernelopt._families.dictionary.seen._coded_columns import View, seen_from, written_out
from kernelopt._families.dictionary.seen._places import Some

_ROWS = 2000
"""So many rows are looked at, at most: a guard, for time."""
_ROWS_OF_A_COLUMN = 4
"""There are so many rows for each column at least: a guard, for of fewer a linear function leaves too little."""
_SURE = 2.0
"""Numbers are names where rows with the same one are more alike by so many standard errors: a guard, for time, which
chance passes in a few of a hundred columns. Held-out rows have the last word."""
_ALIKE: tuple[Callable[[FloatArray, FloatArray], FloatArray], ...] = (
    lambda products, _: products,
    lambda _, squares: np.exp(-0.5 * squares),
    lambda _, squares: np.exp(-3.0 * squares),
)
"""How alike two rows are in the other columns, by the means of their products and of their squared differences: a name
may stand for a slope, for a level, or for another function of the other columns."""


def names_among(
    rows: View, groups: Sequence[Sequence[int]], columns: Mapping[int, BoolArray], T: FloatArray, weight: FloatArray
) -> tuple[int, ...]:
    """Those of some columns of numbers that are names: there, what a linear function leaves of the targets is more
    alike in rows with the same number than in rows with neighbouring numbers, beyond chance.

    A pair of rows counts by how alike the rows are in the other columns. The standard errors are those of means over
    numbers, for rows with one number share whatever is peculiar to it. In O(n^2 d / k) for a column of k numbers.

    Args:
        rows: as kernels see them, shape (n, D).
        groups: the columns among these that are looked at; the first groups have one column each.
        columns: the places among the groups of those that may be names, and in which rows the number is missing, shape
            (n,); one that has a single number in these rows is none.
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0: one of weight k is the mean of k rows.
    """
    few = np.linspace(0, len(rows) - 1, min(len(rows), _ROWS), dtype=np.intp)
    seen = written_out(seen_from(Some(tuple(chain.from_iterable(groups))), rows[few]))
    X, T, weight = without_copies(seen, T[few], weight[few])
    if len(X) < _ROWS_OF_A_COLUMN * X.shape[1]:
        return ()
    by_number = {j: _by_number(X[:, j], seen[missing[few], j]) for j, missing in columns.items()}
    X = _standard(X, weight)
    left = _left(X, _standard(T, weight), weight)
    pairs = {j: _Pairs(np.delete(X, j, axis=1), left, weight, own) for j, own in by_number.items()}
    return tuple(j for j, one in pairs.items() if one.errors_apart > _SURE)


def _by_number(x: FloatArray, missing: FloatArray) -> list[IntArray]:
    """The rows of each number of a column x (n,), in the order of the numbers, but for what stands for missing ones."""
    order = np.argsort(x, kind="stable")
    order = order[~np.isin(x[order], missing)]
    return np.split(order, np.flatnonzero(np.diff(x[order])) + 1)


@attrs.frozen(eq=False)
class _Pairs:
    """Pairs of rows with the same number, and with neighbouring numbers.

    Attributes:
        others: the other columns, in standard units, shape (n, p).
        left: what is left of the targets, shape (n, c).
        weight: of the rows, shape (n,).
        rows: those of each number, in the order of the numbers.
    """

    others: FloatArray
    left: FloatArray
    weight: FloatArray
    rows: list[IntArray]

    @property
    def errors_apart(self) -> float:
        """By how many standard errors rows with the same number are more alike than those with neighbouring ones; 0 of
        one number.
        """
        if len(self.rows) == 1:
            return 0.0
        same = np.array([self._sums(one, one) for one in self.rows])
        near = np.array([self._sums(*two) for two in pairwise(self.rows)])
        return max(_errors_apart(same[:, k], near[:, k]) for k in range(len(_ALIKE)))

    def _sums(self, some: IntArray, others: IntArray) -> list[tuple[float, float]]:
        """For each way k of being alike the sums of left_i'left_j k_ij and of k_ij^2, over pairs of different rows."""
        Z, X = self.others[some], self.others[others]
        products, columns = Z @ X.T, max(X.shape[1], 1)
        squares = np.einsum("ij,ij->i", Z, Z)[:, None] + np.einsum("ij,ij->i", X, X) - 2.0 * products
        count = np.outer(self.weight[some], self.weight[others]) * (some[:, None] != others)
        both = count * (self.left[some] @ self.left[others].T)
        found = (alike(products / columns, squares / columns) for alike in _ALIKE)
        return [(float(np.vdot(both, k)), float(np.vdot(count, k * k))) for k in found]


def _errors_apart(same: FloatArray, near: FloatArray) -> float:
    """By how many standard errors the ratio of two sums is larger for the first terms (k, 2) than for others (k', 2); 0
    where one of the ratios has none.
    """
    if not (same[:, 1].any() and near[:, 1].any()):
        return 0.0
    (one, variance), (other, of_other) = _ratio(same), _ratio(near)
    error = float(np.sqrt(variance + of_other))
    return (one - other) / error if error > 0.0 else 0.0


def _ratio(terms: FloatArray) -> tuple[float, float]:
    """The ratio of two sums of terms (k, 2), and its variance."""
    above, below = terms.sum(axis=0)
    left = terms[:, 0] - (above / below) * terms[:, 1]
    return float(above / below), float(left @ left / below**2)


def _standard(X: FloatArray, weight: FloatArray) -> FloatArray:
    """Columns (n, d) with mean 0 and deviation 1, or 0 where they do not vary."""
    deviation = np.sqrt(variances(X, weight))
    centred = X - np.average(X, axis=0, weights=weight)
    return np.divide(centred, deviation, out=np.zeros_like(X), where=deviation > 0.0)


def _left(X: FloatArray, T: FloatArray, weight: FloatArray) -> FloatArray:
    """What a linear function of columns X (n, d), of mean 0 as the targets T (n, c) are, leaves of these."""
    root = np.sqrt(weight)[:, None]
    return np.asarray(T - X @ np.linalg.lstsq(root * X, root * T, rcond=None)[0])
