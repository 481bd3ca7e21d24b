"""Rows that are held out in turn, and what they gain by further kernels."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count

import attrs
import numpy as np

from kernelopt._api.growth._fits import Fitted, Learner
from kernelopt._api.growth._forest_advice import advice, losses
from kernelopt._api.growth._kernels import Kernels
from kernelopt._api.growth._steps import EVERY, TREES, Step
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._leaf import Leaf
from kernelopt._prediction._odds import Odds
from kernelopt._saddle._held_out import error_of_mean, held_out, noise_held_out

_TIE = 5e-3
"""A gain in the loss of a row, in nats, that is less counts as none: a guard, for fewer rounds win a tie."""
ERRORS = 2.0
"""A gain is sure if it is more than so many of its standard errors: of rounds that help nobody 2 % pass."""
_BESIDE_ROUNDS = 9
"""Fits of each part besides those of rounds: with nothing, with the kernels of each step, and with trees alone."""


@attrs.frozen(eq=False)
class Gained:
    """What rows that were held out gain by further kernels.

    Attributes:
        fits: of all parts, with them.
        gain: in the loss of a row, in nats.
        sure: whether one look is enough to say so.
    """

    fits: list[Fitted]
    gain: float
    sure: bool


@attrs.frozen(eq=False)
class Parts:
    """Rows that are held out, part after part.

    Attributes:
        learner: learns from the others.
        held: the numbers of the rows of each part.
        alike: the set of copies that each of all of these rows is in, shape (n,).
        weight: of all of these rows, > 0, shape (n,).
        most: rounds at most.
        tried: the steps.
        errors: a gain stays if it is more than so many of its standard errors.
        fits: counts what has been learned.
    """

    learner: Learner
    held: list[IntArray]
    alike: IntArray
    weight: FloatArray
    most: int
    tried: tuple[Step, ...] = EVERY
    errors: float = ERRORS
    fits: Iterator[int] = attrs.field(factory=count)

    @classmethod
    def of(cls, learner: Learner, sample: IntArray, folds: int, parts: int, most: int) -> "Parts | None":
        """The first parts of so many folds of a sample (n,); None where one of them has no row."""
        training = learner.request.training
        held = held_out(training.told_apart, sample, folds)[:parts]
        if not all(len(rows) for rows in held):
            return None
        rows = np.concatenate(held)
        return cls(learner, held, sets_of_copies(training.told_apart[rows]), training.weight[rows, 0], most)

    def first(self, base: Kernels, sample: IntArray) -> Iterator[Fitted]:
        """What is learned without a round from the rows of a sample that are not of a part, as it is asked for.

        The rows of a part must not say where its run begins, so each begins at the centre; but where this did not lead
        the first astray it is not doubted for the others, which spares them a look at single kernels.
        """
        doubted = True
        for part, rows in enumerate(self.held):
            others = np.setdiff1d(sample, rows)
            fit = self._fit("no round of learned metrics", part, base, others, doubted=doubted)
            doubted = doubted and fit.elsewhere
            yield fit

    def further(self, rounds: int, fits: Iterable[Fitted]) -> Gained | None:
        """The fits of all parts after a round more, and what rows that were held out gain by it; None where that is
        none.
        """
        training = self.learner.request.training
        words = f"round {rounds} of learned metrics"
        return self._gained(words, fits, lambda fit, _: fit.grown(training))

    def offered(self, step: Step, leaves: tuple[Leaf, ...], fits: Iterable[Fitted]) -> Gained | None:
        """The same with the leaves of more kernels of a step, which are those of all parts."""
        return self._gained(step.words, fits, lambda fit, _: fit.kernels.among(leaves))

    def fitted(self, step: Step, fits: Iterable[Fitted]) -> Gained | None:
        """The same with kernels of a step, which are fitted to the rows of each part."""
        training = self.learner.request.training
        return self._gained(step.words, fits, lambda fit, _: fit.joined(training, step))

    def parted(self, fits: Iterable[Fitted]) -> Gained | None:
        """The same with kernels of trees; None too where a forest has no advice for the rows of the first part."""
        request, first = self.learner.request, self.held[0]

        def enlarged(fit: Fitted, rows: IntArray) -> Kernels | None:
            doubtful = rows is first and advice(request, fit, rows) <= _TIE
            return None if doubtful else fit.joined(request.training, TREES)

        return self._gained(TREES.words, fits, enlarged)

    def better(self, fits: Iterable[Fitted], others: Iterable[Fitted]) -> bool:
        """Whether rows that were held out lose less, in the mean, by the fits of all parts than by others of them."""
        first, second = (np.concatenate(list(map(self._losses, some, self.held))) for some in (fits, others))
        return float(np.average(second - first, weights=self.weight)) > 0.0

    @property
    def complete(self) -> bool:
        """Whether each row is held out once: then machines of hardly fewer rows than all say how sure to be."""
        return sum(map(len, self.held)) == len(self.learner.request.training.X)

    def noise(self, fits: Iterable[Fitted]) -> float | None:
        """The smallest variance of new targets about the function that rows which were held out ask for, where that is
        more than the noise that any part has learned; None else, and where noise is not learned.
        """
        training = self.learner.request.training
        left, unknown, noise = [], [], []
        for fit, rows in zip(fits, self.held, strict=True):
            found = self.learner.variances(fit, rows)
            if found is None:
                return None
            left.append(training.y[rows] - fit.values(training, rows))
            unknown.append(found[0])
            noise.append(found[1])
        size = float(np.average(training.y**2, weights=np.broadcast_to(training.weight[:, :1], training.y.shape)))
        all_left, all_unknown, all_noise = map(np.concatenate, (left, unknown, noise))
        return noise_held_out(all_left, all_unknown, all_noise, size, self.weight)

    def odds(self, fits: Iterable[Fitted]) -> Odds | None:
        """How probable classes are by what predicts at rows that were held out; None where nothing says so."""
        training, rows = self.learner.request.training, np.concatenate(self.held)
        if training.classes is None:
            return None
        every = [self.learner.predicted(fit, held) for fit, held in zip(fits, self.held, strict=True)]
        values, y = np.concatenate(every) + training.level, training.y[rows] + training.level
        return self.learner.request.objective.odds_of(values, y, self.weight, len(rows) / len(training.X))

    def _losses(self, fit: Fitted, rows: IntArray) -> FloatArray:
        """What these rows (n',) lose, shape (n',)."""
        request = self.learner.request
        return losses(request, fit.values(request.training, rows), rows)

    def _gained(
        self, words: str, fits: Iterable[Fitted], enlarged: Callable[[Fitted, IntArray], Kernels | None]
    ) -> Gained | None:
        """The fits of all parts with further kernels, and what rows that were held out gain by them; None where that is
        none.

        Parts are asked one after the other, and no further ones where those so far say that nothing is gained.
        """
        larger, gains = [], []
        for part, (fit, rows) in enumerate(zip(fits, self.held, strict=True)):
            kernels = enlarged(fit, rows)
            if kernels is None:
                return None
            larger.append(self._fit(words, part, kernels, fit.rows))
            gains.append(self._losses(fit, rows) - self._losses(larger[-1], rows))
            gain = np.concatenate(gains)
            weight = self.weight[: len(gain)]
            mean = float(np.average(gain, weights=weight))
            error = error_of_mean(gain, self.alike[: len(gain)], weight)
            if mean + self.errors * error <= _TIE or (mean <= 0.0 and 2 * len(larger) >= len(self.held)):
                return None
        return Gained(larger, mean, mean > ERRORS * error) if mean > max(_TIE, self.errors * error) else None

    def _fit(self, words: str, part: int, kernels: Kernels, rows: IntArray, *, doubted: bool = True) -> Fitted:
        parts = len(self.held)
        share = next(self.fits) / (parts * (self.most + _BESIDE_ROUNDS))
        self.learner.told(f"{words}, part {part + 1} of {parts}", share)
        return self.learner.fit(kernels, rows, doubted=doubted)
