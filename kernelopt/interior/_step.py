"""One step of Mehrotra's predictor and corrector."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._kkt import room, walls
from kernelopt._linalg._cones import inverse, reach, sandwich, symmetric
from kernelopt.interior._iterate import Point, Stuck
from kernelopt.interior._newton import Correction, Direction, Newton
from kernelopt.interior._saddle import Saddle

_TO_BOUNDARY = 0.98
"""So much of the way to the wall is gone. Worth: `constants.py interior.wall`."""
_SHORTEST = 1e-6
"""A shorter step is rounding."""


def advance(saddle: Saddle, point: Point) -> Point:
    """The next point.

        predictor: the direction to mu = 0; sigma = (what it leaves of mu)^3
        corrector: the direction to sigma mu, with the predictor's second-order terms; step 0.98 of the way to the wall

    Raises:
        Stuck: the system cannot be factored, or the step has no length.
    """
    qp = saddle.qp
    try:
        system = Newton.at(saddle, point)
        mu = point.mu(qp)
        trial = system.direction(0.0, system.none())
        ahead = moved(point, trial, min(1.0, 0.99 * _longest(qp, point, trial)))
        sigma = np.clip((ahead.complementarity(qp) / (mu * point.degree(qp))) ** 3, 1e-5, 0.9)
        direction = system.direction(float(sigma) * mu, _second_order(saddle, system, trial))
        step = min(1.0, _TO_BOUNDARY * _longest(qp, point, direction))
    except np.linalg.LinAlgError as error:
        raise Stuck(str(error)) from None
    if not step > _SHORTEST:
        raise Stuck(f"the step length fell to {step:.1e}")
    after = moved(point, direction, step)
    return attrs.evolve(after, alpha=_inside(qp, after.alpha), residual=(1.0 - step) * system.residual)


def _inside(qp: DualQP, alpha: FloatArray) -> FloatArray:
    """Alpha between its walls: where rounding put a variable onto one it stands the least number away, so that the
    wall is still seen.
    """
    lower, upper = walls(qp)
    low = np.where(lower, np.nextafter(qp.lower, np.inf), -np.inf)
    high = np.where(upper, np.nextafter(qp.upper, -np.inf), np.inf)
    return np.clip(alpha, low, high)


def _second_order(saddle: Saddle, system: Newton, trial: Direction) -> Correction:
    """The products of the predictor's steps that its linearisation left out."""
    dv = system.qp.embed(trial.alpha)
    inverses = (inverse(Z) for Z in system.point.Z)
    return Correction(
        z=trial.alpha * trial.z * system.low,
        u=-trial.alpha * trial.u * system.high,
        S=tuple(sandwich(ds, dz, zi) for ds, dz, zi in zip(trial.S, trial.Z, inverses, strict=True)),
        f=saddle.image(trial.S, dv),
        D=saddle.adjoint(dv),
    )


def moved(point: Point, direction: Direction, step: float) -> Point:
    """point + step direction."""

    def cone(values: tuple[FloatArray, ...], changes: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        return tuple(symmetric(value + step * change) for value, change in zip(values, changes, strict=True))

    return attrs.evolve(
        point,
        alpha=point.alpha + step * direction.alpha,
        b=point.b + step * direction.b,
        tau=point.tau + step * direction.tau,
        S=cone(point.S, direction.S),
        z=point.z + step * direction.z,
        u=point.u + step * direction.u,
        Z=cone(point.Z, direction.Z),
    )


def _longest(qp: DualQP, point: Point, direction: Direction) -> float:
    """How far the direction can be followed before a wall."""
    low, high = room(qp, point.alpha)
    walls = [
        _ratio(low, direction.alpha, low > 0.0),
        _ratio(high, -direction.alpha, high > 0.0),
        _ratio(point.z, direction.z, point.z > 0.0),
        _ratio(point.u, direction.u, point.u > 0.0),
        *(reach(s, d) for s, d in zip(point.S, direction.S, strict=True)),
        *(reach(s, d) for s, d in zip(point.Z, direction.Z, strict=True)),
    ]
    return min(walls)


def _ratio(value: FloatArray, change: FloatArray, there: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> float:
    falling = there & (change < 0.0)
    return float((value[falling] / -change[falling]).min()) if falling.any() else np.inf
