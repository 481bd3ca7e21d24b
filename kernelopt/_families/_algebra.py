"""Unions, views and prices: how families are put together before they become leaves."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from kernelopt._errors import InvalidOption
from kernelopt._family import KernelFamily
from kernelopt._registry import resolve
from kernelopt._typing import FloatArray, IntArray


@attrs.frozen
class View:
    """A family that sees only some columns of X."""

    family: KernelFamily
    columns: tuple[int, ...]

    def __add__(self, other: Any) -> "Union":
        return Union(terms(self) + terms(other))


@attrs.frozen(eq=False)
class Priced:
    """A family whose kernels cost <price, parameters>."""

    member: View | KernelFamily
    price: FloatArray
    total: float | None

    def __add__(self, other: Any) -> "Union":
        return Union(terms(self) + terms(other))


Member = Priced | View | KernelFamily


@attrs.frozen
class Union:
    """The hull of several families' atoms: one weight vector over all of them, summing to 1."""

    members: tuple[Member, ...]

    def __add__(self, other: Any) -> "Union":
        return Union(self.members + terms(other))


def on(family: Any, columns: Sequence[int]) -> View:
    """The family on these columns of X only (0-based)."""
    chosen = tuple(int(column) for column in columns)
    if not chosen or len(set(chosen)) != len(chosen) or min(chosen) < 0:
        raise InvalidOption(f"on: columns must be distinct numbers >= 0, at least one, got {list(columns)}")
    return View(resolve("family", family), chosen)


def priced(family: Any, price: Any, total: float | None = None) -> Priced:
    """The family at a linear price: R = sum_a price_a w_a, or <price, P> for a matrix family.

    Args:
        family: a name, an object, a mapping or a view; a finite list or a matrix family.
        price: one number for all atoms, one for each atom of a list, shape (m,), or a symmetric matrix (q, q).
        total: the sum of the weights, a positive number; None where any sum may be: then the price alone bounds the
            kernel, which is optimal where no atom is worth more than it costs, 1/2 v'K_a v <= price_a.

    Raises:
        InvalidOption: the price has NaN, or the total is not positive.
    """
    (member,) = terms(family)
    if isinstance(member, Priced):
        raise InvalidOption("priced: the family has a price already")
    cost = np.asarray(price, dtype=np.float64)
    if cost.ndim > 2 or not np.isfinite(cost).all():
        raise InvalidOption("priced: the price must be a finite number, one for each atom, or a symmetric matrix")
    if total is not None and not (np.isfinite(total) and total > 0.0):
        raise InvalidOption(f"priced: total must be a positive number or None, got {total!r}")
    return Priced(member, cost, total)


def terms(spec: Any) -> tuple[Member, ...]:
    """The members that a family spec stands for: a name, an object, a mapping, a view, a union or a list of these.

    Raises:
        InvalidOption: an empty list, or something else.
    """
    if isinstance(spec, Union):
        return spec.members
    if isinstance(spec, View | Priced):
        return (spec,)
    if isinstance(spec, list | tuple):
        if not spec:
            raise InvalidOption("family: got an empty list, wanted at least one family")
        return tuple(member for item in spec for member in terms(item))
    return (resolve("family", spec),)


def columns_of(member: Member, varying: IntArray, width: int) -> tuple[KernelFamily, IntArray]:
    """The family of a member and the columns that it sees: those of its view that vary on the training rows."""
    if isinstance(member, Priced):
        return columns_of(member.member, varying, width)
    if isinstance(member, KernelFamily):
        return member, varying
    outside = [column for column in member.columns if column >= width]
    if outside:
        raise InvalidOption(f"on: column {outside[0]} does not exist, X has {width} columns (0 to {width - 1})")
    columns = np.intersect1d(np.array(member.columns, dtype=np.int64), varying)
    if not columns.size:
        raise InvalidOption(f"on: the columns {list(member.columns)} are constant on the training rows")
    return member.family, columns
