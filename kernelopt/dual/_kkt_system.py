"""The Newton system of the dual problem's interior point, for a Gram that is a matrix or thin factors."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import attrs
import numpy as np
from scipy.linalg import LinAlgError, cho_solve

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._linalg._capacitance import factored
from kernelopt._linalg._gram import Gram, LowRank
from kernelopt._linalg._large_cholesky import lower_factor
from kernelopt._linalg._low_rank_plus_diagonal import Solve

_EPS = float(np.finfo(np.float64).eps)

Factorise: TypeAlias = Callable[[FloatArray], tuple[Solve, bool] | None]
"""From a diagonal: what solves with K + bias 11' + diagonal, and whether only nearly so; None where nothing does."""


@attrs.frozen(eq=False)
class Bordered:
    """The Hessian Q + diag(D), Q = E'(K + bias 11')E, factorised, and the equalities that border it.

    In v = E a with T = diag of E D^-1 E' the system is n x n for any N (the two diagonals of svr):
        (K + bias 11' + T^-1) dv = T^-1 E D^-1 r,      da = D^-1 (r - E'(K + bias 11') dv)

    Attributes:
        inverse: solves with K + bias 11' + T^-1.
        refine: whether what was factorised is not quite that matrix.
    """

    qp: DualQP
    gram: Gram
    D: FloatArray
    T: FloatArray
    inverse: Solve
    refine: bool
    A: FloatArray

    def product(self, a: FloatArray) -> FloatArray:
        """Q a."""
        return product(self.qp, self.gram, a)

    def _once(self, r: FloatArray) -> FloatArray:
        qp = self.qp
        if qp.size == qp.n:
            dv = self.inverse(qp.embed(r))
            direct: FloatArray = qp.sign * dv[qp.sample]
            return direct
        s = qp.embed(r / self.D)
        dv = self.inverse(s / self.T)
        reduced: FloatArray = (r - qp.sign * ((s - dv) / self.T)[qp.sample]) / self.D
        return reduced

    def hessian_solve(self, r: FloatArray) -> FloatArray:
        """(Q + D)^-1 r, refined once where the factorised matrix is not quite that of the system."""
        a = self._once(r)
        if not self.refine:
            return a
        correction = self._once(r - self.product(a) - self.D * a)
        return a + correction if np.isfinite(correction).all() else a

    def solve(self, r: FloatArray, rp: FloatArray, HA: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(Q + D) da - A'dy = r, A da = rp, given HA = (Q + D)^-1 A', shape (N, equalities)."""
        da = self.hessian_solve(r)
        if not len(rp):
            return da, np.zeros(0)
        dy: FloatArray = np.linalg.lstsq(self.A @ HA, rp - self.A @ da, rcond=None)[0].astype(np.float64)
        return da + HA @ dy, dy


def product(qp: DualQP, gram: Gram, a: FloatArray) -> FloatArray:
    """E'(K + bias 11')E a, shape (N,)."""
    v = qp.embed(a)
    result: FloatArray = qp.sign * (gram.apply(v) + qp.bias_cost * v.sum())[qp.sample]
    return result


def bordered(qp: DualQP, gram: Gram, D: FloatArray, A: FloatArray, factorise: Factorise) -> Bordered | None:
    """The Newton system with this diagonal, kept off zero; None where it cannot be factorised."""
    D = np.maximum(D, _EPS * _size(qp, gram) + 1e-300)
    T: FloatArray = np.bincount(qp.sample, weights=1.0 / D, minlength=qp.n).astype(np.float64)
    found = factorise(1.0 / T)
    if found is None:
        return None
    inverse, nearly = found
    return Bordered(qp, gram, D, T, inverse, nearly or qp.size != qp.n, A)


def factorisation(qp: DualQP, gram: Gram) -> Factorise:
    """The way that suits the Gram: Cholesky of the whole, or thin factors that are never multiplied out."""
    return _by_factors(qp, gram) if isinstance(gram, LowRank) and gram.thin else _by_cholesky(qp, gram)


def _size(qp: DualQP, gram: Gram) -> float:
    return float(np.abs(gram.diag()).mean()) + qp.bias_cost


def _by_cholesky(qp: DualQP, gram: Gram) -> Factorise:
    """By Cholesky in one work array, with as little jitter as it takes."""
    K, size = gram.dense(), _size(qp, gram)
    work = np.empty_like(K, order="F")

    def factorise(diagonal: FloatArray) -> tuple[Solve, bool] | None:
        for jitter in (0.0, *(10.0**k * _EPS * size for k in range(9))):
            np.copyto(work, K.T)
            if qp.bias_cost:
                work[:] += qp.bias_cost
            work[np.diag_indices(qp.n)] += diagonal + jitter
            factor = lower_factor(work.T)
            if factor is not None:
                return partial(_solved, (factor, True)), jitter > 0.0
        return None

    return factorise


def _solved(factor: tuple[FloatArray, bool], b: FloatArray) -> FloatArray:
    solution: FloatArray = cho_solve(factor, b, check_finite=False)
    return solution


def _by_factors(qp: DualQP, gram: LowRank) -> Factorise:
    """By the factors, in memory for them alone."""
    columns = gram.with_constant(qp.bias_cost).factor

    def factorise(diagonal: FloatArray) -> tuple[Solve, bool] | None:
        try:
            return factored(columns, gram.ridge + diagonal).solve, False
        except LinAlgError:
            return None

    return factorise
