"""Groups that a user says rows are of: checked, and numbered."""

from typing import Any

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._input import missing, two_dimensional
from kernelopt._base.tables._tables import sliceable
from kernelopt._base.tables._views import Views, as_views, is_sparse

GROUPS = "groups"
"""What the column of groups is called, as a view."""
ONE = "all columns"
"""What the rows are called, where they come in one matrix or table."""
NEW = -1.0
"""The number of the group of rows whose groups nobody knows: no training row has it."""


def with_groups(X: Any, groups: Any) -> Views:
    """Rows, or views of them, with a view more that holds the number of each row's group.

    A row whose label is missing is a group of its own.

    Args:
        X: rows in memory (n, d), or views of them.
        groups: labels, shape (n,).

    Raises:
        InvalidData: there is no label for each row, all rows are of one group, or a view has the name already.
    """
    views = _views(X, "X")
    labels = np.asarray(groups)
    if labels.shape != (len(views),):
        raise InvalidData(
            f"groups: got an array of shape {labels.shape}, wanted a label for each of the {len(views)} rows of X, "
            f"shape ({len(views)},)"
        )
    numbers = numbers_of(labels)
    if len(views) > 1 and numbers.max() == 0.0:
        raise InvalidData(
            f"groups: all {len(views)} rows are of one group, and what they share cannot be told from the level of y; "
            "leave groups out"
        )
    return _beside(views, numbers[:, None])


def of_unknown_groups(X: Any, name: str) -> Views:
    """New rows, or views of them, whose groups nobody knows; messages call them by this name.

    Raises:
        InvalidData: they are no rows with columns.
    """
    views = _views(X, name)
    return _beside(views, np.full((len(views), 1), NEW))


def is_new(numbers: FloatArray) -> bool:
    """Whether all of these rows are of groups that nobody knows, by the numbers of their groups (n,)."""
    return bool((numbers == NEW).all())


def _beside(views: Views, numbers: FloatArray) -> Views:
    """Views, and beside them the number (n, 1) of each row's group; rows of a Gram keep their places in it."""
    return Views({**views.blocks, GROUPS: numbers}, _numbers=views.numbers)


def one_view(X: Any, name: str) -> Views:
    """Rows that come in one matrix or table, as the only view.

    Raises:
        InvalidData: they are no rows with columns; the message calls them by this name.
    """
    held = X if is_sparse(X) else sliceable(X, name)
    two_dimensional(held if isinstance(held, np.ndarray) else np.broadcast_to(0.0, held.shape), name)
    return Views({ONE: held})


def _views(X: Any, name: str) -> Views:
    views = as_views(X)
    if views is None:
        views = one_view(X, name)
    if GROUPS in views.names:
        raise InvalidData(f"groups: X has a view of the name {GROUPS!r}, which is kept for groups; rename the view")
    return views


def numbers_of(labels: np.ndarray) -> FloatArray:
    """The number of each label, in the order in which they first occur, shape (n,); each missing one has its own."""
    place: dict[Any, int] = {}
    keys = (("missing", i) if missing(label) else label for i, label in enumerate(labels.tolist()))
    return np.array([place.setdefault(key, len(place)) for key in keys], dtype=np.float64)
