"""Where a run begins: at the centre, at what some rows ask for, at a checkpoint, or at a given kernel."""

from pathlib import Path
from typing import Any

import attrs

from kernelopt._api.beginning._first_size import sized
from kernelopt._api.beginning._means import MEANS, furthest_means
from kernelopt._api.beginning._rehearsal import Known, Rehearsed, of_most, rehearsing
from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._status import Status
from kernelopt._families._binding import unbound
from kernelopt._families._mixture import Mixture
from kernelopt._families.features._feature_rows import holdable
from kernelopt._families.features._row_lists import bound_by_rows
from kernelopt._io import _checkpoint
from kernelopt._model._solution import Solution
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._mixture_checks import fault_of
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_MOST_ANSWERED = 10_000
"""Where families bind nothing n x n, the centre kernel is answered on so many rows at most."""


@attrs.frozen(eq=False)
class Beginning:
    """Where a run begins.

    Attributes:
        at: a kernel, with its answer where that is known.
        baseline: the objective of the centre kernel, if that was looked at.
        interrupted: whether somebody asked to stop before.
    """

    at: Response | Mixture
    baseline: float | None = None
    interrupted: bool = False


def started(
    problem: Problem,
    limits: Limits,
    start: Any,
    checkpoint: str | Path | None,
    found: Rehearsed | None,
    known: Known | None = None,
    interrupted: bool = False,
) -> Beginning:
    """What some random rows ask for if that was found, a checkpoint's kernel, a given or a known one, or the centre."""
    if found is not None:
        return Beginning(of_most(found, known), interrupted=found.done.status is Status.INTERRUPTED)
    kept = _checkpoint.present(checkpoint)
    read = None if kept is None else _checkpoint.read(kept, problem)
    if start is None and read is None:
        if known is not None and rehearsing(problem) is not None:
            return Beginning(known.mixture, interrupted=interrupted)
        if _dear(problem):
            return Beginning(problem.center(), interrupted=interrupted)
        start = None if known is None else known.mixture
    first = _baseline(problem, Budget(limits.deadline))
    return Beginning(_given(start, problem, first) if read is None else read, first.upper, interrupted)


def _dear(problem: Problem) -> bool:
    """Whether the answer to the centre kernel costs as much as the whole run: the kernel between many rows, or their
    features, are computed again for each product.
    """
    if unbound(problem.leaves):
        return problem.n > _MOST_ANSWERED
    return bound_by_rows(problem.leaves) and not holdable(problem.n, sum(one.width for one in problem.data))


def _baseline(problem: Problem, budget: Budget) -> Response:
    """The answer to the centre kernel; where nothing n x n is formed, to a thousandth."""
    loose = unbound(problem.leaves) or bound_by_rows(problem.leaves)
    rough = attrs.evolve(problem, accuracy=max(problem.accuracy, 1e-3)) if loose else problem
    return sized(rough, problem.center(), budget, patient=True)


def _given(start: Any, problem: Problem, first: Response) -> Response:
    """The response to go on from: a given mixture's, or the centre's."""
    if start is None:
        return first
    if isinstance(start, str) and start == MEANS:
        return problem.respond(furthest_means(problem), first)
    mixture = start.mixture if isinstance(start, Solution) else start
    _check_start(start, mixture, problem)
    warm = start.response if isinstance(start, Solution) else first
    fits = all(dual.alpha.shape == (qp.size,) for dual, qp in zip(warm.duals, problem.outputs, strict=False))
    return problem.respond(mixture, warm if fits and len(warm.duals) == len(problem.outputs) else first)


def _check_start(start: Any, mixture: Any, problem: Problem) -> None:
    """Refuse a start that is no kernel of the problem, and say of a bare mixture what would be taken in its place.

    Raises:
        InvalidOption: it is none.
    """
    try:
        check_mixture(mixture, problem, "start")
    except InvalidOption as error:
        if not isinstance(start, Mixture):
            raise
        raise InvalidOption(
            f"{error}; if it is of a solution, pass the solution itself, whose kernels are then taken"
        ) from None


def check_mixture(mixture: Any, problem: Problem, name: str) -> None:
    """Refuse what is no mixture of the problem's families.

    Args:
        mixture: what the user gave.
        problem: the problem.
        name: of the user's argument.

    Raises:
        InvalidOption: it is none.
    """
    if not isinstance(mixture, Mixture):
        wanted = (
            f'a Solution, a Mixture or "{MEANS}"; a fitted estimator has its solution in solution_'
            if name == "start"
            else "a Mixture, such as the one of a solution"
        )
        raise InvalidOption(f"{name}: got {type(mixture).__name__}, wanted {wanted}")
    fault = fault_of(mixture, problem)
    if fault is not None:
        raise InvalidOption(f"{name}: {fault}")
