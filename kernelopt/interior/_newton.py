"""The Newton system of the saddle, eliminated down to one symmetric n x n matrix.

With S_i = curvature_i + z_i/(a_i - l_i) + u_i/(c_i - a_i) the diagonal of the dual variables, W = E S^-1 E',
B = E S^-1 A', C(S) = K(S) v and M dv = C(sym(S C*(dv) Z^-1)):

    H  = K + M + W^-1                     (n x n; W^-1 = S where every sample has one variable)
    H dv + Q db - g dtau = r1,            Q = W^-1 B,   g = C(sym(S Z^-1))
    Q' dv + T db         = r2,            T = B'W^-1 B - A S^-1 A'
    g' dv - t dtau       = r3,            t = sum tr(S Z^-1)

(the last row and column only where the parameters have a total). A curved price of weights puts T^-1 in the place of
sym(S . Z^-1), T = diag(z/w) + Hess R. So one Cholesky and a few right-hand sides give a direction.
"""

import math

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._kkt import room
from kernelopt._families._coupling import Coupling
from kernelopt._linalg._cones import half_inverse, reach, whole_inverse
from kernelopt._linalg._gram import Dense, LowRank
from kernelopt._linalg._lapack import small_solve
from kernelopt.interior._direction import Correction, Direction
from kernelopt.interior._factor import ByParameters, Factor, cheaper_by_parameters, diagonal_blocks, factored
from kernelopt.interior._image import Image, applied
from kernelopt.interior._iterate import Point
from kernelopt.interior._saddle import Saddle
from kernelopt.interior._scaling import Metric, metric

LEAST = 1e-13
"""S is at least this share of H's mean diagonal."""


