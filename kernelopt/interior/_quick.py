"""The Newton system of a saddle with one block, one output and one variable a sample, in as few calls as can be.

The equations are those of `Newton`. Where each sample has one variable to move, W = S^-1 and Q = sign A', and so what
is divided by S there cancels. Of a hundred rows a call of numpy takes longer than its arithmetic, and a direction takes
half as many calls here.
"""

import math
from typing import TypeAlias

import attrs
import numpy as np
from scipy.linalg import lapack

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._families._coupling import Coupling
from kernelopt._linalg._cones import half_inverse, inside, reach, sandwich, whole_inverse
from kernelopt._linalg._lapack import small_inverse, solve_lower
from kernelopt.interior._direction import Correction, Direction
from kernelopt.interior._factor import cholesky
from kernelopt.interior._image import Image
from kernelopt.interior._iterate import Point
from kernelopt.interior._newton import LEAST, Newton, reciprocal
from kernelopt.interior._saddle import Saddle


def is_quick(saddle: Saddle) -> bool:
    """Whether `Quick` can take the place of `Newton` here."""
    qp, blocks = saddle.qp, saddle.blocks
    one = len(blocks) == 1 == len(saddle.outputs) and saddle.total is not None and blocks[0].penalty is None
    return one and qp.in_order and qp.whole and not saddle.thin


