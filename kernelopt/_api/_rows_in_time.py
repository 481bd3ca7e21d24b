"""How many rows there is time for, where no solver learns from fewer of them first: small problems tell."""

import math
import time

import attrs
import numpy as np

from kernelopt._api._build import built, bytes_of
from kernelopt._api._choose import Choice
from kernelopt._api._validate import Request
from kernelopt._api.beginning._first_size import sized
from kernelopt._api.data._training import Training
from kernelopt._base._budget import TICK, Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._typing import IntArray
from kernelopt._prediction._odds import sided
from kernelopt._saddle._certification import certified
from kernelopt._saddle._loop import run
from kernelopt._saddle._watch import Watch

LOOKED_AT = (125, 250, 500)
"""On so many rows a first state and the last look are timed, on the fewest twice: the first time is what is imported
and compiled."""
_WORTH, _LITTLE = 1000, 1 << 30
"""Fewer rows that take fewer bytes are never too many."""
_LOOKS = 0.25
"""No look is taken that seems to take more of the time that is left: memory that is filled for the first time may take
three times as long."""
LEAST, MOST = 1.0, 3.0
"""The powers of the number of rows with which time may grow; the least where memory does not grow faster."""
_SHARE = 0.2
"""Of the time that is left, at most, is for the first state and the last look. The rest is for steps: with 0.7 of it a
list of 143 kernels on 4000 rows ended after one step, no better than chance; a seventh of the rows converged.
"""


@attrs.frozen
class _Taken:
    """The seconds that some rows took.

    Attributes:
        rows: how many.
        first: to bind them, and to the first state.
        last: for the last look.
    """

    rows: int
    first: float
    last: float

    @property
    def whole(self) -> float:
        """Both."""
        return self.first + self.last


def in_time(request: Request, choice: Choice, gate: Gate) -> Request:
    """The request with time kept for its last look, or the same for some of the rows, with a note, where all would take
    longer than there is time.
    """
    training, budget = request.training, Budget(request.deadline)
    n = len(training.X)
    few_rows = n <= LOOKED_AT[0] or (n < _WORTH and _bytes(choice, n) < _LITTLE)
    if request.deadline is None or few_rows or request.objective.rehearsal(n) is not None:
        return request
    order, least = drawn(training, n, request.settings.seed), _growth_of_memory(choice, n)
    *before, more = _looks(request, choice, order, least, gate)
    left, growth, few = budget.remaining() or 0.0, least, more.whole * 0.5**least
    if before:
        growth, few = power(before[0].whole, more.whole, least), before[0].whole
    k = max(_affordable(few, more.whole, more.rows, growth, left), LOOKED_AT[0])
    kept = attrs.evolve(request, reserve=more.last * (min(k, n) / more.rows) ** growth)
    return kept if k >= n else _of_few(kept, order, k)


def _looks(request: Request, choice: Choice, order: IntArray, least: float, gate: Gate) -> list[_Taken]:
    """What the most rows took that there is time to look at, after half as many where these were looked at too.

    Args:
        request: with a deadline.
        choice: the families and the solver.
        order: of the rows.
        least: the power of the number of rows with which time grows at least.
        gate: where somebody may interrupt.
    """

    def look(k: int) -> _Taken:
        return _taken(request, choice, some_of(request.training, order, k), gate)

    budget, (fewest, *others) = Budget(request.deadline), LOOKED_AT
    found = [look(fewest)]
    if not budget.allows(found[0].whole):
        return found
    found = [look(fewest)]
    for k in others:
        growth = power(found[-2].whole, found[-1].whole, least) if len(found) > 1 else least
        if k >= len(order) or not budget.allows(2.0**growth * found[-1].whole / _LOOKS):
            break
        found.append(look(k))
    return found[-2:]


def power(few: float, more: float, least: float = LEAST) -> float:
    """The power of the number of rows with which time grows, by the seconds of some rows and of twice as many."""
    return min(max(math.log2(max(more, TICK) / max(few, TICK)), least), MOST)


