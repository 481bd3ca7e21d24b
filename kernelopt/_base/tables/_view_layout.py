"""How views lie side by side in one table, and how a Gram becomes columns of it."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._sparse_rows import SparseBasis
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._base.tables._column import DateColumn, Labels
from kernelopt._base.tables._row_groups import GROUPS, ONE, is_new, of_unknown_groups, one_view
from kernelopt._base.tables._tables import Table, table_of
from kernelopt._base.tables._views import Views, as_views, default_names, is_sparse

_NEW = -1.0
"""The number of a row that the rows of a Gram do not name."""
_ASYMMETRY = 1e-8
"""What rounding may do to a Gram, as a share of its largest value."""


@attrs.frozen(eq=False)
class Layout:
    """How views lie side by side in one table: each a number of columns, one after the other.

    The columns of a Gram are the number of the row, by which others ask for its values, and its values with all
    training rows. Those of a sparse matrix are coordinates in a basis of the training rows.

    Attributes:
        names: of the views.
        widths: how many columns each has, as the user gives it.
        known: of a Gram the numbers of the training rows that have it, shape (m,); None where it is none.
        grouped: whether the last view holds the number of each row's group, which new rows need not have.
        bases: of each view the basis of its coordinates, None where it is not sparse; none at all where none is.
    """

    names: tuple[str, ...]
    widths: tuple[int, ...]
    known: tuple[IntArray | None, ...]
    grouped: bool = False
    bases: tuple[SparseBasis | None, ...] = ()

    @classmethod
    def of(cls, views: Views, grams: Iterable[str], *, grouped: bool = False) -> "tuple[Layout, Table]":
        """That of training rows, of which these views are Grams, and the rows as one table.

        Raises:
            InvalidData: one of these is not square, has other values than finite numbers, or is not symmetric; or as
                of `SparseBasis`.
            NotEnoughMemory: the inner products of sparse rows do not fit.
        """
        chosen = frozenset(grams)
        known = tuple(
            _training_rows(_numbers_of(block, name), views.numbers, name) if name in chosen else None
            for name, block in views.blocks.items()
        )
        sparse = {
            name: SparseBasis.read(block, _called(name))
            for name, block in views.blocks.items()
            if is_sparse(block) and name not in chosen
        }
        bases = tuple(sparse[name][0] if name in sparse else None for name in views.names)
        widths = tuple(int(block.shape[1]) for block in views.blocks.values())
        layout = cls(views.names, widths, known, grouped, bases if sparse else ())
        return layout, layout._table(views, "X", {name: rows for name, (_, rows) in sparse.items()})

    @property
    def spans(self) -> dict[str, range]:
        """The columns of each view."""
        spans, end = {}, 0
        for name, width, known, basis in zip(self.names, self.widths, self.known, self._bases, strict=True):
            columns = width + (known is not None) if basis is None else basis.coordinates
            start, end = end, end + columns
            spans[name] = range(start, end)
        return spans

    @property
    def _bases(self) -> tuple[SparseBasis | None, ...]:
        return self.bases or (None,) * len(self.names)

    @property
    def sparse(self) -> dict[range, SparseBasis]:
        """The columns that are coordinates of sparse rows, view by view, with their bases."""
        pairs = zip(self.spans.values(), self._bases, strict=True)
        return {span: basis for span, basis in pairs if basis is not None}

    @property
    def directions(self) -> list[int]:
        """The columns that are coordinates of sparse rows."""
        return [column for span in self.sparse for column in span]

    @property
    def own(self) -> dict[str, range]:
        """The columns of each view that the user named: all but those of groups."""
        return {name: span for name, span in self.spans.items() if not (self.grouped and name == GROUPS)}

    @property
    def own_width(self) -> int:
        """How many columns the user passed, those of groups not counted."""
        return sum(self.widths) - (self.widths[self.names.index(GROUPS)] if self.grouped else 0)

    @property
    def single(self) -> bool:
        """Whether the user named no views: rows came in one matrix or table, with their groups."""
        return self.names[0] == ONE

    def given(self, X: Any, name: str) -> Views | None:
        """What a user passes, where that are views; a single Gram may be passed as it is.

        Raises:
            InvalidData: as of `Views`; or it is no views, and no rows with columns.
        """
        if isinstance(X, Table):
            return of_unknown_groups(X, name) if self.grouped and self.single and X.shape[1] == self.widths[0] else None
        views = as_views(X)
        if views is None and self._one_gram and np.ndim(X) == 2 and np.shape(X)[1] != self._columns:
            views = Views({self.names[0]: X})
        if self.grouped and (views is not None or (self.single and not self._read(X))):
            return of_unknown_groups(X if views is None else views, name)
        if views is None and self.single and np.shape(X) != () and np.shape(X)[-1] != self._columns:
            return one_view(X, name)
        return views

    def shown(self, rows: FloatArray) -> FloatArray:
        """Rows (n, d) as the user knows them: of one matrix or table, and not with their groups beside it."""
        return rows[:, :-1] if self.single and self.grouped else rows

    @property
    def _columns(self) -> int:
        return sum(map(len, self.spans.values()))

    @property
    def _one_gram(self) -> bool:
        """Whether the only view is a Gram, which may be passed as it is."""
        return len(self.own) == 1 and self.known[0] is not None

    def _read(self, X: Any) -> bool:
        """Whether these are new rows of unknown groups, which were read already."""
        return isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == self._columns and is_new(X[:, -1])

    def read(self, views: Views, name: str = "X") -> Table:
        """The views of new rows as one table.

        Raises:
            InvalidData: they are others than in training, or as of `table_of`.
            NotEnoughMemory: the coordinates of sparse rows do not fit.
        """
        return self._table(views, name, None)

    def _table(self, views: Views, name: str, coordinates: Mapping[str, FloatArray] | None) -> Table:
        """The same of rows whose sparse views have these coordinates: training rows; None: new rows."""
        training = coordinates is not None
        blocks = self._ordered(views, name)
        tables = []
        for view, width, known, basis in zip(self.names, self.widths, self.known, self._bases, strict=True):
            block = blocks[view]
            read = coordinates[view] if coordinates and view in coordinates else self._coordinates(block, basis)
            if block.shape[1] != width and read is None:
                what = "one for each row of the Gram in training" if known is not None else "as in training"
                where = f"{name} has" if self.single else f"{name}: the view {view!r} has"
                raise InvalidData(f"{where} {block.shape[1]} columns, wanted {width}, {what}")
            if known is not None:
                tables.append(_of_gram(_numbers_of(block, view), _named_rows(views, training=training), known, view))
            elif basis is not None:
                called = name if self.single else _called(view)
                rows = basis.of_rows(block, called) if read is None else read
                tables.append(Table(rows, {}, basis.names, coded=True))
            else:
                tables.append(table_of(_dense(block), name if self.single else f"{name}, view {view!r}"))
        table = _beside(tables, ("",) * len(tables) if self.single else self.names)
        table = attrs.evolve(table, coded=self.single and all(one.coded for one in tables))
        if not self.grouped:
            return table
        unnamed = self.single and not training and not tables[0].names
        return attrs.evolve(table, names=() if unnamed else (*table.names[:-1], GROUPS))

    def _coordinates(self, block: Any, basis: SparseBasis | None) -> FloatArray | None:
        """A block itself where it holds coordinates of sparse rows, as `shown` gives them of rows that have groups."""
        if basis is None or not (self.single and isinstance(block, np.ndarray)):
            return None
        return _numbers_of(block, ONE) if block.shape[1] == basis.coordinates else None

    def gaps(self, table: Table) -> tuple[IntArray, int]:
        """The columns of a table of these views with missing values, shape (k,), and how many there are, but for rows
        that lack a whole view.
        """
        missing = np.isnan(table.numbers)
        for j, column in table.labels.items():
            missing[:, j] = [value is None for value in column.values]
        for span in self.spans.values():
            view = missing[:, span.start : span.stop]
            view[view.all(axis=1)] = False
        return np.flatnonzero(missing.any(axis=0)), int(missing.sum())

    def _ordered(self, views: Views, name: str) -> Mapping[str, Any]:
        """The blocks by the names in training; those of a list have them by their places."""
        if views.names == default_names(len(self.names)) != self.names:
            return dict(zip(self.names, views.blocks.values(), strict=True))
        if set(views.names) != set(self.names):
            raise InvalidData(
                f"{name} has the views {', '.join(views.names)}, wanted {', '.join(self.names)} as in training; where "
                "rows lack a view, give them rows of NaN there"
            )
        return views.blocks


def _called(view: str) -> str:
    """A view in a message."""
    return "X" if view == ONE else f"the view {view!r}"


def _dense(block: Any) -> Any:
    """A block that is no sparse matrix."""
    return block.toarray() if is_sparse(block) else block


def _numbers_of(block: Any, name: str) -> FloatArray:
    """A Gram, or some rows of one, shape (n, N), NaN where something is missing."""
    table = block if isinstance(block, Table) else table_of(_dense(block), f"view {name!r}")
    if table.labels or table.dates:
        raise InvalidData(f"view {name!r} holds words, wanted the numbers of a Gram")
    return table.numbers


def absent(values: FloatArray) -> BoolArray:
    """Which rows (n, d) lack all values, shape (n,)."""
    return np.asarray(np.isnan(values).all(axis=1))


def _training_rows(K: FloatArray, numbers: IntArray | None, name: str) -> IntArray:
    """The numbers of the training rows that have a Gram K (n, N), shape (m,).

    Raises:
        InvalidData: it is no Gram of these rows.
    """
    if numbers is None and len(K) != K.shape[1]:
        raise InvalidData(
            f"view {name!r} has shape {K.shape}, wanted a square Gram of the training rows; rows of a larger Gram K "
            "are kernelopt.Views([K])[rows], which knows where their columns stand"
        )
    places = np.arange(len(K)) if numbers is None else numbers
    if places.max() >= K.shape[1]:
        raise InvalidData(f"view {name!r} has {K.shape[1]} columns and a row number {places.max()}, wanted a Gram")
    here = ~absent(K)
    inner = K[np.ix_(here, places[here])]
    if np.isnan(inner).any():
        raise InvalidData(
            f"view {name!r}: the Gram is NaN between rows that have it; where a row lacks the view, all of its row and "
            "column are NaN"
        )
    if not _symmetric(inner):
        raise InvalidData(
            f"view {name!r}: the Gram is not symmetric on the training rows; use (K + K.T) / 2 if it should be"
        )
    return places[here]


def _symmetric(K: FloatArray) -> bool:
    return not K.size or bool(np.abs(K - K.T).max() <= _ASYMMETRY * np.abs(K).max())


def _named_rows(views: Views, *, training: bool) -> IntArray | None:
    """The numbers that rows claim to have; all training rows have their places."""
    return np.arange(len(views)) if training and views.numbers is None else views.numbers


def _of_gram(K: FloatArray, numbers: IntArray | None, known: IntArray, name: str) -> Table:
    """The number of each row and its values K (n, N) with all training rows; those that lack the view are NaN.

    Rows that were taken from a larger Gram have its numbers, if the values among them are symmetric; others are new.
    """
    here = ~absent(K)
    if np.isnan(K[np.ix_(here, known)]).any():
        raise InvalidData(
            f"view {name!r}: values are missing for training rows that have the view; where a row lacks it, all of its "
            "row is NaN"
        )
    column = np.full(len(K), _NEW)
    if numbers is not None and numbers.max(initial=0) < K.shape[1]:
        inner = K[np.ix_(here, numbers[here])]
        if not np.isnan(inner).any() and _symmetric(inner):
            column = numbers.astype(np.float64)
    values = np.column_stack([column, np.nan_to_num(K, nan=0.0)])
    values[~here] = np.nan
    names = ("row number", *(f"row {j}" for j in range(K.shape[1])))
    return Table(values, {}, names)


def _beside(tables: list[Table], views: tuple[str, ...]) -> Table:
    """Tables of the same rows as one, whose columns are called after their views, where these have names."""
    labels: dict[int, Labels] = {}
    dates: dict[int, DateColumn] = {}
    marks: dict[int, str] = {}
    names: list[str] = []
    for table, view in zip(tables, views, strict=True):
        labels |= {len(names) + j: column for j, column in table.labels.items()}
        dates |= {len(names) + j: column for j, column in table.dates.items()}
        marks |= {len(names) + j: mark for j, mark in table.marks.items()}
        own = table.names or tuple(map("{}".format if view else "x{}".format, range(table.shape[1])))
        names += [f"{view}: {column}" if view else column for column in own]
    numbers = np.ascontiguousarray(np.hstack([table.numbers for table in tables]))
    target_marks = next((table.target_marks for table in tables if table.target_marks), "")
    return Table(numbers, labels, tuple(names), dates=dates, marks=marks, target_marks=target_marks)
