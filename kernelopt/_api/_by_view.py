"""Kernels of each view: from blocks of data, or from groups of columns, to families on columns that have a name."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kernelopt._api._family_specs import PRECOMPUTED, name_of, terms
from kernelopt._api.data._training import Training
from kernelopt._base._copies import rows_observed
from kernelopt._base._errors import InvalidOption
from kernelopt._base.tables._row_groups import one_view, with_groups
from kernelopt._base.tables._view_layout import Layout, absent
from kernelopt._base.tables._views import Views, as_views, is_sparse
from kernelopt._families._contract import KernelFamily
from kernelopt._families._union import Union
from kernelopt._families._views import ByView, Placed, Term, View
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary.kernels._rows_of_gram import RowsOfGram
from kernelopt._families.dictionary.lists._auto import together
from kernelopt._families.variances._constant import Constant
from kernelopt._families.variances._delta import Delta


def laid_out(X: Any, family: Any, groups: Any = None) -> tuple[Any, Layout | None]:
    """Views of training rows as one table, with where they lie in it; rows of another kind as they are, with None.

    Rows of known groups are views, of which the last holds the number of the group.

    Raises:
        InvalidData: as of `Views`, `Layout` and `with_groups`.
        InvalidOption: the family names a view that is none.
    """
    asked = tuple(one for one in _by_views(family) if one.columns is None)
    views = as_views(X)
    if views is None and any(_is_precomputed(one.kernels) for one in asked) and np.ndim(X) == 2:
        views = Views([X])
    if groups is not None:
        views = with_groups(X if views is None else views, groups)
    elif views is None and is_sparse(X):
        views = one_view(X, "X")
    if views is None:
        return X, None
    named = views.names if groups is None else views.names[:-1]
    grams = {name for one in asked for name in _grams(one, named)}
    layout, table = Layout.of(views, grams, grouped=groups is not None)
    return table, layout


def _by_views(spec: Any) -> Iterator[ByView]:
    """The terms of a family's spec that are about views, before any name in it is looked up."""
    if isinstance(spec, Union):
        yield from _by_views(spec.members)
    elif isinstance(spec, list | tuple):
        for one in spec:
            yield from _by_views(one)
    elif isinstance(spec, ByView) or name_of(spec) in ("by_view", PRECOMPUTED):
        yield from (one for one in terms(spec) if isinstance(one, ByView))


def _is_precomputed(spec: Any) -> bool:
    return name_of(spec) == PRECOMPUTED


def _grams(asked: ByView, names: Sequence[str]) -> Iterator[str]:
    """The views whose kernels are said to be precomputed."""
    return (name for name in names if _is_precomputed(_spec_of(asked, name, names)))


def _spec_of(asked: ByView, name: str, names: Sequence[str]) -> Any:
    """The kernels of one view in the user's words, or None.

    Raises:
        InvalidOption: others are named that are no views.
    """
    kernels = asked.kernels
    if not isinstance(kernels, Mapping) or "name" in kernels:
        return kernels
    strange = next((one for one in kernels if one not in names), None)
    if strange is not None:
        raise InvalidOption(f"by_view: kernels names the view {strange!r}, wanted one of {', '.join(names)}")
    return kernels.get(name)


def placed(found: tuple[Term, ...], training: Training, default: Any) -> tuple[Placed, ...]:
    """Terms whose columns are known: where X comes in views, a family is one of each view.

    Args:
        found: in the user's words.
        training: the rows.
        default: the family of a view where none is named; None: Gaussians, Laplacians, the linear and the quadratic
            kernel.

    Raises:
        InvalidOption: views are asked for that are none, or have no columns in X.
    """
    return tuple(one for term in found for one in _placed(term, training, default))


