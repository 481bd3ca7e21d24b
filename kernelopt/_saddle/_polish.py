"""The last touch on an answer: variables that only hover near a bound are put on it, the rest solved again."""

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._criteria._kkt import settled
from kernelopt._linalg._gram import Dense, Gram
from kernelopt._linalg._gram_sum import Sum
from kernelopt._linalg._tall import Rowwise
from kernelopt._linalg._wide import Wide
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_FEW = 1000
"""Up to so many rows the engine's own passes over all rows cost less than blocks of some of them."""


def polished(problem: Problem, response: Response, gram: Gram, budget: Budget) -> Response:
    """The response with as few support vectors as its kernel needs.

    An interior point leaves every alpha a little off its bounds, so that every row looks like a support vector. The
    dual engine starts from alpha with those put back and, of many rows, works on those near the margin; its answer is
    taken where it proves at least as much. A Gram that is not formed is asked no further: variables are put back where
    nothing is lost.
    """
    alphas = tuple(
        settled(qp, dual.alpha, gram.apply(dual.v)) for qp, dual in zip(problem.outputs, response.duals, strict=True)
    )
    start = problem.assess(response.mixture, alphas, gram)
    if len(start.support) >= len(response.support):
        return response
    if isinstance(gram, Wide | Rowwise):
        return start if start.upper <= response.upper + _loss(problem, response) else response
    sharp = attrs.evolve(problem, accuracy=min(problem.accuracy, _proved(response)))
    near = Sum((gram,), np.ones(1)) if isinstance(gram, Dense) and gram.n > _FEW else gram
    trial = sharp.respond_gram(response.mixture, near, start, budget)
    fewer = len(trial.support) < len(response.support)
    return trial if fewer and trial.upper <= response.upper + _loss(problem, response) else response


def _proved(response: Response) -> float:
    """The relative gap between the response's own primal and dual objectives, not below rounding."""
    dual = sum(one.objective for one in response.duals)
    primal = sum(one.upper for one in response.duals)
    return max((primal - dual) / max(abs(primal), abs(dual), 1e-300), 1e-12)


def _loss(problem: Problem, response: Response) -> float:
    """What rounding of the engine's accuracy may cost."""
    return problem.accuracy * max(abs(response.upper), float(np.abs(response.h)))
