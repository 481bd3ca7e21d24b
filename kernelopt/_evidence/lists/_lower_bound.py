"""The lower bound of a scoring step: from the answer to its kernel, or from a sharper dual point."""

import math

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualPoint, side_by_side
from kernelopt._evidence.lists._dual_refinement import approached, promised, sharper
from kernelopt._evidence.lists._hyperprior import own_price
from kernelopt._evidence.lists._list_likelihood import (
    ByGram,
    Lists,
    Point,
    Slopes,
    WholePoint,
    split,
    targets_of,
    weights,
)
from kernelopt._evidence.lists._majoriser import Level, Tangent, ceiling_of, nothing, tangent_ceiling
from kernelopt._evidence.lists._pricing import imaged, surveyed
from kernelopt._evidence.lists._restricted_master import Play
from kernelopt._families._mixture import Mixture, Query
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

SETTLED = 20.0
"""Of the accuracy, in nats for each target: where the tangent saddle falls no further, steps on a streamed list's atoms
in play have settled. Worth: `constants.py evidence.SETTLED`."""
_NEAR, _NEAR_STREAMED = 4.0, 50.0
"""In these units: where it falls further, looks are not worth while; with a streamed list, where steps are dear, a
bound can be near enough before they have settled. Worth: `constants.py evidence.near`.
Worth: `constants.py evidence.near_streamed`."""
_ENOUGH = 1.5
"""So many times what the saddle has to fall is a gap that says more about the kernel than about the dual point.
Worth: `constants.py evidence.bound`."""
_SLOW = 0.3
"""A look that closes a smaller share of the gap is the last. Worth: `constants.py evidence.slow`."""


@attrs.frozen(eq=False)
class Bound:
    """The lower bound at a kernel, and what to do about it.

    Attributes:
        ceiling: the bound.
        slopes: of the atoms in play.
        survey: of all atoms, where a list is streamed and all families are lists.
    """

    ceiling: Ceiling
    slopes: Slopes
    survey: Slopes | None = None


def certified(
    problem: Problem,
    play: Play,
    lists: Lists,
    point: Point,
    known: Slopes | None,
    response: Response,
    query: Query,
    budget: Budget,
) -> Bound:
    """The bound at a point of the lists in play, where the slopes may be known; where no time is left, by this point's
    own answer alone.
    """
    survey = _surveyed(problem, play, lists, point, known)
    if survey is None:
        slopes = known or lists.slopes(point)
    else:
        slopes = survey.only(play.places(problem), own_price(play.problem))
    every = survey if survey is not None else slopes if play.complete else None
    level, V = Level.of(problem, point.log_determinant, float(slopes.prices @ point.w)), response.V
    if every is None:
        tangent = None if slopes.omega is None else Tangent(slopes.omega, level, len(problem.outputs))
        tangent = Tangent.at(problem, response.mixture) if tangent is None else tangent
        if tangent is None:
            return Bound(nothing(problem, response.duals), slopes)
        return Bound(tangent_ceiling(problem, response.duals, query, response.mixture, tangent, budget), slopes)
    if every.omega is not None:
        most = (_NEAR_STREAMED if play.streamed else _NEAR) * problem.accuracy
        most = min(most, problem.sought / V.size)  # a gap is no less than what the saddle has to fall
        return Bound(_near(problem, V, response.mixture, every, level, query, most, budget), slopes, survey)
    return Bound(_thin(problem, V, response.mixture, lists, point, every, level, query, budget), slopes)


def _surveyed(problem: Problem, play: Play, lists: Lists, point: Point, known: Slopes | None) -> Slopes | None:
    """The derivatives of all atoms, where a list is streamed and all families are lists."""
    if not play.streamed or not isinstance(point, WholePoint) or not isinstance(lists, ByGram):
        return None
    omega = lists.inverse(point) if known is None or known.omega is None else known.omega
    return surveyed(problem, lists.solution(point), omega)


