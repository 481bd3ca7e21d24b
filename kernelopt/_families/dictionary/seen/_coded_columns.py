"""Rows of which many columns are the indicators of few categories' columns: codes of categories stand for those.

A column of a thousand categories is a thousand indicators, of which each row has one. Nothing needs them written out:
products and distances of rows need no more than whether two rows have the same one, which is a comparison for each such
column, and a linear image of a row needs one line of the map for each.
"""

from typing import TYPE_CHECKING, TypeAlias

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Column, Everywhere, Metric, OwnUnits, Place, Some
from kernelopt._families.dictionary.seen._seasons import Seasons

if TYPE_CHECKING:
    from scipy import sparse


@attrs.frozen
class Span:
    """Columns of indicators, of which each row has one.

    Attributes:
        start: the first.
        stop: the next after them.
    """

    start: int
    stop: int

    @property
    def size(self) -> int:
        """How many there are."""
        return self.stop - self.start

    def place_in(self, columns: IntArray) -> int | None:
        """Where they stand among some columns (k,), all of them in their order; None where they do not."""
        first = np.flatnonzero(columns == self.start)
        if not first.size:
            return None
        held = columns[first[0] : first[0] + self.size]
        return int(first[0]) if np.array_equal(held, np.arange(self.start, self.stop)) else None

    def moved(self, start: int) -> "Span":
        """The same indicators from another column on."""
        return Span(start, start + self.size)


@attrs.frozen(eq=False)
class Coded:
    """Rows (n, d) without the columns of their indicators of many categories.

    Attributes:
        numbers: the other columns, shape (n, p).
        others: their places among the d columns, rising, shape (p,).
        codes: which indicator of each span a row has, shape (n, G).
        sizes: its value, which is one number for all rows that have it, shape (n, G).
        spans: the indicators' places among the d columns, of length G.
    """

    numbers: FloatArray
    others: IntArray
    codes: IntArray
    sizes: FloatArray
    spans: tuple[Span, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return len(self.codes), len(self.others) + sum(span.size for span in self.spans)

    @property
    def dense(self) -> FloatArray:
        """All columns, shape (n, d)."""
        X, rows = np.zeros(self.shape), np.arange(len(self))
        X[:, self.others] = self.numbers
        X[rows[:, None], self._places] = self.sizes
        return X

    @property
    def _places(self) -> IntArray:
        """The columns of the indicators that rows have, shape (n, G)."""
        return np.asarray(self.codes + np.array([span.start for span in self.spans]))

    @property
    def squares(self) -> FloatArray:
        """|x|^2 of each row, shape (n,)."""
        return np.asarray(np.einsum("ij,ij->i", self.numbers, self.numbers) + np.sum(self.sizes**2, axis=1))

    def indicators(self, values: FloatArray) -> "sparse.csr_array":
        """These values (n, G) where a row has an indicator, else 0, and 0 in place of the numbers, shape (n, d)."""
        from scipy import sparse  # imported where it is needed

        n, G = self.codes.shape
        ends = np.arange(0, n * G + 1, G)
        return sparse.csr_array((values.ravel(), self._places.ravel(), ends), shape=self.shape)

    def summed(self, W: FloatArray) -> FloatArray:
        """W x of weights (n', n), shape (n', d)."""
        total = np.asarray(W @ self.indicators(self.sizes))
        total[:, self.others] = W @ self.numbers
        return total

    def image(self, M: FloatArray) -> FloatArray:
        """M'x of a map M (d, r), shape (n, r)."""
        found = self.numbers @ M[self.others]
        for places, sizes in zip(self._places.T, self.sizes.T, strict=True):
            found += sizes[:, None] * M[places]
        return np.asarray(found)

    def scaled(self, factors: FloatArray) -> "Coded":
        """Each column times its factor, (d,)."""
        numbers, sizes = self.numbers * factors[self.others], self.sizes * factors[self._places]
        return attrs.evolve(self, numbers=numbers, sizes=sizes)

    def column_sums(self, V: FloatArray) -> FloatArray:
        """X'V of V (n, c), shape (d, c)."""
        found = np.zeros((self.shape[1], V.shape[1]))
        found[self.others] = self.numbers.T @ V
        for span, own, sizes in zip(self.spans, self.codes.T, self.sizes.T, strict=True):
            for c, v in enumerate(V.T):
                found[span.start : span.stop, c] = np.bincount(own, sizes * v, span.size)
        return found

    def columns(self, chosen: IntArray) -> FloatArray:
        """Some columns (k,) written out, shape (n, k)."""
        at, plain = self._among_others(chosen)
        if plain.all():
            return self.numbers[:, _plainly_cut(at)]
        found = np.zeros((len(self), len(chosen)))
        found[:, plain] = self.numbers[:, at[plain]]
        for span, places, sizes in zip(self.spans, self._places.T, self.sizes.T, strict=True):
            here = np.flatnonzero((chosen >= span.start) & (chosen < span.stop))
            found[:, here] = sizes[:, None] * (places[:, None] == chosen[here])
        return found

    def among(self, chosen: IntArray) -> "View":
        """Some columns (k,): those of a span stay codes where all of it is among them, in its order."""
        places = [span.place_in(chosen) for span in self.spans]
        kept = [(g, place) for g, place in enumerate(places) if place is not None]
        if not kept:
            return self.columns(chosen)
        plain = np.ones(len(chosen), dtype=bool)
        for g, place in kept:
            plain[place : place + self.spans[g].size] = False
        spans, own = tuple(self.spans[g].moved(place) for g, place in kept), [g for g, _ in kept]
        numbers = self.columns(chosen[plain])
        return Coded(numbers, np.flatnonzero(plain), self.codes[:, own], self.sizes[:, own], spans)

    def with_values(self, chosen: IntArray, values: FloatArray) -> "Coded | None":
        """The same rows with these values (k,) in some columns (k,); None where codes cannot say that."""
        for g, span in enumerate(self.spans):
            if np.array_equal(chosen, np.arange(span.start, span.stop)):
                codes, sizes, place = self.codes.copy(), self.sizes.copy(), int(values.argmax())
                codes[:, g], sizes[:, g] = place, values[place]
                return attrs.evolve(self, codes=codes, sizes=sizes)
        at, plain = self._among_others(chosen)
        if not plain.all():
            return None
        numbers = self.numbers.copy()
        numbers[:, at] = values
        return attrs.evolve(self, numbers=numbers)

    def _among_others(self, chosen: IntArray) -> tuple[IntArray, BoolArray]:
        """Where some columns (k,) stand among the numbers, and whether each is one of these."""
        at = np.searchsorted(self.others, chosen)
        return at, np.append(self.others, -1)[at] == chosen

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | IntArray | BoolArray) -> "Coded":
        return attrs.evolve(self, numbers=self.numbers[rows], codes=self.codes[rows], sizes=self.sizes[rows])