@attrs.frozen(eq=False)
class Newton:
    """The factored system at a point; fixed variables are left out of it.

    Attributes:
        rows: the samples that still have a variable to move, shape (k,).
        total: of the parameters; None where they have none.
        couplings: on those rows.
        units: what of each block's S counts towards the total.
        half_parameters, half_slacks: `half_inverse` of the blocks' parameters and of their slacks.
        inverses: Z^-1 of the blocks' slacks.
        paces: one over what each variable has left: the distances to both walls and the slacks of both, 0 where there
            is no wall, with the sign of a step that shortens it, shape (4, N).
        excess: the sum of the parameters' traces beyond their total, 0 where they have none.
        metrics: of the blocks.
        bends: Hess R of the blocks with a curved price.
        flow: 1/S, 0 for a fixed variable, shape (N,).
        weight: W on the rows, shape (k,).
        borders: [Q, -g] on the rows.
        solved: H^-1 times the borders.
        corner: what the elimination of dv leaves for db and dtau.
    """

    qp: DualQP
    point: Point
    rows: IntArray
    total: float | None
    couplings: tuple[Coupling, ...]
    units: tuple[FloatArray, ...]
    half_parameters: tuple[FloatArray, ...]
    half_slacks: tuple[FloatArray, ...]
    inverses: tuple[FloatArray, ...]
    metrics: tuple[Metric, ...]
    bends: tuple[FloatArray | None, ...]
    low: FloatArray
    high: FloatArray
    paces: FloatArray
    excess: float
    flow: FloatArray
    weight: FloatArray
    equality: FloatArray
    borders: FloatArray
    solved: FloatArray
    corner: FloatArray
    factor: Factor
    rd: FloatArray
    rz: tuple[FloatArray, ...]

    @classmethod
    def at(cls, saddle: Saddle, point: Point, image: Image | None = None) -> "Newton":
        """Form and factor the system, from the point's image where that is known already.

        Raises LinAlgError where no regularisation makes it positive definite.
        """
        qp, p, A = saddle.qp, point, saddle.qp.equalities
        image = Image.of(saddle, p.alpha, p.S) if image is None else image
        low, high = (reciprocal(gap) for gap in room(qp, p.alpha))
        bends, units = saddle.bends(p.S), saddle.units
        half_parameters, half_slacks = (tuple(half_inverse(one) for one in cones) for cones in (p.S, p.Z))
        inverses = tuple(whole_inverse(half) for half in half_slacks)
        metrics = tuple(metric(s, Z, Zi, bend) for s, Z, Zi, bend in zip(p.S, p.Z, inverses, bends, strict=True))
        S = qp.curvature + p.z * low + p.u * high
        S = S if qp.whole else np.where(qp.movable, S, np.inf)
        factor, flow, weight = _factored(saddle, p, image, metrics, inverses, S)
        borders, corner = _bordered(saddle, image.couplings, metrics, A, flow, weight)
        solved = factor.solve(borders)
        rd, rz = _residuals(saddle, p, image)
        return cls(
            qp=qp,
            point=p,
            rows=qp.moving_samples,
            total=saddle.total,
            couplings=image.couplings,
            units=units,
            half_parameters=half_parameters,
            half_slacks=half_slacks,
            inverses=inverses,
            metrics=metrics,
            bends=bends,
            low=low,
            high=high,
            paces=np.concatenate((-low, high, -reciprocal(p.z), -reciprocal(p.u))).reshape(4, -1),
            excess=0.0 if saddle.total is None else _inner(units, p.S) - saddle.total,
            flow=flow,
            weight=weight,
            equality=A,
            borders=borders,
            solved=solved,
            corner=corner - borders.T @ solved,
            factor=factor,
            rd=rd,
            rz=rz,
        )

    def longest(self, direction: Direction) -> float:
        """How far the direction can be followed before a wall. Raises LinAlgError where it is not finite."""
        moves = np.concatenate((direction.alpha, direction.alpha, direction.z, direction.u)).reshape(4, -1)
        pace = float((self.paces * moves).max(initial=0.0))  # the largest share of its way to a wall, of all variables
        if math.isnan(pace):
            raise np.linalg.LinAlgError("a step is not finite")
        farthest = 1.0 / pace if pace > 0.0 else np.inf
        for halves, steps in ((self.half_parameters, direction.S), (self.half_slacks, direction.Z)):
            farthest = min([farthest, *map(reach, halves, steps)])
        return farthest

    @property
    def residual(self) -> float:
        """The largest residual of stationarity and of the cone's slack, relative to the data."""
        slack = max(abs(self.point.tau), max(float(np.abs(Z).max()) for Z in self.point.Z))
        cones = max(float(np.abs(rz).max()) for rz in self.rz) / slack
        rd = self.rd if self.qp.whole else self.rd[self.flow > 0.0]
        return max(float(np.abs(rd).max(initial=0.0)) / self.qp.price, cones)

    def direction(self, mu: float, correction: Correction | None = None) -> Direction:
        """The direction towards complementarity mu, with the equations' residuals removed; None: the predictor's."""
        qp, p, A, flow, rows = self.qp, self.point, self.equality, self.flow, self.rows
        rzl, rzu, rd, slack = mu * self.low - p.z, mu * self.high - p.u, self.rd, self.rz
        if correction is None:
            base = tuple([one.base(mu, rz, None) for one, rz in zip(self.metrics, slack, strict=True)])
        else:
            rzl, rzu = rzl - correction.z, rzu - correction.u
            rd = rd - qp.sign * qp.scattered(correction.f)
            slack = tuple([rz + 0.5 * D for rz, D in zip(slack, correction.D, strict=True)])
            triples = zip(self.metrics, slack, correction.S, strict=True)
            base = tuple([one.base(mu, rz, lost) for one, rz, lost in triples])
        R = rd + rzl - rzu
        rho = qp.gathered(qp.sign * R * flow)
        rho = rho if len(rows) == qp.n else rho[rows]
        r1 = rho / self.weight - applied(self.couplings, base)
        r2 = np.empty(len(self.corner))
        r2[: len(A)] = qp.target - A @ (p.alpha + flow * R) + rho @ self.borders[:, : len(A)]
        if self.total is not None:
            r2[-1] = self.excess + _inner(self.units, base)
        dv, multipliers = self._solve(r1, r2)
        db, dtau = multipliers[: len(A)], 0.0 if self.total is None else float(multipliers[-1])
        da = self._variables(dv, db, R, rho)
        rise = [dtau * unit - coupling.adjoint(dv) for unit, coupling in zip(self.units, self.couplings, strict=True)]
        dS = tuple([d - one.answer(up) for d, one, up in zip(base, self.metrics, rise, strict=True)])
        dZ = tuple(
            [
                up - rz if bend is None else up - rz + bend @ d
                for up, rz, bend, d in zip(rise, slack, self.bends, dS, strict=True)
            ]
        )
        dz = rzl - p.z * self.low * da
        du = rzu + p.u * self.high * da
        return Direction(da, db, dtau, dS, dz, du, dZ)

    def _variables(self, dv: FloatArray, db: FloatArray, R: FloatArray, rho: FloatArray) -> FloatArray:
        """The step of alpha, from that of v on the rows.

        Where a sample has one variable to move, dv says it without the division by a small S.
        """
        qp, rows = self.qp, self.rows
        whole = len(rows) == qp.n
        if whole and qp.in_order:  # then each variable is alone
            return qp.sign * dv
        df = (rho - dv) / self.weight - self.borders[:, : len(db)] @ db  # the step of K v
        if not whole:
            dv, df = (qp.spread(rows, change) for change in (dv, df))
        da = self.flow * (R - qp.sign * qp.scattered(df) - self.equality.T @ db)
        da[qp.alone] = (qp.sign * qp.scattered(dv))[qp.alone]
        return da

    def _solve(self, r1: FloatArray, r2: FloatArray) -> tuple[FloatArray, FloatArray]:
        """dv and the multipliers (db, dtau) of the bordered system [H, F; F', T] = [r1; r2], F = [Q, -g]."""
        first = self.factor.solve(r1)
        multipliers = small_solve(self.corner, r2 - first @ self.borders)
        return first - self.solved @ multipliers, multipliers