@attrs.frozen(eq=False)
class Quick:
    """The factored system at a point.

    Attributes:
        qp, point, couplings: as in `Newton`.
        half_parameters, half_slacks, inverses, low, high: as in `Newton`.
        factor: of H, as LAPACK leaves it, shape (n, n).
        borders: [Q, -g], shape (n, e).
        solved: H^-1 times them.
        corner: the inverse of what the elimination of dv leaves for db and dtau, shape (e, e).
        unit: what of S counts towards the total.
        slacks: z and u, shape (2, n).
        room: `low` and `high`, shape (2, n).
        bends: how both slacks change with a step of alpha, shape (2, n).
        paces: one over what each variable has left, with the sign of a step that shortens it, shape (4, n).
        rest: what is left of stationarity, shape (n,).
        residue: what is left of the equation of the cone's slack, in the shape of S.
        unmet: what is left of the equalities and of the total, shape (e,).
    """

    qp: DualQP
    point: Point
    couplings: tuple[Coupling, ...]
    half_parameters: tuple[FloatArray, ...]
    half_slacks: tuple[FloatArray, ...]
    inverses: tuple[FloatArray, ...]
    factor: FloatArray
    borders: FloatArray
    solved: FloatArray
    corner: FloatArray
    unit: FloatArray
    slacks: FloatArray
    room: FloatArray
    bends: FloatArray
    paces: FloatArray
    rest: FloatArray
    residue: FloatArray
    unmet: FloatArray

    @classmethod
    def at(cls, saddle: Saddle, point: Point, image: Image) -> "Quick":
        """Form and factor the system. Raises LinAlgError where no regularisation makes it positive definite."""
        qp, p, A, coupling = saddle.qp, point, saddle.qp.equalities, image.couplings[0]
        (S,), (Z,), (unit,) = p.S, p.Z, saddle.units
        half, half_slack = half_inverse(S), half_inverse(Z)
        inverse = whole_inverse(half_slack)
        slacks = np.concatenate((p.z, p.u)).reshape(2, -1)
        room = 1.0 / np.concatenate((p.alpha - qp.lower, qp.upper - p.alpha)).reshape(2, -1)  # 0 where there is no wall
        paces = np.concatenate((room, reciprocal(slacks)))
        np.negative(paces, out=paces, where=_SHORTENS)
        bends = slacks * paces[:2]
        middle = sandwich(S, unit, inverse)
        factor = _factored(saddle, coupling, image, (S, inverse), qp.curvature + (bends[1] - bends[0]))
        borders = np.concatenate((A * qp.sign, -coupling.apply(middle)[None]))
        solved = lapack.dpotrs(factor, borders.T, lower=1)[0]
        corner = borders @ solved
        corner[-1, -1] -= np.vdot(unit, middle)
        force = qp.gradient(p.alpha) - qp.sign * saddle.biased(image.f, image.v)
        return cls(
            qp=qp,
            point=p,
            couplings=image.couplings,
            half_parameters=(half,),
            half_slacks=(half_slack,),
            inverses=(inverse,),
            factor=factor,
            borders=borders.T,
            solved=solved,
            corner=-small_inverse(corner),
            unit=unit,
            slacks=slacks,
            room=room,
            bends=bends,
            paces=paces,
            rest=force - p.b @ A + p.z - p.u,
            residue=Z - p.tau * unit + 0.5 * image.D[0],
            unmet=np.append(qp.target - A @ p.alpha, np.vdot(unit, S) - (saddle.total or 0.0)),
        )

    @property
    def low(self) -> FloatArray:
        """One over the distances to the lower bounds, 0 where there is none."""
        return np.asarray(self.room[0])

    @property
    def high(self) -> FloatArray:
        """One over the distances to the upper bounds, 0 where there is none."""
        return np.asarray(self.room[1])

    @property
    def residual(self) -> float:
        """The largest residual of stationarity and of the cone's slack, relative to the data."""
        slack = max(abs(self.point.tau), float(np.abs(self.point.Z[0]).max()))
        return max(float(np.abs(self.rest).max()) / self.qp.price, float(np.abs(self.residue).max()) / slack)

    def direction(self, mu: float, correction: Correction | None = None) -> Direction:
        """The direction towards complementarity mu, with the equations' residuals removed; None: the predictor's."""
        sign, S, inverse = self.qp.sign, self.point.S[0], self.inverses[0]
        walls, slack, base = mu * self.room - self.slacks, self.residue, mu * inverse - S
        if correction is not None:
            walls[0] -= correction.z
            walls[1] -= correction.u
            slack = slack + 0.5 * correction.D[0]
            base -= correction.S[0]
        base += sandwich(S, slack, inverse)
        r = (self.rest + walls[0] - walls[1]) * sign - self.couplings[0].apply(base)
        if correction is not None:
            r -= correction.f
        dv = solve_lower(self.factor, r)
        right = self.unmet - dv @ self.borders
        right[-1] += np.vdot(self.unit, base)
        multipliers = self.corner @ right
        dv -= self.solved @ multipliers
        rise = multipliers[-1] * self.unit - self.couplings[0].adjoint(dv)
        da = sign * dv
        walls += self.bends * da
        dS, dZ = base - sandwich(S, rise, inverse), rise - slack
        return Direction(da, multipliers[:-1], float(multipliers[-1]), (dS,), walls[0], walls[1], (dZ,))

    def longest(self, direction: Direction) -> float:
        """How far the direction can be followed before a wall. Raises LinAlgError where it is not finite."""
        moves = np.concatenate((direction.alpha, direction.alpha, direction.z, direction.u)).reshape(4, -1)
        pace = float((self.paces * moves).max())
        if math.isnan(pace):
            raise np.linalg.LinAlgError("a step is not finite")
        farthest, p = 1.0 / pace if pace > 0.0 else np.inf, self.point
        cones = ((p.S[0], direction.S[0], self.half_parameters[0]), (p.Z[0], direction.Z[0], self.half_slacks[0]))
        for at, step, half in cones:  # most often a dual variable is the first at its wall
            if not (farthest < np.inf and inside(at + farthest * step)):
                farthest = min(farthest, reach(half, step))
        return farthest


_SHORTENS = np.array([[True], [False], [True], [True]])
"""Which of alpha twice, z and u come nearer to their wall where their step is negative."""


def _factored(
    saddle: Saddle, coupling: Coupling, image: Image, cone: tuple[FloatArray, FloatArray], weight: FloatArray
) -> FloatArray:
    """H = K + M + W^-1 factored, as LAPACK leaves it, from S and Z^-1 of the cone and the diagonal of W^-1."""
    H = np.ascontiguousarray(coupling.schur(coupling, *cone))
    saddle.add_kernel(H, image.kernel, saddle.qp.moving_samples)
    diagonal = H.reshape(-1)[:: len(H) + 1]
    diagonal += np.maximum(weight, LEAST * float(diagonal.mean()))
    return cholesky(H)[0]


System: TypeAlias = Newton | Quick


def system_at(saddle: Saddle, point: Point, image: Image | None = None) -> System:
    """The system at a point, from the point's image where that is known already, in the form that is quickest.

    Raises LinAlgError where no regularisation makes it positive definite.
    """
    image = Image.of(saddle, point.alpha, point.S) if image is None else image
    return Quick.at(saddle, point, image) if is_quick(saddle) else Newton.at(saddle, point, image)
