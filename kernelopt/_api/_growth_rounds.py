"""How many rounds of growth rows that were held out gain by."""

from collections.abc import Iterable, Iterator

import attrs
import numpy as np

from kernelopt._api._growth_fits import Fitted, Kernels, Learner, sample_of
from kernelopt._api._validate import Request
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._saddle._held_out import error_of_mean, held_out
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
        alike: the set of copies that each of all of these rows is in, shape (n,).
        weight: of all of these rows, > 0, shape (n,).
        most: rounds at most.
    """

    learner: Learner
    held: list[IntArray]
    alike: IntArray
    weight: FloatArray
    most: int

    def first(self, base: Kernels, sample: IntArray) -> Iterator[Fitted]:
        """What is learned without a round from the rows of a sample that are not of a part, as it is asked for."""
        for part, rows in enumerate(self.held):
            yield self._fit(0, part, base, np.setdiff1d(sample, rows))

    def further(self, rounds: int, fits: Iterable[Fitted]) -> tuple[list[Fitted], float] | None:
        """The fits of all parts after a round more, and what rows that were held out gain by it; None where that is
        none.

        Parts are asked one after the other, and no further ones where those so far say that nothing is gained.
        """
        request, larger, gains = self.learner.request, [], []
        for part, (fit, rows) in enumerate(zip(fits, self.held, strict=True)):
            kernels = fit.grown(request.training)
            if kernels is None:
                return None
            larger.append(self._fit(rounds, part, kernels, fit.rows))
            gains.append(_losses(request, fit, rows) - _losses(request, larger[-1], rows))
            gain = np.concatenate(gains)
            weight = self.weight[: len(gain)]
            mean = float(np.average(gain, weights=weight))
            error = error_of_mean(gain, self.alike[: len(gain)], weight)
            if mean + _ERRORS * error <= _TIE or (mean <= 0.0 and 2 * len(larger) >= len(self.held)):
                return None
        return (larger, mean) if mean > max(_TIE, _ERRORS * error) else None

    def _fit(self, rounds: int, part: int, kernels: Kernels, rows: IntArray) -> Fitted:
        parts = len(self.held)
        words = f"{f'round {rounds}' if rounds else 'no round'} of learned metrics, part {part + 1} of {parts}"
        before = rounds * parts + part if rounds > 1 else 2 * part + rounds  # the first round follows part by part
        self.learner.told(words, before / (parts * (self.most + 1)))
        return self.learner.fit(kernels, rows)


def judged(learner: Learner, base: Kernels, plan: Growth) -> Judged:
    """By how many rounds rows that were held out gain, one after the other until the next is no gain."""
    training, sample = learner.request.training, sample_of(learner.request, plan)
    held = held_out(training.told_apart, sample, plan.folds)
    if not all(len(rows) for rows in held):
        return Judged(0, 0.0)
    rows = np.concatenate(held)
    parts = Parts(learner, held, sets_of_copies(training.told_apart[rows]), training.weight[rows, 0], plan.most)
    fits: Iterable[Fitted] = parts.first(base, sample)
    gained = 0.0
    for rounds in range(plan.most):
        further = parts.further(rounds + 1, fits)
        if further is None:
            return Judged(rounds, gained)
        fits, gain = further
        gained += gain
    return Judged(plan.most, gained)


def _losses(request: Request, fit: Fitted, rows: IntArray) -> FloatArray:
    """Of each of these rows by what others say, shape (n,)."""
    training = request.training
    values = fit.values(training, rows) + training.level
    return request.objective.losses(values, training.y[rows] + training.level, training.weight[rows, 0])
