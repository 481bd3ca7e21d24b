"""Rows of which many columns are the indicators of few categories' columns: kernels compare codes of categories there.

A column of a thousand categories is a thousand indicators, of which each row has one. Products and distances of rows
need no more of them than whether two rows have the same one: of G such columns that is G comparisons, for any number of
categories.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary._places import Everywhere, Place, Some

if TYPE_CHECKING:
    from scipy import sparse

_FEW = 1 << 18
"""Of so few comparisons numpy takes a quarter of a millisecond more than compiled code, which numba would take .4 s to
compile: a guard, for small tables."""


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

    def codes(self, X: FloatArray) -> IntArray | None:
        """Which of them each of rows X (n, d) has, shape (n,); None where rows have others than one of this value."""
        found = single(X[:, self.start : self.stop])
        return found[0].astype(np.int32) if found is not None and (found[1] == self.scale).all() else None


def single(X: FloatArray) -> tuple[IntArray, FloatArray] | None:
    """Where each row of X (n, k) has its only number that is not 0, and that number, or 0, both of shape (n,); None if
    a row has several.
    """
    places = X.argmax(axis=1)
    values = X[np.arange(len(X)), places]
    return (places, values) if np.array_equal(np.einsum("ij,ij->i", X, X), values * values) else None


@attrs.frozen(eq=False)
class Coded:
    """Rows (n, d) as they are seen from somewhere.

    Attributes:
        X: as they are, shape (n, D).
        place: where they are seen from.
        numbers: the columns that are no indicators, shape (n, p).
        codes: which indicator each row has, shape (n, G).
        spans: those indicators, of length G, by their places among the d columns.
        others: the places of the numbers among the d columns, shape (p,).
    """

    X: FloatArray
    place: Place
    numbers: FloatArray
    codes: IntArray
    spans: tuple[Span, ...]
    others: IntArray

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return len(self.X), len(self.others) + sum(span.size for span in self.spans)

    @property
    def dense(self) -> FloatArray:
        """All columns, shape (n, d)."""
        return self.place.of(self.X)

    @property
    def scales(self) -> FloatArray:
        """The indicators' values, shape (G,)."""
        return np.array([span.scale for span in self.spans])

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

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, rows: slice | IntArray) -> "Coded":
        return attrs.evolve(self, X=self.X[rows], numbers=self.numbers[rows], codes=self.codes[rows])


View: TypeAlias = FloatArray | Coded
"""Rows as they are seen from somewhere, shape (n, d)."""


def seen_from(places: Sequence[Place], X: FloatArray, spans: Sequence[Span]) -> tuple[View, ...]:
    """Rows X (n, D) as they are seen from each place, coded where they may be.

    Args:
        places: any.
        X: the rows.
        spans: columns of indicators.
    """
    found = [within(place, spans) for place in places]
    asked = dict.fromkeys(span for pairs in found for span, _ in pairs)
    codes = {span: span.codes(X) for span in asked}
    return tuple(_seen(place, X, pairs, codes) for place, pairs in zip(places, found, strict=True))


def _seen(place: Place, X: FloatArray, pairs: list[tuple[Span, Span]], codes: dict[Span, IntArray | None]) -> View:
    """Rows from a place that sees these spans, each with where it stands there."""
    known = [(here, own) for span, here in pairs if (own := codes[span]) is not None]
    if not known:
        return place.of(X)
    spans, coded = tuple(here for here, _ in known), np.zeros(place.width(X.shape[1]), dtype=bool)
    for span in spans:
        coded[span.start : span.stop] = True
    others = np.flatnonzero(~coded)
    columns = np.array(place.numbers)[others] if isinstance(place, Some) else others
    return Coded(X, place, X[:, columns], np.column_stack([own for _, own in known]), spans, others)


def within(place: Place, spans: Sequence[Span]) -> list[tuple[Span, Span]]:
    """The spans of which a place sees all columns, each with where it stands among what is seen."""
    if isinstance(place, Everywhere):
        return [(span, span) for span in spans]
    if not isinstance(place, Some) or not spans:
        return []
    at = {number: i for i, number in enumerate(place.numbers)}
    found = []
    for span in spans:
        first = at.get(span.start, -1)
        if first >= 0 and place.numbers[first : first + span.size] == tuple(range(span.start, span.stop)):
            found.append((span, Span(first, first + span.size, span.scale)))
    return found


def matched(Z: View, X: View) -> tuple[FloatArray, FloatArray, "Matches | None"]:
    """The numbers of rows Z (n', d) and X (n, d), and what compares the rest; None where numbers are all columns."""
    if isinstance(Z, Coded) and isinstance(X, Coded) and Z.spans == X.spans:
        return Z.numbers, X.numbers, Matches(Z.codes, X.codes, X.scales)
    first, second = (rows.dense if isinstance(rows, Coded) else rows for rows in (Z, X))
    return first, second, None


@attrs.frozen(eq=False)
class Matches:
    """Where two blocks of rows have the same categories.

    Attributes:
        Z: codes, shape (n', G).
        X: codes, shape (n, G).
        scales: of the indicators, shape (G,).
    """

    Z: IntArray
    X: IntArray
    scales: FloatArray

    def add_products(self, out: FloatArray) -> None:
        """Out (n', n) += the products of the indicators."""
        self._add(self.scales**2, out, same=True)

    def add_squares(self, out: FloatArray) -> None:
        """Out (n', n) += the squared distances of the indicators."""
        self._add(2.0 * self.scales**2, out, same=False)

    def add_absolutes(self, out: FloatArray) -> None:
        """Out (n', n) += the absolute distances of the indicators."""
        self._add(2.0 * self.scales, out, same=False)

    def _add(self, weights: FloatArray, out: FloatArray, *, same: bool) -> None:
        """Out (n', n) += the sum of the weights (G,) of the columns in which two rows have the same, or have not."""
        if out.size * len(weights) <= _FEW:
            for z, x, weight in zip(self.Z.T, self.X.T, weights, strict=True):
                out += weight * ((z[:, None] == x) == same)
            return
        from kernelopt._linalg._code_matches import add_matches  # imports numba where it is needed

        add_matches(self.Z, self.X, weights, same, out)
