"""Rows of which many columns are the indicators of few categories' columns: codes of categories stand for those.

A column of a thousand categories is a thousand indicators, of which each row has one. Nothing needs them written out:
products and distances of rows need no more than whether two rows have the same one, which is a comparison for each such
column, and a linear image of a row needs one line of the map for each.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._families.dictionary._leaves import Leaves
from kernelopt._families.dictionary._places import Column, Everywhere, Metric, Place, Some

if TYPE_CHECKING:
    from scipy import sparse


@attrs.frozen
class Span:
    """Columns of indicators, of which each row has one.

    Attributes:
        start: the first.
        stop: the next after them.
        scale: an indicator's value, where a row has it, > 0.
    """

    start: int
    stop: int
    scale: float

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
        return Span(start, start + self.size, self.scale)


@attrs.frozen(eq=False)
class Coded:
    """Rows (n, d) without the columns of their indicators of many categories.

    Attributes:
        numbers: the other columns, shape (n, p).
        others: their places among the d columns, rising, shape (p,).
        codes: which indicator of each span a row has, shape (n, G).
        spans: the indicators' places among the d columns, of length G.
    """

    numbers: FloatArray
    others: IntArray
    codes: IntArray
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
        for span, own in zip(self.spans, self.codes.T, strict=True):
            X[rows, span.start + own] = span.scale
        return X

    @property
    def scales(self) -> FloatArray:
        """The indicators' values, shape (G,)."""
        return np.array([span.scale for span in self.spans])

    @property
    def squares(self) -> FloatArray:
        """|x|^2 of each row, shape (n,)."""
        return np.asarray(np.einsum("ij,ij->i", self.numbers, self.numbers) + float(np.sum(self.scales**2)))

    def indicators(self, values: FloatArray) -> "sparse.csr_array":
        """These values (G,) where a row has an indicator, else 0, and 0 in place of the numbers, shape (n, d)."""
        from scipy import sparse  # imported where it is needed

        n, G = self.codes.shape
        columns = self.codes + np.array([span.start for span in self.spans])
        return sparse.csr_array((np.tile(values, n), columns.ravel(), np.arange(0, n * G + 1, G)), shape=self.shape)

    def summed(self, W: FloatArray) -> FloatArray:
        """W x of weights (n', n), shape (n', d)."""
        total = np.asarray(W @ self.indicators(self.scales))
        total[:, self.others] = W @ self.numbers
        return total

    def image(self, M: FloatArray) -> FloatArray:
        """M'x of a map M (d, r), shape (n, r)."""
        found = self.numbers @ M[self.others]
        for span, own in zip(self.spans, self.codes.T, strict=True):
            found += span.scale * M[span.start + own]
        return np.asarray(found)

    def column_sums(self, V: FloatArray) -> FloatArray:
        """X'V of V (n, c), shape (d, c)."""
        found = np.zeros((self.shape[1], V.shape[1]))
        found[self.others] = self.numbers.T @ V
        for span, own in zip(self.spans, self.codes.T, strict=True):
            sums = [np.bincount(own, v, span.size) for v in V.T]
            found[span.start : span.stop] = span.scale * np.column_stack(sums)
        return found

    def columns(self, chosen: IntArray) -> FloatArray:
        """Some columns (k,) written out, shape (n, k)."""
        at, plain = self._among_others(chosen)
        if plain.all():
            return self.numbers[:, _plainly_cut(at)]
        found = np.zeros((len(self), len(chosen)))
        found[:, plain] = self.numbers[:, at[plain]]
        for span, own in zip(self.spans, self.codes.T, strict=True):
            here = np.flatnonzero((chosen >= span.start) & (chosen < span.stop))
            found[:, here] = span.scale * (own[:, None] == chosen[here] - span.start)
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
        spans = tuple(self.spans[g].moved(place) for g, place in kept)
        return Coded(self.columns(chosen[plain]), np.flatnonzero(plain), self.codes[:, [g for g, _ in kept]], spans)

    def with_values(self, chosen: IntArray, values: FloatArray) -> "Coded | None":
        """The same rows with these values (k,) in some columns (k,); None where codes cannot say that."""
        for g, span in enumerate(self.spans):
            if np.array_equal(chosen, np.arange(span.start, span.stop)):
                codes = self.codes.copy()
                codes[:, g] = int(values.argmax())
                return attrs.evolve(self, codes=codes)
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
        return attrs.evolve(self, numbers=self.numbers[rows], codes=self.codes[rows])


def _plainly_cut(places: IntArray) -> slice | IntArray:
    """The same places (k,) as a slice, which copies nothing, where they follow one another."""
    together = len(places) and np.array_equal(places, np.arange(places[0], places[0] + len(places)))
    return slice(int(places[0]), int(places[-1]) + 1) if together else places


View: TypeAlias = FloatArray | Coded
"""Rows as they are seen from somewhere, shape (n, d)."""


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
    if isinstance(place, Column):
        return rows.columns(np.array([place.number]))
    if isinstance(place, Metric) and place.root.ndim == 2 and len(place.root) == rows.shape[1]:
        return rows.image(place.root)
    if isinstance(place, Leaves):
        return place.reached(rows.columns(place.columns))
    return place.of(rows.dense)


def column_wise(rows: View) -> View:
    """The same rows (n, d), each column's numbers in one piece of memory."""
    if isinstance(rows, Coded):
        return attrs.evolve(rows, numbers=np.asfortranarray(rows.numbers), codes=np.asfortranarray(rows.codes))
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
        return np.asarray((one.numbers == other.numbers).all(axis=1) & (one.codes == other.codes).all(axis=1))
    return np.asarray((written_out(one) == written_out(other)).all(axis=1))


def with_values(rows: View, columns: IntArray, values: FloatArray) -> View:
    """Rows (n, d) with these values (k,) in some columns (k,) in place of theirs."""
    found = rows.with_values(columns, values) if isinstance(rows, Coded) else None
    if found is not None:
        return found
    changed = written_out(rows).copy()
    changed[:, columns] = values
    return changed


def sees_codes(place: Place, spans: Sequence[Span]) -> bool:
    """Whether a place sees all indicators of one of the spans."""
    if isinstance(place, Everywhere):
        return bool(spans)
    return isinstance(place, Some) and any(span.place_in(np.array(place.numbers)) is not None for span in spans)
