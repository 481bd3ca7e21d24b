"""Which kernels rows that were held out gain by, and how many rounds of growth."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count, tee

import attrs
import numpy as np

from kernelopt._api._forest_advice import advice, losses
from kernelopt._api._growth_fits import Fitted, Kernels, Learner, sample_of
from kernelopt._api._growth_steps import NAMES, TREES, WIDTHS, Step
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._leaf import Leaf
from kernelopt._saddle._held_out import error_of_mean, held_out
from kernelopt._saddle._objective import Growth

_TIE = 5e-3
"""A gain in the loss of a row, in nats, that is less counts as none: a guard, for fewer rounds win a tie."""
_ERRORS = 2.0
"""A gain stays if it is more than so many of its standard errors: of rounds that help nobody 2 % pass."""


_BESIDE_ROUNDS = 4
"""Fits of each part besides those of rounds: with nothing, and with the kernels of each step."""


Steps = tuple[tuple[Step, float], ...]
"""Steps that rows which were held out gain by, with how much that is, in nats."""


@attrs.frozen(eq=False)
class Judged:
    """What rows that were held out say.

    Attributes:
        leaves: the families that rounds begin with.
        rounds: how many of them they gain by.
        gain: how much, in nats.
        steps: those they gain by.
        base: what was learned without a round from the rows that are not of the first part; None where none is held
            out.
    """

    leaves: tuple[Leaf, ...]
    rounds: int = 0
    gain: float = 0.0
    steps: Steps = ()
    base: Fitted | None = None

    @property
    def begun(self) -> Kernels:
        """The families that rounds begin with, and the kernel of them that was learned first."""
        return Kernels(self.leaves, None if self.base is None else self.base.response.mixture)

    @property
    def gained(self) -> bool:
        """Whether any kernels join."""
        return bool(self.rounds or self.steps)

    def takes(self, step: Step) -> bool:
        """Whether rows gain by it."""
        return any(step is one for one, _ in self.steps)


@attrs.frozen(eq=False)
class Parts:
    """Rows that are held out, part after part.

    Attributes:
        learner: learns from the others.
        held: the numbers of the rows of each part.
        alike: the set of copies that each of all of these rows is in, shape (n,).
        weight: of all of these rows, > 0, shape (n,).
        most: rounds at most.
        fits: counts what has been learned.
    """

    learner: Learner
    held: list[IntArray]
    alike: IntArray
    weight: FloatArray
    most: int
    fits: Iterator[int] = attrs.field(factory=count)

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

    def further(self, rounds: int, fits: Iterable[Fitted]) -> tuple[list[Fitted], float] | None:
        """The fits of all parts after a round more, and what rows that were held out gain by it; None where that is
        none.
        """
        training = self.learner.request.training
        words = f"round {rounds} of learned metrics"
        return self._gained(words, fits, lambda fit, _: fit.grown(training))

    def offered(self, leaves: tuple[Leaf, ...], fits: Iterable[Fitted]) -> tuple[list[Fitted], float] | None:
        """The same with the leaves of more kernels, which are those of all parts."""
        return self._gained(NAMES.words, fits, lambda fit, _: Kernels(leaves, fit.response.mixture))

    def adapted(self, fits: Iterable[Fitted]) -> tuple[list[Fitted], float] | None:
        """The same with kernels whose widths are fitted to the rows of each part."""
        training = self.learner.request.training
        return self._gained(WIDTHS.words, fits, lambda fit, _: fit.joined(training, WIDTHS))

    def parted(self, fits: Iterable[Fitted]) -> tuple[list[Fitted], float] | None:
        """The same with kernels of trees; None too where a forest has no advice for the rows of the first part."""
        request, first = self.learner.request, self.held[0]

        def enlarged(fit: Fitted, rows: IntArray) -> Kernels | None:
            doubtful = rows is first and advice(request, fit, rows) <= _TIE
            return None if doubtful else fit.joined(request.training, TREES)

        return self._gained(TREES.words, fits, enlarged)

    def _gained(
        self, words: str, fits: Iterable[Fitted], enlarged: Callable[[Fitted, IntArray], Kernels | None]
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
            larger.append(self._fit(words, part, kernels, fit.rows))
            before, after = (losses(request, one.values(request.training, rows), rows) for one in (fit, larger[-1]))
            gains.append(before - after)
            gain = np.concatenate(gains)
            weight = self.weight[: len(gain)]
            mean = float(np.average(gain, weights=weight))
            error = error_of_mean(gain, self.alike[: len(gain)], weight)
            if mean + _ERRORS * error <= _TIE or (mean <= 0.0 and 2 * len(larger) >= len(self.held)):
                return None
        return (larger, mean) if mean > max(_TIE, _ERRORS * error) else None

    def _fit(self, words: str, part: int, kernels: Kernels, rows: IntArray, *, doubted: bool = True) -> Fitted:
        parts = len(self.held)
        share = next(self.fits) / (parts * (self.most + _BESIDE_ROUNDS))
        self.learner.told(f"{words}, part {part + 1} of {parts}", share)
        return self.learner.fit(kernels, rows, doubted=doubted)


def judged(learner: Learner, base: Kernels, plan: Growth) -> Judged:
    """What rows that were held out gain by: kernels that the families offer, then rounds, one after the other until the
    next is no gain, then kernels whose widths are fitted, then those of trees.
    """
    training, sample = learner.request.training, sample_of(learner.request, plan)
    held = held_out(training.told_apart, sample, plan.folds)
    if not all(len(rows) for rows in held):
        return Judged(base.leaves)
    rows = np.concatenate(held)
    parts = Parts(learner, held, sets_of_copies(training.told_apart[rows]), training.weight[rows, 0], plan.most)
    leaves, fits, offered = _offered(parts, base.leaves, parts.first(base, sample))
    fits, begun = tee(fits)
    fits, rounds, gain = _grown(parts, fits)
    return Judged(leaves, rounds, gain, (*offered, *_joined(parts, fits)), next(begun))


def _offered(
    parts: Parts, leaves: tuple[Leaf, ...], fits: Iterator[Fitted]
) -> tuple[tuple[Leaf, ...], Iterator[Fitted], Steps]:
    """The leaves, with the kernels that they offer if rows gain by these, what is learned then, and the step."""
    larger = NAMES.join(leaves, parts.learner.request.training, slice(None))
    if larger is None:
        return leaves, fits, ()
    fits, asked = tee(fits)
    found = parts.offered(larger, asked)
    return (leaves, fits, ()) if found is None else (larger, iter(found[0]), ((NAMES, found[1]),))


def _grown(parts: Parts, fits: Iterator[Fitted]) -> tuple[Iterator[Fitted], int, float]:
    """What is learned after as many rounds as rows gain by, how many these are, and the gain."""
    gained = 0.0
    for rounds in range(parts.most):
        fits, asked = tee(fits)
        found = parts.further(rounds + 1, asked)
        if found is None:
            return fits, rounds, gained
        fits, gained = iter(found[0]), gained + found[1]
    return fits, parts.most, gained


def _joined(parts: Parts, fits: Iterator[Fitted]) -> Iterator[tuple[Step, float]]:
    """The steps after the rounds that rows gain by, with their gains."""
    for step, tried in ((WIDTHS, parts.adapted), (TREES, parts.parted)):
        fits, asked = tee(fits)
        found = tried(asked)
        if found is not None:
            fits = iter(found[0])
            yield step, found[1]
