"""Where the interior point by rows stands, and where it starts."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._kkt import balanced, multipliers, room, stakes
from kernelopt.dual._hull import Hull


@attrs.frozen(eq=False)
class Point:
    """Strictly inside all bounds; the equations need not hold yet.

    Attributes:
        alpha: strictly inside the box, shape (N,).
        b: multipliers of the equalities, shape (g,).
        tau: that of the total.
        w: weights, > 0, shape (k,).
        z, u: slacks of the lower and the upper bounds, > 0 where the bound is finite, else 0; shape (N,).
        Z: slacks of the weights, tau - 1/2 v'K_a v at the end, > 0, shape (k,).
        c: Phi'v by outputs, shape (c, r).
    """

    alpha: FloatArray
    b: FloatArray
    tau: float
    w: FloatArray
    z: FloatArray
    u: FloatArray
    Z: FloatArray
    c: FloatArray

    def complementarity(self, qp: DualQP) -> float:
        """The duality gap of a point that satisfies the equations."""
        low, high = room(qp, self.alpha)
        return float(low @ self.z + high @ self.u + self.w @ self.Z)

    def mu(self, qp: DualQP) -> float:
        """The mean of the complementary products."""
        return self.complementarity(qp) / (bounds(qp) + len(self.w))


def bounds(qp: DualQP) -> int:
    """How many walls the variables have."""
    lower, upper = qp.walls
    return int(lower.sum() + upper.sum())


def central(hull: Hull) -> Point:
    """A cold start, in two passes: alpha balanced and well inside its box, equal weights, slacks from the residual.

    Mu is the objective there, or what h can gain where that is more.
    """
    qp, k = hull.qp, hull.kernels
    alpha, w = balanced(qp), np.full(k, hull.total / k)
    c = hull.sums(alpha)
    residual = qp.gradient(alpha) - hull.by_variable(hull.forth(hull.spread(w) * c))
    mu = max(abs(hull.objective(alpha, w, c)), stakes(qp, qp.curvature + hull.size)) / (bounds(qp) + k)
    b = multipliers(qp, residual, alpha)
    residual = residual - hull.lifted(b)
    low, high = room(qp, alpha)
    lower, upper = qp.walls
    z, u = np.zeros(qp.size), np.zeros(qp.size)
    z[lower] = np.maximum(-residual[lower], 0.0) + mu / low[lower]
    u[upper] = np.maximum(residual[upper], 0.0) + mu / high[upper]
    half = 0.5 * hull.values(c)
    tau = float(half.max()) + mu * k / hull.total
    return Point(alpha, b, tau, w, z, u, tau - half, c)
