"""The kernel that some random rows ask for, which gives the run on all rows its start, and says how long that takes."""

import math
import time
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from kernelopt._api._build import admitted, filled, outline, outlined, require_room, short_of_memory
from kernelopt._api._choose import Choice
from kernelopt._api._validate import Request
from kernelopt._api.beginning._first_size import sized
from kernelopt._api.data._training import Training
from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._status import Status
from kernelopt._families._binding import tightened
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture
from kernelopt._io import _checkpoint
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import AHEAD, Run
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._restarts import learned
from kernelopt._saddle._saddle_objective import objective_of
from kernelopt._saddle._watch import Watch

_ROUGHER = 20.0
"""On fewer rows the kernel is learned to so much more of a gap for each row: their choice costs more.
Worth: `constants.py start.rougher`."""
_CRUDER = 12.0
"""Its steps settle as soon as that gap is near: so many times the accuracy. Worth: `constants.py start.cruder`."""
_FINISH = 1.0
"""What follows the last look, the machine and what is said of the answer, takes as long as a step at most."""
SLOWEST, _QUICKEST = 3.0, 2.75
"""The powers of the number of rows with which time may grow. Guards: Grams are factored, and with 5000 rows a step took
14 to 22 times as long as with 1666, which is the power 2.4 to 2.8."""
_SPENT, _WORTH = 0.5, 1.3
"""Where there is no time for the rows that were wanted, so much of it is for fewer of them, with which the kernel is
learned once more if they are so many times those that have learned it: what comes after takes the other half."""
_STEPS = 1.5
"""Such a run takes so many times as long as its shortest, by a guess: it ends in time where it takes longer."""


@attrs.frozen(eq=False)
class Known:
    """A kernel that was learned before.

    Attributes:
        mixture: the kernel.
        rows: from how many of the rows.
    """

    mixture: Mixture
    rows: int


@attrs.frozen(eq=False)
class Rehearsed:
    """What some of the rows have learned.

    Attributes:
        training: these rows.
        problem: on them.
        limits: when its run might stop.
        done: the run.
        cost: the seconds that these rows took at least: to bind them, a first state, the last look, and what follows.
        growth: with which power of the number of rows that grows.
    """

    training: Training
    problem: Problem
    limits: Limits
    done: Run
    cost: float
    growth: float

    @property
    def mixture(self) -> Mixture:
        """The kernel."""
        return self.done.bounds.response.mixture

    def in_time(self, n: int) -> bool:
        """Whether there is time for a kernel of n rows."""
        return Budget(self.limits.deadline).allows(self.cost * (n / self.problem.n) ** self.growth)

    def too_many(self, leaves: tuple[Leaf, ...], n: int, grams: int) -> bool:
        """Whether n rows are too many: for the time that is left, or for memory, where so many n x n arrays are held
        beside what the families bind.
        """
        return not self.in_time(n) or short_of_memory(leaves, n, grams) is not None

    def most(self, seconds: float) -> int:
        """How many rows there is time for in so many seconds."""
        return int(self.problem.n * (seconds / max(self.cost, 1e-9)) ** (1.0 / self.growth))

    def grown(self, n: int, cost: float) -> float:
        """With which power of the number of rows the cost grows that is so much for n."""
        if min(cost, self.cost) <= 0.0:
            return _QUICKEST
        power = math.log(cost / self.cost) / math.log(n / self.problem.n)
        return min(max(power, _QUICKEST), SLOWEST)


def of_most(found: Rehearsed, known: Known | None) -> Mixture:
    """The kernel that was learned from more rows, or the known one if both are of as many."""
    return found.mixture if known is None or known.rows < found.problem.n else known.mixture


def rehearsed(
    request: Request,
    choice: Choice,
    start: Any,
    checkpoint: str | Path | None,
    gate: Gate,
    fewer: bool,
    known: Known | None = None,
) -> Rehearsed | None:
    """The kernel that some random rows ask for, before any other row is bound; None where a run begins elsewhere.

    Args:
        request: what is asked for.
        choice: the families and the solver.
        start: what the user would go on from, or None.
        checkpoint: a file to go on from, or None.
        gate: where somebody may interrupt.
        fewer: whether fewer rows may be asked where time is too short, or memory too small.
        known: a kernel that was learned before; from as many rows as would be asked it is the answer.
    """
    if start is not None or _checkpoint.present(checkpoint) is not None:
        return None
    if request.objective.rehearsal(len(request.training.X)) is None:
        return None
    problem, limits = (outlined if fewer else admitted)(request, choice)
    training, solver, seed = request.training, choice.solver, request.settings.seed
    found = _rehearsal(problem, training, solver, limits, seed, gate, fewer, known)
    if found is None or not fewer or found.in_time(problem.n) or found.done.status is Status.INTERRUPTED:
        return found
    return _of_more(problem, training, solver, limits, seed, gate, found)


