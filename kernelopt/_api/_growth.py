"""Families that grow: kernels which the learned function asks for join them, while rows that were held out gain by it.

    on each fold:  learn, ask the families for kernels, learn again, predict the rows that were held out
    again while they are predicted better, by more than the error of that comparison
    as many rounds on all of these rows; the kernels that they bring stand in the families that are solved with

A function's directions are fitted to the rows that it was learned from, and nothing in the evidence pays for them: so
rows that were not looked at decide, and a tie is won by fewer rounds.
"""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._api._build import make_problem
from kernelopt._api._choose import Choice
from kernelopt._api._start import sized, some
from kernelopt._api._training import Training
from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._interrupts import Gate
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._binding import tightened
from kernelopt._families._contract import KernelFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._prediction._predictor import Kernel
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import run
from kernelopt._saddle._objective import Growth
from kernelopt._saddle._problem import Response
from kernelopt._saddle._restarts import learned
from kernelopt._saddle._watch import Watch

_ROUGH = 3e-2
"""The tolerance of a fit that decides on kernels. Worth: `constants.py growth.rough`."""
_TIE = 5e-3
"""A gain in the loss of a row, in nats, that is less counts as none: a guard, for fewer rounds win a tie."""
_ERRORS = 2.0
"""A gain stays if it is more than so many of its standard errors: of rounds that help nobody 2 % pass."""
_SHARE = 0.3
"""Of a time limit, at most, is spent on rounds."""


@attrs.frozen(eq=False)
class Grown:
    """What is solved, after its families have grown or could have.

    Attributes:
        choice: the families and the solver.
        interrupted: whether somebody asked to stop.
    """

    choice: Choice
    interrupted: bool = False


class _Ended(Exception):
    """Rounds have to end: the share of the time limit is over, or somebody asked to stop.

    Attributes:
        interrupted: whether it is the latter.
    """

    def __init__(self, interrupted: bool) -> None:
        super().__init__()
        self.interrupted = interrupted


@attrs.frozen(eq=False)
class Fitted:
    """What was learned from some rows.

    Attributes:
        leaves: the families.
        rows: the rows' numbers, shape (n,).
        response: the answer.
    """

    leaves: tuple[Leaf, ...]
    rows: IntArray
    response: Response

    @property
    def members(self) -> Iterator[tuple[Leaf, Part]]:
        """The families and their shares of the kernel."""
        return zip(self.leaves, self.response.mixture.parts, strict=True)

    def values(self, training: Training, rows: IntArray) -> FloatArray:
        """The function at other rows of the training data, shape (n', c)."""
        kernel = Kernel(self.leaves, self.response.mixture, training.X.shape[1])
        found: FloatArray = kernel.between(training.X[rows], training.X[self.rows]) @ self.response.V
        return found

    def grown(self, training: Training) -> "Kernels | None":
        """The families with kernels that the function asks for; None where there are none."""
        X, V = training.X[self.rows], self.response.V
        found = [leaf.family.grown(part, leaf.view(X), V) if _grows(leaf) else None for leaf, part in self.members]
        if all(one is None for one in found):
            return None
        pairs = zip(found, self.members, strict=True)
        return Kernels.of([one or (leaf.family, part) for one, (leaf, part) in pairs], self.leaves)

    def pruned(self) -> "Kernels":
        """The families without what they grew and gave no weight."""
        return Kernels.of([leaf.family.pruned(part) for leaf, part in self.members], self.leaves)


@attrs.frozen(eq=False)
class Kernels:
    """Families, and a kernel of them.

    Attributes:
        leaves: the families.
        at: the kernel; None for the centre.
    """

    leaves: tuple[Leaf, ...]
    at: Mixture | None = None

    @classmethod
    def of(cls, members: list[tuple[KernelFamily, Part]], leaves: tuple[Leaf, ...]) -> "Kernels":
        """Families and their parts in place of those of leaves."""
        replaced = (attrs.evolve(leaf, family=family) for leaf, (family, _) in zip(leaves, members, strict=True))
        return cls(tuple(replaced), Mixture(tuple(part for _, part in members)))


@attrs.frozen(eq=False)
class Learner:
    """Learns from some of the training rows.

    Attributes:
        request: what was asked for.
        solver: of the run.
        gate: where somebody may interrupt.
    """

    request: Request
    solver: Solver
    gate: Gate

    @property
    def deadline(self) -> float | None:
        """When rounds must end, on the clock of `Request.began`."""
        limit = self.request.settings.max_seconds
        return None if limit is None else self.request.began + _SHARE * limit

    def fit(self, kernels: Kernels, rows: IntArray) -> Fitted:
        """The families' kernel for these rows, roughly.

        Raises:
            _Ended: the share of the time limit is over, or somebody asked to stop.
        """
        request, solver = self.request, self.solver
        bound, few = solver.bound(kernels.leaves, len(rows)), some(request.training, rows)
        problem = make_problem(bound, few, request.criterion, accuracy=0.1 * _ROUGH, grams=solver.gram_copies)
        tol, atol = request.objective.tolerances(problem, _ROUGH, None)
        limits = Limits(tol, atol, solver.default_steps, self.deadline)
        first = sized(problem, problem.center() if kernels.at is None else kernels.at, Budget(self.deadline))
        runs = learned if kernels.at is None else run  # from a kernel that was learned, no start is doubted
        done = runs(problem, solver, first, limits, seed=request.settings.seed, watch=Watch(gate=self.gate))
        if done.status is Status.INTERRUPTED or Budget(self.deadline).cancelled():
            raise _Ended(done.status is Status.INTERRUPTED)
        return Fitted(tightened(problem.leaves), rows, done.bounds.response)


