"""What one pass over rows finds before anything is learned: what the columns hold, the targets, and rows by chance."""

import zlib
from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._copies import whole_numbers
from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._base.tables._column import Label
from kernelopt._base.tables._dates import orders_of_words
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._measures import possible, settled
from kernelopt._base.tables._tables import Table, orders_of
from kernelopt._rows._contract import Given, Piece
from kernelopt._rows._tallies import Categories, Targets

_VALUES = 1 << 25
"""The rows that are chosen hold so many numbers, which take 256 MiB: a guard, for a pass moves them often."""


@attrs.frozen(eq=False)
class Chosen:
    """Rows by chance: of all rows those of the smallest numbers, which were drawn for each.

    Attributes:
        rows: at most as many as were asked for.
        number: that was drawn for each, ascending, shape (k,).
    """

    rows: Given
    number: FloatArray

    def plus(self, other: "Chosen", most: int) -> "Chosen":
        """Those of both."""
        rows = Given.joined([self.rows, other.rows])
        number = np.concatenate([self.number, other.number])
        order = np.argsort(number, kind="stable")[:most]
        return Chosen(rows[order], number[order])


@attrs.frozen(eq=False)
class Survey:
    """What all rows have. Surveys of parts of the rows add.

    Attributes:
        n: how many rows have a weight.
        dropped: how many have none.
        names: of the columns, or none.
        weight: the sum of all weights.
        whole: whether all weights are whole numbers.
        known: of the weights of rows whose number is not missing, shape (d,).
        sums: of these numbers with weights, shape (d,).
        missing: how many numbers are, shape (d,); all of them in columns of categories.
        least, greatest: of the numbers, shape (d,); infinite where there is none.
        categories: by their columns, also of columns of words that are dates.
        dates: the columns of dates, whose numbers are days, and of numbers with a unit, and the order in which words
            are these.
        orders: those in which all words are dates, by the columns that hold any words.
        marks: in the numbers of columns that were text, as in `Table`.
        target_marks: in those of the target.
        targets: of all rows.
        chosen: some rows.
        most: how many of them at most.
    """

    n: int
    dropped: int
    names: tuple[str, ...]
    weight: float
    whole: bool
    known: FloatArray
    sums: FloatArray
    missing: npt.NDArray[np.int64]
    least: FloatArray
    greatest: FloatArray
    categories: Mapping[int, Categories]
    dates: Mapping[int, str]
    orders: Mapping[int, frozenset[str]]
    marks: Mapping[int, str]
    target_marks: str
    targets: Targets
    chosen: Chosen
    most: int

    def plus(self, other: "Survey") -> "Survey":
        """That of both.

        Raises:
            InvalidData: the rows do not belong together.
        """
        if self.names != other.names or len(self.sums) != len(other.sums):
            raise InvalidData(
                f"X has {_columns(self)} in some rows and {_columns(other)} in others; give all rows the same columns"
            )
        return Survey(
            self.n + other.n,
            self.dropped + other.dropped,
            self.names,
            self.weight + other.weight,
            self.whole and other.whole,
            self.known + other.known,
            self.sums + other.sums,
            self.missing + other.missing,
            np.minimum(self.least, other.least),
            np.maximum(self.greatest, other.greatest),
            *_merged(self, other),
            {j: _both(self, other, j) for j in {**self.orders, **other.orders}},
            {**self.marks, **other.marks},
            self.target_marks or other.target_marks,
            self.targets.plus(other.targets),
            self.chosen.plus(other.chosen, self.most),
            self.most,
        )

    @property
    def compared(self) -> dict[int, Categories]:
        """The categories that kernels compare, by their columns."""
        return {j: column for j, column in self.categories.items() if j not in self.dates}

    @property
    def ordered(self) -> dict[int, str]:
        """The columns whose words are dates in one order, which only some of the parts show: to be read anew in it."""
        found = {j: orders for j, orders in self.orders.items() if len(orders) == 1 and j not in self.dates}
        return {j: next(iter(orders)) for j, orders in found.items()}

    @property
    def encoding(self) -> Encoding:
        """How all rows are encoded."""
        labels: list[tuple[Label, ...] | None] = [None] * len(self.sums)
        gaps, centres = self.missing > 0, self.sums / np.where(self.known > 0.0, self.known, 1.0)
        for j, column in self.compared.items():
            labels[j] = tuple(column.counts)
            gaps[j], centres[j] = column.missing > 0, 0.0
        dates, marks = (tuple(sorted(held.items())) for held in (self.dates, self.marks))
        return Encoding(centres, gaps, tuple(labels), dates, marks, self.target_marks)

    @property
    def singular(self) -> BoolArray:
        """Which columns hold categories that say nothing of other rows, shape (d,)."""
        found = np.zeros(len(self.sums), dtype=bool)
        found[[j for j, column in self.compared.items() if column.singular]] = True
        return found

    @property
    def crowded(self) -> BoolArray:
        """Which columns hold more categories than are counted, shape (d,)."""
        found = np.zeros(len(self.sums), dtype=bool)
        found[[j for j, column in self.compared.items() if column.many]] = True
        return found

    @property
    def varying(self) -> BoolArray:
        """Which columns tell rows apart, shape (d,)."""
        gaps = (self.missing > 0) & (self.missing < self.n)
        found: BoolArray = (self.least < self.greatest) | gaps
        for j, column in self.compared.items():
            found[j] = len(column.counts) + (column.missing > 0) > 1 or column.many
        return found & ~self.singular

    @property
    def gaps(self) -> int:
        """How many values are missing."""
        compared = self.compared
        numbers = sum(int(count) for j, count in enumerate(self.missing) if j not in compared)
        return numbers + sum(column.missing for column in compared.values())


