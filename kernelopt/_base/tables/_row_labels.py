"""Labels of rows, as tables of pandas have them: rows are taken by their places, whatever these say."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelopt._base._caller import warn_caller
from kernelopt._base._errors import KerneloptWarning
from kernelopt._base._shown import shown
from kernelopt._base.tables._input import is_lazy


def warn_of_other_order(X: Any, **beside: Any) -> None:
    """Warn where what stands beside rows has their labels in another order: such rows were hardly meant to be together.

    Nothing is said where labels are others, or not unique, nor where they only count the rows from 0.

    Args:
        X: one table, or a list or a mapping of blocks, whose labels are compared with one another too.
        beside: what is known of each row, by the name in a message; None where nothing is.
    """
    named = {**_blocks(X), **beside}
    found = {name: labels for name, values in named.items() if (labels := _labels(values)) is not None}
    first = next((name for name in found if name not in beside), None)
    if first is None:
        return
    for name, labels in found.items():
        if _reordered(found[first], labels):
            place = int(np.argmax(np.asarray(found[first] != labels)))
            warn_caller(
                f"{name} has the row labels of {first} in another order (row {place} is "
                f"{shown(found[first][place])} in {first}, and {shown(labels[place])} in {name}), and rows are taken "
                "by their places, whatever their labels; if labels say which rows belong together, reorder them, as "
                "with y.loc[X.index], and if places do, pass values without labels, as with y.to_numpy()",
                KerneloptWarning,
            )


def unlabelled(values: Any) -> Any:
    """Values without the labels of their rows, which were compared already."""
    return values if _labels(values) is None else values.to_numpy()


def _blocks(X: Any) -> dict[str, Any]:
    """The tables of rows by their names in a message."""
    blocks = getattr(X, "blocks", X)
    if isinstance(blocks, list | tuple):
        return {f"block {k}": block for k, block in enumerate(blocks)}
    return {f"the view {name!r}": block for name, block in blocks.items()} if isinstance(blocks, Mapping) else {"X": X}


def _labels(values: Any) -> Any:
    """The index of a table or a column in memory; None where it has none, or one that counts rows from 0."""
    if isinstance(values, np.ndarray) or not hasattr(values, "iloc") or is_lazy(values):
        return None
    index = values.index
    counts = (getattr(index, "start", None), getattr(index, "step", None)) == (0, 1)
    return None if counts else index


def _reordered(one: Any, other: Any) -> bool:
    """Whether two indexes have the same labels, each once, in different orders."""
    if one is other or len(one) != len(other) or one.equals(other):
        return False
    return bool(one.is_unique and other.is_unique and other.isin(one).all())
