"""Several blocks of data on the same rows: what a user passes as views."""

import sys
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import IntArray
from kernelopt._base.tables._tables import is_table, sliceable


def default_names(count: int) -> tuple[str, ...]:
    """What the views of a list are called."""
    return tuple(f"view{k}" for k in range(count))


def is_sparse(block: Any) -> bool:
    """Whether a block is one of scipy's sparse matrices or arrays; without their module there are none."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(block))


def _whole(block: Any, name: str) -> Any:
    """A block that knows its shape and can be asked for rows.

    Raises:
        InvalidData: it has no rows and columns.
    """
    if is_sparse(block):
        return block.tocsr()
    held = sliceable(block, f"the view {name!r}")
    if len(held.shape) != 2 or 0 in held.shape:
        advice = (
            "; reshape one column with .reshape(-1, 1), or pass pandas.DataFrame(X) if these are columns of one table"
            if len(held.shape) == 1
            else ""
        )
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
        blocks = dict(zip(default_names(len(blocks)), blocks, strict=True))
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
    """Several blocks of data on the same rows: row i of every block describes the same person, document or cell.

        views = kernelopt.Views({"mri": X1, "text": X2})
        solution = kernelopt.solve(views, y)

    `solve`, the estimators and their predictions also accept the list or the mapping itself. Rows of a `Views` can be
    selected as rows of an array, `views[rows]`, so that scikit-learn can split it, as in
    `cross_val_score(KernelClassifier(), views, y)`.

    Attributes:
        blocks: a list of blocks, or a mapping from names to blocks; each an array, a table or a sparse matrix of shape
            (n, d), or, with the family "precomputed", a Gram matrix (n, n) of the
            training rows. The views of a list are called view0, view1, ... A row of NaN in a block says that the row
            lacks this view.

    Raises:
        InvalidData: there is no block, one has no rows and columns, or they have different numbers of rows.
    """

    blocks: Mapping[str, Any] = attrs.field(converter=_named)
    _numbers: IntArray | None = attrs.field(default=None, alias="_numbers")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the views."""
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
    if is_sparse(X):  # one of scipy's kinds is a mapping, too
        return None
    if isinstance(X, Mapping) or (isinstance(X, list | tuple) and any(_is_block(item) for item in X)):
        return Views(X)
    return None


def _is_block(item: Any) -> bool:
    two = isinstance(item, np.ndarray) and item.ndim == 2
    return two or is_sparse(item) or is_table(item)
