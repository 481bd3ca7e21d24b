"""Logarithms of odds that are too sure, because kernels which joined have seen the classes: held-out rows say by how
much.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from kernelopt._base._typing import FloatArray
from kernelopt._prediction._odds import Logistic, sided

_LEAST = 1e-3
"""The smallest factor: a guard, for with it all classes are as probable as each other."""


def damped_from(values: FloatArray, y: FloatArray, weight: FloatArray, share: float = 1.0) -> Logistic:
    """Odds with the damping of at most 1 under which the true classes are the most likely.

    Machines of fewer rows say nothing of how much surer those of all rows may be. How much too sure they are falls with
    the number of rows, as the bias of a likelihood that was maximised does: the logarithm of the damping is taken in
    proportion to its inverse. This is a guard, and no law.

    Args:
        values: of rows that were held out; of two classes those of the second, shape (n, 1); else (n, c).
        y: -1 and 1, of the same shape.
        weight: how often each row counts, > 0, shape (n,).
        share: of all rows that these are, > 0, at most 1.
    """
    truth, counts, rows = np.argmax(sided(y), axis=1), weight / weight.sum(), np.arange(len(y))

    def loss(factor: float) -> float:
        scores = Logistic().scores(factor * values)
        return float(counts @ (logsumexp(scores, axis=1) - scores[rows, truth]))

    found = float(minimize_scalar(loss, bounds=(_LEAST, 1.0), method="bounded").x)
    return Logistic(found**share if loss(found) < loss(1.0) else 1.0)
