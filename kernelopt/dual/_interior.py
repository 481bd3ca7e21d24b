"""A primal-dual interior point for one dual problem: twenty-odd Cholesky factorisations, whatever the conditioning."""

from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._linalg._gram import Gram
from kernelopt.dual._feasibility import repair
from kernelopt.dual._kkt_system import Bordered, Factorise, bordered, factorisation, product

_CORRECTORS = 2
"""Of Gondzio's, at most: each is one more solve with the factor at hand. Worth: `constants.py dual.correctors`."""


@attrs.frozen(eq=False)
class _Iterate:
    """Strictly inside the bounds.

    Attributes:
        a: variables, shape (N,).
        x, w: a - lower and upper - a, > 0, kept apart to save their digits; 1 where the bound is infinite.
        z, u: multipliers of the lower and the upper bounds, > 0; 0 where the bound is infinite.
        y: multipliers of the equalities.
    """

    a: FloatArray
    x: FloatArray
    w: FloatArray
    z: FloatArray
    u: FloatArray
    y: FloatArray


def interior(qp: DualQP, gram: Gram, steps: int) -> Iterator[FloatArray]:
    """The dual variables after each step, the ones that are leaving for a bound put on it.

        minimise 1/2 a'Qa + 1/2 curvature a^2 - linear'a    over the box and A a = target
        each step: one Cholesky; Mehrotra's predictor (1992) gives the centring, his corrector the step

    Args:
        qp: the dual set.
        gram: K, not written to; thin factors are never multiplied out.
        steps: the most of them.

    Yields:
        shape (N,), nearly feasible, not repaired.
    """
    A = np.stack([np.where(qp.group == g, qp.coefficient, 0.0) for g in range(len(qp.target))] or [np.zeros(qp.size)])
    A = A[: len(qp.target)]
    now = _start(qp, gram, A)
    factorise = factorisation(qp, gram)
    for _ in range(steps):
        try:
            # At the end of its precision the method overflows; that ends it, and no candidate is lost.
            with np.errstate(all="ignore"):
                after = _step(qp, gram, A, now, factorise)
        except LinAlgError:
            return
        if after is None:
            return
        now = after
        yield _snapped(qp, now)


def _start(qp: DualQP, gram: Gram, A: FloatArray) -> _Iterate:
    """The middle of the box, brought to the equalities; multipliers of the size of the gradient."""
    finite = np.isfinite(qp.upper) & np.isfinite(qp.lower)
    constrained = int(np.count_nonzero(A.any(axis=0)))
    size = float(np.abs(qp.target).sum()) / max(1, constrained) or 1.0
    low, high = np.where(np.isfinite(qp.lower), qp.lower, 0.0), np.where(np.isfinite(qp.upper), qp.upper, 0.0)
    middle = np.where(finite, 0.5 * (low + high), np.where(np.isfinite(qp.lower), low + size, high - size))
    middle = np.where(np.isfinite(qp.lower) | np.isfinite(qp.upper), middle, 0.0)
    a = repair(qp, middle)
    # Repair may end on a bound; the iteration restores the equality later.
    width = np.where(finite, qp.upper - qp.lower, size)
    margin = 1e-3 * np.maximum(width, 1e-300)
    a = np.clip(a, np.where(np.isfinite(qp.lower), qp.lower + margin, -np.inf),
                np.where(np.isfinite(qp.upper), qp.upper - margin, np.inf))  # fmt: skip
    g = product(qp, gram, a) + qp.curvature * a - qp.linear
    spread = float(np.abs(g).mean()) or 1.0
    z = np.where(np.isfinite(qp.lower), np.maximum(g, 0.0) + spread, 0.0)
    u = np.where(np.isfinite(qp.upper), np.maximum(-g, 0.0) + spread, 0.0)
    x = np.where(np.isfinite(qp.lower), a - qp.lower, 1.0)
    w = np.where(np.isfinite(qp.upper), qp.upper - a, 1.0)
    return _Iterate(a, x, w, z, u, np.zeros(len(qp.target)))


