"""The one loop around every solver: bounds, clock, tolerance, stall, interruption, trace."""

import time
from collections.abc import Callable

import attrs

from kernelopt._base._status import Status
from kernelopt._criteria._contract import ConcaveCriterion
from kernelopt._families._mixture import Mixture, Query
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._contract import Budget, Solver, State
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._polish import polished
from kernelopt._saddle._problem import Problem, Response
from kernelopt._saddle._trace import Record, Trace

Observer = Callable[[Record], object]
"""Gets every record; whoever returns True stops the run."""


@attrs.frozen
class Limits:
    """When the loop stops.

    Attributes:
        tol, atol: converged where gap <= tol max(|lower|, |upper|) + atol; atol None: `default_atol`.
        max_steps: after this many steps.
        deadline: on `time.monotonic()`'s clock, or None.
    """

    tol: float
    atol: float | None
    max_steps: int
    deadline: float | None


@attrs.frozen(eq=False)
class Bounds:
    """The best bounds so far, with the kernel and the dual point that prove them."""

    response: Response
    ceiling: Ceiling

    @property
    def certificate(self) -> Certificate:
        return Certificate(self.response.upper, self.ceiling.lower, self.ceiling.exact, self.ceiling.tangent)


def _improved(problem: Problem, bounds: Bounds | None, state: State) -> Bounds:
    """The better of the bounds so far and a state's.

    Where the ceiling is estimated, every atom that is found later caps the lower bound that was found before. Where the
    objective has a concave term both bounds belong to one kernel, the best.
    """
    if bounds is None:
        return Bounds(state.response, state.ceiling)
    if isinstance(problem.criterion, ConcaveCriterion):
        return bounds if state.response.upper > bounds.response.upper else Bounds(state.response, state.ceiling)
    response = state.response if state.response.upper < bounds.response.upper else bounds.response
    mine = bounds.ceiling if bounds.ceiling.exact else _capped(problem, bounds.ceiling, state.ceiling)
    return Bounds(response, state.ceiling if state.ceiling.lower > mine.lower else mine)


def _capped(problem: Problem, ceiling: Ceiling, later: Ceiling) -> Ceiling:
    """An estimated ceiling, corrected by the atoms of a later search."""
    values = ceiling.values.copy()
    for k, best in enumerate(later.atoms):
        if not best.exact:
            values[k] = max([values[k], *problem.value_of(k, best.atoms, ceiling.V)])
    return ceiling.capped(values)


@attrs.frozen(eq=False)
class Run:
    """What the loop brings back."""

    status: Status
    bounds: Bounds
    trace: Trace
    atol: float


def run(
    problem: Problem,
    solver: Solver,
    start: Response | Mixture,
    limits: Limits,
    *,
    seed: int = 0,
    observers: tuple[Observer, ...] = (),
    keep: Callable[[Response], object] | None = None,
    began: float | None = None,
    interrupted: bool = False,
) -> Run:
    """Step the solver until the tolerance, a limit, a stall or an interruption; never lose the best bounds.

    state = init;  repeat  record, stop?, state = step(state)

    Where somebody has interrupted it before, it ends with the first state.
    """
    began = time.monotonic() if began is None else began
    stop = _Stop(interrupted)
    budget = Budget(limits.deadline, stop.asked)
    bounds: Bounds | None = None
    atol = limits.atol
    trace: list[Record] = []
    state: State | None = None
    asked: Ceiling | None = None
    try:
        while True:
            if state is None:
                state = _first(problem, solver, start, seed, budget)
            else:
                state = solver.step(problem, state, budget)
            bounds = _improved(problem, bounds, state)
            atol = default_atol(bounds.response) if atol is None else atol
            trace.append(_record(state, bounds, time.monotonic() - began, fresh=state.ceiling is not asked))
            asked = state.ceiling
            stop.listen(observers, trace[-1])
            if keep is not None:
                keep(bounds.response)
            status = _verdict(problem, bounds, state, trace, solver, limits, atol, stop)
            if status is not None:
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    if bounds is None:
        response = problem.respond(start) if isinstance(start, Mixture) else start
        bounds = Bounds(response, problem.ceiling(response.duals, near=response.mixture))
    return Run(status, bounds, Trace(trace), default_atol(bounds.response) if atol is None else atol)


def _first(problem: Problem, solver: Solver, start: Response | Mixture, seed: int, budget: Budget) -> State:
    """The state before the first step."""
    if isinstance(start, Mixture):
        return solver.begin(problem, start, seed, budget)
    return solver.init(problem, start, seed, budget)


def reached(problem: Problem, certificate: Certificate) -> Status:
    """What is proved where the bounds are within the tolerance."""
    if isinstance(problem.criterion, ConcaveCriterion):
        return Status.STATIONARY if certificate.exact else Status.STATIONARY_ESTIMATED
    return Status.CONVERGED if certificate.exact else Status.CONVERGED_ESTIMATED


def _verdict(
    problem: Problem,
    bounds: Bounds,
    state: State,
    trace: list[Record],
    solver: Solver,
    limits: Limits,
    atol: float,
    stop: "_Stop",
) -> Status | None:
    """Why to stop now, or None."""
    certificate = bounds.certificate
    if certificate.within(limits.tol, atol):
        return reached(problem, certificate)
    if stop.asked():
        return Status.INTERRUPTED
    if limits.deadline is not None and time.monotonic() >= limits.deadline:
        return Status.MAX_SECONDS
    if state.stalled:
        return Status.STALLED
    if state.step >= limits.max_steps:
        return Status.MAX_STEPS
    if len(trace) > solver.patience and trace[-1].relative_gap > 0.99 * trace[-1 - solver.patience].relative_gap:
        return Status.STALLED
    return None


def default_atol(response: Response) -> float:
    """1e-12 (|h| + 1/2 sum v_i^2 K_ii): what rounding leaves of a gap where the optimum is 0."""
    return 1e-12 * (abs(response.h) + 0.5 * sum(dual.squares for dual in response.duals))


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
        atoms=len(state.response.mixture),
        support=len(state.response.support),
        note="; ".join(note for note in notes if note),
    )


class _Stop:
    """Whether an observer asked to stop."""

    def __init__(self, asked: bool) -> None:
        self._asked = asked

    def asked(self) -> bool:
        return self._asked

    def listen(self, observers: tuple[Observer, ...], record: Record) -> None:
        for observer in observers:
            if observer(record) is True:
                self._asked = True


def recertify(problem: Problem, bounds: Bounds, seed: int, budget: Budget) -> Bounds:
    """Both bounds once more, from scratch: the Gram, f = K v, the primal side and the oracle."""
    mixture = bounds.response.mixture
    points = problem.points(tuple(dual.alpha for dual in bounds.ceiling.duals))
    if isinstance(problem.criterion, ConcaveCriterion):
        return Bounds(*problem.criterion.bounds(problem, points, Query(seed=seed), mixture))
    gram = problem.gram(mixture)
    response = problem.assess(mixture, tuple(dual.alpha for dual in bounds.response.duals), gram)
    ceiling = problem.ceiling(points, Query(seed=seed))
    if not ceiling.exact:
        ceiling = _capped(problem, ceiling, bounds.ceiling)
    return Bounds(polished(problem, response, gram, budget), ceiling)