def without_kernels(spec: Any, training: Training) -> dict[str, tuple[int, ...]] | None:
    """The columns of each view where there are views and the kernels of none are named; None elsewhere.

    Raises:
        InvalidOption: as `placed`.
    """
    if spec is None:
        return {name: tuple(span) for name, span in _views(training).items()} if training.in_views else None
    found = terms(spec)
    alone = found[0] if len(found) == 1 else None
    return _groups(alone, training) if isinstance(alone, ByView) and alone.kernels is None else None


def _placed(term: Term, training: Training, default: Any) -> Iterator[Placed]:
    if isinstance(term, ByView):
        groups = _groups(term, training)
        for name, columns in groups.items():
            yield from _of_view(_spec_of(term, name, tuple(groups)), name, columns, training, default)
    elif training.in_views and isinstance(term, KernelFamily) and not isinstance(term, Delta | Constant):
        for name, span in _views(training).items():
            yield View(term, tuple(span), name)
    else:
        yield term


def _views(training: Training) -> dict[str, range]:
    """The columns of each view that the user named, where X comes in views."""
    assert training.layout is not None
    return training.layout.own


def _groups(term: ByView, training: Training) -> dict[str, tuple[int, ...]]:
    """The columns of each view.

    Raises:
        InvalidOption: they are not known, or known twice.
    """
    if training.in_views:
        if term.columns is not None:
            raise InvalidOption(
                "by_view: got columns, and X comes in views that have theirs; leave columns out, or pass one matrix"
            )
        return {name: tuple(span) for name, span in _views(training).items()}
    if term.columns is None:
        raise InvalidOption(
            "by_view: got no columns, and X is one matrix; name the columns of each view, as in "
            'by_view({"mri": slice(0, 100), "text": ["age", "income"]}), or pass a list of blocks as X'
        )
    return {name: _columns(name, chosen, training) for name, chosen in term.columns.items()}


def _columns(view: str, chosen: Any, training: Training) -> tuple[int, ...]:
    """The columns that a user means, as numbers.

    Raises:
        InvalidOption: there are no such columns.
    """
    width = training.width
    if isinstance(chosen, slice):
        found = list(range(width))[chosen] if (chosen.stop or 0) <= width else []
    else:
        items: list[Any] = [chosen] if isinstance(chosen, str | int) else list(chosen)
        flags = len(items) == width and all(isinstance(one, bool | np.bool_) for one in items)
        items = np.flatnonzero(items).tolist() if flags else items
        found = [_place(view, one, training) for one in items]
    if not found or len(set(found)) < len(found):
        raise InvalidOption(
            f"by_view: the view {view!r} has the columns {chosen!r}, wanted distinct ones of the {width} of X, one at "
            "least: a slice, numbers, or names where X is a table"
        )
    return tuple(found)


def _place(view: str, column: Any, training: Training) -> int:
    width, names = training.width, training.names[: training.width]
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < width:
        return int(column)
    known = f"names such as {names[0]!r}, or " if names else ""
    raise InvalidOption(
        f"by_view: the view {view!r} has the column {column!r}, wanted {known}numbers from 0 to {width - 1}"
    )


def _of_view(spec: Any, name: str, columns: tuple[int, ...], training: Training, default: Any) -> Iterator[Placed]:
    """The families of one view."""
    layout = training.layout
    if layout is not None and name in layout.names and layout.known[layout.names.index(name)] is not None:
        yield View(Dictionary((RowsOfGram(name),)), columns, name)
        return
    if spec is None and training.sparse_among(columns):
        yield View(Dictionary("auto"), columns, name)
        return
    lacking = absent(training.X[:, columns])
    if spec is None and not lacking.any():
        spec = default
    if spec is None:
        n = max(rows_observed(training.sample_weight[~lacking]), 1.0) if training.about_mean else math.inf
        spec = Dictionary(together(len(columns), n), rescale="standard")
    for member in terms(spec):
        if not isinstance(member, KernelFamily):
            raise InvalidOption(
                f"by_view: the kernels of the view {name!r} are {spec!r}, wanted families on all columns of the view: "
                'a name such as "auto", a Dictionary, or a list of these'
            )
        yield View(member, columns, name)
