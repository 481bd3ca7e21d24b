"""Better dual points for the tangent saddle at a kernel: nearly its own, where no atom exceeds its price by much."""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._counting import least_of
from kernelopt._evidence.lists._list_likelihood import Lists, Point, Slopes, informed, targets_of
from kernelopt._evidence.lists._pricing import imaged
from kernelopt._evidence.lists._scoring_step import scored
from kernelopt._saddle._problem import Problem


def promised(w: FloatArray, slopes: Slopes) -> tuple[FloatArray, float]:
    """The weights where the model of the tangent saddle at w (m,) has its minimum, and how far it falls to there.

    The saddle's objective 1/2 sum_c y_c'K_w^-1 y_c + 1/2 p'w, with the prices p of this point, has the gradient of the
    evidence here, and twice its average information as second derivatives.
    """
    return scored(w, slopes, 0.0, bend=2.0)


def sharper(lists: Lists, point: Point, slopes: Slopes) -> FloatArray | None:
    """V = K^-1 Y at the weights where the model of the tangent saddle has its minimum, shape (n, c); None at it.

    That V, not this point's own, is within the prices up to second order, so that it proves a bound near the minimum.
    """
    w, fall = promised(point.w, slopes)
    there = lists.at(w) if fall > 0.0 else None
    return None if there is None else lists.solution(there)


def approached(
    problem: Problem, w: FloatArray, V: FloatArray, slopes: Slopes
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Dual points (n, c), each nearer to that of the tangent saddle, with their sums of V_c'K_a V_c (m,).

    From V = Omega Y at weights w (m,) of all atoms, by Newton's method on weights and dual point together,

        (K_w + noise I) V = Y,    v_a = sum_c V_c'K_a V_c <= p_a, equal where w_a > 0,
        dV = Omega (R - sum_a dw_a K_a V),    R = Y - (K_w + noise I) V,

    with the Omega of the kernel at which the saddle touches: nothing is factored, and a step costs a look at K_a V.
    """
    omega, images = slopes.omega, slopes.images
    assert omega is not None
    assert images is not None
    Y, noise, R = targets_of(problem), least_of(problem), np.zeros_like(V)
    while True:
        there, _ = promised(w, slopes)
        V = V + omega.apply(R - np.tensordot(there - w, images, axes=1))
        w, images = there, imaged(problem, V)
        values: FloatArray = np.einsum("anc,nc->a", images, V)
        yield V, values
        R = Y - np.tensordot(w, images, axes=1) - (noise * V.T).T
        values = values + 2.0 * np.einsum("anc,nc->a", images, omega.apply(R))
        slopes = attrs.evolve(slopes, values=values, information=informed(images, omega))
