"""Multiple centrality: a direction that would run into a wall is bent away from the few products that lag or lead.

J. Gondzio, Multiple centrality corrections in a primal-dual method for linear programming (1996), with one corrector:
it costs one more solution with the factored system.
"""

import numpy as np
import scipy.linalg

from kernelopt._base._typing import FloatArray
from kernelopt._linalg._cones import symmetric
from kernelopt._linalg._lapack import eigenpairs
from kernelopt.interior._direction import Correction, Direction
from kernelopt.interior._quick import System

_ENOUGH = 0.95
"""A direction that can be followed so far is not corrected. Worth: `constants.py interior.enough`."""
_FURTHER = 0.5
"""The corrected direction is to be followed so much further, as a share of the whole direction."""
_LEAST, _MOST = 0.5, 5.0
"""Complementary products between these multiples of mu are left alone."""


def centred(
    system: System, direction: Direction, farthest: float, mu: float, correction: Correction
) -> tuple[Direction, float]:
    """The direction and how far it can be followed, or those of the corrected one where that can be followed further.

    Args:
        system: factored.
        direction: towards mu, with `correction`.
        farthest: how far it can be followed.
        mu: the complementarity that the direction aims at.
        correction: what the linearisation left out, as the predictor has it.
    """
    if farthest >= _ENOUGH:
        return direction, farthest
    step = min(1.0, farthest + _FURTHER)
    bent = system.direction(mu, _towards_the_middle(system, direction, step, mu, correction))
    further = system.longest(bent)
    return (bent, further) if further > farthest else (direction, farthest)


def _towards_the_middle(
    system: System, direction: Direction, step: float, mu: float, correction: Correction
) -> Correction:
    """The correction, and what moves the products after this step along the direction between multiples of mu."""
    p = system.point
    low, high = system.low, system.high
    # A product over its distance from the wall: (l + t dl)(z + t dz) / l, 0 where there is no wall.
    z = (1.0 + step * direction.alpha * low) * (p.z + step * direction.z)
    u = (1.0 - step * direction.alpha * high) * (p.u + step * direction.u)
    cones = zip(system.half_slacks, p.S, direction.S, p.Z, direction.Z, correction.S, strict=True)
    return Correction(
        z=correction.z - _missing(z, mu * low),
        u=correction.u - _missing(u, mu * high),
        S=tuple([lost - _lagging(R, S + step * dS, Z + step * dZ, mu) for R, S, dS, Z, dZ, lost in cones]),
        f=correction.f,
        D=correction.D,
    )


def _missing(product: FloatArray, mu: FloatArray | float) -> FloatArray:
    """What brings products between the multiples of mu, and takes no more from one than what it may have at most."""
    most = _MOST * mu
    missing: FloatArray = np.maximum(np.minimum(np.maximum(product, _LEAST * mu), most) - product, -most)
    return missing


def _lagging(R: FloatArray, S: FloatArray, Z: FloatArray, mu: float) -> FloatArray:
    """The same of a cone's products, as a step of S: R'W R, W what the eigenvalues of sym(R^-T S Z R') miss.

    Raises LinAlgError where a product is not finite, as with a price of slack near the largest that is taken.
    """
    if R.ndim == 1:
        scale: FloatArray = R * R
        return _missing(S * Z * scale, mu * scale)
    turned: FloatArray = scipy.linalg.blas.dtrsm(1.0, R, S @ (Z @ R.T), lower=1, trans_a=1)
    if not np.isfinite(turned).all():
        raise np.linalg.LinAlgError("the products of a cone are not finite")
    values, vectors = eigenpairs(symmetric(turned), 0, len(R) - 1)
    half = R.T @ vectors
    step: FloatArray = (half * _missing(values, mu)) @ half.T
    return step
