"""The best kernel for given dual variables where kernels have prices: max over S of <q, S> - R(S).

By convexity R(S) >= R(S0) + <g, S - S0>, g the gradient at S0, so for every S0

    sum fixed to t:   max <= t max_a (q_a - g_a) + <g, S0> - R(S0)
    no sum (a cone):  max <= <g, S0> - R(S0)    where q <= g

a bound wherever S0 lies, and the maximum itself at the best S0. That is found by an interior point in the few
weights whose price is curved; of all other atoms only the best one matters.
"""

import math

import attrs
import numpy as np
import scipy.linalg

from kernelopt._base._typing import FloatArray
from kernelopt._families.penalties._composite_penalty import Lifted, Together, untilted
from kernelopt._families.penalties._penalty import Penalty
from kernelopt._linalg._lapack import lower_root, solved_by

_STEPS = 60
_CLOSE = 1e-11
_TO_WALL, _SHORTEST = 0.95, 1e-8
_STRETCHES = 40
_MARGIN = 1e-13
"""How much more than needed a tangent moves outward, so that rounding does not undo it."""


@attrs.frozen(eq=False)
class Tangent:
    """The tangent to a price at S0.

    Attributes:
        slope: g, the gradient there.
        offset: <g, S0> - R(S0).
    """

    slope: FloatArray
    offset: float = 0.0

    @classmethod
    def at(cls, penalty: Penalty, S: FloatArray) -> "Tangent":
        slope, bare = penalty.gradient(S), untilted(penalty)  # what is linear has no share in the offset
        return cls(slope, float(np.vdot(bare.gradient(S), S)) - bare.value(S))


def tangents(
    penalties: tuple[Penalty, ...], values: tuple[FloatArray, ...], rest: float | None, total: float
) -> tuple[Tangent, ...]:
    """The tangents at the maximiser of sum_k [<q_k, w_k> - R_k(w_k)] + rest s over weights >= 0 of this total.

    Args:
        penalties: curved ones.
        values: q_k, one array for each of them.
        rest: the best of all atoms without a curved price, net of its price; None where there are none.
        total: the sum of all weights and of s.
    """
    smooth = tuple(Lifted.of(R) or R for R in penalties)
    q = [np.append(one, 0.0) if isinstance(R, Lifted) else one for R, one in zip(smooth, values, strict=True)]
    counts = [np.append(np.ones(len(one)), np.zeros(len(more) - len(one))) for one, more in zip(values, q, strict=True)]
    cuts = tuple(np.cumsum([len(one) for one in q]).tolist())
    if rest is not None:
        q, counts = [*q, np.array([rest])], [*counts, np.ones(1)]
    w = _maximiser(Together((*smooth, None), cuts), np.concatenate(q), np.concatenate(counts), total)
    pieces = zip(smooth, np.split(w, cuts), strict=False)
    return tuple(Tangent(R.slope(piece)) if isinstance(R, Lifted) else Tangent.at(R, piece) for R, piece in pieces)


def steep(penalty: Penalty, q: FloatArray) -> Tangent:
    """The tangent at the maximiser of <q, w> - R(w) over all w >= 0, moved outward until q <= g, if it can be."""
    w = _maximiser(penalty, q, np.ones(len(q)), None)
    for _ in range(_STRETCHES):
        excess = excess_of(q, penalty.gradient(w))
        if excess <= 1.0 - _MARGIN or not math.isfinite(excess):
            break
        w = w * excess * (1.0 + 2.0 * _MARGIN)
    return Tangent.at(penalty, w)


def dearest(penalty: Penalty, q: FloatArray) -> tuple[float, Tangent]:
    """For R(t w) = t R(w): a bound x on the largest <q, w> / R(w), with the tangent whose g has q <= x g.

    The largest ratio is where <q, w> - R(w)^2 / 2 is largest.
    """
    if penalty.linear:
        flat = Tangent(penalty.gradient(q))
        return _most(q, flat.slope), flat
    tangent = Tangent.at(penalty, _maximiser(_HalfSquare(penalty), q, np.ones(len(q)), None))
    return excess_of(q, tangent.slope), tangent


def _most(q: FloatArray, price: FloatArray) -> float:
    """The smallest x >= 0 with q <= x price, entry by entry or as matrices; infinite where there is none."""
    if q.ndim == 1:
        return excess_of(q, price)
    try:
        return max(float(scipy.linalg.eigh(q, price, eigvals_only=True)[-1]), 0.0)
    except np.linalg.LinAlgError:  # the price is not positive definite
        return math.inf if float(scipy.linalg.eigvalsh(q)[-1]) > 0.0 else 0.0


def excess_of(q: FloatArray, slope: FloatArray) -> float:
    """The smallest x >= 0 with q <= x slope; infinite where there is none."""
    asking = q > 0.0
    if (slope[asking] <= 0.0).any() or (slope[~asking] < q[~asking]).any():
        return math.inf
    return float((q[asking] / slope[asking]).max(initial=0.0))