def _thin(
    problem: Problem,
    V: FloatArray,
    at: Mixture,
    lists: Lists,
    point: Point,
    slopes: Slopes,
    level: Level,
    query: Query,
    budget: Budget,
) -> Ceiling:
    """The bound where all lists have few features."""
    plain = _listed(problem, V, at, slopes.values, slopes.prices, level, query)
    near = None if budget.cancelled() else sharper(lists, point, slopes)
    if near is None:
        return plain
    values = [leaf.values(data, near) for leaf, data in zip(problem.leaves, problem.data, strict=True)]
    return _better(plain, _listed(problem, near, at, np.concatenate(values), slopes.prices, level, query))


def best_ceiling_at(
    problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture, tangent: Tangent, budget: Budget
) -> Ceiling:
    """What this dual point proves or, where all are lists, the kernel's own answer or one nearer to the tangent
    saddle's, if that is more and there is time for it.

    A dual point that was found with prices of seven digits may exceed those of all digits.
    """
    V = tangent.omega.apply(targets_of(problem))
    survey = surveyed(problem, V, tangent.omega)
    if survey is None:
        return tangent_ceiling(problem, duals, query, at, tangent, budget)
    given = side_by_side(duals)
    values: FloatArray = np.einsum("anc,nc->a", imaged(problem, given), given)
    first = _listed(problem, given, at, values, survey.prices, tangent.level, query)
    return _near(problem, V, at, survey, tangent.level, query, math.inf, budget, first)


def ceiling_at(
    problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture, tangent: Tangent, budget: Budget
) -> Ceiling:
    """What this dual point proves for the tangent at a kernel; its own answer is sharpened where all are lists."""
    V, given = tangent.omega.apply(targets_of(problem)), side_by_side(duals)
    survey = surveyed(problem, V, tangent.omega) if np.allclose(V, given, rtol=1e-4, atol=0.0) else None
    if survey is None:
        return tangent_ceiling(problem, duals, query, at, tangent, budget)
    return _near(problem, V, at, survey, tangent.level, query, math.inf, budget)


def _near(
    problem: Problem,
    V: FloatArray,
    at: Mixture,
    slopes: Slopes,
    level: Level,
    query: Query,
    most: float,
    budget: Budget,
    known: Ceiling | None = None,
) -> Ceiling:
    """By V = Omega Y (n, c) at a kernel, or by dual points nearer to the tangent saddle's, unless more is known.

    If that falls no further than `most` for each target, and as long as there is time.
    """
    w = weights(problem, at)
    best = _listed(problem, V, at, slopes.values, slopes.prices, level, query)
    best = best if known is None else _better(best, known)
    if budget.cancelled():
        return best
    fall = promised(w, slopes)[1]
    if not 0.0 < fall <= most * V.size:
        return best
    upper = 0.5 * float(np.vdot(targets_of(problem), V)) + 0.5 * float(slopes.prices @ w) + level.offset
    upper += 0.0 if slopes.own is None else slopes.own.value(w)
    looks = approached(problem, w, V, slopes)
    after = upper - best.lower
    gap, least = math.inf, max(_ENOUGH * fall, problem.sought if problem.sought < math.inf else 0.0)
    while least < after <= (1.0 - _SLOW) * gap and not budget.cancelled():
        gap = after
        closer, values = next(looks)
        best = _better(best, _listed(problem, closer, at, values, slopes.prices, level, query))
        after = upper - best.lower
    return best


def _better(first: Ceiling, second: Ceiling) -> Ceiling:
    return second if second.lower > first.lower else first


def _listed(
    problem: Problem, V: FloatArray, at: Mixture, values: FloatArray, prices: FloatArray, level: Level, query: Query
) -> Ceiling:
    """What V (n, c) proves where all families are lists, from its sums of V_c'K_a V_c and the prices (m,)."""
    duals = tuple(DualPoint(v.copy(), v.copy(), qp.h(v)) for v, qp in zip(V.T, problem.outputs, strict=True))
    pairs = zip(split(problem, 0.5 * values), split(problem, 0.5 * prices), strict=True)
    return ceiling_of(problem, duals, level, at, dict(enumerate(pairs)), {}, query.k)
