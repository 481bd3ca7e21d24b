"""A run, and others from elsewhere where the objective doubts its end."""

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._families._mixture import Mixture
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import AHEAD, Run, run
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._saddle_objective import objective_of
from kernelopt._saddle._watch import Watch


def learned(
    problem: Problem,
    solver: Solver,
    start: Response | Mixture,
    limits: Limits,
    *,
    seed: int = 0,
    watch: Watch | None = None,
) -> Run:
    """The run from a start or, where the objective doubts where that ended, the best of it and runs from elsewhere.

    A run that was stopped by a limit, or by somebody, is the answer as it is, and so is one after which no time is
    left for another.
    """
    watch = Watch() if watch is None else watch
    done = run(problem, solver, start, limits, seed=seed, watch=watch)
    if not (done.status.converged and Budget(limits.deadline).allows(AHEAD * done.pace)):
        return done
    try:
        with watch.gate.opened():
            others = objective_of(problem.criterion).elsewhere(problem, done.bounds.response)
    except KeyboardInterrupt:
        return attrs.evolve(done, status=Status.INTERRUPTED)
    best, left = done, attrs.evolve(limits, max_steps=limits.max_steps - done.trace[-1].step)
    alone = Watch(watch.observers, began=watch.began, gate=watch.gate)
    for other in others:
        again = run(problem, solver, other, left, seed=seed, watch=alone)
        best = _better(best, again)
        if not again.status.converged:
            break
    if best is not done:
        watch.keep(best.bounds.response, True)
    return best


def _better(done: Run, again: Run) -> Run:
    """The run that ended lower by more than what counts as the same; an interruption stays one."""
    fall = done.bounds.response.upper - again.bounds.response.upper
    note = (
        f"solver: a second run from another kernel ended at an objective that is {fall:.3g} lower, so the solution and "
        "the trace are those of the second run"
    )
    best = attrs.evolve(again, notes=(*again.notes, note), elsewhere=True) if fall > done.atol else done
    return best if again.status is not Status.INTERRUPTED else attrs.evolve(best, status=Status.INTERRUPTED)
