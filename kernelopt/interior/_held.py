"""Dual sets in which only the variables that can still matter move."""

import attrs
import numpy as np

from kernelopt._dual import DualQP
from kernelopt._gram import Gram
from kernelopt._problem import Problem, Response
from kernelopt._subset import Restricted, held_variables
from kernelopt._typing import BoolArray, FloatArray

_WORTH = 0.5
"""Variables are held where at most this share of them is left to move: else the saving is small."""


def narrowed(problem: Problem, response: Response, gram: Gram, band: int) -> tuple[DualQP, ...]:
    """The problem's outputs, with the variables that the response leaves far from the margin held on their bounds.

    A variable is held by an interval of one point, and the interior point leaves it out of its system. The optimum over
    what moves bounds that over all variables from below; a response on all of them tells which should have moved.

    Args:
        problem: the problem.
        response: an answer to some kernel.
        gram: that kernel's.
        band: the least number of variables that move in each output; those nearest the margin come first.
    """
    F = gram.apply(response.V)
    return tuple(
        _narrow(qp, dual.alpha, F[:, k], band)
        for k, (qp, dual) in enumerate(zip(problem.outputs, response.duals, strict=True))
    )


def thinned(problem: Problem, size: int, seed: int) -> Problem:
    """The problem on `size` samples drawn at random, their share from every class, on the same bound rows.

    Each of them stands for several: its box is that much wider and its curvature less. All others are held at 0. The
    optimum is near the whole problem's and bounds nothing.
    """
    rng = np.random.default_rng(seed)
    sides = np.zeros((problem.n, len(problem.outputs)))
    for k, qp in enumerate(problem.outputs):
        sides[qp.sample, k] = qp.sign
    _, label = np.unique(sides, axis=0, return_inverse=True)
    order = rng.permutation(problem.n)
    order = order[np.argsort(label.ravel()[order], kind="stable")]
    drawn = np.zeros(problem.n, dtype=bool)
    drawn[order[np.linspace(0, problem.n - 1, size).astype(int)]] = True
    widen = problem.n / np.count_nonzero(drawn)
    outputs = tuple(_thin(qp, drawn[qp.sample], widen) for qp in problem.outputs)
    return attrs.evolve(problem, outputs=outputs, criterion=Restricted())


def _thin(qp: DualQP, drawn: BoolArray, widen: float) -> DualQP:
    nothing = np.clip(np.zeros(qp.size), qp.lower, qp.upper)
    return attrs.evolve(
        qp,
        curvature=qp.curvature / widen,
        lower=np.where(drawn, qp.lower * widen, nothing),
        upper=np.where(drawn, qp.upper * widen, nothing),
    )


def _narrow(qp: DualQP, alpha: FloatArray, f: FloatArray, band: int) -> DualQP:
    moving, at = held_variables(qp, alpha, f, band)
    if np.count_nonzero(moving) > _WORTH * qp.size:
        return qp
    return attrs.evolve(qp, lower=np.where(moving, qp.lower, at), upper=np.where(moving, qp.upper, at))