@attrs.frozen(eq=False)
class _HalfSquare(Penalty):
    """R^2 / 2."""

    root: Penalty

    def value(self, S: FloatArray) -> float:
        value: float = 0.5 * self.root.value(S) ** 2
        return value

    def gradient(self, S: FloatArray) -> FloatArray:
        return self.root.value(S) * self.root.gradient(S)

    def hessian(self, S: FloatArray) -> FloatArray:
        slope, bend = self.root.gradient(S), self.root.hessian(S)
        square = np.outer(slope, slope)
        return square if bend is None else square + self.root.value(S) * bend


def _maximiser(penalty: Penalty, q: FloatArray, counts: FloatArray, total: float | None) -> FloatArray:
    """The w that maximises q'w - R(w) over w >= 0 (counts'w = total), by a primal-dual interior point.

    With z = lambda counts - q + grad R(w) >= 0 and w_a z_a = mu; it ends where mu is negligible or no step is left.
    """
    m = len(q)
    w = np.full(m, (_mass(penalty, q) if total is None else total) / m)
    slope = penalty.gradient(w) - q
    size = float(np.abs(slope).max()) or 1.0
    tau = 0.0 if total is None else size - float(slope.min())
    z = np.maximum(slope + tau * counts, size)
    for _ in range(_STEPS):
        residual = slope + tau * counts - z
        mu = float(w @ z) / m
        if mu <= _CLOSE * size * float(w.sum()) / m and float(np.abs(residual).max()) <= _CLOSE * size:
            break
        bend = penalty.hessian(w)
        lack = 0.0 if total is None else total - float(counts @ w)
        try:
            newton = _Newton.at(np.zeros((m, m)) if bend is None else bend, w, z, None if total is None else counts)
        except np.linalg.LinAlgError:
            break
        dw, dz, dtau = newton.direction(w, z, residual, 0.1 * mu, lack)
        step = min(1.0, _TO_WALL * min(_reach(w, dw), _reach(z, dz)))
        most = max(float(np.abs(residual).max()), mu / float(counts @ w))
        while step > _SHORTEST:
            # Near the tip of a norm the gradient turns with every step: one that leaves the path is taken back.
            slope = penalty.gradient(w + step * dw) - q
            if float(np.abs(slope + (tau + step * dtau) * counts - z - step * dz).max()) <= most:
                break
            step *= 0.5
        else:
            break
        w, z, tau = w + step * dw, z + step * dz, tau + step * dtau
    return w if total is None else w * (total / float(counts @ w))


def _mass(penalty: Penalty, q: FloatArray) -> float:
    """How much of all weights together, in equal shares, is about worth its price: where a cone's search begins."""
    share, masses = np.full(len(q), 1.0 / len(q)), np.exp2(np.arange(-60.0, 60.0, 2.0))
    tip = penalty.gradient(masses[0] * share)
    asked = float(share @ np.maximum(q - tip, 0.0))
    for mass in masses:
        if float(share @ (penalty.gradient(mass * share) - tip)) >= asked:
            return float(mass)
    return 1.0


@attrs.frozen(eq=False)
class _Newton:
    """Of (H + diag(z/w)) dw = mu/w - z - residual - dtau counts, dz = residual + H dw + dtau counts, factored."""

    H: FloatArray
    half: FloatArray
    root: FloatArray
    counts: FloatArray | None

    @classmethod
    def at(cls, H: FloatArray, w: FloatArray, z: FloatArray, counts: FloatArray | None) -> "_Newton":
        half = np.sqrt(w / z)
        T = half[:, None] * H * half
        T[np.diag_indices(len(w))] += 1.0
        if not np.isfinite(T).all():
            raise np.linalg.LinAlgError("the weights ran away")
        return cls(H, half, lower_root(T), counts)

    def _solve(self, r: FloatArray) -> FloatArray:
        return self.half * solved_by(self.root, self.half * r)

    def direction(
        self, w: FloatArray, z: FloatArray, residual: FloatArray, mu: float, lack: float
    ) -> tuple[FloatArray, FloatArray, float]:
        """dw, dz, dtau towards complementarity mu, with counts'dw = lack."""
        first = self._solve(mu / w - z - residual)
        if self.counts is None:
            return first, residual + self.H @ first, 0.0
        second = self._solve(self.counts)
        dtau = (float(self.counts @ first) - lack) / float(self.counts @ second)
        dw = first - dtau * second
        return dw, residual + self.H @ dw + dtau * self.counts, dtau


def _reach(x: FloatArray, dx: FloatArray) -> float:
    """How far x + t dx stays positive."""
    falling = dx < 0.0
    return float((x[falling] / -dx[falling]).min()) if falling.any() else np.inf
