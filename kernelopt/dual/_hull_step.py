"""One step of Mehrotra's predictor and corrector, in four passes over the rows."""

import attrs
import numpy as np
from scipy.linalg import LinAlgError

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._kkt import room
from kernelopt.dual._hull import Hull
from kernelopt.dual._hull_point import Point, bounds
from kernelopt.dual._hull_system import Correction, Direction, System

_TO_BOUNDARY = 0.98
"""So much of the way to the wall is gone, as in `interior`."""
_SHORTEST = 1e-6
"""A shorter step is rounding."""
_SAME = 1e-12
"""Of the largest v: what rounding moves."""


def advance(system: System) -> System:
    """The system at the next point.

        predictor: the direction to mu = 0; sigma = (what it leaves of mu)^3
        corrector: the direction to sigma mu, with the predictor's second-order terms; step 0.98 of the way to the wall

    Raises:
        LinAlgError: the system cannot be factored, or the step has no length.
    """
    hull, point = system.hull, system.point
    qp = hull.qp
    trial = system.direction(0.0, system.none())
    ahead = _moved(point, trial, min(1.0, 0.99 * _longest(hull, point, trial)))
    mu = point.mu(qp)
    left = ahead.complementarity(qp) / (mu * (bounds(qp) + hull.kernels))
    sigma = float(np.clip(left**3, 1e-5, 0.9))
    direction = system.direction(sigma * mu, _second_order(system, trial))
    step = min(1.0, _TO_BOUNDARY * _longest(hull, point, direction))
    if not step > _SHORTEST:
        raise LinAlgError(f"the step length fell to {step:.1e}")
    return System.at(hull, _placed(hull, point, direction, step))


def _second_order(system: System, trial: Direction) -> Correction:
    """The products of the predictor's steps that its linearisation left out, in one pass."""
    hull, qp = system.hull, system.hull.qp
    z, u = trial.alpha * trial.z * system.low, -trial.alpha * trial.u * system.high
    dp = hull.moving(trial.w)
    along = hull.back(hull.by_output(qp.sign * system.flow * (u - z)))
    return Correction(z, u, along, trial.w * trial.Z / system.point.Z, dp * trial.c, hull.values(trial.c))


def _moved(point: Point, direction: Direction, step: float) -> Point:
    """point + step direction."""
    names = (field.name for field in attrs.fields(Point))
    return Point(**{name: getattr(point, name) + step * getattr(direction, name) for name in names})


def _placed(hull: Hull, point: Point, direction: Direction, step: float) -> Point:
    """The same strictly between the walls, with Phi'v as rounding leaves it: where that counts it is summed anew."""
    qp = hull.qp
    after = _moved(point, direction, step)
    lower, upper = qp.walls
    low = np.where(lower, np.nextafter(qp.lower, np.inf), -np.inf)
    high = np.where(upper, np.nextafter(qp.upper, -np.inf), np.inf)
    alpha = np.clip(after.alpha, low, high)
    v = qp.embed(alpha).reshape(hull.outputs, -1)
    meant = qp.embed(point.alpha).reshape(hull.outputs, -1) + step * direction.v
    same = float(np.abs(v - meant).max()) <= _SAME * float(np.abs(v).max())
    return attrs.evolve(after, alpha=alpha, c=after.c if same else hull.sums(alpha))


def _longest(hull: Hull, point: Point, direction: Direction) -> float:
    """How far the direction can be followed before a wall."""
    low, high = room(hull.qp, point.alpha)
    pairs = (
        (low, direction.alpha),
        (high, -direction.alpha),
        (point.z, direction.z),
        (point.u, direction.u),
        (point.w, direction.w),
        (point.Z, direction.Z),
    )
    return min(_ratio(value, change) for value, change in pairs)


def _ratio(value: FloatArray, change: FloatArray) -> float:
    falling = (value > 0.0) & (change < 0.0)
    return float((value[falling] / -change[falling]).min(initial=np.inf))