def _affordable(few: float, more: float, most: int, growth: float, left: float) -> int:
    """How many rows there is time for, if so many seconds are left.

    With n rows a first state and the last look take a + b n^growth. Where there is no time for the larger trial, a is
    not counted: fewer rows would not save it. For more rows it counts as if it grew too, which errs to the safe side.

    Args:
        few: the seconds of a trial, of half as many rows as the larger one.
        more: those of that.
        most: its rows.
        growth: the power.
        left: seconds.
    """
    share = _SHARE * left / max(more, TICK)
    if share >= 1.0:
        return int(most * share ** (1.0 / growth))
    same = max(few - more * 0.5**growth, 0.0) / (1.0 - 0.5**growth)
    share = _SHARE * max(left - same, 0.0) / max(more - same, TICK)
    return int(most * min(share, 1.0) ** (1.0 / growth))


def _of_few(request: Request, order: IntArray, k: int) -> Request:
    """The request for so many of the rows, with a note."""
    rows = some_of(request.training, order, k)
    note = (
        f"data: max_seconds is too short for {len(order)} rows, so the kernel and the machine were learned from "
        f"{len(rows)} rows chosen at random, and the bounds are about these rows; raise max_seconds to learn from all"
    )
    return attrs.evolve(request, training=request.training.some(rows), notes=(*request.notes, note))


def some_of(training: Training, order: IntArray, k: int) -> IntArray:
    """So many of the rows in this order, from everywhere, and one of each class at least, ascending: a criterion may
    refuse a class without rows.
    """
    rows = spread(order, k)
    if training.classes is None:
        return np.sort(rows)
    classes = _classes(training)
    first = order[np.unique(classes[order], return_index=True)[1]]
    return np.union1d(rows, first[~np.isin(classes[first], classes[rows])])


def _growth_of_memory(choice: Choice, n: int) -> float:
    """The power of the number of rows, up to n, with which what is held grows: all of it is written at least once."""
    few = LOOKED_AT[0]
    times = _bytes(choice, n) / max(_bytes(choice, few, n), 1)
    return min(max(math.log(max(times, 1.0)) / math.log(n / few), LEAST), MOST)


def _bytes(choice: Choice, k: int, n: int | None = None) -> int:
    """What k of n rows take in memory, as the solver binds n; None: of k."""
    leaves = choice.solver.bound(choice.leaves, k if n is None else n)
    return bytes_of(leaves, k, choice.solver.gram_copies)


def drawn(training: Training, n: int, seed: int) -> IntArray:
    """The rows in random order; of classes those of one after those of another."""
    order = np.random.default_rng(seed).permutation(n)
    if training.classes is None:
        return order
    return order[np.argsort(_classes(training)[order], kind="stable")]


def spread(order: IntArray, k: int) -> IntArray:
    """Of rows in an order so many, from everywhere: of classes each gives its share."""
    return order[np.linspace(0, len(order) - 1, min(k, len(order))).astype(np.intp)]


def _classes(training: Training) -> IntArray:
    """The number of the class of each row, shape (n,)."""
    return np.asarray(sided(training.y).argmax(axis=1))


def _taken(request: Request, choice: Choice, rows: IntArray, gate: Gate) -> _Taken:
    """What some rows take."""
    few, seed = attrs.evolve(request, training=request.training.some(rows)), request.settings.seed
    began = time.monotonic()
    problem, limits = built(few, choice)
    none = attrs.evolve(limits, max_steps=0)
    first = sized(problem, problem.center(), Budget(limits.deadline))
    done = run(problem, choice.solver, first, none, seed=seed, watch=Watch(gate=gate))
    between = time.monotonic()
    certified(problem, choice.solver, done, none, seed, gate)
    return _Taken(len(rows), between - began, time.monotonic() - between)
