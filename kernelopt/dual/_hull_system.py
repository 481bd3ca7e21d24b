"""The Newton system of the interior point by rows: one pass over the rows gives it, another the direction.

With S = curvature + z/(a - l) + u/(c - a) it is `Newton`: nothing of n x r is held.
"""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._kkt import room
from kernelopt.dual._hull import Hull, Image, Seen, seen, there_and_back
from kernelopt.dual._hull_newton import Newton, along_equalities
from kernelopt.dual._hull_point import Point

_LEAST = 1e-13


@attrs.frozen(eq=False)
class Direction:
    """A step in every part of a `Point`; v is E alpha by outputs, shape (c, n)."""

    alpha: FloatArray
    b: FloatArray
    tau: float
    w: FloatArray
    z: FloatArray
    u: FloatArray
    Z: FloatArray
    c: FloatArray
    v: FloatArray


@attrs.frozen(eq=False)
class Correction:
    """Products of the predictor's steps, which the linearisation left out; zeros in the predictor itself.

    Attributes:
        z, u: of the bounds' complementarity, shape (N,).
        along: Phi'E S^-1 (u - z) by outputs, shape (c, r).
        w: of the weights' complementarity, shape (k,).
        g: of the function, dp * dc by outputs, shape (c, r).
        values: of the weights' slacks, v'K_a v at dv, shape (k,).
    """

    z: FloatArray
    u: FloatArray
    along: FloatArray
    w: FloatArray
    g: FloatArray
    values: FloatArray


@attrs.frozen(eq=False)
class System:
    """The factored system at a point, and the function there.

    Attributes:
        low, high: 1/(a - l) and 1/(c - a), 0 where there is no wall, shape (N,).
        flow: S^-1, 0 for a variable that is held, shape (N,).
        W: by outputs, shape (c, n).
        slope: what is left of stationarity at mu = 0, shape (N,).
        seen: K v, and the sums over all rows.
        newton: the system.
    """

    hull: Hull
    point: Point
    low: FloatArray
    high: FloatArray
    flow: FloatArray
    W: FloatArray
    slope: FloatArray
    seen: Seen
    newton: Newton

    @classmethod
    def at(cls, hull: Hull, point: Point) -> "System":
        """In one pass. Raises LinAlgError where no regularisation makes it positive definite."""
        qp, p = hull.qp, point
        low, high = (_reciprocal(gap) for gap in room(qp, p.alpha))
        S = qp.curvature + p.z * low + p.u * high
        flow = np.where(qp.upper > qp.lower, 1.0 / np.maximum(S, _LEAST * hull.size + 1e-300), 0.0)
        W = hull.by_output(flow)
        base = qp.gradient(p.alpha) - hull.lifted(p.b)
        rows = along_equalities(hull, flow)
        first, second = hull.by_output(qp.sign * flow * base), hull.by_output(qp.sign * flow * (low - high))
        vectors = [np.vstack([first[o], second[o], rows[mine]]) for o, mine in enumerate(hull.groups)]
        found = seen(hull, p.c, hull.spread(p.w), W, vectors)
        across, diagonal = [one[2:] for one in found.along], hull.summed(flow * qp.coefficient**2)
        newton = Newton.of(hull, p.w, p.Z, p.c, found.inner, across, diagonal)
        slope = base - hull.by_variable(found.image.f)
        return cls(hull, p, low, high, flow, W, slope, found, newton)

    @property
    def w(self) -> FloatArray:
        """The weights, shape (k,)."""
        return self.point.w

    @property
    def alpha(self) -> FloatArray:
        """The variables, shape (N,), strictly inside the box."""
        return self.point.alpha

    @property
    def image(self) -> Image:
        """K v."""
        return self.seen.image

    @property
    def note(self) -> str:
        """How far the point has come."""
        return f"mu {self.point.mu(self.hull.qp):.1e}"

    def none(self) -> Correction:
        """No correction: the predictor's."""
        N, k, c = np.zeros(self.hull.qp.size), np.zeros(self.hull.kernels), np.zeros(self.point.c.shape)
        return Correction(N, N, c, k, c, k)

    def direction(self, mu: float, correction: Correction) -> Direction:
        """The direction towards complementarity mu, in one pass."""
        hull, qp, p = self.hull, self.hull.qp, self.point
        R = self.slope + mu * (self.low - self.high) - correction.z + correction.u
        missing = qp.target - hull.summed(qp.coefficient * p.alpha)
        asked = hull.summed(qp.coefficient * self.flow * R) - missing
        T = p.w / p.Z
        base = mu / p.Z - p.w - correction.w
        rz = p.Z - p.tau + 0.5 * (hull.values(p.c) + correction.values)
        s = np.zeros(p.c.shape)
        for o, (along, mine) in enumerate(zip(self.seen.along, self.newton.groups, strict=True)):
            g = correction.g[o]
            s[o] = along[0] + mu * along[1] + correction.along[o] - self.seen.inner[o] @ g
            asked[mine] -= along[2:] @ g
        missing_total = hull.total - float(p.w.sum())
        g, db, dw, dtau = self.newton.solve(s, asked, (base + T * rz) / np.sqrt(T), missing_total)
        rest = qp.sign * self.flow * (R - hull.lifted(db))
        df, dv, dc = there_and_back(hull, g + correction.g, self.W, hull.by_output(rest))
        da = qp.sign * rest - self.flow * hull.by_variable(df)
        dz = mu * self.low - p.z * (self.low > 0.0) - correction.z - p.z * self.low * da
        du = mu * self.high - p.u * (self.high > 0.0) - correction.u + p.u * self.high * da
        return Direction(da, db, dtau, dw, dz, du, (base - dw) / T, dc, dv)


def _reciprocal(gap: FloatArray) -> FloatArray:
    """1 / gap, and 0 where there is no bound (a gap of 0)."""
    return np.divide(1.0, gap, out=np.zeros_like(gap), where=gap > 0.0)
