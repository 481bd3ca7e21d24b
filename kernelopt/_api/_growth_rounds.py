"""How many rounds of growth rows that were held out gain by."""

from collections.abc import Callable, Iterable, Iterator
from itertools import tee

import attrs
import numpy as np

from kernelopt._api._forest_advice import advice, losses
from kernelopt._api._growth_fits import Fitted, Kernels, Learner, sample_of
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
        steps: how much each of them gains by kernels of trees after these rounds, in nats; 0 where none are taken.
        base: what was learned without a round from the rows that are not of the first part; None where none is held
            out.
    """

    rounds: int
    gain: float
    steps: float = 0.0
    base: Fitted | None = None


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
        """What is learned without a round from the rows of a sample that are not of a part, as it is asked for.

        The rows of a part must not say where its run begins, so each begins at the centre; but where this did not lead
        the first astray it is not doubted for the others, which spares them a look at single kernels.
        """
        doubted = True
        for part, rows in enumerate(self.held):
            others = np.setdiff1d(sample, rows)
            fit = self._fit("no round of learned metrics", 0, part, base, others, doubted=doubted)
            doubted = doubted and fit.elsewhere
            yield fit

    def further(self, rounds: int, fits: Iterable[Fitted]) -> tuple[list[Fitted], float] | None:
        """The fits of all parts after a round more, and what rows that were held out gain by it; None where that is
        none.
        """
        training = self.learner.request.training
        words = f"round {rounds} of learned metrics"
        return self._gained(words, rounds, fits, lambda fit, _: fit.grown(training))

    def stepped(self, rounds: int, fits: Iterable[Fitted]) -> float:
        """What rows that were held out gain by kernels of trees after so many rounds; 0 where that is nothing, or where
        a forest has no advice for the rows of the first part.
        """
        request, first = self.learner.request, self.held[0]

        def enlarged(fit: Fitted, rows: IntArray) -> Kernels | None:
            doubtful = rows is first and advice(request, fit, rows) <= _TIE
            return None if doubtful else fit.parted(request.training)

        found = self._gained("kernels of trees", rounds + 1, fits, enlarged)
        return 0.0 if found is None else found[1]

    def _gained(
        self, words: str, rounds: int, fits: Iterable[Fitted], enlarged: Callable[[Fitted, IntArray], Kernels | None]
    ) -> tuple[list[Fitted], float] | None:
        """The fits of all parts with further kernels, and what rows that were held out gain by them; None where that is
        none.

        Parts are asked one after the other, and no further ones where those so far say that nothing is gained.
        """
        request, larger, gains = self.learner.request, [], []
        for part, (fit, rows) in enumerate(zip(fits, self.held, strict=True)):
            kernels = enlarged(fit, rows)
            if kernels is None:
                return None
            larger.append(self._fit(words, rounds, part, kernels, fit.rows))
            before, after = (losses(request, one.values(request.training, rows), rows) for one in (fit, larger[-1]))
            gains.append(before - after)
            gain = np.concatenate(gains)
            weight = self.weight[: len(gain)]
            mean = float(np.average(gain, weights=weight))
            error = error_of_mean(gain, self.alike[: len(gain)], weight)
            if mean + _ERRORS * error <= _TIE or (mean <= 0.0 and 2 * len(larger) >= len(self.held)):
                return None
        return (larger, mean) if mean > max(_TIE, _ERRORS * error) else None

    def _fit(
        self, words: str, rounds: int, part: int, kernels: Kernels, rows: IntArray, *, doubted: bool = True
    ) -> Fitted:
        parts = len(self.held)
        before = rounds * parts + part if rounds > 1 else 2 * part + rounds  # the first round follows part by part
        self.learner.told(f"{words}, part {part + 1} of {parts}", before / (parts * (self.most + 2)))
        return self.learner.fit(kernels, rows, doubted=doubted)


def judged(learner: Learner, base: Kernels, plan: Growth) -> Judged:
    """By how many rounds rows that were held out gain, one after the other until the next is no gain."""
    training, sample = learner.request.training, sample_of(learner.request, plan)
    held = held_out(training.told_apart, sample, plan.folds)
    if not all(len(rows) for rows in held):
        return Judged(0, 0.0)
    rows = np.concatenate(held)
    parts = Parts(learner, held, sets_of_copies(training.told_apart[rows]), training.weight[rows, 0], plan.most)
    fits, kept, begun = tee(parts.first(base, sample), 3)
    gained, rounds = 0.0, 0
    while rounds < plan.most:
        further = parts.further(rounds + 1, fits)
        if further is None:
            break
        (fits, kept), gain = tee(further[0]), further[1]
        gained, rounds = gained + gain, rounds + 1
    return Judged(rounds, gained, parts.stepped(rounds, kept), next(begun))
