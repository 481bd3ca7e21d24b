"""From a family in a user's words to leaves: each member prepared on its columns, with its factor and its price."""

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from kernelopt._api._by_view import placed
from kernelopt._api._family_specs import terms
from kernelopt._api._scale import Member, Scale, factors_of
from kernelopt._api.data._training import Training
from kernelopt._base._errors import InvalidOption
from kernelopt._base._memory import require
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._row_groups import NEW
from kernelopt._families._contract import KernelFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._finite import FiniteFamily, PenalizedFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._views import Placed, Priced, View, views_of
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary._mean_embedding import MeanEmbedded
from kernelopt._families.penalties._penalty import Price
from kernelopt._families.variances._group import Group


@np.errstate(over="ignore", invalid="ignore")  # judged by the values
def make_leaves(spec: Any, training: Training, scale: Scale, default: Any = None) -> tuple[Leaf, ...]:
    """The leaves of a family spec: each member prepared on its columns, with its factor and its price.

    `default` is the family of a view for which none is named, as in `placed`.
    """
    found = placed(terms(spec), training, default)
    pairs = [(term, member) for term in found for member in _prepared(term, training)]
    factors = factors_of([member for _, member in pairs], training.sample_weight, scale)
    leaves = (_leaf(term, member, factor) for (term, member), factor in zip(pairs, factors, strict=True))
    return (*leaves, *_effect(training))


def _prepared(term: Placed, training: Training) -> Iterator[Member]:
    view = term.name if isinstance(term, View) else ""
    for family, columns in views_of(term, training.varying, training.width):
        family = _turned(_about_mean(family, training), columns, training)
        codes = np.ascontiguousarray(training.X[:, columns])
        expansion = Expansion.of(training.encoding, codes, columns, view=bool(view))
        if expansion is None:
            yield Member(family.prepare(codes, training.sample_weight), columns, codes)
        else:
            family = _embedded(family, view) if expansion.lacking else family
            expansion = attrs.evolve(expansion, coded=family.reads_codes)
            kind = "columns" if expansion.coded else "indicators of categories"
            what = f"{expansion.columns} {kind} on {len(codes)} rows"
            require(expansion.bytes_of(len(codes)), what)
            seen = expansion.seen(codes)
            yield Member(_spread(family, expansion, seen, training.sample_weight), columns, seen, expansion)


def _about_mean(family: KernelFamily, training: Training) -> KernelFamily:
    """The family for the targets of the training rows: a list that is chosen for the rows heeds whether they have lost
    their mean.
    """
    if isinstance(family, Dictionary) and family.kernels == "auto" and training.about_mean:
        return attrs.evolve(family, _about_mean=True)
    return family


def _turned(family: KernelFamily, columns: IntArray, training: Training) -> KernelFamily:
    """The family for columns (d',) of which some are coordinates of sparse rows.

    Raises:
        InvalidOption: it does not say that it looks at no single column, or is asked for some of them alone.
    """
    spans = training.sparse_among(columns)
    if not spans:
        return family
    assert training.layout is not None
    if not all(np.isin(span, columns).all() for span in spans):
        raise InvalidOption(
            f"family: {family.name} was put on some columns of sparse rows, wanted families on all of them; pass the "
            "columns that matter as a dense view of their own"
        )
    found = family.turned(training.layout.sparse[spans[0]].told)
    if found is None:
        raise InvalidOption(
            f"family: got sparse rows, and {family.name} does not say (by its method `turned`) that it can learn from "
            'them, wanted kernels of inner products and distances: "auto", "cosine", or a Dictionary of "linear", '
            '"poly", "rbf", "exponential" and "cosine" without rescale; or pass X.toarray() where it fits into memory'
        )
    return found


def _effect(training: Training) -> tuple[Leaf, ...]:
    """What the rows of a group share, where groups are known; its weight is a variance in the units of y."""
    return (Leaf(Group(_unknown=NEW), np.array([training.width])),) if training.grouped else ()


def _embedded(family: KernelFamily, view: str) -> MeanEmbedded:
    """A family on a view that some rows lack.

    Raises:
        InvalidOption: it is no finite list of kernels.
    """
    if not isinstance(family, Dictionary):
        raise InvalidOption(
            f"family: some rows lack the view {view!r}, and {family.name} is no Dictionary, a list of kernels "
            "whose mean can stand there; take one for this view, or fill in the rows"
        )
    return MeanEmbedded(family)


def _spread(family: KernelFamily, expansion: Expansion, view: FloatArray, weight: FloatArray) -> KernelFamily:
    """A family prepared on rows (n, p + q) of numbers and indicators.

    Raises:
        InvalidOption: its options are for other columns, such as one number for each of the user's.
    """
    try:
        return family.spread(expansion).prepare(view, weight)
    except InvalidOption as error:
        raise InvalidOption(
            f"{error}; the family sees {expansion.columns} numbers of the {expansion.width} columns here, for each "
            "category and each column with missing values has an indicator; family='auto' compares categories without "
            "indicators"
        ) from None


def expanded(leaf: Leaf, training: Training) -> Leaf:
    """The leaf, which sees numbers: one that an objective added sees all columns, with their categories and gaps."""
    if leaf.expansion is not None or training.encoding.plain:
        return leaf
    expansion = Expansion.of(training.encoding, training.X[:, leaf.columns], leaf.columns)
    if expansion is not None:
        expansion = attrs.evolve(expansion, coded=leaf.family.reads_codes)
    return attrs.evolve(leaf, expansion=expansion)


def _leaf(term: Placed, member: Member, factor: float) -> Leaf:
    """With its scale and its price."""
    group = term.name if isinstance(term, View) else ""
    leaf = Leaf.of(member.family, member.columns, factor, member.expansion, group)
    if not isinstance(term, Priced):
        return leaf
    return attrs.evolve(leaf, penalty=_price(member.family, term.price), total=term.total)


def _price(family: KernelFamily, price: FloatArray) -> Price:
    """A price in the shape of the family's parameters."""
    if isinstance(family, PenalizedFamily):
        raise InvalidOption(f"priced: {family.name} has a price of its own")
    if isinstance(family, MatrixFamily):
        identity: FloatArray = np.eye(family.order)
        wanted = f"a number or a symmetric ({family.order}, {family.order}) matrix"
    elif isinstance(family, FiniteFamily):
        identity = np.ones(len(family.dictionary()))
        wanted = f"a number or one for each of the {len(identity)} atoms"
    else:
        raise InvalidOption(
            f"priced: {family.name} is neither a finite list nor a matrix family, so its atoms cannot have a price"
        )
    full = price * identity if price.ndim == 0 else price
    if full.shape != identity.shape or not np.allclose(full, full.T):
        raise InvalidOption(f"priced: {family.name} got a price of shape {price.shape}, wanted {wanted}")
    return Price(full)