@attrs.frozen(eq=False)
class Surveying:
    """Surveys a piece.

    Attributes:
        seed: of the rows that are chosen.
        most: how many of them at most; of rows with many columns fewer, but for a quarter of them.
        orders: in which the words of columns are dates, as an earlier pass found it.
    """

    seed: int
    most: int
    orders: Mapping[int, str] = attrs.field(factory=dict)

    def __call__(self, piece: Piece) -> Survey:
        given = piece.read()
        counted = np.flatnonzero(given.weight > 0.0)
        dropped = len(given) - len(counted)
        given = given[counted] if dropped else given
        given = attrs.evolve(given, table=given.table.read_in(self.orders)) if self.orders else given
        numbers, weight = given.table.numbers, given.weight
        known, width = ~np.isnan(numbers), numbers.shape[1]
        most = min(self.most, max(_VALUES // max(width, 1), self.most // 4))
        return Survey(
            len(given),
            dropped,
            given.table.names,
            float(weight.sum()),
            whole_numbers(weight),
            weight @ known,
            weight @ np.where(known, numbers, 0.0),
            np.sum(~known, axis=0),
            np.where(known, numbers, np.inf).min(axis=0, initial=np.inf),
            np.where(known, numbers, -np.inf).max(axis=0, initial=-np.inf),
            {j: Categories.of(column, weight) for j, column in given.table.words.items()},
            dict(orders_of(given.table)),
            _orders(given.table),
            given.table.marks,
            given.table.target_marks,
            Targets.of(given.targets, weight),
            self._chosen(given, most),
            most,
        )

    def _chosen(self, given: Given, most: int) -> Chosen:
        """Some rows of a piece. Its own content seeds what is drawn, so that it does not matter where it is read."""
        told = zlib.crc32(np.ascontiguousarray(given.table.numbers).tobytes())
        number = np.random.default_rng([self.seed, told, len(given)]).random(len(given))
        order = np.argsort(number, kind="stable")[:most]
        return Chosen(given[order], number[order])


def _orders(table: Table) -> dict[int, frozenset[str]]:
    """The orders in which all words of a column are dates, by the columns that hold any words."""
    found = {j: possible(order) for j, order in orders_of(table) if j in table.words}
    for j, column in table.labels.items():
        if column.known:
            found[j] = frozenset(orders_of_words(column.values) if column.text else ())
    return found


def _both(one: Survey, two: Survey, j: int) -> frozenset[str]:
    """The orders in which all words of a column of both are dates."""
    return one.orders.get(j, two.orders.get(j, frozenset())) & two.orders.get(j, one.orders.get(j, frozenset()))


def _merged(one: Survey, two: Survey) -> tuple[dict[int, Categories], dict[int, str]]:
    """The categories of both, where a column without any value may stand beside one with categories or numbers; and
    the columns of dates, which are that in both, in one order.

    Raises:
        InvalidData: a column has numbers in some rows, and categories or dates in others.
    """
    found, dates = {}, {**one.dates, **two.dates}
    for j in sorted(dates):
        if any(
            j not in {**survey.dates, **survey.categories} and survey.missing[j] < survey.n for survey in (one, two)
        ):
            raise _mixed(one, j, "dates")
    for j in sorted({*one.categories, *two.categories}):
        words = any(j in survey.compared and survey.categories[j].known for survey in (one, two))
        orders = settled({survey.dates[j] for survey in (one, two) if j in survey.dates})
        words = words or len(orders) > 1
        if any(j not in survey.categories and survey.missing[j] < survey.n for survey in (one, two)):
            if words:
                raise _mixed(one, j, "categories")
            continue
        parts = [
            survey.categories.get(j) or Categories({}, False, survey.n, False)  # nothing but missing values
            for survey in (one, two)
        ]
        found[j] = parts[0].plus(parts[1])
        if words:
            dates.pop(j, None)
        elif orders:
            dates[j] = next(iter(orders))
    return found, dates


def _mixed(survey: Survey, j: int, others: str) -> InvalidData:
    """That a column holds numbers, and in some rows others."""
    name = repr(survey.names[j]) if survey.names else str(j)
    return InvalidData(
        f"X: column {name} holds numbers in some rows and {others} in others; make all values of one kind"
    )


def _columns(survey: Survey) -> str:
    return f"the columns {', '.join(survey.names)}" if survey.names else f"{len(survey.sums)} columns"
