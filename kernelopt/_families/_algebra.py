"""Unions and views: how families are put together before they become leaves."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from kernelopt._errors import InvalidOption
from kernelopt._family import KernelFamily
from kernelopt._registry import resolve
from kernelopt._typing import IntArray


@attrs.frozen
class View:
    """A family that sees only some columns of X."""

    family: KernelFamily
    columns: tuple[int, ...]

    def __add__(self, other: Any) -> "Union":
        return Union(terms(self) + terms(other))


@attrs.frozen
class Union:
    """The hull of several families' atoms: one weight vector over all of them, summing to 1."""

    members: tuple[View | KernelFamily, ...]

    def __add__(self, other: Any) -> "Union":
        return Union(self.members + terms(other))


def on(family: Any, columns: Sequence[int]) -> View:
    """The family on these columns of X only (0-based)."""
    chosen = tuple(int(column) for column in columns)
    if not chosen or len(set(chosen)) != len(chosen) or min(chosen) < 0:
        raise InvalidOption(f"on: columns must be distinct numbers >= 0, at least one, got {list(columns)}")
    return View(resolve("family", family), chosen)


def terms(spec: Any) -> tuple[View | KernelFamily, ...]:
    """The members that a family spec stands for: a name, an object, a mapping, a view, a union or a list of these.

    Raises:
        InvalidOption: an empty list, or something else.
    """
    if isinstance(spec, Union):
        return spec.members
    if isinstance(spec, View):
        return (spec,)
    if isinstance(spec, list | tuple):
        if not spec:
            raise InvalidOption("family: got an empty list, wanted at least one family")
        return tuple(member for item in spec for member in terms(item))
    return (resolve("family", spec),)


def columns_of(member: View | KernelFamily, varying: IntArray, width: int) -> tuple[KernelFamily, IntArray]:
    """The family of a member and the columns that it sees: those of its view that vary on the training rows."""
    if isinstance(member, KernelFamily):
        return member, varying
    outside = [column for column in member.columns if column >= width]
    if outside:
        raise InvalidOption(f"on: column {outside[0]} does not exist, X has {width} columns (0 to {width - 1})")
    columns = np.intersect1d(np.array(member.columns, dtype=np.int64), varying)
    if not columns.size:
        raise InvalidOption(f"on: the columns {list(member.columns)} are constant on the training rows")
    return member.family, columns
