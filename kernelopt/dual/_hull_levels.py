"""The interior point by rows on very many of them: unknowns are only the variables whose wall is in doubt.

The answer for an eighth of the rows, each of which counts eight times, says for most variables on which of their walls
they end: those rows enter the sums over all rows once. The others are solved for, and one pass over the rows says which
walls were wrong; where that is more than the tolerance allows, the next round solves for these too. The eighth begins
with an eighth of itself.
"""

from collections.abc import Callable
from typing import TypeAlias

import attrs
import numpy as np
from scipy.linalg import LinAlgError

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._kkt import balances
from kernelopt._families.features._row_lists import held
from kernelopt._linalg._tall import Some
from kernelopt.dual._hull import Hull, Image
from kernelopt.dual._hull_point import central
from kernelopt.dual._hull_step import advance
from kernelopt.dual._hull_system import System

Over: TypeAlias = Callable[[], bool]

_PART = 8
_ROWS_A_FEATURE = 20
"""With fewer rows for each feature a sample says too little of the walls."""
_DOUBT = 2.0
"""A wall is in doubt where the slope is no more than so many errors of the function from 0."""
_MOST = 0.5
"""Where more of the variables than this are in doubt, all of them are unknowns."""
_AGAIN = 3
"""For each wall that was wrong so many variables more are unknowns: those that are nearest to leaving theirs."""
_LEAST = 1e-12
"""Doubled is at least such a share of the largest slope, so that a doubt of 0 grows, too."""
_STEPS = 60
_FIRST, _NEXT, _LAST = 1e-4, 1e-2, 1e-12
"""So much of the objective the first round leaves open in the gap between the bounds, so much of that each other round,
and no round is asked for less.
"""


@attrs.frozen(eq=False)
class Round:
    """An answer with some variables on the walls where they were left.

    Attributes:
        hull: the problem.
        alpha: shape (N,).
        unknown: the variables that were solved for, shape (N,).
        w: weights, shape (k,).
        b: multipliers of the equalities, shape (g,).
        image: K v.
        accuracy: to which it was solved, relative.
    """

    hull: Hull
    alpha: FloatArray
    unknown: BoolArray
    w: FloatArray
    b: FloatArray
    image: Image
    accuracy: float

    @property
    def note(self) -> str:
        """How many variables were solved for."""
        return f"{int(self.unknown.sum())} of {len(self.alpha)} variables solved for"


Stage: TypeAlias = System | Round
"""Where the interior point stands: with all variables as unknowns, or with some."""


def begun(hull: Hull, over: Over = bool, accuracy: float = _FIRST) -> Stage:
    """The beginning: the middle, or on very many rows an answer with most variables on their walls.

    Args:
        hull: the problem.
        over: asked between steps: whether to make do with what is there.
        accuracy: of that answer, for its own variables.
    """
    sample = _sample(hull)
    if sample is None:
        return System.at(hull, central(hull))
    few = _answer(sample, over)
    f = hull.forth(hull.spread(few.w) * few.image.c)
    slope = _slope(hull, np.zeros(hull.qp.size), f, few.b)
    error = np.sqrt(hull.features.width / sample.n) * float(slope.std())
    return _solved(hull, *_walls_of(hull.qp, slope, _DOUBT * error), accuracy, over)


def advanced(stage: Stage, over: Over = bool) -> Stage:
    """The next step, or the next round: with the variables whose walls were wrong among the unknowns.

    Raises:
        LinAlgError: there is none.
    """
    if isinstance(stage, System):
        return advance(stage)
    if stage.accuracy <= _LAST:
        raise LinAlgError("rounding leaves no step")
    return _solved(stage.hull, _doubted(stage), stage.alpha, _NEXT * stage.accuracy, over)


def _doubted(last: Round) -> BoolArray:
    """The unknowns of the next round, shape (N,)."""
    qp = last.hull.qp
    slope = _slope(last.hull, last.alpha, last.image.f, last.b)
    leaving = np.where(last.alpha > qp.lower, -slope, slope)
    rest = np.flatnonzero(~last.unknown & (qp.lower < qp.upper))
    count = min(_AGAIN * int((leaving[rest] > 0.0).sum()), len(rest))
    unknown = last.unknown.copy()
    unknown[rest[np.argsort(-leaving[rest], kind="stable")[:count]]] = True
    return unknown


def _answer(hull: Hull, over: Over) -> Round:
    """The answer as far as so many rows tell: its error is about r/n of the objective for r features."""
    accuracy = hull.features.width / hull.n
    stage = begun(hull, over, accuracy)
    return stage if isinstance(stage, Round) else _closed(stage, accuracy, over)


