"""The size of a kernel with which a run of the evidence begins: the likeliest multiple of its Gram."""

import math

import numpy as np

from kernelopt._evidence._counting import directions_of, noise_of, weight_of
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence.lists._list_likelihood import targets_of
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._problem import Problem

_SIZED = 500
"""The size of a kernel is learned on so many rows: it is one number. Worth: `constants.py evidence.sized`."""


def size_of(problem: Problem, gram: Gram, floor: float) -> float:
    """The t with sum_c y_c'K^-1 y_c / t = n c, except for the smallest noise; of many rows, only some are used.

    The smallest noise says of what size targets are: it is the share `floor` of their mean square. It is beside a
    kernel of that size, so that targets in other units begin at the same kernel.
    """
    rows = np.linspace(0, problem.n - 1, min(problem.n, _SIZED), dtype=np.intp)
    few, Y, noise = gram.only(rows), targets_of(problem)[rows], problem.outputs[0].curvature[rows]
    diagonal, many = few.diag(), directions_of(weight_of(problem)[rows]) * len(problem.outputs)
    usual = float(np.median(diagonal)) or float(diagonal.mean())  # few rows may be believed little
    unit = noise_of(problem) / (floor * usual) if usual > 0.0 else 1.0
    factor = factored(few.scaled(unit), noise, keep=False) if math.isfinite(unit) else None
    t = 1.0 if factor is None else unit * float(np.vdot(Y, factor.solve(Y)) / many)
    return t if t > 0.0 else 1.0