def grown(request: Request, choice: Choice, gate: Gate) -> Grown:
    """The choice with families that have grown, and a note on it; as it is where none does, or nothing is gained."""
    plan = request.objective.growth(*request.training.y.shape)
    if plan is None:
        return Grown(choice)
    begun = tuple(_restrained(leaf) for leaf in choice.leaves)
    kept = tuple(leaf.family.name for leaf, whole in zip(begun, choice.leaves, strict=True) if leaf is not whole)
    choice = attrs.evolve(choice, leaves=begun)
    if not plan.most or not any(_grows(leaf) for leaf in choice.leaves):
        return Grown(_told(choice, kept, 'no rows are held out with so few rows, or with effort="quick"'))
    learner, base = Learner(request, choice.solver, gate), Kernels(choice.leaves)
    try:
        judged = _judged(learner, base, plan)
        leaves = _repeated(learner, base, plan, judged.rounds) if judged.rounds else choice.leaves
    except _Ended as end:
        why = (
            f"family: {_SHARE:.0%} of max_seconds were over before the rounds of learned metrics ended, so none joined"
        )
        notes = choice.notes if end.interrupted else (*choice.notes, f"{why} the list")
        return Grown(attrs.evolve(choice, notes=notes), interrupted=end.interrupted)
    if not judged.rounds:
        return Grown(_told(choice, kept, "rows that were held out lose no less with more"))
    told = (
        f"family: {judged.rounds} round{'s' * (judged.rounds > 1)} of learned metrics joined the list, by which rows "
        f"that were held out lose {judged.gain:.3g} less each"
    )
    return Grown(attrs.evolve(choice, leaves=leaves, notes=(*choice.notes, told)))


def _restrained(leaf: Leaf) -> Leaf:
    """With a price on its kernels a family is as it is, for it cannot grow."""
    family = leaf.family.restrained() if leaf.penalty is None else leaf.family
    return leaf if family is leaf.family else attrs.evolve(leaf, family=family)


def _told(choice: Choice, kept: tuple[str, ...], why: str) -> Choice:
    """The choice with a note on the families that were kept to a part of their kernels, where there are any."""
    if not kept:
        return choice
    note = f"family: {' and '.join(kept)} kept to kernels that learn no directions, for {why}"
    return attrs.evolve(choice, notes=(*choice.notes, note))


def _grows(leaf: Leaf) -> bool:
    """Whether kernels may join the family: a price is on the kernels that are there."""
    return leaf.family.grows and leaf.penalty is None


@attrs.frozen(eq=False)
class _Judged:
    """What rows that were held out say.

    Attributes:
        rounds: how many they gain by.
        gain: how much each of them, in nats.
    """

    rounds: int
    gain: float


def _judged(learner: Learner, base: Kernels, plan: Growth) -> _Judged:
    """By how many rounds rows that were held out gain, one after the other until the next is no gain."""
    training = learner.request.training
    sample = _sample(learner.request, plan)
    held = _held_out(training.X, sample, plan.folds)
    if not all(len(rows) for rows in held):
        return _Judged(0, 0.0)
    alike = sets_of_copies(training.X[np.concatenate(held)])
    fits = [learner.fit(base, np.setdiff1d(sample, rows)) for rows in held]

    def losses(fits: list[Fitted]) -> FloatArray:
        return np.concatenate([_losses(learner.request, fit, rows) for fit, rows in zip(fits, held, strict=True)])

    first = before = losses(fits)
    for rounds in range(plan.most):
        larger = [fit.grown(training) for fit in fits]
        if any(one is None for one in larger):
            return _Judged(rounds, float(np.mean(first - before)))
        fits = [learner.fit(one, fit.rows) for one, fit in zip(larger, fits, strict=True) if one is not None]
        after = losses(fits)
        gain = before - after
        if not gain.mean() > max(_TIE, _ERRORS * _error_of_mean(gain, alike)):
            return _Judged(rounds, float(np.mean(first - before)))
        before = after
    return _Judged(plan.most, float(np.mean(first - before)))


def _held_out(X: FloatArray, sample: IntArray, folds: int) -> list[IntArray]:
    """The rows of a sample that each fold holds out. Copies are held out together: else rows that were learned from
    would judge, and noise that is met twice would count as a signal.
    """
    fold = sets_of_copies(X[sample]) % folds
    return [np.sort(sample[fold == k]) for k in range(folds)]


def _error_of_mean(gain: FloatArray, alike: IntArray) -> float:
    """The standard error of the mean of gains (n,), of which those of the same set of rows (n,) are one observation."""
    sums = np.bincount(alike, weights=gain - gain.mean())
    return float(np.linalg.norm(sums)) / len(gain)


def _losses(request: Request, fit: Fitted, rows: IntArray) -> FloatArray:
    """Of each of these rows by what others say, shape (n,)."""
    training = request.training
    values = fit.values(training, rows) + training.level
    return request.objective.losses(values, training.y[rows] + training.level)


def _repeated(learner: Learner, base: Kernels, plan: Growth, rounds: int) -> tuple[Leaf, ...]:
    """The families after so many rounds on the whole sample; where that is not all rows, without the new kernels to
    which it gives no weight.
    """
    sample, kernels = np.sort(_sample(learner.request, plan)), base
    for _ in range(rounds):
        larger = learner.fit(kernels, sample).grown(learner.request.training)
        if larger is None:
            break
        kernels = larger
    if len(sample) == len(learner.request.training.X):
        return kernels.leaves
    return learner.fit(kernels, sample).pruned().leaves


def _sample(request: Request, plan: Growth) -> IntArray:
    """The rows of the rounds, in random order."""
    return np.random.default_rng(request.settings.seed).permutation(len(request.training.X))[: plan.rows]
