"""The middle of a solve: families grow, the problem is built, and the run goes to its certified end."""

import time
from pathlib import Path
from typing import Literal

import attrs

from kernelopt._api._build import bound_by, built, reweighted, short_of_memory
from kernelopt._api._choose import Choice
from kernelopt._api._progress import Audience
from kernelopt._api._resumed import resumed
from kernelopt._api._validate import Request
from kernelopt._api.beginning._rehearsal import Rehearsed, rehearsed
from kernelopt._api.beginning._start import Beginning, started
from kernelopt._api.growth._grown import Grown, grown
from kernelopt._base._interrupts import Gate
from kernelopt._base._memory import Shortage
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion
from kernelopt._evidence.noise._heavy_tails import Tail
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._mixture import Mixture
from kernelopt._io._checkpoint import Keeper, Unkept
from kernelopt._model._solution import Solution
from kernelopt._prediction._row_noise import RowNoise
from kernelopt._prediction._tails import Tails
from kernelopt._prediction._unseen import Unseen
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._certification import certified
from kernelopt._saddle._loop import Run
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._restarts import learned as best
from kernelopt._saddle._second_look import settled
from kernelopt._saddle._watch import Watch

UNPROVED = (Status.INTERRUPTED, Status.MAX_SECONDS, Status.MAX_STEPS, Status.CONTRADICTION, Status.INDEFINITE)
"""A run that ended so is the answer as it is."""


@attrs.frozen(eq=False)
class Call:
    """What a run gets of the user's call besides the request.

    Attributes:
        audience: who watches.
        gate: where Ctrl-C is let in.
        start: a solution or a mixture to go on from, "means", or None.
        checkpoint: a file to go on from, or None.
        keeper: of the best so far.
        fewer: whether the answer may be that of some of the rows, where time is too short or memory too small for all.
        asked: whether bounds of the kernel are asked for, besides the kernel itself.
    """

    audience: Audience
    gate: Gate
    start: Solution | Mixture | Literal["means"] | None = None
    checkpoint: str | Path | None = None
    keeper: Keeper | Unkept = attrs.field(factory=Unkept)
    fewer: bool = False
    asked: bool = True

    @property
    def anew(self) -> "Call":
        """For another run beside it, which begins by itself and is kept nowhere."""
        return Call(self.audience, self.gate)


@attrs.frozen(eq=False)
class UnevenFit:
    """What predicts where the noise differs between rows, with the kernel that was learned.

    Attributes:
        coefficients: v on all training rows, shape (n, 1).
        weight: how often each row counts, by its own weight and by its noise, > 0, shape (n,).
        rows: the noise of new rows.
        standard: what all others leave of each target, in the standard deviations that it has then, shape (n, 1).
    """

    coefficients: FloatArray
    weight: FloatArray
    rows: RowNoise
    standard: FloatArray


@attrs.frozen(eq=False)
class Learned:
    """A run that has ended, with what it was about.

    Attributes:
        request: with the weights that rows had, and of some of the rows alone where time was too short for all.
        asked: the criterion that the user asked for.
        own: the weights that the user gave rows, shape (n,).
        choice: the families, grown, and the solver.
        problem: on all rows.
        limits: when its run might stop.
        begun: where it began.
        done: the certified run.
        tails: how far rows are believed; None where noise is Gaussian.
        notes: what the user should know of that.
        unseen: what rows say that kernels which joined have not seen.
        uneven: how the noise differs between rows, with the machine that knows it; None where it has one size.
        tail: how new targets are about what noise of one size predicts, as rows say that are left out, and its size
            beside that which the run and held-out rows say.
    """

    request: Request
    asked: Criterion
    own: FloatArray
    choice: Choice
    problem: Problem
    limits: Limits
    begun: Beginning
    done: Run
    tails: Tails | None = None
    notes: tuple[str, ...] = ()
    unseen: Unseen = attrs.field(factory=Unseen)
    uneven: UnevenFit | None = None
    tail: Tail = attrs.field(factory=Tail)


