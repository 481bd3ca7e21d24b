"""From checked data and specs to a problem: leaves prepared, scaled and bound."""

import math
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from kernelopt._api._training import Training
from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._memory import require
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._contract import Criterion
from kernelopt._families._algebra import Priced, Term, terms, views_of
from kernelopt._families._contract import ExplicitFamily, KernelFamily
from kernelopt._families._finite import FiniteFamily, PenalizedFamily
from kernelopt._families._kernel_size import spread
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._penalty import Price
from kernelopt._saddle._problem import Problem

Scale = str | float
_ROUNDING = 1e-12
"""What is left of a constant kernel after centring is below this share of it."""
SCALES = ("auto", "unit", "atom", "variance", "paper")


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
    pieces = tuple(piece for member in terms(spec) for piece in _pieces(member, training))
    factors = _factors(pieces, training.sample_weight, scale, alone=len(pieces) == 1)
    return tuple(piece.leaf(factor) for piece, factor in zip(pieces, factors, strict=True))


@attrs.frozen(eq=False)
class _Piece:
    """A prepared family of a member with the columns (d',) and the rows (n, d') that it sees."""

    member: Term
    family: KernelFamily
    columns: IntArray
    X: FloatArray

    def leaf(self, factor: float) -> Leaf:
        """With its scale and its price."""
        leaf = Leaf.of(self.family, self.columns, factor)
        if not isinstance(self.member, Priced):
            return leaf
        return attrs.evolve(leaf, penalty=_price(self.family, self.member.price), total=self.member.total)


def _pieces(member: Term, training: Training) -> Iterator[_Piece]:
    for family, columns in views_of(member, training.varying, training.X.shape[1]):
        view = np.ascontiguousarray(training.X[:, columns])
        yield _Piece(member, family.prepare(view, training.sample_weight), columns, view)


def _factors(pieces: tuple[_Piece, ...], weight: FloatArray, scale: Scale, *, alone: bool) -> list[float]:
    """One for each leaf. In a union "auto" lets all atoms compete at one size, where that is known: the margin prefers
    large ones. Alone a scale is only another C.
    """
    if scale != "auto":
        return [_factor(piece.family, piece.X, weight, scale) for piece in pieces]
    if not alone:
        sizes = [_size(piece.family, piece.X, weight, "variance") for piece in pieces]
        if all(size is not None and size.proper for size in sizes):
            return [1.0 / size.value for size in sizes if size is not None]
    return [_factor(piece.family, piece.X, weight, "unit") for piece in pieces]


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
    size = _size(family, X, weight, scale)
    if size is None:
        raise InvalidOption(
            f'scale="{scale}": the largest atom of {family.name} is not known; use scale="unit", or a number'
        )
    if not size.proper:
        raise InvalidData(
            f"{family.name}: {size.what} {size.value:g} on the training rows, wanted a positive finite one; rescale "
            "the columns of X, or take another scale"
        )
    return 1.0 / size.value


@attrs.frozen
class _Size:
    """What a scale makes 1: in words, its value, and what of it is rounding."""

    what: str
    value: float
    least: float = 0.0

    @property
    def proper(self) -> bool:
        """Whether something can be divided by it."""
        return math.isfinite(self.value) and self.value > self.least


def _size(family: KernelFamily, X: FloatArray, weight: FloatArray, scale: str) -> _Size | None:
    """What the scale makes 1; None where it is not known."""
    if scale == "unit":
        value = spread(family, family.center(), X, weight, centred=False)
        return _Size("the centre kernel has the mean diagonal", value)
    plain = family.largest_atom(X, weight, centred=False)
    largest = family.largest_atom(X, weight, centred=True) if scale == "variance" else plain
    if largest is None or plain is None:
        return None
    if scale == "variance":
        return _Size("the largest atom has, after centring, the mean diagonal", largest, _ROUNDING * plain)
    return _Size("the largest atom has the mean diagonal", largest)


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
    require(bound + 8 * n * n * grams, f"{n} rows", criterion.lighter)
    data = tuple(leaf.family.bind(np.ascontiguousarray(leaf.view(training.X))) for leaf in leaves)
    return Problem(leaves, data, criterion, criterion.outputs(training.y, training.weight), accuracy)