def _plainly_cut(places: IntArray) -> slice | IntArray:
    """The same places (k,) as a slice, which copies nothing, where they follow one another."""
    together = len(places) and np.array_equal(places, np.arange(places[0], places[0] + len(places)))
    return slice(int(places[0]), int(places[-1]) + 1) if together else places


View: TypeAlias = FloatArray | Coded
"""Rows as they are seen from somewhere, shape (n, d)."""


def depth(rows: View) -> int:
    """How many numbers and codes of a row are looked at."""
    return int(rows.numbers.shape[1] + rows.codes.shape[1] if isinstance(rows, Coded) else rows.shape[1])


def written_out(rows: View) -> FloatArray:
    """All columns of rows, shape (n, d)."""
    return rows.dense if isinstance(rows, Coded) else rows


def seen_from(place: Place, rows: View) -> View:
    """Rows (n, d) as they are seen from a place, shape (n, d'): coded where it sees all indicators of a column."""
    if not isinstance(rows, Coded):
        return place.of(rows)
    if isinstance(place, Everywhere):
        return rows
    if isinstance(place, Some):
        return rows.among(np.array(place.numbers))
    if isinstance(place, OwnUnits):
        return place.of(rows.columns(np.arange(len(place.deviation))))
    if isinstance(place, Column):
        return rows.columns(np.array([place.number]))
    if isinstance(place, Metric) and len(place.root) == rows.shape[1]:
        return rows.scaled(place.root) if place.root.ndim == 1 else rows.image(place.root)
    if isinstance(place, Leaves):
        return place.reached(rows.columns(place.columns))
    if isinstance(place, Seasons):
        circles = place.on_circles(rows.columns(np.array(place.columns)))
        return _before(rows.among(np.array(place.beside, dtype=np.intp)), circles)
    return place.of(rows.dense)


def _before(rows: View, columns: FloatArray) -> View:
    """Rows (n, d), with further columns (n, k) behind them."""
    if not isinstance(rows, Coded):
        return np.hstack([rows, columns])
    d, k = rows.shape[1], columns.shape[1]
    numbers, others = np.hstack([rows.numbers, columns]), np.append(rows.others, np.arange(d, d + k))
    return attrs.evolve(rows, numbers=numbers, others=others)


def numbers_seen(rows: View) -> FloatArray:
    """What rows hold as numbers, shape (n, p)."""
    return rows.numbers if isinstance(rows, Coded) else rows


def column_wise(rows: View) -> View:
    """The same rows (n, d), each column's numbers in one piece of memory."""
    if isinstance(rows, Coded):
        return attrs.evolve(rows, numbers=np.asfortranarray(rows.numbers))
    return np.asfortranarray(rows)


def image(rows: View, M: FloatArray) -> FloatArray:
    """M'x of rows (n, d) and a map M (d, r), shape (n, r)."""
    return rows.image(M) if isinstance(rows, Coded) else np.asarray(rows @ M)


def column_sums(rows: View, V: FloatArray) -> FloatArray:
    """X'V of rows X (n, d) and V (n, c), shape (d, c)."""
    return rows.column_sums(V) if isinstance(rows, Coded) else np.asarray(rows.T @ V)


def squared_norms(rows: View) -> FloatArray:
    """|x|^2 of each row, shape (n,)."""
    return rows.squares if isinstance(rows, Coded) else np.asarray(np.einsum("ij,ij->i", rows, rows))


def same(one: View, other: View) -> BoolArray:
    """Which of rows (n, d) are those of others (n, d), shape (n,)."""
    if isinstance(one, Coded) and isinstance(other, Coded) and one.spans == other.spans:
        pairs = ((one.numbers, other.numbers), (one.codes, other.codes), (one.sizes, other.sizes))
        return np.asarray(np.logical_and.reduce([(first == second).all(axis=1) for first, second in pairs]))
    return np.asarray((written_out(one) == written_out(other)).all(axis=1))


def with_values(rows: View, columns: IntArray, values: FloatArray) -> View:
    """Rows (n, d) with these values (k,) in some columns (k,) in place of theirs."""
    found = rows.with_values(columns, values) if isinstance(rows, Coded) else None
    if found is not None:
        return found
    changed = written_out(rows).copy()
    changed[:, columns] = values
    return changed
