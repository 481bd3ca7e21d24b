"""One descent of the evidence in the weights of a list: a scoring step, or one that cannot fail."""

import attrs
import numpy as np
from scipy.linalg import LinAlgError

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray
from kernelopt._evidence.lists._hyperprior import Model
from kernelopt._evidence.lists._list_likelihood import Lists, Point, Slopes
from kernelopt._linalg._nonnegative import nonnegative

FIRST = 1e-3
"""The damping with which a run begins. Worth: `constants.py evidence.FIRST`."""
_LEAST, _MOST = 1e-9, 1e6
"""Between which damping stays: a step does not feel less, and hardly moves with more."""
_TRIES = 10
"""So many dampings are tried in one step: tenfold each time, they come to the largest."""
_ROUNDING = 1e-13
_FELT = 0.3
"""The least damping that shortens a step by much. Worth: `constants.py evidence.felt`."""
_GOOD, _POOR = 0.75, 0.25
"""A step that falls by this share of what the model says softens the damping, by less than that hardens it.
Worth: `constants.py evidence.good`. Worth: `constants.py evidence.poor`."""
_WORTHWHILE, _FURTHEST = 1.5, 4.0
"""How many times as far as a step its own curvature must point for a look there, and how far a look goes at most.
Worth: `constants.py evidence.worthwhile`."""

FAINTEST = 1e-12
"""An atom without weight of a smaller share of the largest price is rounding: only a weight beyond measure would make
it seen. One that has weight is seen: where there is no noise, weights are beyond measure."""

_LITTLE = 1e-3
"""Of weights, where the model says that none is best, as of targets that are all 0: a guard, for few such steps end far
below the least noise."""


@attrs.frozen(eq=False)
class Descent:
    """Where a step ended.

    Attributes:
        point: lower than where it began.
        damping: for the next step.
        note: what kind of step it was.
    """

    point: Point
    damping: float
    note: str


def descend(lists: Lists, point: Point, slopes: Slopes, damping: float, budget: Budget) -> Descent | None:
    """From these weights downhill; None where rounding leaves no way, or no time is left before one was found.

    Average-information scoring over weights >= 0, damped until the evidence falls as predicted; after a few tries the
    multiplicative step w_a (values_a / prices_a)^1/2, which majorises and so descends from everywhere. Where atoms have
    curved prices of their own it would not: the step, whose model has those prices as they are, is damped on.
    """
    curved = slopes.own is not None and not slopes.own.linear
    for _ in range(_TRIES):
        if budget.cancelled():
            return None
        w, fall = scored(point.w, slopes, damping)
        w = w if w.any() else _LITTLE * point.w  # without any weight there is no kernel
        if fall <= _ROUNDING * (1.0 + abs(point.value)):
            break
        trial = lists.at(w)
        gain = -np.inf if trial is None else point.value - trial.value
        if trial is not None and gain > 0.1 * fall:
            softer = 0.2 if gain > _GOOD * fall else 1.0 if gain > _POOR * fall else 4.0
            after = min(max(softer * damping, _LEAST), _MOST)
            further = None if budget.cancelled() else _further(lists, point, trial, slopes)
            return Descent(trial, after, "scoring") if further is None else Descent(further, after, "scoring, further")
        damping = min(max(10.0 * damping, _FELT), _MOST)
    trial = None if curved else lists.at(multiplied(point.w, slopes))
    if trial is None or trial.value >= point.value - _ROUNDING * (1.0 + abs(point.value)):
        return None
    return Descent(trial, damping, "multiplicative")


def _further(lists: Lists, point: Point, trial: Point, slopes: Slopes) -> Point | None:
    """Beyond a step that fell further than a line with its slope and its gain bends; None where that is no better.

    Weights go on by the factors that they went by: noise and size are learned on a scale of ratios. How far they go is
    told to two decimals: a gain is the difference of two objectives, and further digits are rounding.
    """
    step = trial.w - point.w
    slope = -float(slopes.gradient @ step) - (0.0 if slopes.own is None else float(slopes.own.gradient(point.w) @ step))
    gain = point.value - trial.value
    reach = 0.5 * slope / (slope - gain) if slope > gain else _FURTHEST
    if reach < _WORTHWHILE:
        return None
    further = round(min(reach, _FURTHEST) - 1.0, 2)
    ratio = np.divide(trial.w, point.w, out=np.ones_like(trial.w), where=point.w > 0.0)
    again = trial.w * np.clip(ratio, 1.0 / _FURTHEST, _FURTHEST) ** further
    beyond = lists.at(again)
    return beyond if beyond is not None and beyond.value < trial.value else None


def multiplied(w: FloatArray, slopes: Slopes) -> FloatArray:
    """W_a (values_a / prices_a)^1/2: the minimum of a bound on the evidence that touches it at w.

    The prices of an atom are that of the tangent and, which is linear, its own.
    """
    prices = slopes.prices if slopes.own is None else slopes.prices + 2.0 * slopes.own.gradient(w)
    ratio = np.divide(slopes.values, prices, out=np.ones_like(w), where=prices > 0.0)
    return np.asarray(w * np.sqrt(np.maximum(ratio, 0.0)))


def scored(w: FloatArray, slopes: Slopes, damping: float, bend: float = 1.0) -> tuple[FloatArray, float]:
    """The weights >= 0 with the least quadratic model, and the fall that the model predicts.

    In units u_a = prices_a w_a, the share that an atom has in the number of targets. Prices of their own are
    part of the model. The second derivatives are so many times the information as `bend` says.
    """
    seen = slopes.prices > np.where(w > 0.0, 0.0, FAINTEST * float(slopes.prices.max()))
    unit = np.where(seen, slopes.prices, 1.0)
    own = None if slopes.own is None else Model.at(slopes.own, w, unit)
    g, u = np.where(seen, slopes.gradient / unit + (0.0 if own is None else own.slope), 1.0), unit * w
    A = slopes.information / (unit / bend)[:, None]
    A /= unit
    if not seen.all():
        A[~seen], A[:, ~seen] = 0.0, 0.0
    A = A if own is None else A + own.bend
    diagonal = np.diagonal(A).copy()
    A[np.diag_indices_from(A)] += damping * diagonal + 1e-12 * (1.0 + float(diagonal.mean()))
    try:
        after = nonnegative(A, A @ u - g, u) if own is None else own.least(A, A @ u - g)
    except (LinAlgError, RuntimeError, ValueError):
        return w, 0.0
    after = np.where(seen, after, 0.0)
    step = after - u
    fall = -float(g @ step) - 0.5 * float(step @ A @ step)
    fall += 0.0 if own is None else own.kept(u) - own.kept(after)
    return np.asarray(after / unit), fall
