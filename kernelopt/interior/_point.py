"""Where the interior point stands, and where it starts."""

import attrs
import numpy as np

from kernelopt._coupling import Coupling
from kernelopt._dual import DualQP
from kernelopt._problem import Problem
from kernelopt._typing import FloatArray
from kernelopt.interior._blocks import Block
from kernelopt.interior._cones import identity, largest, trace


@attrs.frozen(eq=False)
class Point:
    """A strictly interior point of the saddle of one output; its equations need not hold yet.

    Attributes:
        alpha: strictly inside the box, shape (N,).
        b: multipliers of the equalities, shape (g,).
        tau: multiplier of sum tr S = 1; at the end 1/2 lambda_max of the oracle's matrix.
        S: parameters, one for each block, positive definite.
        z, u: slacks of the lower and upper bounds, > 0 where the bound is finite, else 0.
        Z: slacks of the parameters, Z = tau I - 1/2 D(v) at the end, positive definite.
    """

    alpha: FloatArray
    b: FloatArray
    tau: float
    S: tuple[FloatArray, ...]
    z: FloatArray
    u: FloatArray
    Z: tuple[FloatArray, ...]

    @property
    def mixture_weights(self) -> tuple[FloatArray, ...]:
        """S, scaled to sum tr S = 1 exactly."""
        total = sum(trace(s) for s in self.S)
        return tuple(s / total for s in self.S)

    def settled(self, qp: DualQP) -> FloatArray:
        """Alpha with the variables that their slacks hold at a bound put on it: the support vectors become visible.

        A variable is held where its slack is larger than its distance, both as shares of what they can be.
        """
        low, high = room(qp, self.alpha)
        width = np.where(np.isfinite(qp.upper - qp.lower), qp.upper - qp.lower, np.abs(self.alpha).max())
        price = max(float(np.abs(qp.linear).max()), 1e-300)
        alpha = np.where(np.isfinite(qp.lower) & (low * price < self.z * width), qp.lower, self.alpha)
        return np.where(np.isfinite(qp.upper) & (high * price < self.u * width), qp.upper, alpha)

    def complementarity(self, qp: DualQP) -> float:
        """(a - l)'z + (u - a)'u + sum <S, Z>: the duality gap of a point that satisfies the equations."""
        low, high = room(qp, self.alpha)
        cones = sum(float(np.vdot(s, t)) for s, t in zip(self.S, self.Z, strict=True))
        return float(low @ self.z + high @ self.u) + cones

    def degree(self, qp: DualQP) -> int:
        """How many complementary pairs there are."""
        return int(np.isfinite(qp.lower).sum() + np.isfinite(qp.upper).sum() + sum(len(s) for s in self.S))


def room(qp: DualQP, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The distances to the lower and upper bounds, 0 where the bound is infinite."""
    low = np.where(np.isfinite(qp.lower), alpha - qp.lower, 0.0)
    high = np.where(np.isfinite(qp.upper), qp.upper - alpha, 0.0)
    return low, high


def equalities(qp: DualQP) -> FloatArray:
    """The matrix A (g, N) of A alpha = target."""
    return np.stack([np.where(qp.group == g, qp.coefficient, 0.0) for g in range(len(qp.target))])


def product(couplings: tuple[Coupling, ...], S: tuple[FloatArray, ...]) -> FloatArray:
    """sum over the blocks of K(S) v, shape (n,)."""
    first, *rest = (coupling.apply(s) for coupling, s in zip(couplings, S, strict=True))
    total = first.copy()
    for term in rest:
        total += term
    return total


def central(problem: Problem, blocks: tuple[Block, ...], alpha: FloatArray | None = None) -> Point:
    """A point to start from: alpha inside the box and balanced, S a multiple of I, slacks from the residual.

    Args:
        problem: of one output.
        blocks: one for each leaf.
        alpha: a feasible alpha that says how large it will be, or None.
    """
    qp = problem.outputs[0]
    alpha = _inside(qp, alpha)
    v = qp.embed(alpha)
    size = sum(len(block.start) for block in blocks)
    S = tuple(block.start / size for block in blocks)
    couplings = tuple(block.couple(v) for block in blocks)
    f = product(couplings, S)
    objective = qp.h(alpha) - 0.5 * float(v @ f)
    pairs = size + int(np.isfinite(qp.lower).sum() + np.isfinite(qp.upper).sum())
    low, high = room(qp, alpha)
    mu = max(abs(objective), 1e-3 * float((low + high).sum())) / pairs
    residual = qp.linear - qp.curvature * alpha - qp.sign * f[qp.sample]
    A = equalities(qp)
    b = np.array([float(np.median((row * residual)[row != 0.0])) for row in A])
    residual -= A.T @ b
    z, u = (np.zeros(qp.size) for _ in range(2))
    finite = np.isfinite(qp.lower)
    z[finite] = np.maximum(-residual[finite], 0.0) + mu / low[finite]
    finite = np.isfinite(qp.upper)
    u[finite] = np.maximum(residual[finite], 0.0) + mu / high[finite]
    D = tuple(coupling.adjoint(v) for coupling in couplings)
    tau = 0.5 * max(largest(d) for d in D) + mu * size
    Z = tuple(tau * identity(d) - 0.5 * d for d in D)
    return Point(alpha, b, tau, S, z, u, Z)


def _inside(qp: DualQP, alpha: FloatArray | None) -> FloatArray:
    """A point strictly inside the box: half way between a balanced one and the given one, never near a bound."""
    width = np.where(np.isfinite(qp.upper), qp.upper, qp.lower + 1.0) - qp.lower
    if alpha is None or not np.isfinite(width).all():
        level = np.full(qp.size, 0.5)
        for g, target in enumerate(qp.target):
            up = (qp.group == g) & (qp.coefficient > 0.0)
            down = (qp.group == g) & (qp.coefficient < 0.0)
            if target == 0.0 and up.any() and down.any():
                # Both sides sum to the same: half of what the smaller side can hold.
                least = 0.5 * min(width[up].sum(), width[down].sum())
                level[up], level[down] = least / width[up].sum(), least / width[down].sum()
        return qp.lower + level * width
    return qp.lower + np.clip(alpha - qp.lower, 0.1 * width, 0.9 * width)