def _residuals(saddle: Saddle, p: Point, image: Image) -> tuple[FloatArray, tuple[FloatArray, ...]]:
    """What is left of the equations of stationarity, shape (N,), and of those of the slacks of each block."""
    qp = saddle.qp
    f = saddle.biased(image.f, image.v)  # of rows without a movable variable nobody asks
    rd = qp.gradient(p.alpha) - qp.sign * qp.scattered(f) - p.b @ qp.equalities + p.z - p.u
    parts = zip(p.Z, saddle.units, image.D, saddle.prices(p.S), strict=True)
    return rd, tuple(Z - p.tau * unit + 0.5 * D - G for Z, unit, D, G in parts)


def _bordered(
    saddle: Saddle,
    couplings: tuple[Coupling, ...],
    metrics: tuple[Metric, ...],
    A: FloatArray,
    flow: FloatArray,
    weight: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """[Q, -g] on the rows, and the corner [T, 0; 0, t] of the bordered system."""
    qp, g, last = saddle.qp, len(A), int(saddle.total is not None)
    borders, corner = np.zeros((len(weight), g + last)), np.zeros((g + last, g + last))
    if g:
        B = borders[:, :g]
        for k, row in enumerate(A):
            values = qp.gathered(row * qp.sign * flow)
            B[:, k] = values if len(weight) == qp.n else values[qp.moving_samples]
        scaled = B / weight[:, None]
        corner[:g, :g] = B.T @ scaled - (A * flow) @ A.T
        B[:] = scaled
    if last:
        answers = tuple(one.answer(unit) for one, unit in zip(metrics, saddle.units, strict=True))
        np.negative(applied(couplings, answers), out=borders[:, g])
        corner[g, g] = _inner(saddle.units, answers)
    return borders, corner


def _factored(
    saddle: Saddle,
    point: Point,
    image: Image,
    metrics: tuple[Metric, ...],
    inverses: tuple[FloatArray, ...],
    S: FloatArray,
) -> tuple[Factor, FloatArray, FloatArray]:
    """H factored in the cheapest way, with 1/S (0 where S is infinite: held) and W on the rows."""
    outputs, shapes, couplings = len(saddle.outputs), tuple(s.shape for s in point.S), image.couplings
    rows = saddle.qp.moving_samples

    def weighed(diagonal: FloatArray) -> tuple[FloatArray, FloatArray]:
        # A free variable without curvature has S = 0; a little, far below K, keeps its part of the system in 1/S.
        flow = 1.0 / np.maximum(S, LEAST * float(diagonal.mean()))
        weight = saddle.qp.gathered(flow)
        return flow, weight if image.whole else weight[rows]

    sizes = saddle.sizes
    if outputs > 1 and (saddle.thin or cheaper_by_parameters(sizes, shapes, couplings)):
        flow, weight = weighed(image.kernel.diag())
        costs = tuple(qp.bias_cost for qp in saddle.outputs)
        blocks = diagonal_blocks(image.kernel, costs, rows, 1.0 / weight)
        return ByParameters.of(blocks, sizes, couplings, metrics), flow, weight
    if saddle.thin:
        low = saddle.curved(point.S, inverses, image.v)
        flow, weight = weighed(low.diag())
        columns = low.factor if image.whole else low.factor[rows]
        return factored(LowRank(columns, low.ridge), 1.0 / weight), flow, weight
    H = _system(saddle, image, metrics)
    flow, weight = weighed(np.diagonal(H))
    return factored(Dense(H), 1.0 / weight), flow, weight


def _system(saddle: Saddle, image: Image, metrics: tuple[Metric, ...]) -> FloatArray:
    """K + M on the rows, in an array of its own."""
    first, *others = zip(image.couplings, metrics, strict=True)
    H = first[1].schur(first[0])
    for coupling, one in others:
        H += one.schur(coupling)
    saddle.add_kernel(H, image.kernel, saddle.qp.moving_samples)
    return H


def _inner(first: tuple[FloatArray, ...], second: tuple[FloatArray, ...]) -> float:
    """The sum of the blocks' inner products."""
    return sum([float(np.vdot(one, other)) for one, other in zip(first, second, strict=True)])


def reciprocal(gap: FloatArray) -> FloatArray:
    """1 / gap, and 0 where there is no bound (a gap of 0)."""
    if gap.all():
        return 1.0 / gap
    return np.divide(1.0, gap, out=np.zeros_like(gap), where=gap > 0.0)
