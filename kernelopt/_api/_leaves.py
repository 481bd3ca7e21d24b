"""From a family in a user's words to leaves: each member prepared on its columns, with its factor and its price."""

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from kernelopt._api._family_specs import terms
from kernelopt._api._scale import Member, Scale, factors_of
from kernelopt._api._training import Training
from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._finite import FiniteFamily, PenalizedFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._penalty import Price
from kernelopt._families._views import Priced, Term, views_of


@np.errstate(over="ignore", invalid="ignore")  # judged by the values
def make_leaves(spec: Any, training: Training, scale: Scale) -> tuple[Leaf, ...]:
    """The leaves of a family spec: each member prepared on its columns, with its factor and its price."""
    pairs = [(term, member) for term in terms(spec) for member in _prepared(term, training)]
    factors = factors_of([member for _, member in pairs], training.sample_weight, scale)
    return tuple(_leaf(term, member, factor) for (term, member), factor in zip(pairs, factors, strict=True))


def _prepared(term: Term, training: Training) -> Iterator[Member]:
    for family, columns in views_of(term, training.varying, training.X.shape[1]):
        codes = np.ascontiguousarray(training.X[:, columns])
        expansion = Expansion.of(training.encoding, codes, columns)
        if expansion is None:
            yield Member(family.prepare(codes, training.sample_weight), columns, codes)
        else:
            view = expansion.seen(codes)
            yield Member(_spread(family, expansion, view, training.sample_weight), columns, view, expansion)


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
            "category and each column with missing values has an indicator"
        ) from None


def expanded(leaf: Leaf, training: Training) -> Leaf:
    """The leaf, which sees numbers: one that an objective added sees all columns, with their categories and gaps."""
    if leaf.expansion is not None or training.encoding.plain:
        return leaf
    expansion = Expansion.of(training.encoding, training.X[:, leaf.columns], leaf.columns)
    return attrs.evolve(leaf, expansion=expansion)


def _leaf(term: Term, member: Member, factor: float) -> Leaf:
    """With its scale and its price."""
    leaf = Leaf.of(member.family, member.columns, factor, member.expansion)
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
