"""Of many more columns than rows those in which a split of rows tells most of the targets: trees need no others."""

from typing import Self

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray

_LEAST = 500
"""So many columns are kept, or as many as there are rows: fewer leave out what few trees find, more take longer."""
_PARENTS = 3
"""So many columns, the best alone, split the rows before others do: what tells on one side only is found by that."""
_SHRINK = 2.0
"""A side of a split counts as if so many rows more were in it that say nothing: else single targets far out choose."""
_ENTRIES = 1 << 22
"""So many sums are formed at once at most: a block of columns."""


def telling_columns(X: FloatArray, T: FloatArray, weight: FloatArray) -> IntArray:
    """The numbers of the columns that trees should see; all of them unless there are many more than rows.

    Every split of a tree looks at all columns, which of ten thousand takes most of the time of a solve. A column is
    kept where its best split explains most of the targets' squares, as trees judge it (Breiman, Friedman, Olshen and
    Stone (1984), section 8.4), of all rows or on both sides of a split by one of the best columns:

        gain = max over splits of S_left^2 / (W_left + s) + S_right^2 / (W_right + s)

    with S the sums of weighted targets, W those of weights and s a shrinkage. Even functions, such as squares, have
    such splits too, and so has a column whose effect depends on one that is found by itself.

    The first of equally good splits is taken, and trees draw columns by their places, so trees that saw the columns
    in the order in which they are given would be others in another order. The numbers are therefore in the order of the
    columns' values.

    Args:
        X: rows, shape (n, d).
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0.

    Returns:
        the numbers, in an order that does not depend on that in which the columns are given, shape (k,).
    """
    n, d = X.shape
    most, by_values = max(_LEAST, n), np.lexsort(X)
    return by_values if d <= 2 * most else by_values[_telling(X[:, by_values], T, weight, most)]


def _telling(X: FloatArray, T: FloatArray, weight: FloatArray, most: int) -> IntArray:
    """The numbers, rising, of so many columns of X (n, d) that tell most of the targets."""
    splits, w = _Splits.of(X), weight / weight.mean()
    gain, place = splits.best(T, w)
    best = [np.argsort(-gain, kind="stable")]
    for column in best[0][:_PARENTS]:
        left = splits.left(column, place[column])
        within = sum(splits.best(T, w * side)[0] for side in (left, ~left))
        best.append(np.argsort(-within, kind="stable"))
    in_turn = np.column_stack(best).ravel()
    _, first = np.unique(in_turn, return_index=True)
    return np.sort(in_turn[np.sort(first)[:most]])


def column_gains(X: FloatArray, T: FloatArray, weight: FloatArray) -> FloatArray:
    """How much of the targets' squares the best split by each column of X (n, d) explains, shape (d,)."""
    return _Splits.of(X).best(T, weight / weight.mean())[0]


@attrs.frozen(eq=False)
class _Splits:
    """All splits of rows by a column: of those with two values, as indicators have, there is one, and a product with
    them tells all of these.

    Attributes:
        pairs: the columns with two values, or one, shape (k,).
        high: whether each row has the larger one, shape (n, k).
        others: the other columns, shape (d - k,).
        rows: in the order of each of these.
    """

    pairs: IntArray
    high: BoolArray
    others: IntArray
    rows: "_Sorted"

    @classmethod
    def of(cls, X: FloatArray) -> Self:
        """Those of rows X (n, d)."""
        least, most = X.min(axis=0), X.max(axis=0)
        high = np.equal(X, most)
        pairs = (high | np.equal(X, least)).all(axis=0)
        high = high[:, pairs] & (least < most)[pairs]
        others = np.flatnonzero(~pairs)
        return cls(np.flatnonzero(pairs), high, others, _Sorted.of(X[:, others]))

    def left(self, column: int, place: int) -> BoolArray:
        """The rows to the left of the split of a column after the row at this place, shape (n,)."""
        at = np.flatnonzero(self.pairs == column)
        return ~self.high[:, at[0]] if at.size else self.rows.left(int(np.searchsorted(self.others, column)), place)

    def best(self, T: FloatArray, w: FloatArray) -> tuple[FloatArray, IntArray]:
        """The gain of each column's best split for targets T (n, c) with weights w (n,), some of them > 0, and the
        place after which it stands, both (d,); of two values no place is told.
        """
        d = len(self.pairs) + len(self.others)
        gain, place = np.zeros(d), np.zeros(d, dtype=np.intp)
        centred = w[:, None] * (T - np.average(T, axis=0, weights=w))
        gain[self.others], place[self.others] = self.rows.best_splits(centred, w)
        sums = self.high.T.astype(np.float64) @ np.column_stack([centred, w])
        S, W = sums[:, :-1], sums[:, -1:]
        gains = S**2 / (W + _SHRINK) + (centred.sum(axis=0) - S) ** 2 / (w.sum() - W + _SHRINK)
        gain[self.pairs] = np.where(self.high.any(axis=0), gains.sum(axis=1), 0.0)
        return gain, place


@attrs.frozen(eq=False)
class _Sorted:
    """Rows in the order of each column.

    Attributes:
        order: the rows' numbers by rising value, shape (d, n).
        apart: whether the next value is larger, so that a split may stand between them, shape (d, n - 1).
    """

    order: IntArray
    apart: BoolArray

    @classmethod
    def of(cls, X: FloatArray) -> Self:
        """In the order of the columns of X (n, d)."""
        order = np.argsort(X.T, axis=1, kind="stable")
        values = np.take_along_axis(X.T, order, axis=1)
        return cls(order, values[:, :-1] < values[:, 1:])

    def left(self, column: int, place: int) -> BoolArray:
        """The rows to the left of the split of a column after the row at this place, shape (n,)."""
        found = np.zeros(self.order.shape[1], dtype=bool)
        found[self.order[column, : place + 1]] = True
        return found

    def best_splits(self, centred: FloatArray, w: FloatArray) -> tuple[FloatArray, IntArray]:
        """The gain of each column's best split for targets (n, c) that are centred and multiplied by weights w (n,),
        and the place after which it stands, both (d,).
        """
        d, n = self.order.shape
        gain, place = np.zeros(d), np.zeros(d, dtype=np.intp)
        height = max(_ENTRIES // n, 1)
        for i in range(0, d, height):
            block = slice(i, i + height)
            gain[block], place[block] = self._of_block(block, centred, w)
        return gain, place

    def _of_block(self, block: slice, centred: FloatArray, w: FloatArray) -> tuple[FloatArray, IntArray]:
        """The same of a block of columns, for targets that are centred and weighted."""
        order = self.order[block]
        W = np.cumsum(w[order], axis=1)
        gains = np.zeros(self.apart[block].shape)
        for t in centred.T:
            S = np.cumsum(t[order], axis=1)
            gains += S[:, :-1] ** 2 / (W[:, :-1] + _SHRINK)
            gains += (S[:, -1:] - S[:, :-1]) ** 2 / (W[:, -1:] - W[:, :-1] + _SHRINK)
        gains[~self.apart[block]] = 0.0
        place = gains.argmax(axis=1)
        return np.take_along_axis(gains, place[:, None], axis=1)[:, 0], place
