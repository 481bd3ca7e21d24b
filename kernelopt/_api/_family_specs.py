"""Families in a user's words: names, objects, mappings, views and unions, and what they stand for."""

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._families._contract import KernelFamily
from kernelopt._families._sampled import sampled_from
from kernelopt._families._union import Union
from kernelopt._families._views import ByView, Every, Priced, Term, View
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary._ready_lists import fixed
from kernelopt._plugins._registry import resolve

PRECOMPUTED = "precomputed"
"""The family of views that are Grams."""


def on(family: Any, columns: Sequence[int]) -> View:
    """The family on some columns of X only.

    Args:
        family: a name, an object or a mapping, as in `solve`; no union.
        columns: the numbers of the columns, 0 for the first, such as [0, 2]; each number once.

    Raises:
        InvalidOption: the family is a union, or the columns are not distinct whole numbers >= 0.
    """
    return View(_one(family, "on"), _distinct(columns, "on"))


def priced(family: Any, price: Any, total: float | None = None) -> Priced:
    """The family at a linear price: R = sum_a price_a w_a, or R = <price, P> for a matrix family.

    Args:
        family: a name, an object, a mapping or a view; it must be a finite list or a matrix family.
        price: one number for all atoms; one number for each atom of a list, shape (m,); or a symmetric matrix (q, q).
        total: the sum of the weights, a positive number. None: the weights may have any sum. Then the price alone
            bounds the kernel, and a kernel is optimal if no atom is worth more than it costs: 1/2 v'K_a v <= price_a
            for every atom a.

    Raises:
        InvalidOption: the price has NaN, or the total is not positive.
    """
    members = terms(family)
    if len(members) != 1 or isinstance(members[0], Priced | ByView):
        raise InvalidOption("priced: wanted one family without a price; apply priced to each member of a union")
    cost = np.asarray(price, dtype=np.float64)
    if cost.ndim > 2 or not np.isfinite(cost).all():
        raise InvalidOption("priced: the price must be a finite number, one for each atom, or a symmetric matrix")
    if total is not None and not (np.isfinite(total) and total > 0.0):
        raise InvalidOption(f"priced: total must be a positive number or None, got {total!r}")
    return Priced(members[0], cost, total)


def nonsquared(family: Any, d: Any = 1.0) -> Priced:
    """The family at the price that turns the squared norm of the machine into a sum of norms, one for each kernel.

        min over w   sum_j d_j |w_j| + loss      =      max over alpha   h(alpha),   v'K_j v <= d_j^2 for every j

    The price of each kernel is d_j^2 / 2, and the weights may have any sum, because d |w| is the minimum over eta > 0
    of |w|^2 / (2 eta) + eta d^2 / 2. With one kernel for each column this is the machine with an l1 norm, also called
    the linear programming machine; with a kernel of several columns, a block of columns takes the place of a column.

    Bach, Lanckriet and Jordan (2004), section 2.4; Bradley and Mangasarian (1998) for kernels of single columns.

    Args:
        family: a finite list or a matrix family, as in `priced`.
        d: the factors d_j of the norms, above 0: one number for all kernels, or one for each kernel of a list, shape
            (m,).

    Raises:
        InvalidOption: d is not above 0, or has two dimensions, or the family cannot have a price.
    """
    sizes = np.asarray(d, dtype=np.float64)
    if sizes.ndim > 1 or not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
        raise InvalidOption(f"nonsquared: d must be a number above 0, or one for each kernel, got {d!r}")
    return priced(family, 0.5 * sizes**2)


def each(family: Any, columns: Sequence[int] | None = None) -> Every:
    """The union of the family on every single column: an additive kernel, whose weights tell which columns matter.

    Columns that are constant on the training rows are left out.

    Args:
        family: a name, an object or a mapping, as in `solve`; no union.
        columns: the numbers of the columns of X, 0 for the first. None: all columns.

    Raises:
        InvalidOption: the family is a union, or the columns are not distinct whole numbers >= 0.
    """
    return Every(_one(family, "each"), 1, None if columns is None else _distinct(columns, "each"))


def pairs(family: Any, columns: Sequence[int] | None = None) -> Every:
    """The union of the family on every pair of columns; d columns have d (d - 1) / 2 pairs.

    Args:
        family: a name, an object or a mapping, as in `solve`; no union.
        columns: the numbers of the columns of X, 0 for the first; two at least. None: all columns.

    Raises:
        InvalidOption: the family is a union, or the columns are not distinct whole numbers >= 0.
    """
    return Every(_one(family, "pairs"), 2, None if columns is None else _distinct(columns, "pairs"))


