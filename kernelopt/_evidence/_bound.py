"""The lower bound of a scoring step: from the answer to its kernel, or from a sharper dual point."""

import attrs
import numpy as np

from kernelopt._ceiling import Ceiling
from kernelopt._dual import DualPoint
from kernelopt._evidence._lists import Lists, Point, Slopes, split, targets_of, weights
from kernelopt._evidence._play import Play
from kernelopt._evidence._sharper import NEAR, approached, promised, sharper
from kernelopt._evidence._survey import entering, surveyed
from kernelopt._evidence._tangent import Tangent, ceiling_of, nothing, offset_of, tangent_ceiling
from kernelopt._mixture import Mixture, Query
from kernelopt._problem import Problem, Response
from kernelopt._typing import FloatArray

_CLOSE = 50.0
"""Of the accuracy, in nats for each target: a solver's bound can only be near where its tangent saddle falls no further."""
_ENOUGH = 1.5
"""So many times what the saddle has to fall is a gap that says more about the kernel than about the dual point."""
_SLOW = 0.3
"""A look that closes a smaller share of the gap is the last."""


@attrs.frozen(eq=False)
class Bound:
    """The lower bound at a kernel, and what to do about it.

    Attributes:
        ceiling: the bound.
        entering: for each leaf the atoms that ought to have weight, where a survey says so.
    """

    ceiling: Ceiling
    entering: tuple[FloatArray, ...] | None = None


def certified(
    problem: Problem, play: Play, lists: Lists, point: Point, slopes: Slopes, response: Response, query: Query
) -> Bound:
    """The bound at a point of the lists in play."""
    offset, omega, V = offset_of(problem, point.log_determinant, slopes.trace), slopes.omega, response.V
    if omega is not None:
        survey = slopes if play.complete else surveyed(problem, V, omega) if play.streamed else None
        if survey is not None:
            w, most = weights(problem, response.mixture), _CLOSE * problem.accuracy
            ceiling = _near(problem, V, w, survey, offset, query, most)
            return Bound(ceiling, entering(problem, response.mixture, survey) if play.streamed else None)
    if not play.complete:
        tangent = None if omega is None else Tangent(omega, offset, len(problem.outputs))
        return Bound(tangent_ceiling(problem, response.duals, query, response.mixture, tangent))
    plain = _listed(problem, V, slopes.values, slopes.prices, offset, query)
    near = sharper(lists, point, slopes)
    if near is None:
        return Bound(plain)
    values = [leaf.values(data, near) for leaf, data in zip(problem.leaves, problem.data, strict=True)]
    return Bound(_better(plain, _listed(problem, near, np.concatenate(values), slopes.prices, offset, query)))


def ceiling_at(problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture) -> Ceiling:
    """What this dual point proves for the tangent at a kernel; its own answer is sharpened where all are lists."""
    tangent = Tangent.at(problem, at)
    if tangent is None:
        return nothing(problem, duals)
    V, given = tangent.omega.apply(targets_of(problem)), np.column_stack([dual.v for dual in duals])
    survey = surveyed(problem, V, tangent.omega) if np.allclose(V, given, rtol=1e-4, atol=0.0) else None
    if survey is None:
        return tangent_ceiling(problem, duals, query, at, tangent)
    return _near(problem, V, weights(problem, at), survey, tangent.offset, query, NEAR)


def _near(
    problem: Problem, V: FloatArray, w: FloatArray, slopes: Slopes, offset: float, query: Query, most: float
) -> Ceiling:
    """By V = Omega Y (n, c) at weights w (m,), or by dual points nearer to the tangent saddle's.

    If that falls no further than `most` for each target.
    """
    best = _listed(problem, V, slopes.values, slopes.prices, offset, query)
    fall = promised(w, slopes)[1]
    if not 0.0 < fall <= most * V.size:
        return best
    upper = 0.5 * float(np.vdot(targets_of(problem), V)) + 0.5 * float(slopes.prices @ w) + offset
    for closer, values in approached(problem, w, V, slopes):
        gap = upper - best.lower
        best = _better(best, _listed(problem, closer, values, slopes.prices, offset, query))
        after = upper - best.lower
        if after <= _ENOUGH * fall or after > (1.0 - _SLOW) * gap:
            break
    return best


def _better(first: Ceiling, second: Ceiling) -> Ceiling:
    return second if second.lower > first.lower else first


def _listed(
    problem: Problem, V: FloatArray, values: FloatArray, prices: FloatArray, offset: float, query: Query
) -> Ceiling:
    """What V (n, c) proves where all families are lists, from its sums of V_c'K_a V_c and the prices (m,)."""
    duals = tuple(DualPoint(v.copy(), v.copy(), qp.h(v)) for v, qp in zip(V.T, problem.outputs, strict=True))
    pairs = zip(split(problem, 0.5 * values), split(problem, 0.5 * prices), strict=True)
    return ceiling_of(problem, duals, offset, dict(enumerate(pairs)), {}, query.k)
