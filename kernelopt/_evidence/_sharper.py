"""A better dual point for the tangent saddle at a kernel: the answer to a kernel that is nearly its minimum."""

import attrs
import numpy as np

from kernelopt._evidence._lists import Lists, Point, Slopes
from kernelopt._evidence._newton import scored
from kernelopt._typing import FloatArray

_NEAR = 0.05
"""Of the number of targets: where the saddle has further to fall than this the model is not trusted."""
_DAMPING = 1e-6


def promised(w: FloatArray, slopes: Slopes) -> tuple[FloatArray, float]:
    """The weights where the model of the tangent saddle at w (m,) has its minimum, and how far it falls to there.

    The saddle's objective 1/2 sum_c y_c'K_w^-1 y_c + 1/2 p'w, with the prices p of this point, has the gradient of the
    evidence here, and twice its average information as second derivatives.
    """
    return scored(w, attrs.evolve(slopes, information=2.0 * slopes.information), _DAMPING)


def sharper(lists: Lists, point: Point, slopes: Slopes) -> FloatArray | None:
    """V = K^-1 Y at the weights where the model of the tangent saddle has its minimum, shape (n, c); None far from it.

    That V, not this point's own, is within the prices up to second order, so that it proves a bound near the minimum.
    """
    V = lists.solution(point)
    if slopes.omega is not None:
        return moved(V, point.w, slopes)
    w, fall = promised(point.w, slopes)
    there = lists.at(w) if 0.0 < fall <= _NEAR * V.size else None
    return None if there is None else lists.solution(there)


def moved(V: FloatArray, w: FloatArray, slopes: Slopes) -> FloatArray | None:
    """The same to first order, of which nothing need be factored: V - Omega K_step V."""
    assert slopes.omega is not None
    assert slopes.images is not None
    there, fall = promised(w, slopes)
    if not 0.0 < fall <= _NEAR * V.size:
        return None
    shift: FloatArray = np.tensordot(there - w, slopes.images, axes=1)
    return V - slopes.omega.apply(shift)
