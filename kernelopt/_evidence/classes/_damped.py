"""Logarithms of odds that are too sure or not sure enough: held-out rows say by which factor.

They are too sure where kernels which joined have seen the classes, and not sure enough where the evidence took classes
for numbers with noise when it learned how large functions are.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from kernelopt._base._typing import FloatArray
from kernelopt._prediction._few_rows import chance_of_any
from kernelopt._prediction._odds import Logistic, sided

_LEAST, _MOST = 1e-3, 5.0
"""The smallest and the largest factor: guards, for with the smallest all classes are as probable as each other."""
_DEVIATION = 0.5
"""What the logarithm of a factor differs from 0 before rows speak, in nats. Worth: `probabilities_table.py`."""


def damped_from(values: FloatArray, y: FloatArray, weight: FloatArray, share: float = 1.0) -> Logistic:
    """Odds with the factor under which the true classes are the most likely, and which is the most probable itself:

        minimise over t > 0 the sum of -log p(class | t f) over rows, + (log t)^2 / (2 0.5^2)

    Where all rows are told apart no factor would be large enough without the latter, which hardly counts for many rows.
    Few rows count as if each were of any class with the chance that one more row has; see `chance_of_any`.
    Machines of fewer rows say nothing of how sure those of all rows should be. How much too sure they are falls with
    the number of rows, as the bias of a likelihood that was maximised does: the logarithm of the factor is taken in
    proportion to its inverse. This is a guard, and no law.

    Args:
        values: of rows that were held out; of two classes those of the second, shape (n, 1); else (n, c).
        y: -1 and 1, of the same shape.
        weight: how often each row counts, > 0, shape (n,).
        share: of all rows that these are, > 0, at most 1.
    """
    truth, rows = np.argmax(sided(y), axis=1), np.arange(len(y))
    any_class = chance_of_any(float(weight.sum()) / share)

    def loss(logarithm: float) -> float:
        scores = Logistic().scores(np.exp(logarithm) * values)
        told = (1.0 - any_class) * scores[rows, truth] + any_class * scores.mean(axis=1)
        likely = float(weight @ (logsumexp(scores, axis=1) - told))
        return likely + 0.5 * (logarithm / _DEVIATION) ** 2

    found = float(minimize_scalar(loss, bounds=(np.log(_LEAST), np.log(_MOST)), method="bounded").x)
    return Logistic(float(np.exp(share * found)) if loss(found) < loss(0.0) else 1.0)
