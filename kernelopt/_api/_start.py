"""Where a run begins: at the centre, at what some rows ask for, at a checkpoint, or at a given kernel."""

import math
import time
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from kernelopt._api._build import admitted, filled, outline, outlined, require_room, short_of_memory
from kernelopt._api._choose import Choice
from kernelopt._api._means import MEANS, furthest_means
from kernelopt._api._training import Training
from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._finite import finite_in_training
from kernelopt._base._interrupts import Gate
from kernelopt._base._status import Status
from kernelopt._base._typing import IntArray
from kernelopt._families._binding import tightened, unbound
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._feature_rows import holdable
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture
from kernelopt._families._row_lists import bound_by_rows
from kernelopt._io import _checkpoint
from kernelopt._linalg._gram import Dense, Gram
from kernelopt._model._solution import Solution
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import AHEAD, Run
from kernelopt._saddle._mixture_checks import fault_of
from kernelopt._saddle._objective import objective_of
from kernelopt._saddle._problem import Problem, Response
from kernelopt._saddle._restarts import learned
from kernelopt._saddle._watch import Watch

_ROUGHER = 20.0
"""On fewer rows the kernel is learned to so much more of a gap for each row: their choice costs more.
Worth: `constants.py start.rougher`."""
_CRUDER = 12.0
"""Its steps settle as soon as that gap is near: so many times the accuracy. Worth: `constants.py start.cruder`."""
_MOST_ANSWERED = 10_000
"""Where families bind nothing n x n, the centre kernel is answered on so many rows at most."""
_FINISH = 1.0
"""What follows the last look, the machine and what is said of the answer, takes as long as a step at most."""
SLOWEST, _QUICKEST = 3.0, 2.75
"""The powers of the number of rows with which time may grow. Guards: Grams are factored, and with 5000 rows a step took
14 to 22 times as long as with 1666, which is the power 2.4 to 2.8."""


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

    def last(self, leaves: tuple[Leaf, ...], n: int, grams: int) -> bool:
        """Whether n rows are too many: for the time that is left, or for memory, where so many n x n arrays are held
        beside what the families bind.
        """
        return not self.in_time(n) or short_of_memory(leaves, n, grams) is not None

    def grown(self, n: int, cost: float) -> float:
        """With which power of the number of rows the cost grows that is so much for n."""
        if min(cost, self.cost) <= 0.0:
            return _QUICKEST
        power = math.log(cost / self.cost) / math.log(n / self.problem.n)
        return min(max(power, _QUICKEST), SLOWEST)


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
        return Beginning(_of_most(found, known), interrupted=found.done.status is Status.INTERRUPTED)
    kept = _kept(checkpoint)
    read = None if kept is None else _checkpoint.read(kept, problem)
    if start is None and read is None:
        if known is not None and _share(problem) is not None:
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
    return sized(rough, problem.center(), budget)


def _kept(checkpoint: str | Path | None) -> Path | None:
    return None if checkpoint is None or not Path(checkpoint).exists() else Path(checkpoint)


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
    if start is not None or _kept(checkpoint) is not None:
        return None
    if request.objective.rehearsal(len(request.training.X)) is None:
        return None
    problem, limits = (outlined if fewer else admitted)(request, choice)
    return _rehearsal(problem, request.training, choice.solver, limits, request.settings.seed, gate, fewer, known)


def _share(problem: Problem) -> int | None:
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
    n, rows, grams = problem.n, _share(problem), solver.gram_copies
    if rows is None:
        return None
    spared = limits.deadline is None and known is not None and known.rows >= rows
    if spared and not (fewer and short_of_memory(problem.leaves, n, grams)):
        return None
    few = some(training, np.sort(np.random.default_rng(seed).permutation(n)[:rows]))
    leaves = solver.bound(tightened(problem.leaves), rows)
    plain = outline(leaves, few, problem.criterion, accuracy=_CRUDER * problem.accuracy)
    less = attrs.evolve(limits, atol=limits.atol and _ROUGHER * limits.atol * rows / n)
    found = _rehearsal(plain, few, solver, less, seed, gate, fewer, known)
    if found is not None and (found.done.status is Status.INTERRUPTED or (fewer and found.last(leaves, rows, grams))):
        return found
    require_room(leaves, rows, grams)
    began = time.monotonic()
    inner = filled(plain, few)
    begun = inner.center() if known is None else known.mixture
    first = sized(inner, begun, Budget(limits.deadline)) if found is None else _of_most(found, known)
    bound = time.monotonic() - began
    done = learned(inner, solver, first, less, seed=seed, watch=Watch(gate=gate))
    cost = bound + (AHEAD + _FINISH) * done.pace
    return Rehearsed(few, inner, less, done, cost, _QUICKEST if found is None else found.grown(rows, cost))


def _of_most(found: Rehearsed, known: Known | None) -> Mixture:
    """The kernel that was learned from more rows, or the known one if both are of as many."""
    return found.mixture if known is None or known.rows < found.problem.n else known.mixture


def some(training: Training, rows: IntArray) -> Training:
    """What a problem needs of the training data, of these rows alone."""
    return attrs.evolve(
        training,
        X=training.X[rows],
        encoded=training.encoded[rows],
        weight=training.weight[rows],
        sample_weight=training.sample_weight[rows],
        rows=training.rows[rows],
    )


def sized(problem: Problem, mixture: Mixture, budget: Budget | None = None) -> Response:
    """The answer to the mixture in the size with which the objective lets a run begin."""
    gram, t = _size(problem, mixture)
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
