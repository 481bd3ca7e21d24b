"""One step of Mehrotra's predictor and corrector."""

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._linalg._cones import sandwich, symmetric
from kernelopt.interior._centrality import centred
from kernelopt.interior._direction import Correction, Direction
from kernelopt.interior._image import Image
from kernelopt.interior._iterate import Point, Stuck
from kernelopt.interior._quick import System, system_at
from kernelopt.interior._saddle import Saddle

_TO_BOUNDARY = 0.98
"""So much of the way to the wall is gone at least. Worth: `constants.py interior.wall`."""
_LEFT = 1e-3
"""So much of it is left at least, where nearly all of complementarity is to go."""
_SHORT = 0.1
"""Where a wall cuts the corrected direction this short, that without the second-order terms is looked at too."""
_SHORTEST = 1e-6
"""A shorter step is rounding."""


def advance(
    saddle: Saddle, point: Point, image: Image | None = None, *, least: float = 0.0, bent: bool = True
) -> Point:
    """The next point, from one and its image where that is known already.

        predictor: the direction to mu = 0; sigma = (what it leaves of mu)^3
        corrector: the direction to sigma mu, with the predictor's second-order terms, bent away from a wall that is
                   near; step 1 - sigma of the way to the wall, 0.98 at least

    Args:
        saddle: what is solved.
        point: where the step begins.
        image: of the point.
        least: the complementarity that the direction aims at, at least: where less of it is of no use, rounding makes
            the distances from the walls, and with them the equations, less exact.
        bent: whether a direction is bent away from a wall that is near.

    Raises:
        Stuck: the system cannot be factored, or the step is not finite, or has no length.
    """
    try:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # a step that is not finite is refused
            direction, step, residual = _along(saddle, point, image, least, bent=bent)
    except np.linalg.LinAlgError as error:
        raise Stuck(str(error)) from None
    if not step > _SHORTEST:
        raise Stuck(f"the step length fell to {step:.1e}")
    return moved(point, direction, step, inside=saddle.qp, residual=(1.0 - step) * residual)


def _along(
    saddle: Saddle, point: Point, image: Image | None, least: float, *, bent: bool
) -> tuple[Direction, float, float]:
    """The corrected direction, how far to follow it, and the residual of the system that it solves."""
    qp = saddle.qp
    system = system_at(saddle, point, image)
    trial = system.direction(0.0)
    gap = point.complementarity(qp)
    left = ahead(gap, trial, min(1.0, 0.99 * system.longest(trial)))
    sigma = min(max((left / gap) ** 3, 1e-5), 0.9)
    mu = max(sigma * gap, min(least, gap)) / point.degree(qp)
    correction = _second_order(saddle, system, trial)
    direction = system.direction(mu, correction)
    farthest = system.longest(direction)
    if bent:
        direction, farthest = centred(system, direction, farthest, mu, correction)
    if farthest < _SHORT:
        plain = system.direction(mu)
        direction, farthest = max((direction, farthest), (plain, system.longest(plain)), key=lambda one: one[1])
    step = min(1.0, max(_TO_BOUNDARY, 1.0 - max(sigma, _LEFT)) * farthest)
    return direction, step, system.residual


def _inside(qp: DualQP, alpha: FloatArray) -> FloatArray:
    """Alpha between its walls: where rounding put a variable onto one it stands the least number away, so that the
    wall is still seen.
    """
    low, high = qp.inner_walls
    return np.minimum(np.maximum(alpha, low), high)


def ahead(gap: float, trial: Direction, step: float) -> float:
    """The complementarity after this step along the predictor, from that before it.

    The predictor takes all of it in the first order, so that 1 - step is left, and the products of its steps.
    """
    products = float(trial.alpha @ (trial.z - trial.u)) + sum(map(np.vdot, trial.S, trial.Z))
    return (1.0 - step) * gap + step * step * float(products)


def _second_order(saddle: Saddle, system: System, trial: Direction) -> Correction:
    """The products of the predictor's steps that its linearisation left out."""
    f, D = saddle.bilinear(trial.S, system.qp.embed(trial.alpha), system.couplings)
    return Correction(
        z=trial.alpha * trial.z * system.low,
        u=-trial.alpha * trial.u * system.high,
        S=tuple(map(sandwich, trial.S, trial.Z, system.inverses)),
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
