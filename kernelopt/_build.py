"""From checked data and specs to a problem: leaves prepared, scaled and bound."""

import math
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from kernelopt._criterion import Criterion
from kernelopt._errors import InvalidData, InvalidOption
from kernelopt._families._algebra import Priced, Term, terms, views_of
from kernelopt._family import ExplicitFamily, KernelFamily
from kernelopt._finite import FiniteFamily, PenalizedFamily
from kernelopt._leaf import Leaf
from kernelopt._matrix import MatrixFamily
from kernelopt._memory import require
from kernelopt._penalty import Price
from kernelopt._problem import Problem
from kernelopt._spread import spread
from kernelopt._training import Training
from kernelopt._typing import FloatArray

Scale = str | float
_ROUNDING = 1e-12
"""What is left of a constant kernel after centring is below this share of it."""
SCALES = ("unit", "atom", "variance", "paper")


def check_scale(scale: Any) -> Scale:
    """The scale, or an error that lists the choices."""
    if isinstance(scale, str) and scale in SCALES:
        return scale
    if isinstance(scale, int | float) and not isinstance(scale, bool) and math.isfinite(scale) and scale > 0:
        return float(scale)
    names = ", ".join(f'"{name}"' for name in SCALES)
    raise InvalidOption(f"scale must be {names} or a positive finite number, got {scale!r}")


def make_leaves(spec: Any, training: Training, scale: Scale) -> tuple[Leaf, ...]:
    """The leaves of a family spec: each member prepared on its columns, with its factor and its price."""
    return tuple(leaf for member in terms(spec) for leaf in _leaves(member, training, scale))


def _leaves(member: Term, training: Training, scale: Scale) -> Iterator[Leaf]:
    for family, columns in views_of(member, training.varying, training.X.shape[1]):
        view = np.ascontiguousarray(training.X[:, columns])
        prepared = family.prepare(view, training.sample_weight)
        leaf = Leaf.of(prepared, columns, _factor(prepared, view, training.sample_weight, scale))
        if isinstance(member, Priced):
            leaf = attrs.evolve(leaf, penalty=_price(prepared, member.price), total=member.total)
        yield leaf


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
            f"priced: {family.name} is neither a finite list nor a matrix family: its atoms have no names"
        )
    full = price * identity if price.ndim == 0 else price
    if full.shape != identity.shape or not np.allclose(full, full.T):
        raise InvalidOption(f"priced: {family.name} got a price of shape {price.shape}, wanted {wanted}")
    return Price(full)


def _factor(family: KernelFamily, X: FloatArray, weight: FloatArray, scale: Scale) -> float:
    """1 / the size that the scale makes 1 on the rows; paper: the family's own; a number: itself."""
    if scale == "paper":
        return family.paper_scale()
    if not isinstance(scale, str):
        return scale
    what, size, least = _size(family, X, weight, scale)
    if not (math.isfinite(size) and size > least):
        raise InvalidData(
            f"{family.name}: {what} {size:g} on the training rows, wanted a positive finite one; rescale the columns "
            "of X, or take another scale"
        )
    return 1.0 / size


def _size(family: KernelFamily, X: FloatArray, weight: FloatArray, scale: str) -> tuple[str, float, float]:
    """What the scale makes 1: in words, its value, and what of it is rounding."""
    if scale == "unit":
        return "the centre kernel has the mean diagonal", spread(family, family.center(), X, weight, centred=False), 0.0
    plain = family.largest_atom(X, weight, centred=False)
    largest = family.largest_atom(X, weight, centred=True) if scale == "variance" else plain
    if largest is None or plain is None:
        raise InvalidOption(
            f'scale="{scale}": the largest atom of {family.name} is not known; use scale="unit", or a number'
        )
    if scale == "variance":
        return "the largest atom has, after centring, the mean diagonal", largest, _ROUNDING * plain
    return "the largest atom has the mean diagonal", largest, 0.0


def make_problem(
    leaves: tuple[Leaf, ...], training: Training, criterion: Criterion, *, accuracy: float, grams: int
) -> Problem:
    """The problem on the training rows, after a check that its arrays fit into memory.

    Args:
        leaves: from `make_leaves`.
        training: the checked data.
        criterion: what is learned.
        accuracy: the relative gap of the inner problem.
        grams: how many n x n arrays the solver holds; none where every family is explicit.
    """
    n = len(training.X)
    grams = 0 if all(isinstance(leaf.family, ExplicitFamily) for leaf in leaves) else grams
    bound = sum(leaf.family.bind_bytes(n, len(leaf.columns)) for leaf in leaves)
    require(bound + 8 * n * n * grams, f"{n} rows")
    data = tuple(leaf.family.bind(np.ascontiguousarray(leaf.view(training.X))) for leaf in leaves)
    return Problem(leaves, data, criterion, criterion.outputs(training.y, training.weight), accuracy)
