"""The best atoms for given dual variables, and the lower bound that they prove."""

import math
from collections.abc import Sequence

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray
from kernelopt._criteria._dual_qp import DualPoint, DualQP, side_by_side
from kernelopt._families._leaf import Leaf, total_of
from kernelopt._families._mixture import BestAtoms, Mixture, Query
from kernelopt._families.penalties._penalty_conjugate import Tangent, dearest, steep, tangents
from kernelopt._linalg._cones import largest

_MARGIN = 1e-12
"""How much more than needed dual variables shrink to satisfy a cone's prices, so that rounding does not undo it."""


@attrs.frozen(eq=False)
class Ceiling:
    """The oracle's answer at one dual point: the best atoms of each leaf, and the lower bound on the saddle.

    Attributes:
        duals: the dual point, one for each output.
        atoms: one answer for each leaf, in the units of the family; if kernels have prices, twice the price is
            subtracted.
        values: the ceiling of each leaf times its factor, minus twice the price, shape (number of leaves,).
        lower: h(alpha) - conjugate; the conjugate is 1/2 max(values) if no family has a price.
        exact: whether the ceiling of the leaf with the largest value is proved, and no leaf without a proof could have
            a larger value.
        total: the sum of all weights. None: the weights may have any sum, and then no value may exceed 0.
        offset: the number that the tangents to curved prices add to the conjugate.
        tangent: whether the bounded saddle is the tangent to an objective with a concave term.
    """

    duals: tuple[DualPoint, ...]
    atoms: tuple[BestAtoms, ...]
    values: FloatArray
    lower: float
    exact: bool
    total: float | None = 1.0
    offset: float = 0.0
    tangent: bool = False

    @property
    def V(self) -> FloatArray:
        """v = E alpha, one column for each output, shape (n, c)."""
        return side_by_side(self.duals)

    @property
    def note(self) -> str:
        """The notes of the families on their searches, for the trace."""
        return "; ".join(best.note for best in self.atoms if best.note)

    @property
    def best(self) -> tuple[int, FloatArray]:
        """The number of the leaf with the largest ceiling, and its best atom (p,)."""
        leaf = int(np.argmax(self.values))
        return leaf, self.atoms[leaf].atoms[0]

    def capped(self, values: FloatArray) -> "Ceiling":
        """This answer, corrected by larger values that later searches found, shape (number of leaves,)."""
        lower = _lower(self.duals, values, self.total, self.offset)
        return attrs.evolve(self, values=values, lower=min(self.lower, lower))


def ceiling_at(
    leaves: tuple[Leaf, ...],
    data: tuple[Data, ...],
    outputs: tuple[DualQP, ...],
    duals: tuple[DualPoint, ...],
    query: Query,
    near: Mixture | None,
    forms: Sequence[FloatArray] | None = None,
) -> Ceiling:
    """The lower bound on a saddle: the leaves without a price are asked, those with one are looked through.

    Args:
        leaves: the union's members.
        data: what each leaf's family bound, in the same order.
        outputs: the dual problems.
        duals: one for each output, feasible.
        query: what the oracles are asked.
        near: atoms for a search to start from, besides its own.
        forms: as in `Problem.ceiling`.
    """
    V, total = side_by_side(duals), total_of(leaves)
    priced = {k: leaf for k, leaf in enumerate(leaves) if leaf.penalty is not None}
    if forms is None:
        answers = _asked(leaves, data, V, query, near)
        values = {k: 0.5 * leaf.values(data[k], V) for k, leaf in priced.items()}
    else:
        free = [(k, leaf) for k, leaf in enumerate(leaves) if leaf.penalty is None]
        answers = {k: leaf.linear.leading(forms[k], query.k) for k, leaf in free}
        values = {k: 0.5 * leaf.factor * forms[k] for k, leaf in priced.items()}
    if total is None:
        shrink, touching = _cone(leaves, outputs, values)
        duals = duals if shrink == 1.0 else _shrunk(outputs, duals, shrink)
        values = {k: shrink * shrink * q for k, q in values.items()}
    else:
        best = max((0.5 * leaves[k].factor * one.ceiling for k, one in answers.items()), default=None)
        touching = _sum(leaves, values, best, total)
    answers.update(
        {
            k: leaf.linear.leading(2.0 / leaf.factor * (values[k] - touching[k].slope), query.k)
            for k, leaf in priced.items()
        }
    )
    ceilings = np.array([leaf.factor * answers[k].ceiling for k, leaf in enumerate(leaves)])
    offset = sum(tangent.offset for tangent in touching.values())
    return Ceiling(
        duals=duals,
        atoms=tuple(answers[k] for k in range(len(leaves))),
        values=ceilings,
        lower=_lower(duals, ceilings, total, offset),
        exact=all(best.exact for best in answers.values()),
        total=total,
        offset=offset,
    )