def learned(request: Request, choice: Choice, call: Call) -> Learned:
    """Everything between what was chosen and the answer.

    Raises:
        KeyboardInterrupt: Ctrl-C came before there was an answer.
    """
    gate = call.gate
    with gate.heeded():
        taken = resumed(call.start, request, choice.leaves)
        larger = taken.grown_again(choice) if taken.grown else _grown(request, choice, call)
        choice, stopped = larger.choice, larger.interrupted
        known = larger.known
        found = None if stopped else rehearsed(request, choice, taken.start, call.checkpoint, gate, call.fewer, known)
        if found is not None and call.fewer:
            n = len(request.training.X)
            short = short_of_memory(bound_by(choice, request), n, choice.solver.gram_copies)
            if short is not None or not found.in_time(n):
                return _of_some(found, request, choice, short, gate)
        problem, limits = built(request, choice)
        begun = started(problem, limits, taken.start, call.checkpoint, found, known, stopped)
    watch = Watch(
        observers=call.audience.observers,
        keep=call.keeper.offer,
        began=request.since,
        interrupted=begun.interrupted,
        gate=gate,
    )
    # a list's kernel is found without the last look, which searched families go on from
    ended = settled if call.asked or not all(isinstance(leaf.family, FiniteFamily) for leaf in problem.leaves) else best
    done = ended(problem, choice.solver, begun.at, limits, seed=request.settings.seed, watch=watch)
    weight, unseen = request.training.weight[:, 0], larger.unseen
    return Learned(request, request.criterion, weight, choice, problem, limits, begun, done, unseen=unseen)


def _grown(request: Request, choice: Choice, call: Call) -> Grown:
    """The choice with families that have grown; a kernel alone is worth more rows."""
    return grown(request, choice, call.gate, call.audience.told, half=not call.asked)


def _of_some(found: Rehearsed, request: Request, choice: Choice, short: Shortage | None, gate: Gate) -> Learned:
    """What some of the rows have learned, certified; with a note where memory has no room for all."""
    if short is not None:
        note = (
            f"data: {len(request.training.X)} rows would take {short.wanted}, and {short.left} are available, so the "
            f"kernel was learned from {found.problem.n} of the rows, and landmarks represent it for all rows, as with "
            "many rows; with more memory all rows learn the kernel"
        )
        choice = attrs.evolve(choice, notes=(*choice.notes, note))
    few = attrs.evolve(request, training=found.training)
    done = certified(found.problem, choice.solver, found.done, found.limits, request.settings.seed, gate)
    weight, begun = few.training.weight[:, 0], Beginning(found.mixture)
    return Learned(few, request.criterion, weight, choice, found.problem, found.limits, begun, done)


def hurried(request: Request) -> Request:
    """The request with the time that is left, for a second run."""
    if request.deadline is None:
        return request
    now = time.monotonic()
    left = max(request.deadline - now, 1e-3)
    return attrs.evolve(request, began=now, settings=attrs.evolve(request.settings, max_seconds=left))


def prolonged(request: Request) -> Request:
    """The request with the time that is for a second run besides."""
    if request.settings.max_seconds is None:
        return request
    whole = request.settings.max_seconds + request.again
    return attrs.evolve(request, again=0.0, settings=attrs.evolve(request.settings, max_seconds=whole))


def again(known: Learned, request: Request, call: Call) -> Learned:
    """The same with other weights of rows, begun from the kernel that was learned."""
    with call.gate.heeded():
        problem, limits = reweighted(known.problem, request, known.choice)
    watch = Watch(observers=call.audience.observers, began=request.since, gate=call.gate)
    seed, at = request.settings.seed, known.done.bounds.response.mixture
    done = settled(problem, known.choice.solver, at, limits, seed=seed, watch=watch)
    return attrs.evolve(known, request=request, problem=problem, limits=limits, done=done)
