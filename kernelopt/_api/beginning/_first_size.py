"""The size of the kernel with which a run begins."""

import time

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._finite import finite_in_training
from kernelopt._families._mixture import Mixture
from kernelopt._linalg._gram import Dense, Gram
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._saddle_objective import objective_of

_LEAST_SECONDS = 0.25
"""A patient answer gets so many at least, or as many as its Gram took: without one the machine is a constant."""


def sized(problem: Problem, mixture: Mixture, budget: Budget | None = None, *, patient: bool = False) -> Response:
    """The answer to the mixture in the size with which the objective lets a run begin.

    A patient one has time even where the time ends while its Gram is formed, for which nobody can wait in parts.
    """
    began = time.monotonic()
    gram, t = _size(problem, mixture)
    formed = time.monotonic()
    if patient and budget is not None and budget.deadline is not None:
        least = formed + max(formed - began, _LEAST_SECONDS)
        budget = attrs.evolve(budget, deadline=max(budget.deadline, least))
    return problem.respond_gram(_times(mixture, t), gram.scaled(t), None, budget)


def scaled(problem: Problem, mixture: Mixture) -> Mixture:
    """The mixture in that size, for a run that answers it itself."""
    return _times(mixture, _size(problem, mixture)[1])


def _size(problem: Problem, mixture: Mixture) -> tuple[Gram, float]:
    """The mixture's Gram, and the factor with which the objective lets a run begin."""
    gram = problem.gram(mixture)
    _check_finite(gram, problem)
    return gram, objective_of(problem.criterion).size(problem, gram)


def _times(mixture: Mixture, t: float) -> Mixture:
    return mixture if t == 1.0 else Mixture(tuple(part.scaled(t) for part in mixture.parts))


def _check_finite(gram: Gram, problem: Problem) -> None:
    """Refuse a kernel without numbers before any factorisation sees it: LAPACK answers NaN with lines on stdout.

    Raises:
        InvalidData: a value of it is NaN or infinite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        seen = gram.apply(np.ones(gram.n)) if isinstance(gram, Dense) else gram.diag()
    if not np.isfinite(seen).all():
        names = " + ".join(leaf.family.name for leaf in problem.leaves)
        if isinstance(gram, Dense):
            finite_in_training(gram.dense(), names, of_rows=True)
        finite_in_training(seen, names, of_rows=True)
