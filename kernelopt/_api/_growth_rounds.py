"""How many rounds of growth rows that were held out gain by."""

import attrs
import numpy as np

from kernelopt._api._growth_fits import Fitted, Kernels, Learner, sample_of
from kernelopt._api._validate import Request
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._saddle._objective import Growth

_TIE = 5e-3
"""A gain in the loss of a row, in nats, that is less counts as none: a guard, for fewer rounds win a tie."""
_ERRORS = 2.0
"""A gain stays if it is more than so many of its standard errors: of rounds that help nobody 2 % pass."""


@attrs.frozen(eq=False)
class Judged:
    """What rows that were held out say.

    Attributes:
        rounds: how many they gain by.
        gain: how much each of them, in nats.
    """

    rounds: int
    gain: float


@attrs.frozen(eq=False)
class Parts:
    """Rows that are held out, part after part.

    Attributes:
        learner: learns from the others.
        held: the numbers of the rows of each part.
        most: rounds at most.
    """

    learner: Learner
    held: list[IntArray]
    most: int

    def fits(self, rounds: int, before: list[tuple[Kernels, IntArray]]) -> list[Fitted]:
        """What is learned in a round from kernels and rows, those that are left for each part."""
        return [self._fit(rounds, part, *pair) for part, pair in enumerate(before)]

    def _fit(self, rounds: int, part: int, kernels: Kernels, rows: IntArray) -> Fitted:
        parts = len(self.held)
        words = f"{f'round {rounds}' if rounds else 'no round'} of learned metrics, part {part + 1} of {parts}"
        self.learner.told(words, (rounds * parts + part) / (parts * (self.most + 1)))
        return self.learner.fit(kernels, rows)

    def losses(self, fits: list[Fitted]) -> FloatArray:
        """Of all rows that are held out, shape (n,)."""
        pairs = zip(fits, self.held, strict=True)
        return np.concatenate([_losses(self.learner.request, fit, rows) for fit, rows in pairs])


def judged(learner: Learner, base: Kernels, plan: Growth) -> Judged:
    """By how many rounds rows that were held out gain, one after the other until the next is no gain."""
    training = learner.request.training
    sample = sample_of(learner.request, plan)
    parts = Parts(learner, _held_out(training.X, sample, plan.folds), plan.most)
    if not all(len(rows) for rows in parts.held):
        return Judged(0, 0.0)
    alike = sets_of_copies(training.X[np.concatenate(parts.held)])
    fits = parts.fits(0, [(base, np.setdiff1d(sample, rows)) for rows in parts.held])
    first = before = parts.losses(fits)
    for rounds in range(plan.most):
        larger = [(fit.grown(training), fit.rows) for fit in fits]
        pairs = [(kernels, rows) for kernels, rows in larger if kernels is not None]
        if len(pairs) < len(larger):
            return Judged(rounds, float(np.mean(first - before)))
        fits = parts.fits(rounds + 1, pairs)
        after = parts.losses(fits)
        gain = before - after
        if not gain.mean() > max(_TIE, _ERRORS * _error_of_mean(gain, alike)):
            return Judged(rounds, float(np.mean(first - before)))
        before = after
    return Judged(plan.most, float(np.mean(first - before)))


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
