"""How many rows there is time for, where no solver learns from fewer of them first: small problems tell."""

import math
import time

import attrs
import numpy as np

from kernelopt._api._build import built, bytes_of
from kernelopt._api._choose import Choice
from kernelopt._api._first_size import sized
from kernelopt._api._training import Training
from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._typing import IntArray
from kernelopt._saddle._certification import certified
from kernelopt._saddle._loop import run
from kernelopt._saddle._watch import Watch

_LOOKED_AT = (125, 250, 500)
"""On so many rows a first state and the last look are timed; the first time is what is imported and compiled."""
_WORTH = 1000
"""Fewer rows are never too many."""
_LEAST, _MOST = 1.0, 3.0
"""The powers of the number of rows with which time may grow; the least where memory does not grow faster."""
_TICK = 1e-9
"""No time is shorter."""
_SHARE = 0.2
"""Of the time that is left, at most, is for the first state and the last look. The rest is for steps: with 0.7 of it a
list of 143 kernels on 4000 rows ended after one step, no better than chance; a seventh of the rows converged.
"""


@attrs.frozen
class _Taken:
    """The seconds that some rows took.

    Attributes:
        first: to bind them, and to the first state.
        last: for the last look.
    """

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
    training, left = request.training, Budget(request.deadline).remaining()
    n = len(training.X)
    if left is None or n < _WORTH or request.objective.rehearsal(n) is not None:
        return request
    began, order = time.monotonic(), drawn(training, n, request.settings.seed)
    looks = (_taken(request, choice, np.sort(spread(order, k)), gate) for k in _LOOKED_AT)
    first = next(looks)
    if not Budget(request.deadline).allows(first.whole):
        return _of_few(attrs.evolve(request, reserve=first.last), order, _LOOKED_AT[0])
    few, more = looks
    growth = math.log2(max(more.whole, _TICK) / max(few.whole, _TICK))
    growth = min(max(growth, _growth_of_memory(choice, n)), _MOST)
    left = max(left - (time.monotonic() - began), 0.0)
    k = max(_affordable(few.whole, more.whole, growth, left), _LOOKED_AT[0])
    kept = attrs.evolve(request, reserve=more.last * (min(k, n) / _LOOKED_AT[-1]) ** growth)
    return kept if k >= n else _of_few(kept, order, k)


def _affordable(few: float, more: float, growth: float, left: float) -> int:
    """How many rows there is time for, if so many seconds are left.

    With n rows a first state and the last look take a + b n^growth. Where there is no time for the larger trial, a is
    not counted: fewer rows would not save it. For more rows it counts as if it grew too, which errs to the safe side.

    Args:
        few: the seconds of the second trial, of half as many rows as the third.
        more: those of the third.
        growth: the power.
        left: seconds.
    """
    most, share = _LOOKED_AT[-1], _SHARE * left / max(more, _TICK)
    if share >= 1.0:
        return int(most * share ** (1.0 / growth))
    same = max(few - more * 0.5**growth, 0.0) / (1.0 - 0.5**growth)
    share = _SHARE * max(left - same, 0.0) / max(more - same, _TICK)
    return int(most * min(share, 1.0) ** (1.0 / growth))


def _of_few(request: Request, order: IntArray, k: int) -> Request:
    """The request for so many of the rows, with a note."""
    note = (
        f"data: max_seconds is too short for {len(order)} rows, so the kernel and the machine were learned from {k} "
        "rows chosen at random, and the bounds are about these rows; raise max_seconds to learn from all"
    )
    few_rows = request.training.some(np.sort(spread(order, k)))
    return attrs.evolve(request, training=few_rows, notes=(*request.notes, note))


def _growth_of_memory(choice: Choice, n: int) -> float:
    """The power of the number of rows, up to n, with which what is held grows: all of it is written at least once."""
    few, grams = _LOOKED_AT[-1], choice.solver.gram_copies
    leaves = choice.solver.bound(choice.leaves, n)
    times = bytes_of(leaves, n, grams) / max(bytes_of(leaves, few, grams), 1)
    return max(math.log(max(times, 1.0)) / math.log(n / few), _LEAST)


def drawn(training: Training, n: int, seed: int) -> IntArray:
    """The rows in random order; of classes those of one after those of another."""
    order = np.random.default_rng(seed).permutation(n)
    if training.classes is None:
        return order
    sides = np.hstack([-training.y, training.y]) if training.y.shape[1] == 1 else training.y
    return order[np.argsort(sides.argmax(axis=1)[order], kind="stable")]


def spread(order: IntArray, k: int) -> IntArray:
    """Of rows in an order so many, from everywhere: of classes each gives its share."""
    return order[np.linspace(0, len(order) - 1, min(k, len(order))).astype(np.intp)]


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
    return _Taken(between - began, time.monotonic() - between)
