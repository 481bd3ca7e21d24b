"""The end of a run: both bounds computed anew, and the status that they leave."""

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import Run
from kernelopt._saddle._objective import objective_of
from kernelopt._saddle._problem import Problem


def certified(problem: Problem, done: Run, limits: Limits, seed: int) -> Run:
    """The run with both bounds computed anew, and its status corrected by them; after Ctrl-C as it was, with a note.

    Rounding may cost the tolerance, and the last polish may reach it.
    """
    objective = objective_of(problem.criterion)
    try:
        bounds = objective.recertified(problem, done.bounds, seed, Budget(limits.deadline))
    except KeyboardInterrupt:
        note = "certificate: the final look was interrupted, so both bounds are those of the last step"
        return attrs.evolve(done, status=Status.INTERRUPTED, notes=(*done.notes, note))
    status = done.status
    if not bounds.certificate.within(limits.tol, done.atol):
        status = Status.STALLED if status.converged else status
    elif status is not Status.INTERRUPTED:
        status = objective.reached(bounds.certificate)
    return attrs.evolve(done, status=status, bounds=bounds, certified=True)
