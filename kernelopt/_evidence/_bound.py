"""The lower bound of a scoring step: from the answer to its kernel, or from a sharper dual point."""

import attrs
import numpy as np

from kernelopt._ceiling import Ceiling
from kernelopt._dual import DualPoint
from kernelopt._evidence._lists import Lists, Point, Slopes, split, targets_of, weights
from kernelopt._evidence._play import Play
from kernelopt._evidence._sharper import moved, promised, sharper
from kernelopt._evidence._survey import Survey, surveyed
from kernelopt._evidence._tangent import Tangent, ceiling_of, nothing, offset_of, tangent_ceiling
from kernelopt._mixture import Mixture, Query
from kernelopt._problem import Problem, Response
from kernelopt._typing import FloatArray

_CLOSE = 2e-4
"""In nats for each target: a second look is worth its time where the tangent saddle has no further to fall."""
_SPOILT = 20.0
"""So many times what the saddle has to fall is a gap that says more about the dual point than about the kernel."""


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
    """The bound at a point of the lists in play; the better of two where both cost little."""
    duals: tuple[DualPoint, ...]
    V = sharper(lists, point, slopes)
    offset = offset_of(problem, point.log_determinant, slopes.trace)
    if play.streamed and slopes.omega is not None:
        survey = surveyed(problem, response.V, response.V if V is None else V, slopes.omega)
        if survey is not None:
            near = response.duals if V is None else answered(problem, V)
            return Bound(
                _looked(problem, survey, near, response, offset, query), survey.entering(problem, response.mixture)
            )
    if not play.complete:
        tangent = None if slopes.omega is None else Tangent(slopes.omega, offset, len(problem.outputs))
        duals = response.duals if V is None else answered(problem, V)
        return Bound(tangent_ceiling(problem, duals, query, response.mixture, tangent))
    prices = split(problem, 0.5 * slopes.prices)
    plain = _listed(problem, response.duals, split(problem, 0.5 * slopes.values), prices, offset, query)
    if V is None:
        return Bound(plain)
    return Bound(_sharpened(problem, plain, V, prices, offset, query))


def _looked(
    problem: Problem, survey: Survey, near: tuple[DualPoint, ...], response: Response, offset: float, query: Query
) -> Ceiling:
    """By a survey; where atoms that are not in play spoil its bound, by a second look that makes room for them."""
    prices = split(problem, 0.5 * survey.slopes.prices)
    first = _listed(problem, near, split(problem, 0.5 * survey.values), prices, offset, query)
    w = weights(problem, response.mixture)
    fall, gap = promised(w, survey.slopes)[1], response.upper - first.lower
    if fall > _CLOSE * response.V.size or gap < _SPOILT * fall:
        return first
    V = moved(response.V, w, survey.slopes)
    if V is None:
        return first
    return _sharpened(problem, first, V, prices, offset, query)


def ceiling_at(problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture) -> Ceiling:
    """What this dual point proves for the tangent at a kernel; its own answer is sharpened where all are lists."""
    tangent = Tangent.at(problem, at)
    if tangent is None:
        return nothing(problem, duals)
    V, given = tangent.omega.apply(targets_of(problem)), np.column_stack([dual.v for dual in duals])
    survey = surveyed(problem, V, V, tangent.omega) if np.allclose(V, given, rtol=1e-4, atol=0.0) else None
    if survey is None:
        return tangent_ceiling(problem, duals, query, at, tangent)
    prices = split(problem, 0.5 * survey.slopes.prices)
    plain = _listed(problem, answered(problem, V), split(problem, 0.5 * survey.values), prices, tangent.offset, query)
    near = moved(V, weights(problem, at), survey.slopes)
    if near is None:
        return plain
    return _sharpened(problem, plain, near, prices, tangent.offset, query)


def _sharpened(
    problem: Problem, known: Ceiling, V: FloatArray, prices: list[FloatArray], offset: float, query: Query
) -> Ceiling:
    """The bound that is known, or that of V (n, c), whichever proves more."""
    values = [0.5 * leaf.values(data, V) for leaf, data in zip(problem.leaves, problem.data, strict=True)]
    found = _listed(problem, answered(problem, V), values, prices, offset, query)
    return found if found.lower > known.lower else known


def answered(problem: Problem, V: FloatArray) -> tuple[DualPoint, ...]:
    """The dual points of V (n, c)."""
    return tuple(DualPoint(v.copy(), v.copy(), qp.h(v)) for v, qp in zip(V.T, problem.outputs, strict=True))


def _listed(
    problem: Problem,
    duals: tuple[DualPoint, ...],
    values: list[FloatArray],
    prices: list[FloatArray],
    offset: float,
    query: Query,
) -> Ceiling:
    """Where all atoms are in play."""
    linear = {k: (np.asarray(q), p) for k, (q, p) in enumerate(zip(values, prices, strict=True))}
    return ceiling_of(problem, duals, offset, linear, {}, query.k)
