"""The reduced convex hulls of two classes, whose nearest points nu-svc and margin look for."""

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Primal
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._multipliers import best_multiple, fill, two_fills


def primal_of_hulls(qp: DualQP, v: FloatArray, f: FloatArray) -> Primal:
    """The primal objective at the best multiple of v, with the multipliers (b, rho).

    Each class fills its sum of the dual problem with its own rows, cheapest first, and the thresholds of the two fills
    are rho - b and rho + b.

    Args:
        qp: a dual problem whose sums over each class are given.
        v: shape (n,).
        f: K v, shape (n,).
    """
    plus = qp.sign > 0.0
    first = fill(f[plus], qp.upper[plus], float(qp.target[0]))
    second = fill(-f[~plus], qp.upper[~plus], float(qp.target[1]))
    best = two_fills(first, second)
    return Primal(best_multiple(float(v @ f), best.value), np.array([best.bias, best.rho]))