def _closed(system: System, accuracy: float, over: Over) -> Round:
    """Where the gap is closed to an accuracy, or as far as steps lead."""
    hull = system.hull
    for _ in range(_STEPS):
        point = system.point
        if over() or point.complementarity(hull.qp) <= accuracy * abs(hull.objective(point.alpha, point.w, point.c)):
            break
        try:
            system = advance(system)
        except LinAlgError:
            break
    point = system.point
    return Round(hull, point.alpha, np.ones(hull.qp.size, dtype=bool), point.w, point.b, system.seen.image, accuracy)


def _slope(hull: Hull, alpha: FloatArray, f: FloatArray, b: FloatArray) -> FloatArray:
    """What each variable gains for each part of it at alpha (N,), f (c, n) and the equalities' multipliers (g,)."""
    slope: FloatArray = hull.qp.gradient(alpha) - hull.by_variable(f) - hull.lifted(b)
    return slope


def _walls_of(qp: DualQP, slope: FloatArray, doubt: float) -> tuple[BoolArray, FloatArray]:
    """Which variables are unknowns, and the walls of the others, both (N,), from the slope at alpha = 0.

    The doubt is doubled until the unknowns can fulfil the equalities.
    """
    lower, upper = qp.walls
    falls = np.where(lower, slope - qp.curvature * np.where(lower, qp.lower, 0.0), 0.0)
    rises = np.where(upper, slope - qp.curvature * np.where(upper, qp.upper, 0.0), 0.0)
    fixed = qp.lower == qp.upper
    while True:
        down, up = fixed | (falls < -doubt), rises > doubt
        at = np.where(up, qp.upper, np.where(down, qp.lower, 0.0))
        if balances(qp, ~(down | up), at) or not (up.any() or (down & ~fixed).any()):
            return ~(down | up), at
        doubt = max(2.0 * doubt, _LEAST * float(np.abs(slope).max()))


def _solved(hull: Hull, unknown: BoolArray, at: FloatArray, accuracy: float, over: Over) -> Stage:
    """The round with these unknowns and the others at their walls, both (N,); the middle where there is none."""
    if unknown.mean() > _MOST or not balances(hull.qp, unknown, at):
        return System.at(hull, central(hull))
    alpha = np.where(unknown, 0.0, at)
    narrow = _narrowed(hull, unknown, alpha)
    near = _closed(System.at(narrow, central(narrow)), accuracy, over)
    alpha[unknown] = near.alpha
    return Round(hull, alpha, unknown, near.w, near.b, Image.of(hull, near.w, near.image.c), accuracy)


def _narrowed(hull: Hull, unknown: BoolArray, at: FloatArray) -> Hull:
    """The problem of the unknowns alone, on the rows that they belong to; `at` (N,) is 0 for them."""
    qp, n = hull.qp, hull.n
    rows = np.unique(qp.sample[unknown] % n)
    target = qp.target - hull.summed(qp.coefficient * at)
    near = attrs.evolve(_of_rows(qp, n, rows, unknown), target=target)
    features = held(Some(hull.features, rows))
    return attrs.evolve(hull, qp=near, features=features, rest=hull.sums(at), gained=hull.gained + qp.h(at))


def _sample(hull: Hull) -> Hull | None:
    """The problem of some rows that stand for all; None where they are few, or cannot fulfil the equalities."""
    qp, n = hull.qp, hull.n
    m = n // _PART
    if m < _ROWS_A_FEATURE * hull.features.width:
        return None
    rows = np.sort(np.random.default_rng(0).choice(n, m, replace=False))
    some, times = _of_rows(qp, n, rows, np.ones(qp.size, dtype=bool)), n / m
    some = attrs.evolve(some, curvature=some.curvature / times, lower=some.lower * times, upper=some.upper * times)
    if not balances(some, np.ones(some.size, dtype=bool), np.zeros(some.size)):
        return None
    return attrs.evolve(hull, qp=some, features=held(Some(hull.features, rows)))


def _of_rows(qp: DualQP, n: int, rows: IntArray, wanted: BoolArray) -> DualQP:
    """The wanted variables (N,) of these rows, all outputs; the equalities ask for what they asked for."""
    place = np.full(n, -1)
    place[rows] = np.arange(len(rows))
    at = place[qp.sample % n]
    kept = np.flatnonzero((at >= 0) & wanted)
    sample = (qp.sample // n * len(rows) + at)[kept]
    names = ("linear", "curvature", "lower", "upper", "sign", "group", "coefficient")
    return attrs.evolve(qp, n=qp.n // n * len(rows), sample=sample, **{name: getattr(qp, name)[kept] for name in names})
