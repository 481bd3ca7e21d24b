"""One step of Mehrotra's predictor and corrector."""

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._linalg._cones import reach, sandwich, symmetric, whole_inverse
from kernelopt.interior._image import Image
from kernelopt.interior._iterate import Point, Stuck
from kernelopt.interior._newton import Correction, Direction, Newton, reciprocal
from kernelopt.interior._saddle import Saddle

_TO_BOUNDARY = 0.98
"""So much of the way to the wall is gone. Worth: `constants.py interior.wall`."""
_SHORTEST = 1e-6
"""A shorter step is rounding."""


def advance(saddle: Saddle, point: Point, image: Image | None = None) -> Point:
    """The next point, from one and its image where that is known already.

        predictor: the direction to mu = 0; sigma = (what it leaves of mu)^3
        corrector: the direction to sigma mu, with the predictor's second-order terms; step 0.98 of the way to the wall

    Raises:
        Stuck: the system cannot be factored, or the step has no length.
    """
    qp = saddle.qp
    try:
        system = Newton.at(saddle, point, image)
        trial = system.direction(0.0)
        ahead = moved(point, trial, min(1.0, 0.99 * _longest(system, trial)))
        gap = point.complementarity(qp)
        sigma = min(max((ahead.complementarity(qp) / gap) ** 3, 1e-5), 0.9)
        direction = system.direction(sigma * gap / point.degree(qp), _second_order(saddle, system, trial))
        step = min(1.0, _TO_BOUNDARY * _longest(system, direction))
    except np.linalg.LinAlgError as error:
        raise Stuck(str(error)) from None
    if not step > _SHORTEST:
        raise Stuck(f"the step length fell to {step:.1e}")
    return moved(point, direction, step, inside=qp, residual=(1.0 - step) * system.residual)


def _inside(qp: DualQP, alpha: FloatArray) -> FloatArray:
    """Alpha between its walls: where rounding put a variable onto one it stands the least number away, so that the
    wall is still seen.
    """
    return np.clip(alpha, *qp.inner_walls)


def _second_order(saddle: Saddle, system: Newton, trial: Direction) -> Correction:
    """The products of the predictor's steps that its linearisation left out."""
    f, D = saddle.bilinear(trial.S, system.qp.embed(trial.alpha), system.couplings)
    inverses = (whole_inverse(half) for half in system.half_slacks)
    return Correction(
        z=trial.alpha * trial.z * system.low,
        u=-trial.alpha * trial.u * system.high,
        S=tuple(sandwich(ds, dz, zi) for ds, dz, zi in zip(trial.S, trial.Z, inverses, strict=True)),
        f=f,
        D=D,
    )


def moved(
    point: Point, direction: Direction, step: float, inside: DualQP | None = None, residual: float = np.inf
) -> Point:
    """point + step direction, alpha between the walls of a dual set, if one is given."""

    def cone(values: tuple[FloatArray, ...], changes: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        return tuple(symmetric(value + step * change) for value, change in zip(values, changes, strict=True))

    alpha = point.alpha + step * direction.alpha
    return Point(
        alpha=alpha if inside is None else _inside(inside, alpha),
        b=point.b + step * direction.b,
        tau=point.tau + step * direction.tau,
        S=cone(point.S, direction.S),
        z=point.z + step * direction.z,
        u=point.u + step * direction.u,
        Z=cone(point.Z, direction.Z),
        residual=residual,
    )


def _longest(system: Newton, direction: Direction) -> float:
    """How far the direction can be followed before a wall."""
    point = system.point
    pace = max(  # shares of the way to its wall that each variable goes in a step of 1
        -float((direction.alpha * system.low).min(initial=0.0)),
        float((direction.alpha * system.high).max(initial=0.0)),
        -float((direction.z * reciprocal(point.z)).min(initial=0.0)),
        -float((direction.u * reciprocal(point.u)).min(initial=0.0)),
    )
    cones = (
        *(reach(half, d) for half, d in zip(system.half_parameters, direction.S, strict=True)),
        *(reach(half, d) for half, d in zip(system.half_slacks, direction.Z, strict=True)),
    )
    return min(1.0 / pace if pace > 0.0 else np.inf, *cones)
