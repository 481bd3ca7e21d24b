"""Where the interior point stands, and where it starts."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._kkt import alone, balanced, multipliers, room, stakes, width
from kernelopt._linalg._cones import identity, inverse, largest, symmetric
from kernelopt.interior._image import Image
from kernelopt.interior._saddle import Saddle

_OF_GAP = 0.3
"""The complementarity of a start near an answer, as a share of the gap between its bounds.
Worth: `constants.py interior.of_gap`."""


class Stuck(Exception):
    """Rounding leaves no step, or no start: the point is as good as it gets, or lies on its wall."""


@attrs.frozen(eq=False)
class Point:
    """A strictly interior point of the saddle of one output; its equations need not hold yet.

    Attributes:
        alpha: strictly inside the box, shape (N,).
        b: multipliers of the equalities, shape (g,).
        tau: multiplier of the total of tr S, 0 where it is free; at the end 1/2 lambda_max of the oracle's matrix.
        S: parameters, one for each block, positive definite.
        z, u: slacks of the lower and upper bounds, > 0 where the bound is finite, else 0.
        Z: slacks of the parameters, Z = tau I - 1/2 D(v) + grad R at the end, positive definite.
        residual: what is left of the equations, relative to the data; an estimate made by the last step.
    """

    alpha: FloatArray
    b: FloatArray
    tau: float
    S: tuple[FloatArray, ...]
    z: FloatArray
    u: FloatArray
    Z: tuple[FloatArray, ...]
    residual: float = np.inf

    def reached(self, qp: DualQP, gap: float, residual: float = 1e-3) -> bool:
        """Whether complementarity fell to `gap` and the equations hold well enough, to `residual`, to believe it."""
        return self.complementarity(qp) <= gap and self.residual <= residual

    def complementarity(self, qp: DualQP) -> float:
        """(a - l)'z + (u - a)'u + sum <S, Z>: the duality gap of a point that satisfies the equations."""
        low, high = room(qp, self.alpha)
        cones = sum(float(np.vdot(s, t)) for s, t in zip(self.S, self.Z, strict=True))
        return float(low @ self.z + high @ self.u) + cones

    def degree(self, qp: DualQP) -> int:
        """How many complementary pairs there are."""
        return qp.wall_count + sum(len(s) for s in self.S)


def middle(saddle: Saddle) -> tuple[FloatArray, tuple[FloatArray, ...]]:
    """Alpha balanced and well inside its box, and S a multiple of I: where a cold start begins."""
    S = saddle.lifted(tuple(block.start * ((saddle.total or 1.0) / saddle.size) for block in saddle.blocks))
    return balanced(saddle.qp) + _first_step(saddle, S), S


def _first_step(saddle: Saddle, S: tuple[FloatArray, ...]) -> FloatArray:
    """A step from 0 of the variables without bounds, shape (N,), as long as is best along the best steps of each alone.

    At v = 0 no step of S changes the objective, so that Newton's equations would solve for alpha alone, with a step
    that no wall shortens and that says nothing of Z.
    """
    qp = saddle.qp
    free = np.isinf(qp.lower) & np.isinf(qp.upper)
    if not free.any():
        return np.zeros(qp.size)
    step = np.where(free, alone(qp, _bend(saddle, S)), 0.0)
    v = qp.embed(step)
    bent = float(qp.curvature @ step**2 + v @ saddle.biased(saddle.image(S, v), v))
    return step * (float(qp.linear @ step) / bent) if bent > 0.0 else step


def central(saddle: Saddle, image: Image | None = None) -> Point:
    """A cold start: the `middle`, with slacks from the residual; `image` is that of the middle, if it is known.

    Mu is the objective there, or what h can gain where that is more: with two variables for each row v = 0 at the
    start, where objective and D(v) say nothing yet of the size they will have. With too small a mu the start is stuck
    at the wall of Z as soon as v moves; too large a one costs a step or two.
    """
    qp = saddle.qp
    alpha, S = middle(saddle)
    view = _View.by(saddle, alpha, S, image)
    gain = stakes(qp, qp.curvature if qp.walled else _bend(saddle, S))
    return _with_slacks(saddle, view, alpha, S, max(abs(view.objective), gain) / (saddle.size + qp.wall_count))


def inward(saddle: Saddle, answer: FloatArray, gap: float, share: float) -> tuple[Point, Image]:
    """A cold start between the `middle` and an answer, with the start's image.

    Its mu is a part of the gap, so that a step or two of those that only shrink mu are spared.

    Args:
        saddle: `listed`: from here matrices take as many steps as from the middle.
        answer: the best alpha for the kernel of the middle, or one that is better.
        gap: between the bounds that are known, finite.
        share: of the way to the answer, from 0 to less than 1.
    """
    alpha, S = middle(saddle)
    alpha = share * answer + (1.0 - share) * alpha
    image = Image.of(saddle, alpha, S)
    mu = _OF_GAP * gap / (saddle.size + saddle.qp.wall_count)
    return _with_slacks(saddle, _View.by(saddle, alpha, S, image), alpha, S, mu), image


def resumed(saddle: Saddle, alpha: FloatArray, S: tuple[FloatArray, ...], gap: float) -> Point:
    """A warm start from a feasible alpha and parameters S >= 0 whose bounds lie `gap` apart.

    Both are pushed off their walls by what complementarity at mu = gap / pairs asks: alpha by mu over its residual,
    S by mu Z^-1. A larger push throws the start away, a smaller one leaves it stuck at the wall.

    Raises:
        Stuck: rounding leaves some slack of the parameters nothing. `central` always has room.
    """
    qp = saddle.qp
    mu = gap / (saddle.size + qp.wall_count)
    S = saddle.lifted(S)
    view = _View.at(saddle, alpha, S)
    residual = view.residual - qp.equalities.T @ multipliers(qp, view.residual, alpha)
    with np.errstate(over="ignore"):  # an infinite push is cut to the width of the box
        push = np.minimum(mu / np.maximum(np.abs(residual), 1e-300), 0.1 * width(qp, alpha))
        push = np.minimum(push, np.sqrt(mu / np.maximum(_bend(saddle, S), 1e-300)))
    low = np.where(np.isfinite(qp.lower), qp.lower + push, -np.inf)
    high = np.where(np.isfinite(qp.upper), qp.upper - push, np.inf)
    alpha = np.clip(alpha, low, high)
    point = _with_slacks(saddle, _View.at(saddle, alpha, S), alpha, S, mu)
    try:
        pushed = tuple(symmetric(s + mu * inverse(Z)) for s, Z in zip(S, point.Z, strict=True))
    except np.linalg.LinAlgError as error:
        raise Stuck(f"the start has no slack: {error}") from None
    return attrs.evolve(point, S=saddle.scaled(pushed))


@attrs.frozen(eq=False)
class _View:
    """What alpha and S say of each other.

    Attributes:
        residual: of stationarity, without multipliers.
        net: each block's 1/2 D(v) less the gradient of R.
        objective: of the saddle.
    """

    residual: FloatArray
    net: tuple[FloatArray, ...]
    objective: float

    @classmethod
    def at(cls, saddle: Saddle, alpha: FloatArray, S: tuple[FloatArray, ...]) -> "_View":
        v = saddle.qp.embed(alpha)
        return cls._from(saddle, alpha, S, v, saddle.image(S, v), saddle.adjoint(v))

    @classmethod
    def by(cls, saddle: Saddle, alpha: FloatArray, S: tuple[FloatArray, ...], image: Image | None) -> "_View":
        """The same from the image of alpha, if it is known and has all rows."""
        if image is None or not image.whole:
            return cls.at(saddle, alpha, S)
        return cls._from(saddle, alpha, S, image.v, image.f, image.D)

    @classmethod
    def _from(
        cls,
        saddle: Saddle,
        alpha: FloatArray,
        S: tuple[FloatArray, ...],
        v: FloatArray,
        f: FloatArray,
        D: tuple[FloatArray, ...],
    ) -> "_View":
        qp, f = saddle.qp, saddle.biased(f, v)
        residual = qp.gradient(alpha) - qp.sign * f[qp.sample]
        net = tuple(0.5 * one - G for one, G in zip(D, saddle.prices(S), strict=True))
        return cls(residual, net, qp.h(alpha) - 0.5 * float(v @ f) + saddle.cost(S))


def _with_slacks(saddle: Saddle, view: _View, alpha: FloatArray, S: tuple[FloatArray, ...], mu: float) -> Point:
    """The point whose slacks take up the residual, each with mu's share on top.

    Without a total there is no tau to make the parameters' slacks positive: they begin infeasible where they must.
    """
    qp = saddle.qp
    b = multipliers(qp, view.residual, alpha)
    residual = view.residual - qp.equalities.T @ b
    low, high = room(qp, alpha)
    z, u = (np.zeros(qp.size) for _ in range(2))
    lower, upper = qp.walls
    z[lower] = np.maximum(-residual[lower], 0.0) + mu / low[lower]
    u[upper] = np.maximum(residual[upper], 0.0) + mu / high[upper]
    top, room_for_mu = max(largest(net) for net in view.net), mu * saddle.size / saddle.mass(S)
    lift = top + room_for_mu if saddle.total is not None else max(top, 0.0) + room_for_mu
    Z = tuple(lift * identity(net) - net for net in view.net)
    return Point(alpha, b, 0.0 if saddle.total is None else lift, S, z, u, Z)


def _bend(saddle: Saddle, S: tuple[FloatArray, ...]) -> FloatArray:
    """Each variable's own curvature K_ii."""
    diagonal = np.tile(saddle.kernel(S).diag(), len(saddle.outputs))
    return saddle.qp.curvature + diagonal[saddle.qp.sample]
