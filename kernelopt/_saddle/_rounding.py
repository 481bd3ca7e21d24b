"""By how much rounding alone may move the two bounds of a saddle past each other."""

import numpy as np

from kernelopt._criteria._dual_qp import DualPoint, DualQP
from kernelopt._saddle._bounds import Bounds
from kernelopt._saddle._problem import Problem

_SUM = 64.0 * float(np.finfo(float).eps)
"""What rounding leaves of a sum, as a share of the sum of the sizes of its terms."""
_KERNEL = 1e-12
"""What rounding leaves of an entry of a kernel, as a share of the entry: families multiply and subtract integrals."""


def rounding_of(problem: Problem, bounds: Bounds) -> float:
    """The sizes of all that is added up in either bound, times the share that rounding leaves of it.

        sum_i s_i |linear_i| + 1/2 curvature_i alpha_i^2 + 1/2 (sum_i |v_i|)^2 max K_ii,
        s_i the bound on alpha_i where there is one: the slope of sample i's loss.

    Kernels are bounded by the mean of K_ii that the answer saw, weighted by v_i^2.
    """
    response, ceiling = bounds.response, bounds.ceiling
    squares = sum(dual.squares for dual in response.duals)
    weight = sum(float(dual.v @ dual.v) for dual in response.duals)
    size = squares / weight if weight > 0.0 else 0.0
    total = 0.0
    for duals in (response.duals, ceiling.duals):
        for qp, dual in zip(problem.outputs, duals, strict=True):
            total += _terms(qp, dual, size)
    values = ceiling.values[np.isfinite(ceiling.values)]
    kernel = 0.5 * squares + 0.5 * float(np.abs(values).max(initial=0.0)) * (ceiling.total or 1.0)
    return total + _KERNEL * (kernel + abs(ceiling.offset) + abs(problem.penalty(response.mixture)))


def _terms(qp: DualQP, dual: DualPoint, size: float) -> float:
    """What one output adds up at a dual point, times what rounding leaves of it."""
    reach = np.maximum(np.abs(qp.lower), np.abs(qp.upper))
    slope = np.where(np.isfinite(reach), reach, np.abs(dual.alpha))
    sums = float(slope @ np.abs(qp.linear)) + 0.5 * float(qp.curvature @ (dual.alpha * dual.alpha))
    return _SUM * (sums + 0.5 * size * float(np.abs(dual.v).sum()) ** 2) + _KERNEL * abs(dual.h)
