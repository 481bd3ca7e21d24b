"""A run, and others from elsewhere where the objective doubts its end."""

import attrs

from kernelopt._base._interrupts import Gate
from kernelopt._base._status import Status
from kernelopt._families._mixture import Mixture
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import Keep, Observer, Run, run
from kernelopt._saddle._objective import objective_of
from kernelopt._saddle._problem import Problem, Response


def learned(
    problem: Problem,
    solver: Solver,
    start: Response | Mixture,
    limits: Limits,
    *,
    seed: int = 0,
    observers: tuple[Observer, ...] = (),
    keep: Keep | None = None,
    began: float | None = None,
    interrupted: bool = False,
    gate: Gate | None = None,
) -> Run:
    """The run from a start or, where the objective doubts where that ended, the best of it and runs from elsewhere.

    A run that was stopped by a limit, or by somebody, is the answer as it is.
    """
    gate = Gate() if gate is None else gate
    done = run(
        problem,
        solver,
        start,
        limits,
        seed=seed,
        observers=observers,
        keep=keep,
        began=began,
        interrupted=interrupted,
        gate=gate,
    )
    if not done.status.converged:
        return done
    try:
        with gate.opened():
            others = objective_of(problem.criterion).elsewhere(problem, done.bounds.response)
    except KeyboardInterrupt:
        return attrs.evolve(done, status=Status.INTERRUPTED)
    best, left = done, attrs.evolve(limits, max_steps=limits.max_steps - done.trace[-1].step)
    for other in others:
        again = run(problem, solver, other, left, seed=seed, observers=observers, began=began, gate=gate)
        best = _better(best, again)
        if not again.status.converged:
            break
    if keep is not None and best is not done:
        keep(best.bounds.response, True)
    return best


def _better(done: Run, again: Run) -> Run:
    """The run that ended lower by more than what counts as the same; an interruption stays one."""
    fall = done.bounds.response.upper - again.bounds.response.upper
    note = f"solver: a second run, begun from another kernel, ended {fall:.3g} lower and is the answer, with its trace"
    best = attrs.evolve(again, notes=(*again.notes, note)) if fall > done.atol else done
    return best if again.status is not Status.INTERRUPTED else attrs.evolve(best, status=Status.INTERRUPTED)
