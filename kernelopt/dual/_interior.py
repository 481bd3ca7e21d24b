"""A primal-dual interior point for one dual problem: twenty-odd Cholesky factorisations, whatever the conditioning."""

from collections.abc import Iterator

import attrs
import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelopt._dual import DualQP
from kernelopt._typing import FloatArray
from kernelopt.dual._repair import repair

_EPS = float(np.finfo(np.float64).eps)


@attrs.frozen(eq=False)
class _Iterate:
    """Strictly inside the bounds.

    Attributes:
        a: variables; x = a - lower and w = upper - a, > 0, kept apart to save their digits; shape (N,) each.
        z, u: multipliers of the lower and the upper bounds, 0 where the bound is infinite; shape (N,) each.
        y: multipliers of the equalities.
    """

    a: FloatArray
    x: FloatArray
    w: FloatArray
    z: FloatArray
    u: FloatArray
    y: FloatArray


@attrs.frozen(eq=False)
class _Newton:
    """The Hessian Q + diag(D), Q = E'(K + bias 11')E, factorised, and the equalities that border it.

    In v = E a with T = diag of E D^-1 E' the system is n x n for any N (FORMULAS: the two diagonals of svr):
        (K + bias 11' + T^-1) dv = T^-1 E D^-1 r,      da = D^-1 (r - E'(K + bias 11') dv)
    """

    qp: DualQP
    K: FloatArray
    D: FloatArray
    T: FloatArray
    factor: tuple[FloatArray, bool]
    A: FloatArray

    def product(self, a: FloatArray) -> FloatArray:
        """Q a."""
        return product(self.qp, self.K, a)

    def _once(self, r: FloatArray) -> FloatArray:
        qp = self.qp
        if qp.size == qp.n:
            dv = cho_solve(self.factor, qp.embed(r), check_finite=False)
            return qp.sign * dv[qp.sample]
        s = qp.embed(r / self.D)
        dv = cho_solve(self.factor, s / self.T, check_finite=False)
        return (r - qp.sign * ((s - dv) / self.T)[qp.sample]) / self.D

    def hessian_solve(self, r: FloatArray) -> FloatArray:
        """(Q + D)^-1 r with one step of refinement, which also undoes the jitter of the factorisation."""
        a = self._once(r)
        correction = self._once(r - self.product(a) - self.D * a)
        return a + correction if np.isfinite(correction).all() else a

    def solve(self, r: FloatArray, rp: FloatArray, HA: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(Q + D) da - A'dy = r, A da = rp, given HA = (Q + D)^-1 A', shape (N, equalities)."""
        da = self.hessian_solve(r)
        if not len(rp):
            return da, np.zeros(0)
        dy = np.linalg.lstsq(self.A @ HA, rp - self.A @ da, rcond=None)[0]
        return da + HA @ dy, dy


def product(qp: DualQP, K: FloatArray, a: FloatArray) -> FloatArray:
    """E'(K + bias 11')E a, shape (N,)."""
    v = qp.embed(a)
    return qp.sign * (K @ v + qp.bias_cost * v.sum())[qp.sample]


def interior(qp: DualQP, K: FloatArray, steps: int) -> Iterator[FloatArray]:
    """The dual variables after each step, the ones that are leaving for a bound put on it.

        minimise 1/2 a'Qa + 1/2 curvature a^2 - linear'a    over the box and A a = target
        each step: one Cholesky; Mehrotra's predictor (1992) gives the centring, his corrector the step

    Args:
        qp: the dual set.
        K: shape (n, n), not written to.
        steps: the most of them.

    Yields:
        shape (N,), nearly feasible, not repaired.
    """
    A = np.stack([np.where(qp.group == g, qp.coefficient, 0.0) for g in range(len(qp.target))] or [np.zeros(qp.size)])
    A = A[: len(qp.target)]
    now = _start(qp, K, A)
    work = np.empty_like(K, order="F")
    for _ in range(steps):
        after = _step(qp, K, A, now, work)
        if after is None:
            return
        now = after
        yield _snapped(qp, now)


def _start(qp: DualQP, K: FloatArray, A: FloatArray) -> _Iterate:
    """The middle of the box, brought to the equalities; multipliers of the size of the gradient."""
    finite = np.isfinite(qp.upper) & np.isfinite(qp.lower)
    size = float(np.abs(qp.target).sum()) / max(1, np.count_nonzero(A.any(axis=0))) or 1.0
    low, high = np.where(np.isfinite(qp.lower), qp.lower, 0.0), np.where(np.isfinite(qp.upper), qp.upper, 0.0)
    middle = np.where(finite, 0.5 * (low + high), np.where(np.isfinite(qp.lower), low + size, high - size))
    middle = np.where(np.isfinite(qp.lower) | np.isfinite(qp.upper), middle, 0.0)
    a = repair(qp, middle)
    # Repair may end on a bound; the iteration restores the equality later.
    width = np.where(finite, qp.upper - qp.lower, size)
    margin = 1e-3 * np.maximum(width, 1e-300)
    a = np.clip(a, np.where(np.isfinite(qp.lower), qp.lower + margin, -np.inf),
                np.where(np.isfinite(qp.upper), qp.upper - margin, np.inf))  # fmt: skip
    g = product(qp, K, a) + qp.curvature * a - qp.linear
    spread = float(np.abs(g).mean()) or 1.0
    z = np.where(np.isfinite(qp.lower), np.maximum(g, 0.0) + spread, 0.0)
    u = np.where(np.isfinite(qp.upper), np.maximum(-g, 0.0) + spread, 0.0)
    return _Iterate(a, a - qp.lower, qp.upper - a, z, u, np.zeros(len(qp.target)))


def _step(qp: DualQP, K: FloatArray, A: FloatArray, now: _Iterate, work: FloatArray) -> _Iterate | None:
    """One step of Mehrotra's method; None where it can go no further."""
    bounds = int(np.count_nonzero(np.isfinite(now.x)) + np.count_nonzero(np.isfinite(now.w)))
    x, w = now.x, now.w
    zx, uw = now.z / x, now.u / w
    newton = _factorise(qp, K, qp.curvature + zx + uw, A, work)
    if newton is None:
        return None
    HA = np.stack([newton.hessian_solve(row) for row in A], axis=1) if len(A) else np.zeros((qp.size, 0))
    rd = newton.product(now.a) + qp.curvature * now.a - qp.linear - A.T @ now.y
    rp = qp.target - A @ now.a
    lower, upper = np.isfinite(x), np.isfinite(w)

    def direction(sx: FloatArray, sw: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """For the targets sx of x z and sw of w u, both already divided by x or w."""
        da, dy = newton.solve(-rd + sx - sw, rp, HA)
        return da, dy, np.where(lower, sx - now.z - zx * da, 0.0), np.where(upper, sw - now.u + uw * da, 0.0)

    none = np.zeros(qp.size)
    da, dy, dz, du = direction(none, none)
    mu = _complementarity(x, w, now.z, now.u, bounds)
    if bounds:
        p, q = min(_longest(x, da), _longest(w, -da)), min(_longest(now.z, dz), _longest(now.u, du))
        affine = _complementarity(x + p * da, w - p * da, now.z + q * dz, now.u + q * du, bounds)
        target = mu * min(1.0, max(affine / mu, 0.0)) ** 3 if mu > 0.0 else 0.0
        da, dy, dz, du = direction(
            np.where(lower, (target - da * dz) / x, 0.0), np.where(upper, (target + da * du) / w, 0.0)
        )
    p = min(_longest(x, da), _longest(w, -da))
    q = min(_longest(now.z, dz), _longest(now.u, du))
    damp = 0.995 if bounds else 1.0
    p = q = damp * min(p, q)
    after = _Iterate(now.a + p * da, x + p * da, w - p * da, now.z + q * dz, now.u + q * du, now.y + q * dy)
    return after if np.isfinite(after.a).all() else None


def _complementarity(x: FloatArray, w: FloatArray, z: FloatArray, u: FloatArray, bounds: int) -> float:
    """Mu, the mean of x z and w u over the finite bounds."""
    products = np.where(np.isfinite(x), x, 0.0) @ z + np.where(np.isfinite(w), w, 0.0) @ u
    return float(products) / max(bounds, 1)


def _longest(x: FloatArray, dx: FloatArray) -> float:
    """The longest step that keeps x + step dx >= 0, at most 1."""
    falling = (dx < 0.0) & (x > 0.0)
    return min(1.0, float(np.min(x[falling] / -dx[falling], initial=1.0)))


def _factorise(qp: DualQP, K: FloatArray, D: FloatArray, A: FloatArray, work: FloatArray) -> _Newton | None:
    """Cholesky of K + bias 11' + T^-1 in `work`, with as little jitter as it takes; None if none is enough."""
    size = float(np.abs(np.diagonal(K)).mean()) + qp.bias_cost
    D = np.maximum(D, _EPS * size + 1e-300)
    T = np.bincount(qp.sample, weights=1.0 / D, minlength=qp.n)
    for jitter in (0.0, *(10.0**k * _EPS * size for k in range(9))):
        np.copyto(work, K.T)
        if qp.bias_cost:
            work += qp.bias_cost
        work[np.diag_indices(qp.n)] += 1.0 / T + jitter
        try:
            factor = cho_factor(work, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            continue
        return _Newton(qp, K, D, T, factor, A)
    return None


def _snapped(qp: DualQP, now: _Iterate) -> FloatArray:
    """A, with the variables that are on their way to a bound on it, so that most v are zero exactly."""
    finite = np.isfinite(now.x) & np.isfinite(now.w)
    width = np.where(finite, now.x + now.w, np.abs(now.a).mean() + 1e-300)
    pull = (now.z + now.u).mean() + 1e-300
    a = np.where((now.x < 1e-3 * width) & (now.x / width < 1e-2 * now.z / pull), qp.lower, now.a)
    return np.where((now.w < 1e-3 * width) & (now.w / width < 1e-2 * now.u / pull), qp.upper, a)
