"""The one loop around every solver: bounds, clock, tolerance, stall, interruption, trace."""

import math
from statistics import median

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._base._working_time import working
from kernelopt._families._mixture import Mixture
from kernelopt._saddle._bounds import Bounds, Limits, default_atol
from kernelopt._saddle._contract import Solver, State
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._objective import Objective
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._saddle_objective import objective_of
from kernelopt._saddle._trace import Record, Trace
from kernelopt._saddle._watch import Watch

AHEAD = 2.0
"""A run ends where less time is left than so many of its steps take: a further one, and the last look at both bounds,
which begins from scratch."""

_LEAST = 0.01
"""Of the gap: steps that bring less are of no use."""


@attrs.frozen(eq=False)
class Run:
    """What the loop brings back.

    Attributes:
        status: why it ended.
        bounds: the best.
        trace: a record for each step.
        atol: the absolute gap that counted as reached.
        notes: what the user should know of the end.
        certified: whether both bounds were computed anew after it.
        pace: the seconds of a step, the first state being one; the median of all.
        elsewhere: whether it began elsewhere than was asked for, and ended lower than the run that did not.
    """

    status: Status
    bounds: Bounds
    trace: Trace
    atol: float
    notes: tuple[str, ...] = ()
    certified: bool = False
    pace: float = 0.0
    elsewhere: bool = False


def run(
    problem: Problem,
    solver: Solver,
    start: Response | Mixture,
    limits: Limits,
    *,
    seed: int = 0,
    watch: Watch | None = None,
) -> Run:
    """Step the solver until the tolerance, a limit, a stall or an interruption; never lose the best bounds.

    state = init;  repeat  record, stop?, state = step(state)

    No step begins unless there is time for it and for the last look, should they take as long as the step before, and
    no step may take the time of the last look.
    The time in which numba compiled does not count in it, because it does not come again. Where somebody has
    interrupted the run before, it ends with the first state. Ctrl-C ends it, and what is kept at the end is kept,
    whatever ends it.
    """
    watch = Watch() if watch is None else watch
    stop = _Stop(watch)
    budget = Budget(limits.deadline, stop.asked)
    objective = objective_of(problem.criterion)
    bounds: Bounds | None = None
    trace: list[Record] = []
    state: State | None = None
    asked: Ceiling | None = None
    took: list[float] = []
    try:
        with watch.gate.opened():
            while True:
                before = working()
                if state is None:
                    state = _first(problem, solver, start, seed, budget)
                else:
                    state = solver.step(problem, state, budget.before(min(took[0], took[-1])))
                took.append(working() - before)
                found = Bounds(state.response, state.ceiling)
                bounds = found if bounds is None else objective.improved(problem, bounds, found)
                bounds = objective.reconciled(problem, bounds) if bounds.past_each_other else bounds
                trace.append(_record(state, bounds, working() - watch.began, fresh=state.ceiling is not asked))
                asked = state.ceiling
                stop.listen(trace[-1])
                watch.keep(bounds.response, False)
                status = _verdict(objective, bounds, state, trace, solver, limits, stop, took[-1])
                if status is not None:
                    break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    except BaseException:
        if bounds is not None:
            watch.keep(bounds.response, True)
        raise
    if bounds is None:
        with watch.gate.opened():
            response = problem.respond(start) if isinstance(start, Mixture) else start
            bounds = Bounds(response, problem.ceiling(response.duals, near=response.mixture))
    if state is not None and not status.converged:
        bounds = _with_unfinished(problem, objective, bounds, state)
    watch.keep(bounds.response, True)
    pace = median(took) if took else 0.0
    return Run(status, bounds, Trace(trace), _atol(limits, bounds, trace), pace=pace)


def _with_unfinished(problem: Problem, objective: Objective, bounds: Bounds, state: State) -> Bounds:
    """The bounds with the answer that the solver would not give yet, where there is one and it is better."""
    unfinished = state.unfinished
    if unfinished is None:
        return bounds
    better = objective.improved(problem, bounds, Bounds(unfinished, state.ceiling))
    return objective.reconciled(problem, better) if better.past_each_other else better


def _atol(limits: Limits, bounds: Bounds, trace: list[Record]) -> float:
    """The gap that is allowed besides the relative one."""
    if limits.atol is not None:
        return limits.atol
    first = trace[0] if trace else None
    ends = (bounds.response.upper, bounds.ceiling.lower) if first is None else (first.upper, first.lower)
    return default_atol(bounds.response, min((abs(one) for one in ends if one), default=0.0))


def _first(problem: Problem, solver: Solver, start: Response | Mixture, seed: int, budget: Budget) -> State:
    """The state before the first step."""
    if isinstance(start, Mixture):
        return solver.begin(problem, start, seed, budget)
    return solver.init(problem, start, seed, budget)


def _verdict(
    objective: Objective,
    bounds: Bounds,
    state: State,
    trace: list[Record],
    solver: Solver,
    limits: Limits,
    stop: "_Stop",
    took: float,
) -> Status | None:
    """Why to stop now, or None."""
    certificate = bounds.certificate
    if certificate.crossed:
        return Status.CONTRADICTION
    if certificate.within(limits.tol, _atol(limits, bounds, trace)):
        return objective.reached(certificate)
    if stop.asked():
        return Status.INTERRUPTED
    if state.step < limits.max_steps and not Budget(limits.deadline).allows(AHEAD * took):
        return Status.MAX_SECONDS
    if state.stalled:
        return Status.STALLED
    if state.step >= limits.max_steps:
        return Status.MAX_STEPS
    if len(trace) > solver.patience and not _gained(trace[-1 - solver.patience], trace[-1]):
        return Status.STALLED
    return None


def _gained(before: Record, now: Record) -> bool:
    """Whether the steps between two records were of use: they closed a hundredth of the gap, or the upper bound fell by
    as much. Where the lower bound is a tangent's, which moves with the kernel, a run may descend far at the same gap.
    Where there was no upper bound, any progress of either bound counts.
    """
    if math.isinf(before.upper):
        return now.upper < before.upper or now.lower > before.lower
    least = _LEAST * _gap(before)
    return not _gap(now) > _gap(before) - least or before.upper - now.upper > least


def _gap(record: Record) -> float:
    """What a step leaves open. Relative to its bounds it may rise while it falls, where they have opposite signs."""
    return record.upper - record.lower


def _record(state: State, bounds: Bounds, seconds: float, *, fresh: bool) -> Record:
    """A step in numbers; the families' notes come with the step that asked them."""
    certificate = bounds.certificate
    notes = (state.note, state.ceiling.note if fresh else "")
    return Record(
        step=state.step,
        seconds=seconds,
        upper=certificate.upper,
        lower=certificate.lower,
        relative_gap=certificate.relative_gap,
        atoms=state.response.mixture.count,
        support=state.response.support_size,
        note="; ".join(note for note in notes if note),
    )


class _Stop:
    """Whether an observer asked to stop, or Ctrl-C did where it could not raise, as in what Python calls back."""

    def __init__(self, watch: Watch) -> None:
        self._asked, self._watch = watch.interrupted, watch

    def asked(self) -> bool:
        return self._asked or self._watch.gate.asked

    def listen(self, record: Record) -> None:
        for observer in self._watch.observers:
            answer = observer(record)
            if isinstance(answer, bool | np.bool_) and answer:
                self._asked = True
