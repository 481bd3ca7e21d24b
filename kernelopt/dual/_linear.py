"""The dual problem without bounds and equalities: one linear system in place of an iteration."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, svd

from kernelopt._dual import DualQP
from kernelopt._gram import Gram, LowRank
from kernelopt._typing import FloatArray

Solve: TypeAlias = Callable[[FloatArray], FloatArray]

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
    if isinstance(gram, LowRank) and gram.factor.shape[1] < gram.n and (gram.ridge + c > 0.0).all():
        factor = gram.factor
        if bias_cost:
            factor = np.column_stack([factor, np.full(gram.n, np.sqrt(bias_cost))])
        return _low_rank(factor, gram.ridge + c)
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


def _low_rank(F: FloatArray, D: FloatArray) -> Solve:
    """(F F' + diag(D))^-1 in O(n r^2), by the singular values of D^-1/2 F = U S W'.

        x = D^-1/2 [t - U U't + U (I + S^2)^-1 U't],    t = D^-1/2 b

    The difference t - U U't is projected twice: where S is large nothing of the span of U may be left in it. The
    formula of Woodbury, which is the same algebra, loses all digits there.
    """
    root = np.sqrt(D)
    U, S, _ = svd(F / root[:, None], full_matrices=False, check_finite=False)
    shrink = 1.0 / (1.0 + S * S)

    def solve(b: FloatArray) -> FloatArray:
        t = b / root
        inside = U.T @ t
        outside = t - U @ inside
        outside -= U @ (U.T @ outside)
        x: FloatArray = (outside + U @ (shrink * inside)) / root
        return x

    return solve
