"""The Newton system of the interior point by rows, brought down to one unknown for each feature and each kernel.

With S = curvature + z/(a - l) + u/(c - a), W = E S^-1 E', G = Phi'W Phi, B = Phi'E S^-1 A', T = w/Z, P = diag(p) and
C = diag(Phi'v) owner, the step of f = K v is Phi g with g = P^1/2 eta + C T^1/2 omega, dw = T^1/2 omega, and

    [I + P^1/2 G P^1/2    P^1/2 B       P^1/2 G C T^1/2      ] [eta  ]   [P^1/2 s  ]             [   ]
    [                     A S^-1 A'     B'C T^1/2            ] [db   ] = [t        ]  -  dtau  * [   ]
    [                                   I + T^1/2 C'G C T^1/2] [omega]   [q        ]             [T^1/2]

for each output, all of which meet in omega; 1'T^1/2 omega keeps the total. Nothing in it cancels, its eigenvalues but
those of the bias are 1 or more, and one pass over the rows gives G, B and s. Another gives Phi g.
"""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._kkt import room
from kernelopt.dual._arrow import Arrow
from kernelopt.dual._hull import Hull, Seen, seen, there_and_back
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
        rows: E S^-1 A' by equalities, shape (g, n).
        groups: the equalities of each output.
        seen: K v, and the sums over all rows.
        arrow: the system without dtau.
        against: what T^1/2 in place of the right side gives.
    """

    hull: Hull
    point: Point
    low: FloatArray
    high: FloatArray
    flow: FloatArray
    W: FloatArray
    slope: FloatArray
    rows: FloatArray
    groups: list[np.ndarray]
    seen: Seen
    arrow: Arrow
    against: tuple[list[FloatArray], FloatArray]

    @classmethod
    def at(cls, hull: Hull, point: Point) -> "System":
        """In one pass. Raises LinAlgError where no regularisation makes it positive definite."""
        qp, p = hull.qp, point
        low, high = (_reciprocal(gap) for gap in room(qp, p.alpha))
        S = qp.curvature + p.z * low + p.u * high
        flow = np.where(qp.upper > qp.lower, 1.0 / np.maximum(S, _LEAST * hull.size + 1e-300), 0.0)
        W, groups = hull.by_output(flow), hull.groups
        base = qp.gradient(p.alpha) - hull.lifted(p.b)
        rows = _along_equalities(hull, flow, groups)
        first, second = hull.by_output(qp.sign * flow * base), hull.by_output(qp.sign * flow * (low - high))
        vectors = [np.vstack([first[o], second[o], rows[mine]]) for o, mine in enumerate(groups)]
        found = seen(hull, p.c, hull.spread(p.w), W, vectors)
        arrow = _arrow(hull, p, found, hull.summed(flow * qp.coefficient**2), groups)
        against = arrow.solve([np.zeros(len(H)) for H in arrow.blocks], np.sqrt(p.w / p.Z))
        slope = base - hull.by_variable(found.f)
        return cls(hull, p, low, high, flow, W, slope, rows, groups, found, arrow, against)

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
        P, T = np.sqrt(hull.spread(p.w)), p.w / p.Z
        base = mu / p.Z - p.w - correction.w
        rz = p.Z - p.tau + 0.5 * (hull.values(p.c) + correction.values)
        heads, tail = [], (base + T * rz) / np.sqrt(T)
        for o, mine in enumerate(self.groups):
            along, g = self.seen.along[o], correction.g[o]
            s = along[0] + mu * along[1] + correction.along[o] - self.seen.inner[o] @ g
            heads.append(np.concatenate([P * s, asked[mine] - along[2:] @ g]))
            tail += np.sqrt(T) * hull.owned(p.c[o] * s)
        xs, omega, dtau = self._solve(heads, tail, hull.total - float(p.w.sum()))

        dw = np.sqrt(T) * omega
        r, dp = len(P), _moving(hull, dw)
        g = np.stack([P * x[:r] for x in xs]) + dp * p.c + correction.g
        db = np.zeros(len(qp.target))
        for x, mine in zip(xs, self.groups, strict=True):
            db[mine] = x[r:]
        rest = qp.sign * self.flow * (R - hull.lifted(db))
        df, dv, dc = there_and_back(hull, g, self.W, hull.by_output(rest))
        da = qp.sign * rest - self.flow * hull.by_variable(df)
        dz = mu * self.low - p.z * (self.low > 0.0) - correction.z - p.z * self.low * da
        du = mu * self.high - p.u * (self.high > 0.0) - correction.u + p.u * self.high * da
        return Direction(da, db, dtau, dw, dz, du, (base - dw) / T, dc, dv)

    def _solve(
        self, heads: list[FloatArray], tail: FloatArray, missing: float
    ) -> tuple[list[FloatArray], FloatArray, float]:
        """The unknowns, with dtau for which the weights move by what is missing of their total."""
        xs, omega = self.arrow.solve(heads, tail)
        ys, along = self.against
        t = np.sqrt(self.point.w / self.point.Z)
        dtau = (float(t @ omega) - missing) / float(t @ along)
        return [x - dtau * y for x, y in zip(xs, ys, strict=True)], omega - dtau * along, dtau


def _arrow(hull: Hull, point: Point, found: Seen, diagonal: FloatArray, groups: list[np.ndarray]) -> Arrow:
    P, t = np.sqrt(hull.spread(point.w)), np.sqrt(point.w / point.Z)
    r, k = len(P), hull.kernels
    blocks, across, corner = [], [], np.eye(k)
    mine = np.flatnonzero(hull.owner < k)
    for G, along, c, equalities in zip(found.inner, found.along, point.c, groups, strict=True):
        C = np.zeros((r, k))
        C[mine, hull.owner[mine]] = c[mine] * t[hull.owner[mine]]
        B, GC = along[2:], G @ C
        H = np.zeros((r + len(B), r + len(B)))
        H[:r, :r] = P[:, None] * G * P
        H[np.diag_indices(r)] += 1.0
        H[r:, :r] = B * P
        H[:r, r:] = H[r:, :r].T
        H[r:, r:] = np.diag(diagonal[equalities])
        blocks.append(H)
        across.append(np.vstack([P[:, None] * GC, B @ C]))
        corner += C.T @ GC
    return Arrow.of(blocks, across, corner)


def _along_equalities(hull: Hull, flow: FloatArray, groups: list[np.ndarray]) -> FloatArray:
    """E S^-1 A' by equalities, each on the rows of its output, shape (g, n)."""
    qp = hull.qp
    rows = np.zeros((len(qp.target), hull.n))
    for o, mine in enumerate(groups):
        for g in mine:
            rows[g] = hull.by_output(np.where(qp.group == g, qp.sign * qp.coefficient * flow, 0.0))[o]
    return rows


def _moving(hull: Hull, dw: FloatArray) -> FloatArray:
    """How what each feature counts moves with the weights: not at all where it belongs to no kernel."""
    return np.append(dw, 0.0)[hull.owner]


def _reciprocal(gap: FloatArray) -> FloatArray:
    """1 / gap, and 0 where there is no bound (a gap of 0)."""
    return np.divide(1.0, gap, out=np.zeros_like(gap), where=gap > 0.0)
