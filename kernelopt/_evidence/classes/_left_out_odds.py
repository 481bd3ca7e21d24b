"""Logarithms of the odds of classes as rows that were left out have them, each in turn, and how sure they may be.

At the mode of Laplace's approximation the loss of row i is nearly a parabola of slope -a_i and curvature W_i, and the
posterior of the values f is a Gaussian with the variances u_i. Without the loss of the row it is a Gaussian too, with
the mean

    f_-i = f_i - u_i a_i / (1 - u_i W_i),    u_i W_i = 1 - (B^-1)_ii,    B = I + W^1/2 c K W^1/2

(Opper and Winther 2000; Vehtari, Mononen, Tolvanen, Sivula and Winther 2016), so that n machines cost no more than one
inverse. Of a row that counts s times and was measured s times, one measurement is left out; a row that was copied is
left out with all of its copies, whose slopes and curvatures add up.
"""

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._evidence.classes._damped import damped_from
from kernelopt._evidence.classes._laplace import Classes, Modes
from kernelopt._evidence.classes._newton import Mode
from kernelopt._evidence.classes._shares import Counted
from kernelopt._prediction._odds import Logistic

MOST = 1000
"""Of more rows none is left out: the factor differs from 1 by less the more rows there are."""
_LEAST = 1e-12
"""The least share of what others say in the curvature at a row, of which rounding errors may leave less."""


def left_out(classes: Classes, mode: Mode, counted: Counted) -> FloatArray | None:
    """f at each row by others that are not its copies, shape (n,); None where rounding leaves nothing positive of B."""
    curvature, variance = classes.around(mode)
    if variance is None:
        return None
    slope = mode.a
    if counted.together:
        slope, curvature = (np.where(counted.copied, _summed(one, counted), one) for one in (slope, curvature))
    times = np.where(counted.copied, 1.0, np.maximum(counted.weight, 1.0))
    by_others = np.maximum(1.0 - variance * curvature / times, _LEAST)
    return np.asarray(mode.f - variance * slope / times / by_others)


def _summed(values: FloatArray, counted: Counted) -> FloatArray:
    """The sum of the values (n,) of all rows that are equal to each, shape (n,)."""
    return np.asarray(np.bincount(counted.sets, values)[counted.sets], dtype=np.float64)


def as_left_out(found: Modes, counted: Counted) -> Logistic:
    """Odds as sure as rows which were left out say; as they are where rounding leaves nothing to say it by."""
    values = [left_out(classes, mode, counted) for classes, mode in found]
    known = [one for one in values if one is not None]
    if len(known) < len(values):
        return Logistic()
    y = np.column_stack([classes.y for classes, _ in found])
    return damped_from(np.column_stack(known), y, counted.weight)
