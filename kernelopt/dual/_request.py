"""What one call of the engine is asked, and the certificate that every candidate gets."""

import math
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TypeAlias

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Primal
from kernelopt._criteria._dual_qp import Dual, DualPoint, DualQP
from kernelopt._linalg._gram import FEW, Gram
from kernelopt.dual._feasibility import repair

PrimalAt: TypeAlias = Callable[[FloatArray, FloatArray], Primal]


@attrs.frozen(eq=False)
class Asked:
    """The problem, the kernel, the certificate, and when to stop.

    Attributes:
        d: diagonal of K, shape (n,).
        K: the Gram as an array, shape (n, n), C-contiguous; None while there is no need of it.
        primal: the upper bound and the multipliers at (v, f = K v).
        accuracy: relative.
        over: whether the time is up.
    """

    qp: DualQP
    gram: Gram
    d: FloatArray
    primal: PrimalAt
    accuracy: float
    over: Callable[[], bool]
    K: FloatArray | None = None

    def formed(self) -> "Asked":
        """The same with the Gram as an array."""
        return self if self.K is not None else attrs.evolve(self, K=np.ascontiguousarray(self.gram.dense()))

    def answer(self, alpha: FloatArray) -> tuple[Dual, FloatArray]:
        """Certify any alpha: a Dual at the feasible point next to it, and f = K v computed afresh, shape (n,)."""
        point = DualPoint.of(self.qp, repair(self.qp, alpha))
        f = self.gram.apply(point.v) if self.K is None else self.image(point.v)
        return self._certified(point, f), f

    def answer_from(self, alpha: FloatArray, v: FloatArray, f: FloatArray) -> tuple[Dual, FloatArray]:
        """The same where f = K v is known at another v: only the rows at which they differ are looked at."""
        point = DualPoint.of(self.qp, repair(self.qp, alpha))
        f = f + self.image(point.v - v)
        return self._certified(point, f), f

    def image(self, v: FloatArray) -> FloatArray:
        """K v from the rows with a nonzero coefficient, shape (n,)."""
        assert self.K is not None
        if len(v) <= FEW:
            return np.asarray(self.K @ v)
        from kernelopt._linalg._compiled_rows import add_rows  # numba is imported when the first problem needs it

        rows = np.flatnonzero(v)
        f = np.zeros_like(v)
        add_rows(self.K, rows, v[rows], f)
        return f

    def _certified(self, point: DualPoint, f: FloatArray) -> Dual:
        alpha, v, h = point.alpha, point.v, point.h
        bound = self.primal(v, f)
        quad, squares = float(v @ f), float((v * v) @ self.d)
        width = bound.value - (h - 0.5 * quad)
        solved = width <= self._allowed(bound.value, h, quad, squares)
        return Dual(alpha, v, h, quad, bound.multipliers, bound.value, converged=solved, squares=squares)

    def allowed(self, dual: Dual) -> float:
        """The gap that counts as solved: accuracy * max(abs(primal), abs(dual)).

        Rounding leaves a gap where the optimal value is 0: that is measured by the terms that cancel. A bound that is
        infinite allows nothing.
        """
        return self._allowed(dual.upper, dual.h, dual.quad, dual.squares)

    def _allowed(self, upper: float, h: float, quad: float, squares: float) -> float:
        scale = max((abs(bound) for bound in (upper, h - 0.5 * quad) if math.isfinite(bound)), default=0.0)
        return self.accuracy * scale + 1e-12 * (abs(h) + 0.5 * squares) + 1e-300


def until(max_seconds: float | None, cancelled: Callable[[], bool] | None) -> Callable[[], bool]:
    """Whether the time, counted from now, is up, or somebody asked to stop."""
    deadline = math.inf if max_seconds is None else monotonic() + max_seconds
    return lambda: monotonic() > deadline or (cancelled is not None and cancelled())


def best_of(candidates: Iterable[Dual], over: Callable[[], bool]) -> Dual:
    """The candidate with the smallest gap, asked for until one has converged, the time is up or there are no more."""
    best: Dual | None = None
    for dual in candidates:
        if best is None or gap(dual) < gap(best):
            best = dual
        if best.converged or over():
            break
    assert best is not None
    return best


def gap(dual: Dual) -> float:
    """The inner gap, +inf where it is not a number."""
    width = dual.upper - dual.objective
    return math.inf if math.isnan(width) else width
