"""Families that grow: kernels which the learned function asks for join them, while rows that were held out gain by it.

    on each fold:  learn, ask the families for kernels, learn again, predict the rows that were held out
    again while they are predicted better, by more than the error of that comparison
    as many rounds on all of these rows; the kernels that they bring stand in the families that are solved with

A function's directions are fitted to the rows that it was learned from, and nothing in the evidence pays for them: so
rows that were not looked at decide, and a tie is won by fewer rounds.
"""

import attrs
import numpy as np

from kernelopt._api._build import make_problem
from kernelopt._api._choose import Choice
from kernelopt._api._start import sized, some
from kernelopt._api._training import Training
from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._binding import tightened
from kernelopt._families._leaf import Leaf
from kernelopt._prediction._predictor import Kernel
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._objective import Growth
from kernelopt._saddle._problem import Response
from kernelopt._saddle._loop import run
from kernelopt._saddle._watch import Watch

_ROUGH = 3e-2
"""The tolerance of a fit that decides on kernels. Worth: `constants.py rounds.rough`."""
_TIE = 5e-3
"""A gain in the loss of a row that is less counts as none. Worth: `constants.py rounds.tie`."""
_SHARE = 0.3
"""Of a time limit, at most, is spent on rounds."""


class _OutOfTime(Exception):
    """The share of the time limit is over."""


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

    def values(self, training: Training, rows: IntArray) -> FloatArray:
        """The function at other rows of the training data, shape (n', c)."""
        kernel = Kernel(self.leaves, self.response.mixture, training.X.shape[1])
        found: FloatArray = kernel.between(training.X[rows], training.X[self.rows]) @ self.response.V
        return found

    def grown(self, training: Training) -> tuple[Leaf, ...] | None:
        """The families with kernels that the function asks for; None where there are none."""
        X, V = training.X[self.rows], self.response.V
        pairs = zip(self.leaves, self.response.mixture.parts, strict=True)
        found = [(leaf, leaf.family.grown(part, leaf.view(X), V) if _grows(leaf) else None) for leaf, part in pairs]
        if all(family is None for _, family in found):
            return None
        return tuple(leaf if family is None else attrs.evolve(leaf, family=family) for leaf, family in found)

    def pruned(self) -> tuple[Leaf, ...]:
        """The families without what they grew and gave no weight."""
        pairs = zip(self.leaves, self.response.mixture.parts, strict=True)
        return tuple(attrs.evolve(leaf, family=leaf.family.pruned(part)) for leaf, part in pairs)


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

    def fit(self, leaves: tuple[Leaf, ...], rows: IntArray) -> Fitted:
        """The families' kernel for these rows, roughly.

        Raises:
            _OutOfTime: the share of the time limit is over.
        """
        request, solver = self.request, self.solver
        few = some(request.training, rows)
        bound = solver.bound(leaves, len(rows))
        problem = make_problem(bound, few, request.criterion, accuracy=0.1 * _ROUGH, grams=solver.gram_copies)
        tol, atol = request.objective.tolerances(problem, _ROUGH, None)
        limits = Limits(tol, atol, solver.default_steps, self.deadline)
        first = sized(problem, problem.center(), Budget(self.deadline))
        done = run(problem, solver, first, limits, seed=request.settings.seed, watch=Watch(gate=self.gate))
        if Budget(self.deadline).cancelled():
            raise _OutOfTime
        return Fitted(tightened(problem.leaves), rows, done.bounds.response)


def grown(request: Request, choice: Choice, gate: Gate) -> Choice:
    """The choice with families that have grown, and a note on it; as it is where none does, or nothing is gained."""
    plan = request.objective.growth(len(request.training.X))
    if plan is None or not any(_grows(leaf) for leaf in choice.leaves):
        return choice
    learner = Learner(request, choice.solver, gate)
    try:
        rounds, gain = _judged(learner, choice.leaves, plan)
        leaves = _repeated(learner, choice.leaves, plan, rounds)
    except _OutOfTime:
        why = f"family: {_SHARE:.0%} of max_seconds were over before it was known whether learned metrics help, so none"
        return attrs.evolve(choice, notes=(*choice.notes, f"{why} joined the list"))
    if leaves is choice.leaves:
        return choice
    told = (
        f"family: {rounds} round{'s' * (rounds > 1)} of learned metrics joined the list, by which rows that were held "
        f"out lose {gain:.3g} less each"
    )
    return attrs.evolve(choice, leaves=leaves, notes=(*choice.notes, told))


def _grows(leaf: Leaf) -> bool:
    """Whether kernels may join the family: a price is on the kernels that are there."""
    return leaf.family.grows and leaf.penalty is None


def _judged(learner: Learner, leaves: tuple[Leaf, ...], plan: Growth) -> tuple[int, float]:
    """How many rounds rows that were held out gain by, and how much each of these gains."""
    training = learner.request.training
    sample = _sample(learner.request, plan)
    held = [np.sort(sample[k :: plan.folds]) for k in range(plan.folds)]
    fits = [learner.fit(leaves, np.setdiff1d(sample, rows)) for rows in held]

    def losses(fits: list[Fitted]) -> FloatArray:
        return np.concatenate([_losses(learner.request, fit, rows) for fit, rows in zip(fits, held, strict=True)])

    first = before = losses(fits)
    for rounds in range(plan.most):
        larger = [fit.grown(training) for fit in fits]
        if any(one is None for one in larger):
            return rounds, float(np.mean(first - before))
        fits = [learner.fit(one, fit.rows) for one, fit in zip(larger, fits, strict=True) if one is not None]
        after = losses(fits)
        gain = before - after
        if not gain.mean() > max(_TIE, gain.std() / np.sqrt(len(gain))):
            return rounds, float(np.mean(first - before))
        before = after
    return plan.most, float(np.mean(first - before))


def _losses(request: Request, fit: Fitted, rows: IntArray) -> FloatArray:
    """Of each of these rows by what others say, shape (n,)."""
    training = request.training
    values = fit.values(training, rows) + training.level
    return request.objective.losses(values, training.y[rows] + training.level)


def _repeated(learner: Learner, leaves: tuple[Leaf, ...], plan: Growth, rounds: int) -> tuple[Leaf, ...]:
    """The families after so many rounds on the whole sample; where that is not all rows, without the new kernels to
    which it gives no weight.
    """
    sample = np.sort(_sample(learner.request, plan))
    for _ in range(rounds):
        larger = learner.fit(leaves, sample).grown(learner.request.training)
        if larger is None:
            break
        leaves = larger
    if not rounds or len(sample) == len(learner.request.training.X):
        return leaves
    return learner.fit(leaves, sample).pruned()


def _sample(request: Request, plan: Growth) -> IntArray:
    """The rows of the rounds, in random order."""
    return np.random.default_rng(request.settings.seed).permutation(len(request.training.X))[: plan.rows]