def by_view(columns: Mapping[str, Any] | None = None, kernels: Any = None) -> ByView:
    """Kernels of each view, a group of columns with a name: the learned weights then tell which views matter.

        kernelopt.solve(X, y, family=kernelopt.by_view({"mri": slice(0, 100), "text": ["age", "income"]}))
        kernelopt.solve([X1, K2], y, family=kernelopt.by_view(kernels={"view1": "precomputed"}))

    A row without any value in the columns of a view lacks this view. In the feature space of each kernel of the view,
    the mean of the training rows that have the view then takes the place of the row. `Dictionary`, the ready lists and
    Gram matrices can compute this mean; if a row lacks a view, other families on the view are refused.

    Args:
        columns: a mapping from the name of each view to its columns of X: a slice, numbers (0 for the first column),
            names if X is a table, or a truth value for each column. None: X comes in views, as `Views` or as a list of
            blocks.
        kernels: a family for all views, or a mapping from the names of views to families; a family is a name, an
            object, a mapping, or a list of these. "precomputed" says that the block of the view is the Gram matrix of
            the training rows, and in a prediction the kernel between the new rows and the training rows. None, or a
            view that the mapping does not name: `family="auto"` on the view if the criterion is the evidence and no
            training row lacks the view; otherwise six Gaussians, five Laplacians, the linear and the quadratic kernel
            on the columns of the view, which are brought to mean 0 and standard deviation 1. Without targets None is
            one Gaussian for all views, in which each view counts as one column.

    Raises:
        InvalidOption: columns is not a mapping from names; later, in `solve`: a view or a column does not exist.
    """
    if columns is not None and not (
        isinstance(columns, Mapping) and columns and all(isinstance(k, str) for k in columns)
    ):
        raise InvalidOption(
            f"by_view: columns must be a mapping from the names of views to their columns, got {columns!r}"
        )
    return ByView(columns, kernels)


def sampled(family: Any, k: int, seed: int = 0, rank: int = 1) -> KernelFamily:
    """A finite list of k random kernels of a family, whose weights are then learned without a search for kernels.

        k = sum_s w_s k_s,    w >= 0, sum w = 1

    The method `draw` of the family draws the atoms, when X is known. A family with fewer atoms than k gives all its
    atoms.

    Colbert and Peet (2020), equation (25), learn the weights of tessellated kernels of random positive semidefinite
    matrices P^s, which is `sampled("tk", 300)`. The paper does not say how the matrices are drawn. Here they have rank
    1; with a larger `rank` they are P^s = A A' / |A|_F^2, where the entries of A are independent and normal.

    Args:
        family: a name, an object or a mapping, as in `solve`; no union.
        k: the number of kernels, an integer >= 1.
        seed: the seed of the draw, an integer >= 0.
        rank: the rank of the random matrices, an integer >= 1 and at most the order of P. A rank above 1 is for matrix
            families only, such as "tk" and "gpk".

    Raises:
        InvalidOption: k, seed or rank is out of its range, or the family has no matrix and the rank is above 1; in
            `prepare`: the family has no method that draws its atoms.
    """
    return sampled_from(_one(family, "sampled"), k, seed, rank)


def _auto() -> Dictionary:
    return Dictionary("auto")


def _precomputed() -> ByView:
    return ByView(None, PRECOMPUTED)


SPELLED: Mapping[str, Callable[..., Term]] = MappingProxyType(
    {
        "auto": _auto,
        PRECOMPUTED: _precomputed,
        "fixed": fixed,
        "on": on,
        "each": each,
        "pairs": pairs,
        "priced": priced,
        "nonsquared": nonsquared,
        "sampled": sampled,
        "by_view": by_view,
    }
)


def terms(spec: Any) -> tuple[Term, ...]:
    """The members that a family spec stands for: a name, an object, a mapping, a view, a union or a list of these.

    "auto" is `Dictionary("auto")`, and "precomputed" is `by_view(kernels="precomputed")`.

    The mappings {"name": "each", "family": "tk"} and alike are `each("tk")`, `on`, `pairs`, `priced`, `nonsquared`,
    `sampled`, `by_view` and `fixed`.

    Raises:
        InvalidOption: an empty list, or something else.
        UnknownName, BrokenPlugin: as in `resolve`.
    """
    if isinstance(spec, Union):
        return terms(spec.members)
    if isinstance(spec, View | Every | Priced | ByView):
        return (spec,)
    if isinstance(spec, list | tuple):
        if not spec:
            raise InvalidOption("family: got an empty list, wanted at least one family")
        return tuple(member for item in spec for member in terms(item))
    if name_of(spec) in SPELLED:
        return (_spelled(**({"name": spec} if isinstance(spec, str) else spec)),)
    return (resolve("family", spec),)


def name_of(spec: Any) -> str | None:
    """The name in a spec that is a name or a mapping; None in any other."""
    name = spec.get("name") if isinstance(spec, Mapping) else spec
    return name if isinstance(name, str) else None


def _spelled(name: str, **options: Any) -> Term:
    make = SPELLED[name]
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:
        wanted = ", ".join(inspect.signature(make).parameters) or "no options"
        raise InvalidOption(f'family "{name}": {error}; it takes {wanted}') from None
    return make(**options)


def _one(spec: Any, where: str) -> KernelFamily:
    """The one family, on all columns, that a spec stands for."""
    members = terms(spec)
    if len(members) != 1 or not isinstance(members[0], KernelFamily):
        raise InvalidOption(f"{where}: wanted one family, got a view or a union; apply {where} to each of its members")
    return members[0]


def _distinct(columns: Sequence[int], where: str) -> tuple[int, ...]:
    try:
        chosen = tuple(operator.index(column) for column in columns)
    except TypeError:
        raise InvalidOption(
            f"{where}: columns must be a list of whole numbers, 0 for the first column, got {columns!r}; names of "
            'columns are taken by kernelopt.by_view, as in by_view({"size": ["width", "height"]}, "tk")'
        ) from None
    if not chosen or len(set(chosen)) != len(chosen) or min(chosen) < 0:
        raise InvalidOption(f"{where}: columns must be distinct numbers >= 0, at least one, got {list(columns)}")
    return chosen