def _lower(duals: Sequence[DualPoint], values: FloatArray, total: float | None, offset: float) -> float:
    """h - conjugate."""
    h = sum(dual.h for dual in duals)
    if total is None:
        return h - offset if float(values.max()) <= 0.0 else -math.inf
    return h - 0.5 * total * float(values.max()) - offset


def _asked(
    leaves: tuple[Leaf, ...], data: tuple[Data, ...], V: FloatArray, query: Query, near: Mixture | None
) -> dict[int, BestAtoms]:
    """The oracles' answers, of the leaves without a price."""
    return {
        k: leaf.family.best_atoms(
            data[k],
            V,
            attrs.evolve(
                query,
                above=query.above / leaf.factor,
                near=None if near is None or not len(near.parts[k]) else near.parts[k].atoms,
            ),
        )
        for k, leaf in enumerate(leaves)
        if leaf.penalty is None
    }


def _sum(
    leaves: tuple[Leaf, ...], values: dict[int, FloatArray], best: float | None, total: float
) -> dict[int, Tangent]:
    """The tangent to each price where the weights have a sum; `best` is what the leaves without a price offer."""
    prices = {k: penalty for k in values if (penalty := leaves[k].penalty) is not None}
    touching = {k: Tangent(R.gradient(values[k])) for k, R in prices.items() if R.linear}
    offers = [largest(values[k] - tangent.slope) for k, tangent in touching.items()]
    rest = max(offers if best is None else [best, *offers], default=None)
    curved = {k: R for k, R in prices.items() if not R.linear}
    if curved:
        found = tangents(tuple(curved.values()), tuple(values[k] for k in curved), rest, total)
        touching.update(zip(curved, found, strict=True))
    return touching


def _cone(
    leaves: tuple[Leaf, ...], outputs: tuple[DualQP, ...], values: dict[int, FloatArray]
) -> tuple[float, dict[int, Tangent]]:
    """How far the dual variables must shrink so that no atom exceeds its price, and the tangents to the prices there.

    Only prices that grow in proportion to the kernel ask for that; others are met by their tangent at more kernel.
    """
    prices = {k: penalty for k in values if (penalty := leaves[k].penalty) is not None}
    met = {k: dearest(R, values[k]) for k, R in prices.items() if R.homogeneous}
    excess = max((x for x, _ in met.values()), default=0.0)
    star = all(_star(qp) for qp in outputs)
    shrink = math.sqrt((1.0 - _MARGIN) / excess) if excess > 1.0 and star else 1.0
    touching = {k: tangent for k, (_, tangent) in met.items()}
    for k, R in prices.items():
        if k not in met:
            touching[k] = steep(R, shrink * shrink * values[k])
    return shrink, touching


def _star(qp: DualQP) -> bool:
    """Whether with alpha every s alpha, 0 <= s <= 1, is feasible."""
    return not qp.target.any() and bool((qp.lower <= 0.0).all() and (qp.upper >= 0.0).all())


def _shrunk(outputs: tuple[DualQP, ...], duals: tuple[DualPoint, ...], share: float) -> tuple[DualPoint, ...]:
    """The dual points times a share of 1."""
    points = []
    for qp, dual in zip(outputs, duals, strict=True):
        alpha = share * dual.alpha
        points.append(DualPoint(alpha, share * dual.v, qp.h(alpha)))
    return tuple(points)
