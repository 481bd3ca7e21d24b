"""Views and prices: families on some columns, on each set of columns, or at a price, before they become leaves."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, TypeAlias

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._union import Addable


@attrs.frozen
class View(Addable):
    """A family that sees only some columns of X, which may have a name."""

    family: KernelFamily
    columns: tuple[int, ...]
    name: str = ""


@attrs.frozen
class Every(Addable):
    """The union of a family on every set of `size` columns, of those given or of all; known when X is."""

    family: KernelFamily
    size: int
    columns: tuple[int, ...] | None = None


@attrs.frozen(eq=False)
class Priced(Addable):
    """A family whose kernels cost <price, parameters>."""

    member: View | Every | KernelFamily
    price: FloatArray
    total: float | None


@attrs.frozen(eq=False)
class ByView(Addable):
    """Kernels of each named view; known when X is.

    Attributes:
        columns: of X, for each view; None where X comes in views.
        kernels: families in the user's words, for all views or by their names; None: those that the criterion takes.
    """

    columns: Mapping[str, Any] | None = None
    kernels: Any = None


Term: TypeAlias = View | Every | Priced | ByView | KernelFamily
Placed: TypeAlias = View | Every | Priced | KernelFamily
"""A term whose columns are known."""


def views_of(member: Placed, varying: IntArray, width: int) -> tuple[tuple[KernelFamily, IntArray], ...]:
    """What a member stands for: families, each with the columns that it sees.

    Of the columns that are constant on the training rows a family sees those that it wants; sets of columns have none.

    Args:
        member: in the user's words.
        varying: the columns that are not constant, ascending, shape (d',).
        width: the number of columns of X.
    """
    if isinstance(member, Priced):
        return views_of(member.member, varying, width)
    if isinstance(member, KernelFamily):
        return (_narrowed(member, np.arange(width), varying),)
    where = f"view {member.name!r}" if isinstance(member, View) and member.name else "on"
    columns = np.arange(width) if member.columns is None else seen_columns(member.columns, varying, width, where)
    if isinstance(member, View):
        return (_narrowed(member.family, columns, varying),)
    columns = columns[np.isin(columns, varying)]
    if len(columns) < member.size:
        raise InvalidOption(f"pairs: wanted two columns that are not constant on the training rows, got {len(columns)}")
    return tuple((member.family, np.array(chosen)) for chosen in combinations(columns.tolist(), member.size))


def _narrowed(family: KernelFamily, columns: IntArray, varying: IntArray) -> tuple[KernelFamily, IntArray]:
    """A family with those of these columns that it wants to see."""
    if np.array_equal(columns, varying):
        return family, columns
    left = np.flatnonzero(np.isin(columns, varying))
    if len(left) == len(columns):
        return family, columns
    without = family.seeing(left, len(columns))
    return (family, columns) if without is None else (without, columns[left])


def seen_columns(columns: tuple[int, ...], varying: IntArray, width: int, where: str) -> IntArray:
    """The columns that a user names, in the user's order."""
    outside = [column for column in columns if column >= width]
    if outside:
        raise InvalidOption(f"{where}: column {outside[0]} does not exist, X has {width} columns (0 to {width - 1})")
    if not np.isin(columns, varying).any():
        which = "its only column is" if len(columns) == 1 else f"all {len(columns)} of its columns are"
        raise InvalidOption(f"{where}: {which} constant or empty on the training rows; leave it out")
    return np.array(columns, dtype=np.intp)
