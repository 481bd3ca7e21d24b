"""Several blocks of data on the same rows: what a user passes as views, and how these lie side by side in one table."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._memory import require
from kernelopt._base._tables import Labels, Table, is_frame, table_of
from kernelopt._base._typing import BoolArray, FloatArray, IntArray

_NEW = -1.0
"""The number of a row that the rows of a Gram do not name."""
_ASYMMETRY = 1e-8
"""What rounding may do to a Gram, as a share of its largest value."""


def _default_names(count: int) -> tuple[str, ...]:
    return tuple(f"view{k}" for k in range(count))


def _sparse(block: Any) -> bool:
    return hasattr(block, "tocsr")


def _whole(block: Any, name: str) -> Any:
    """A block that knows its shape and can be asked for rows.

    Raises:
        InvalidData: it has no rows and columns.
    """
    if _sparse(block):
        return block.tocsr()
    held = block if is_frame(block) or isinstance(block, Table) else np.asarray(block)
    if len(held.shape) != 2 or 0 in held.shape:
        advice = "; reshape one column with .reshape(-1, 1)" if len(held.shape) == 1 else ""
        raise InvalidData(f"Views: {name!r} has shape {tuple(held.shape)}, wanted rows and columns{advice}")
    return held


def _named(blocks: Any) -> dict[str, Any]:
    """The blocks by their names.

    Raises:
        InvalidData: there are none, a name is no word, or they have different numbers of rows.
    """
    if not isinstance(blocks, Mapping | list | tuple) or not blocks:
        raise InvalidData(
            f"Views: got {type(blocks).__name__}, wanted a list of blocks of the same rows, or a mapping such as "
            '{"mri": X1, "text": X2}, with one at least'
        )
    if not isinstance(blocks, Mapping):
        blocks = dict(zip(_default_names(len(blocks)), blocks, strict=True))
    strange = next((name for name in blocks if not isinstance(name, str) or not name), None)
    if strange is not None:
        raise InvalidData(f"Views: a view is called {strange!r}, wanted a word")
    held = {name: _whole(block, name) for name, block in blocks.items()}
    counts = {name: int(block.shape[0]) for name, block in held.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name!r} has {count}" for name, count in counts.items())
        raise InvalidData(
            f"Views: all views must have the same rows, and {listed}; where a row lacks a view, give it a "
            "row of NaN there"
        )
    return held


@attrs.frozen(eq=False, repr=False)
class Views:
    """Several blocks of data on the same rows: row i of each is of the same person, document or cell.

        views = kernelopt.Views({"mri": X1, "text": X2})
        solution = kernelopt.solve(views, y)

    `solve`, the estimators and their predictions also take the list or the mapping itself. A `Views` has rows as an
    array has, `views[rows]`, so that scikit-learn can split it: `cross_val_score(KernelClassifier(), views, y)`.

    Attributes:
        blocks: a list of blocks, or a mapping from names to blocks; each an array, a table or a sparse matrix of shape
            (n, d), which is read as a dense array, or a Gram (n, n) of the training rows, where the family says
            "precomputed". The views of a list are called view0, view1, ... A row of NaN in a block says that the row
            lacks this view.

    Raises:
        InvalidData: there is no block, one has no rows and columns, or they have different numbers of rows.
    """

    blocks: Mapping[str, Any] = attrs.field(converter=_named)
    _numbers: IntArray | None = attrs.field(default=None, alias="_numbers")

    @property
    def names(self) -> tuple[str, ...]:
        """What the views are called."""
        return tuple(self.blocks)

    @property
    def numbers(self) -> IntArray | None:
        """The number of each row in the `Views` that these rows were taken from, shape (n,); None of all rows."""
        return self._numbers

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, and how many columns in all views together."""
        blocks = list(self.blocks.values())
        return int(blocks[0].shape[0]), sum(int(block.shape[1]) for block in blocks)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> "Views":
        """Some rows of all views: a slice, numbers, or a truth value for each row."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]
        chosen = np.atleast_1d(np.arange(len(self))[np.asarray(rows) if isinstance(rows, list) else rows])
        known = chosen if self._numbers is None else self._numbers[chosen]
        return Views({name: _taken(block, chosen) for name, block in self.blocks.items()}, known)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name!r}: {int(block.shape[1])} columns" for name, block in self.blocks.items())
        return f"<Views of {len(self)} rows: {inside}>"


def _taken(block: Any, rows: IntArray) -> Any:
    return block.iloc[rows] if hasattr(block, "iloc") else block[rows]


def as_views(X: Any) -> Views | None:
    """Blocks that a user passes, a `Views`, a mapping, or a list of which an item has rows and columns; else None.

    Raises:
        InvalidData: as of `Views`.
    """
    if isinstance(X, Views):
        return X
    if _sparse(X):  # one of scipy's kinds is a mapping, too
        return None
    if isinstance(X, Mapping) or (isinstance(X, list | tuple) and any(_is_block(item) for item in X)):
        return Views(X)
    return None


def _is_block(item: Any) -> bool:
    two = isinstance(item, np.ndarray) and item.ndim == 2
    return two or _sparse(item) or is_frame(item) or isinstance(item, Table)


@attrs.frozen(eq=False)
class Layout:
    """How views lie side by side in one table: each a number of columns, one after the other.

    The columns of a Gram are the number of the row, by which others ask for its values, and its values with all
    training rows.

    Attributes:
        names: of the views.
        widths: how many columns each has, as the user gives it.
        known: of a Gram the numbers of the training rows that have it, shape (m,); None where it is none.
    """

    names: tuple[str, ...]
    widths: tuple[int, ...]
    known: tuple[IntArray | None, ...]

    @classmethod
    def of(cls, views: Views, grams: Iterable[str]) -> "Layout":
        """That of training rows, of which these views are Grams.

        Raises:
            InvalidData: one of these is not square, has other values than finite numbers, or is not symmetric.
        """
        chosen = frozenset(grams)
        known = tuple(
            _training_rows(_numbers_of(block, name), views.numbers, name) if name in chosen else None
            for name, block in views.blocks.items()
        )
        return cls(views.names, tuple(int(block.shape[1]) for block in views.blocks.values()), known)

    @property
    def spans(self) -> dict[str, range]:
        """The columns of each view."""
        spans, end = {}, 0
        for name, width, known in zip(self.names, self.widths, self.known, strict=True):
            start, end = end, end + width + (known is not None)
            spans[name] = range(start, end)
        return spans

    def given(self, X: Any) -> Views | None:
        """What a user passes, where that are views; a single Gram may be passed as it is.

        Raises:
            InvalidData: as of `Views`.
        """
        views = as_views(X)
        if isinstance(X, Table):
            return None
        if views is None and len(self.names) == 1 and self.known[0] is not None and np.ndim(X) == 2:
            return Views({self.names[0]: X}) if np.shape(X)[1] == self.widths[0] else None
        return views

    def read(self, views: Views, name: str = "X", *, training: bool = False) -> Table:
        """The views as one table.

        Raises:
            InvalidData: they are others than in training, or as of `table_of`.
            NotEnoughMemory: a sparse view does not fit as a dense one.
        """
        blocks = self._ordered(views, name)
        tables = []
        for view, width, known in zip(self.names, self.widths, self.known, strict=True):
            block = blocks[view]
            if block.shape[1] != width:
                what = "one for each training row" if known is not None else "as in training"
                raise InvalidData(f"{name}: the view {view!r} has {block.shape[1]} columns, wanted {width}, {what}")
            if known is not None:
                tables.append(_of_gram(_numbers_of(block, view), _named_rows(views, training=training), known, view))
            else:
                tables.append(table_of(_dense(block, view), f"{name}, view {view!r}"))
        return _beside(tables, self.names)

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
        if views.names == _default_names(len(self.names)) != self.names:
            return dict(zip(self.names, views.blocks.values(), strict=True))
        if set(views.names) != set(self.names):
            raise InvalidData(
                f"{name} has the views {', '.join(views.names)}, wanted {', '.join(self.names)} as in training; where "
                "rows lack a view, give them rows of NaN there"
            )
        return views.blocks


def _dense(block: Any, name: str) -> Any:
    """A block that is no sparse matrix."""
    if not _sparse(block):
        return block
    require(8 * int(block.shape[0]) * int(block.shape[1]), f"the view {name!r} as a dense array")
    return block.toarray()


def _numbers_of(block: Any, name: str) -> FloatArray:
    """A Gram, or some rows of one, shape (n, N), NaN where something is missing."""
    table = block if isinstance(block, Table) else table_of(_dense(block, name), f"view {name!r}")
    if table.labels:
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
    """Tables of the same rows as one, whose columns are called after their views."""
    labels: dict[int, Labels] = {}
    names: list[str] = []
    for table, view in zip(tables, views, strict=True):
        labels |= {len(names) + j: column for j, column in table.labels.items()}
        own = table.names or tuple(map(str, range(table.shape[1])))
        names += [f"{view}: {column}" for column in own]
    return Table(np.ascontiguousarray(np.hstack([table.numbers for table in tables])), labels, tuple(names))
