"""A run to its certified end: where the last look refutes what a search had stated, the run goes on."""

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._families._mixture import Mixture
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._certification import certified
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import AHEAD, Run, run
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._restarts import learned
from kernelopt._saddle._trace import Trace
from kernelopt._saddle._watch import Watch

_MORE = 2
"""So often a run goes on at most."""
_CLOSER = 0.5
"""It goes on to this share of its tolerance, then to that share of it: the next look may find a little more again."""


def settled(
    problem: Problem, solver: Solver, start: Response | Mixture, limits: Limits, *, seed: int, watch: Watch
) -> Run:
    """Learned and certified. A searched family states the best that it found, and the last look searches anew: where it
    finds better kernels the tolerance was not reached, and the run goes on from where it was.
    """
    done = learned(problem, solver, start, limits, seed=seed, watch=watch)
    for more in range(1, _MORE + 1):
        ended = certified(problem, solver, done, limits, seed, watch.gate)
        if not _refuted(done, ended):
            return ended
        left = limits.max_steps - done.trace[-1].step
        if left < 1 or not Budget(limits.deadline).allows(AHEAD * done.pace):
            return ended
        further = attrs.evolve(limits, tol=limits.tol * _CLOSER**more, max_steps=left)
        again = run(problem, solver, ended.bounds.response, further, seed=seed + more, watch=watch)
        done = attrs.evolve(again, trace=_joined(done.trace, again.trace), notes=(*done.notes, *again.notes))
    return certified(problem, solver, done, limits, seed, watch.gate)


def _refuted(done: Run, ended: Run) -> bool:
    """Whether the last look found what the search of the run had not, and a further search may go on from."""
    return done.status.converged and ended.status is Status.STALLED and not ended.bounds.ceiling.exact


def _joined(first: Trace, second: Trace) -> Trace:
    """One trace of both, whose steps are counted on; the first where the second was interrupted before its start."""
    if not second:
        return first
    steps = first[-1].step
    return Trace((*first[:-1], *(attrs.evolve(record, step=steps + record.step) for record in second)))