def rehearsing(problem: Problem) -> int | None:
    """How many rows learn the kernel before all do; None where none do, for features of all rows cost little."""
    if all(isinstance(leaf.family, ExplicitFamily) for leaf in problem.leaves):
        return None
    return objective_of(problem.criterion).rehearsal(problem.n)


def _rehearsal(
    problem: Problem,
    training: Training,
    solver: Solver,
    limits: Limits,
    seed: int,
    gate: Gate,
    fewer: bool,
    known: Known | None,
) -> Rehearsed | None:
    """The kernel that some of the rows ask for, which a known one or fewer of them gave a start; None where none are
    asked. With `fewer` it may be that of the latter, where time is short or memory small. With a time limit rows are
    asked even if the known kernel is of more of them, for they say how long all will take.

    Raises:
        NotEnoughMemory: the arrays of the rows that are asked do not fit, and there is no kernel of fewer.
    """
    n, rows, grams = problem.n, rehearsing(problem), solver.gram_copies
    if rows is None:
        return None
    spared = limits.deadline is None and known is not None and known.rows >= rows
    if spared and not (fewer and short_of_memory(problem.leaves, n, grams)):
        return None
    few, plain, less = _fewer(problem, training, solver, limits, seed, rows)
    found = _rehearsal(plain, few, solver, less, seed, gate, fewer, known)
    if found is not None and (
        found.done.status is Status.INTERRUPTED or (fewer and found.too_many(plain.leaves, rows, grams))
    ):
        return found
    require_room(plain.leaves, rows, grams)
    return _of_rows(plain, few, solver, less, seed, gate, found, known)


def _fewer(
    problem: Problem, training: Training, solver: Solver, limits: Limits, seed: int, rows: int
) -> tuple[Training, Problem, Limits]:
    """So many of the rows, the problem on them before any family has bound one, and when its run may stop."""
    few = training.some(np.sort(np.random.default_rng(seed).permutation(problem.n)[:rows]))
    leaves = solver.bound(tightened(problem.leaves), rows)
    plain = outline(leaves, few, problem.criterion, accuracy=_CRUDER * problem.accuracy)
    return few, plain, attrs.evolve(limits, atol=limits.atol and _ROUGHER * limits.atol * rows / problem.n)


def _of_rows(
    plain: Problem,
    few: Training,
    solver: Solver,
    limits: Limits,
    seed: int,
    gate: Gate,
    found: Rehearsed | None,
    known: Known | None,
) -> Rehearsed:
    """The kernel that these rows ask for, from that of fewer of them, a known one or the centre."""
    began = time.monotonic()
    inner = filled(plain, few)
    begun = inner.center() if known is None else known.mixture
    first = sized(inner, begun, Budget(limits.deadline)) if found is None else of_most(found, known)
    bound = time.monotonic() - began
    done = learned(inner, solver, first, limits, seed=seed, watch=Watch(gate=gate))
    cost = bound + (AHEAD + _FINISH) * done.pace
    return Rehearsed(few, inner, limits, done, cost, _QUICKEST if found is None else found.grown(inner.n, cost))


def _of_more(
    problem: Problem, training: Training, solver: Solver, limits: Limits, seed: int, gate: Gate, found: Rehearsed
) -> Rehearsed:
    """The kernel of as many rows as there is time for, where it is short; that of fewer where they are not many more,
    or memory has no room for them.
    """
    left = Budget(limits.deadline).remaining()
    if left is None:
        return found
    rows = min(found.most(_SPENT / _STEPS * left), problem.n)
    if rows < _WORTH * found.problem.n:
        return found
    few, plain, less = _fewer(problem, training, solver, limits, seed, rows)
    if found.too_many(plain.leaves, rows, solver.gram_copies):
        return found
    less = attrs.evolve(less, deadline=time.monotonic() + _SPENT * left)
    return _of_rows(plain, few, solver, less, seed, gate, found, None)
