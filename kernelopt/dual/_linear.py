"""The dual problem without bounds and equalities: one linear system in place of an iteration."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._linalg._gram import Gram, LowRank
from kernelopt._linalg._low_rank_plus_diagonal import Solve, Thin

_EPS = float(np.finfo(np.float64).eps)


def is_free(qp: DualQP) -> bool:
    """No variable has a bound or an equality, and every sample has one."""
    bounded = bool(np.isfinite(qp.lower).any() or np.isfinite(qp.upper).any())
    return qp.size == qp.n and not bounded and not len(qp.target)


def stationary(qp: DualQP, gram: Gram) -> FloatArray:
    """The alpha at which the gradient is 0, shape (N,): a factorisation, and one refinement.

        (K + bias_cost 11' + diag(curvature)) v = linear,    alpha and v in the order and the signs of E

    Where K is singular and nothing is added to it the system need not have a solution; then this is what the
    factorisation of a matrix next to it gives, and the certificate says how good that is.
    """
    b, c = qp.embed(qp.linear), qp.embed(qp.sign * qp.curvature)
    solve = _solver(gram, c, qp.bias_cost)

    v = solve(b)
    v += solve(b - gram.apply(v) - qp.bias_cost * v.sum() - c * v)
    alpha: FloatArray = qp.sign * v[qp.sample]
    return alpha


def _solver(gram: Gram, c: FloatArray, bias_cost: float) -> Solve:
    if isinstance(gram, LowRank) and gram.thin and (gram.ridge + c > 0.0).all():
        return Thin.of(gram.with_constant(bias_cost).factor, gram.ridge + c).solve
    return _dense(gram, c, bias_cost)


def _dense(gram: Gram, c: FloatArray, bias_cost: float) -> Solve:
    """By Cholesky, with as little jitter as it takes."""
    size = float(np.abs(gram.diag()).mean()) + bias_cost + float(c.mean())
    for jitter in (0.0, *(10.0**k * _EPS * size for k in range(1, 10))):
        matrix = np.array(gram.dense(), order="F")
        matrix += bias_cost
        matrix[np.diag_indices(gram.n)] += c + jitter
        try:
            factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            continue
        return lambda b: np.asarray(cho_solve(factor, b, check_finite=False))
    return np.zeros_like
