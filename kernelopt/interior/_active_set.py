"""Dual sets in which only the variables that can still matter move."""

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._criteria._dual_qp import DualPoint, DualQP
from kernelopt._criteria._kkt import held_variables
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._row_subset import Chosen, Restricted, binds_rows, choose, free, subset

_WORTH = 0.5
"""Variables are held where at most this share of them is left to move: else the saving is small.
Worth: `constants.py interior.worth`."""


@attrs.frozen(eq=False)
class Held:
    """A problem in which only the variables that can still matter move.

    Attributes:
        problem: on all rows, the other variables held by intervals of one point; or on the rows that matter alone.
        chosen: those rows; None where all are there.
    """

    problem: Problem
    chosen: Chosen | None = None

    def taken(self, duals: tuple[DualPoint, ...]) -> tuple[FloatArray, ...]:
        """Of each output's alpha over all rows, that of the problem's variables."""
        return tuple(dual.alpha for dual in duals) if self.chosen is None else self.chosen.taken(duals)

    def spread(self, whole: Problem, alphas: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Each output's alpha over all rows of the whole problem."""
        return alphas if self.chosen is None else self.chosen.spread(whole.outputs, alphas)


def narrowed(
    problem: Problem, response: Response, gram: Gram, band: int, *, near: tuple[DualPoint, ...] | None = None
) -> Held:
    """The problem, with the variables that the response leaves far from the margin held on their bounds.

    A variable is held by an interval of one point, and the interior point leaves it out of its system; rows held at 0
    leave altogether where the families bind nothing but rows. The optimum over what moves bounds that over all
    variables from below; a response on all of them tells which should have moved.

    Args:
        problem: the problem.
        response: an answer to some kernel.
        gram: that kernel's.
        band: the least number of variables that move in each output; those nearest the margin come first.
        near: a dual point that must stay within reach: a variable moves too where it differs there from its value here.
    """
    F = gram.apply(response.V)
    if binds_rows(problem):
        chosen = choose(problem, response, F, band, near)
        few = len(chosen.rows) <= _WORTH * problem.n
        return Held(subset(problem, chosen), chosen) if few else Held(problem)
    outputs = tuple(
        _narrow(qp, dual.alpha, F[:, k], band)
        for k, (qp, dual) in enumerate(zip(problem.outputs, response.duals, strict=True))
    )
    return Held(attrs.evolve(problem, outputs=outputs))


def thinned(problem: Problem, size: int, seed: int) -> Problem:
    """The problem on `size` samples drawn at random, their share from every class.

    Each of them stands for several: its box is that much wider and its curvature less. All others are held at 0, or
    left out where the families bind nothing but rows. The optimum is near the whole problem's and bounds nothing.
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
    if binds_rows(problem):
        return subset(problem, free(problem, np.flatnonzero(drawn)), widen)
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
