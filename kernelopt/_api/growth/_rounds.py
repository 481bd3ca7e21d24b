"""Which kernels rows that were held out gain by, and how many rounds of growth."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import tee

import attrs
import numpy as np

from kernelopt._api.growth._fits import Fitted, Learner, sample_of
from kernelopt._api.growth._kernels import Kernels
from kernelopt._api.growth._parts import ERRORS, Gained, Parts
from kernelopt._api.growth._steps import (
    CATEGORIES,
    COLUMNS,
    CORRELATED,
    FRACTIONS,
    SEASONS,
    SPARSE,
    TREES,
    WIDTHS,
    Step,
)
from kernelopt._base._typing import IntArray
from kernelopt._families._leaf import Leaf
from kernelopt._prediction._unseen import Unseen
from kernelopt._saddle._objective import Growth

_LARGER = 4
"""A larger sample has so many times as many rows as that of the plan, at most: a guard, for time."""
EACH = 1.0
"""Standard errors of each of two looks: of kernels that help nobody 16 % pass one, and 2 % both."""


@attrs.frozen
class Joined:
    """A step that rows which were held out gain by.

    Attributes:
        step: which.
        gain: how much, in nats.
        sure: whether one look is enough to say so.
    """

    step: Step
    gain: float
    sure: bool


@attrs.frozen
class Rounds:
    """Rounds that rows which were held out gain by.

    Attributes:
        number: of them.
        gain: how much, in nats.
        sure: whether one look is enough to say so.
    """

    number: int = 0
    gain: float = 0.0
    sure: bool = True

    def further(self, found: Gained) -> "Rounds":
        """One more."""
        return Rounds(self.number + 1, self.gain + found.gain, self.sure and found.sure)


@attrs.frozen(eq=False)
class Judged:
    """What rows that were held out say.

    Attributes:
        leaves: the families that rounds begin with.
        rounds: those they gain by.
        steps: those they gain by.
        base: what was learned without a round from the rows that are not of the first part; None where none is held
            out.
        last: what was learned from these rows with the few columns, the rounds and the fitted widths that rows gain by.
        again: whether any run on these rows had to begin with a share of new kernels.
        unseen: how sure to be beside what joins, which has not seen these rows.
    """

    leaves: tuple[Leaf, ...]
    rounds: Rounds = Rounds()
    steps: tuple[Joined, ...] = ()
    base: Fitted | None = None
    last: Fitted | None = None
    again: bool = False
    unseen: Unseen = attrs.field(factory=Unseen)

    @property
    def begun(self) -> Kernels:
        """The families that rounds begin with, and the kernel of them that was learned first."""
        return Kernels(self.leaves, None if self.base is None else self.base.response.mixture)

    @property
    def gained(self) -> bool:
        """Whether any kernels join."""
        return bool(self.rounds.number or self.steps)

    @property
    def sure(self) -> bool:
        """Whether one look is enough to say so of all that join."""
        return self.rounds.sure and all(one.sure for one in self.steps)

    @property
    def fitted(self) -> bool:
        """Whether any kernels join that are fitted to rows, and are not of trees."""
        fitted = CATEGORIES, CORRELATED, SPARSE, COLUMNS, WIDTHS
        return bool(self.rounds.number) or any(self.takes(one) for one in fitted)

    def takes(self, step: Step) -> bool:
        """Whether rows gain by it."""
        return any(step is one.step for one in self.steps)

    def further(self, steps: tuple[Joined, ...], fits: Iterable[Fitted]) -> "Judged":
        """The same with further steps, with which all parts have learned these fits."""
        return attrs.evolve(self, steps=(*self.steps, *steps), again=next(iter(fits)).again)


def judged(learner: Learner, base: Kernels, plan: Growth, errors: float = ERRORS) -> Judged:
    """What rows that were held out gain by, by more than so many standard errors: kernels that the families offer, then
    those of few columns or of weighed ones, then rounds, one after the other until the next is no gain, then kernels
    that see numbers as names, those whose widths are fitted, and those of trees; or those of trees right after the
    first.
    """
    sample = sample_of(learner.request, plan)
    parts = Parts.of(learner, sample, plan.folds, plan.folds, plan.most)
    if parts is None:
        return Judged(base.leaves)
    training = learner.request.training
    tried = tuple(step for step in parts.tried if step.suits(base.leaves, training, np.sort(sample)))
    return _looked(attrs.evolve(parts, tried=tried, errors=errors), base, sample)


def confirmed(learner: Learner, base: Kernels, plan: Growth, found: Judged) -> Judged:
    """What the half of a larger sample gains by too, of what was found, where the other half is learned from.

    What helps a kernel of few rows may harm that of more.
    """
    sample = sample_of(learner.request, attrs.evolve(plan, rows=_LARGER * plan.rows))
    parts = Parts.of(learner, sample, 2, 1, found.rounds.number)
    if parts is None:
        return found
    tried = tuple(one.step for one in found.steps)
    return _looked(attrs.evolve(parts, tried=tried, errors=EACH), base, sample)


def _looked(parts: Parts, base: Kernels, sample: IntArray) -> Judged:
    """What the parts of a sample (n,) gain by. Where rows gain by kernels of trees alone, these join others, or take
    their place if rows lose less by them alone: rounds that imitate steps may leave too little for trees.
    """
    leaves, fits, offered = _offered(parts, base.leaves, parts.first(base, sample))
    fits, begun, bare = tee(fits, 3)
    of_trees, alone = _joined(parts, TREES, parts.parted, bare)
    fits, chosen = _chosen(parts, fits)
    fits, rounds = _grown(parts, fits)
    fits, named = _joined(parts, CATEGORIES, partial(parts.fitted, CATEGORIES), fits)
    fits, adapted = _joined(parts, WIDTHS, partial(parts.fitted, WIDTHS), fits)
    fits, last = tee(fits)
    found = Judged(leaves, steps=offered, base=next(begun))
    if not (rounds.number or chosen or named or adapted):
        return _ended(parts, found, alone, of_trees)
    parted: tuple[Joined, ...] = ()
    if alone:
        fits, parted = _joined(parts, TREES, parts.parted, fits)
        fits, others = tee(fits)
        of_trees, of_trees_alone = tee(of_trees)
        if parts.better(of_trees_alone, others):
            return _ended(parts, found, alone, of_trees)
    found = attrs.evolve(found, rounds=rounds, last=next(last))
    return _ended(parts, found, (*chosen, *named, *adapted, *parted), fits)


def _ended(parts: Parts, found: Judged, steps: tuple[Joined, ...], fits: Iterator[Fitted]) -> Judged:
    """What was found with further steps, with which all parts have learned these fits.

    What joined has seen the targets, and tells rows apart that differ by noise alone. So rows that it has not seen say
    how probable classes are, and how much noise there is at least; of some of many rows only beside trees, which leave
    too little noise however many there are.
    """
    fits, last, looked = tee(fits, 3)
    found = found.further(steps, fits)
    if not found.gained:
        return found
    noise = parts.noise(last) if parts.complete or found.takes(TREES) else None
    return attrs.evolve(found, unseen=Unseen(parts.odds(looked), noise))


def _offered(
    parts: Parts, leaves: tuple[Leaf, ...], fits: Iterator[Fitted]
) -> tuple[tuple[Leaf, ...], Iterator[Fitted], tuple[Joined, ...]]:
    """The leaves, with the kernels that they offer if rows gain by these, what is learned then, and the steps."""
    steps: tuple[Joined, ...] = ()
    for step in (SEASONS, FRACTIONS):
        larger = step.join(leaves, parts.learner.request.training, slice(None)) if step in parts.tried else None
        if larger is not None:
            fits, joined = _joined(parts, step, partial(parts.offered, step, larger), fits)
            leaves, steps = larger if joined else leaves, (*steps, *joined)
    return leaves, fits, steps


def _grown(parts: Parts, fits: Iterator[Fitted]) -> tuple[Iterator[Fitted], Rounds]:
    """What is learned after as many rounds as rows gain by, and these rounds."""
    rounds = Rounds()
    while rounds.number < parts.most:
        fits, asked = tee(fits)
        found = parts.further(rounds.number + 1, asked)
        if found is None:
            break
        fits, rounds = iter(found.fits), rounds.further(found)
    return fits, rounds


def _chosen(parts: Parts, fits: Iterator[Fitted]) -> tuple[Iterator[Fitted], tuple[Joined, ...]]:
    """What is learned with kernels of few columns or of weighed ones, or of both, if rows gain by these, and their
    steps.
    """
    fits, chosen = _best(parts, (COLUMNS, CORRELATED, SPARSE), fits)
    if not chosen or chosen[0].step is COLUMNS:
        return fits, chosen
    fits, few = _joined(parts, COLUMNS, partial(parts.fitted, COLUMNS), fits)
    return fits, (*chosen, *few)


def _best(parts: Parts, steps: tuple[Step, ...], fits: Iterator[Fitted]) -> tuple[Iterator[Fitted], tuple[Joined, ...]]:
    """What is learned with the kernels of that step of some which rows gain the most by, and this step: among the
    kernels of all of them the evidence would prefer those that fit the targets too closely.
    """
    best: tuple[Step, Gained] | None = None
    for step in steps:
        if step in parts.tried:
            fits, asked = tee(fits)
            found = parts.fitted(step, asked)
            if found is not None and (best is None or found.gain > best[1].gain):
                best = step, found
    if best is None:
        return fits, ()
    step, found = best
    return iter(found.fits), (Joined(step, found.gain, found.sure),)


def _joined(
    parts: Parts,
    step: Step,
    gained: Callable[[Iterable[Fitted]], Gained | None],
    fits: Iterator[Fitted],
) -> tuple[Iterator[Fitted], tuple[Joined, ...]]:
    """What is learned with the kernels of a step, and this step; or what was learned, where rows gain nothing by it or
    it is not tried.
    """
    if step not in parts.tried:
        return fits, ()
    fits, asked = tee(fits)
    found = gained(asked)
    return (fits, ()) if found is None else (iter(found.fits), (Joined(step, found.gain, found.sure),))