def _step(qp: DualQP, gram: Gram, A: FloatArray, now: _Iterate, factorise: Factorise) -> _Iterate | None:
    """One step of Mehrotra's method with Gondzio's correctors; None where it can go no further."""
    newton = bordered(qp, gram, qp.curvature + now.z / now.x + now.u / now.w, A, factorise)
    if newton is None:
        return None
    system = _System.of(newton, now)
    none = np.zeros(qp.size)
    move = system.direction(none, none)
    if not system.bounds:
        return _moved(now, move, 1.0)

    mu = system.complementarity(now)
    p = _reach(now, move)
    affine = system.complementarity(_moved(now, move, p))
    target = mu * min(1.0, max(affine / mu, 0.0)) ** 3 if mu > 0.0 else 0.0
    # The products x z and w u that the step aims at.
    xz, wu = target - move.x * move.z, target - move.w * move.u
    move = system.direction(xz, wu)
    p = _reach(now, move)
    for _ in range(_CORRECTORS):
        ahead = _moved(now, move, min(1.0, p + 0.3))
        xz = xz + _towards(ahead.x * ahead.z, target)
        wu = wu + _towards(ahead.w * ahead.u, target)
        trial = system.direction(xz, wu)
        longer = _reach(now, trial)
        if longer < p + 0.03:
            break
        move, p = trial, longer
    after = _moved(now, move, 0.995 * p)
    return after if np.isfinite(after.a).all() else None


@attrs.frozen(eq=False)
class _System:
    """The linearised optimality conditions at one iterate.

    Attributes:
        rd, rp: gradient of the Lagrangian without z and u, shape (N,); what the equalities lack.
        HA: (Q + D)^-1 A', shape (N, equalities).
        lower, upper: which bounds are finite, shape (N,).
    """

    newton: Bordered
    now: _Iterate
    rd: FloatArray
    rp: FloatArray
    HA: FloatArray
    lower: npt.NDArray[np.bool_]
    upper: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, newton: Bordered, now: _Iterate) -> "_System":
        qp, A = newton.qp, newton.A
        HA = np.stack([newton.hessian_solve(row) for row in A], axis=1) if len(A) else np.zeros((qp.size, 0))
        rd = newton.product(now.a) + qp.curvature * now.a - qp.linear - A.T @ now.y
        return cls(newton, now, rd, qp.target - A @ now.a, HA, np.isfinite(qp.lower), np.isfinite(qp.upper))

    @property
    def bounds(self) -> int:
        """The number of finite bounds."""
        return int(np.count_nonzero(self.lower) + np.count_nonzero(self.upper))

    def complementarity(self, at: _Iterate) -> float:
        """Mu, the mean of x z and w u over the finite bounds."""
        return float(at.x @ at.z + at.w @ at.u) / max(self.bounds, 1)

    def direction(self, xz: FloatArray, wu: FloatArray) -> _Iterate:
        """The Newton step to the products xz and wu, as the changes of every part of the iterate."""
        now = self.now
        to_z, to_u = np.where(self.lower, xz / now.x, 0.0), np.where(self.upper, wu / now.w, 0.0)
        da, dy = self.newton.solve(to_z - to_u - self.rd, self.rp, self.HA)
        dz = np.where(self.lower, to_z - now.z - now.z / now.x * da, 0.0)
        du = np.where(self.upper, to_u - now.u + now.u / now.w * da, 0.0)
        return _Iterate(da, np.where(self.lower, da, 0.0), np.where(self.upper, -da, 0.0), dz, du, dy)


def _moved(now: _Iterate, move: _Iterate, p: float) -> _Iterate:
    """Now + p move."""
    pairs = ((getattr(now, f.name), getattr(move, f.name)) for f in attrs.fields(_Iterate))
    return _Iterate(*(value + p * change for value, change in pairs))


def _reach(now: _Iterate, move: _Iterate) -> float:
    """The longest p <= 1 that keeps x, w, z and u >= 0: one for all, since Q couples them."""
    longest = 1.0
    for value, change in ((now.x, move.x), (now.w, move.w), (now.z, move.z), (now.u, move.u)):
        falling = (change < 0.0) & (value > 0.0)
        longest = min(longest, float(np.min(value[falling] / -change[falling], initial=1.0)))
    return longest


def _towards(products: FloatArray, target: float) -> FloatArray:
    """What brings complementarity products into [target/10, 10 target]: Gondzio (1996), eqs (14) and (15)."""
    correction: FloatArray = np.maximum(np.clip(products, 0.1 * target, 10.0 * target) - products, -10.0 * target)
    return correction


def _snapped(qp: DualQP, now: _Iterate) -> FloatArray:
    """A, with the variables that are on their way to a bound on it, so that most v are zero exactly."""
    lower, upper = np.isfinite(qp.lower), np.isfinite(qp.upper)
    width = np.where(lower & upper, now.x + now.w, np.abs(now.a).mean() + 1e-300)
    pull = (now.z + now.u).mean() + 1e-300
    down = lower & (now.x < 1e-5 * width) & (now.x / width < 1e-2 * now.z / pull)
    up = upper & (now.w < 1e-5 * width) & (now.w / width < 1e-2 * now.u / pull)
    return np.where(down, qp.lower, np.where(up, qp.upper, now.a))
