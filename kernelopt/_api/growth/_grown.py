"""Families that grow: kernels which the learned function asks for join them, while rows that were held out gain by it.

    on each fold:  learn, with the kernels that the families offer too, predict the rows that were held out
    with many columns:  on each fold learn with kernels of the few columns that say most of the targets, or of all
        columns, each weighed by how much it says, whichever predicts better
    on each fold:  ask the families for kernels that suit the function, learn again, predict the rows that were held out
    again while they are predicted better, by more than the error of that comparison
    on each fold:  learn with kernels of all columns in which those numbers are names that are names by the targets,
        predict; the same with kernels whose widths are fitted to the targets; and the same with trees, which take the
        place of all these kernels where rows are predicted better by trees alone
    with many rows:  the same once more with those that gained, on more rows
    what gained on all of these rows; these kernels stand in the families that are solved with

A function's directions, widths and the splits of trees are fitted to the rows that they were learned from, and nothing
in the evidence pays for them: so rows that were not looked at decide, and a tie is won by fewer kernels.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._progress import Told
from kernelopt._api._validate import Request
from kernelopt._api.beginning._rehearsal import SLOWEST, Known
from kernelopt._api.growth._fits import Ended, Learner, sample_of
from kernelopt._api.growth._kernels import Kernels
from kernelopt._api.growth._parts import ERRORS
from kernelopt._api.growth._rounds import EACH, Judged, confirmed, judged
from kernelopt._api.growth._steps import CATEGORIES, COLUMNS, CORRELATED, SPARSE, TREES, WIDTHS, grows
from kernelopt._base._budget import TICK
from kernelopt._base._interrupts import Gate
from kernelopt._base._typing import IntArray
from kernelopt._base._working_time import working
from kernelopt._families._leaf import Leaf
from kernelopt._prediction._unseen import Unseen
from kernelopt._saddle._objective import Growth

_SECOND = 6.0
"""A second look takes so many times as long as the first one at most: a guard; of ten tables it took 1 to 4 times."""

_FEWER, _GROWTH, _FEWEST = 0.25, 1.5, 100
"""With a time limit a look at this share of the rows comes first, unless that is too few of them. All rows take so much
longer as this power of their number says: a guard, for time grows faster where there are many."""
_WORTH = 2.0
"""Where there is no time for all rows of the plan, so many times as many as the first look had are worth a second."""

T = TypeVar("T")


@attrs.frozen(eq=False)
class Grown:
    """What is solved, after its families have grown or could have.

    Attributes:
        choice: the families and the solver.
        interrupted: whether somebody asked to stop.
        known: a kernel of these families that was learned on the way; None where none was.
        unseen: what rows say that what joined has not seen.
    """

    choice: Choice
    interrupted: bool = False
    known: Known | None = None
    unseen: Unseen = attrs.field(factory=Unseen)


def grown(request: Request, choice: Choice, gate: Gate, told: Told, *, half: bool = False) -> Grown:
    """The choice with families that have grown, and a note on it; as it is where none does, or nothing is gained.

    Args:
        request: what was asked for.
        choice: the families before they grow, and the solver.
        gate: where somebody may interrupt.
        told: gets what is done.
        half: whether the kernel alone is wanted. Rounds may take more of the time then, and learn from half of the rows
            where nothing is gained with as few as the plan has: more rows may show directions that few do not, and a
            kernel of so many rows is worth the time, if there is any.
    """
    request = _observed(request)
    observed, outputs = round(float(request.training.weight[:, 0].sum())), request.training.y.shape[1]
    plan = request.objective.growth(observed, outputs)
    if plan is None:
        return Grown(choice)
    begun = restrained(choice.leaves)
    kept = tuple(leaf.family.name for leaf, whole in zip(begun, choice.leaves, strict=True) if leaf is not whole)
    choice = attrs.evolve(choice, leaves=begun)
    if not plan.most or not any(grows(leaf) for leaf in choice.leaves):
        return Grown(_told(choice, kept, 'too few rows can be held out, or effort="quick" was given'))
    learner, base = Learner.of(request, choice.solver, gate, told, plan, alone=half), Kernels(choice.leaves)
    try:
        began = working()
        seen, (found, last) = _found_in_time(learner, base, plan)
        more = _larger(plan, observed, outputs)
        time_of_more = (working() - began) * (more.rows / plan.rows) ** SLOWEST
        if half and not found.gained and more.rows > plan.rows and learner.budget.allows(time_of_more):
            found, last = _found(learner, base, more)
        parted = _parted(learner, last, again=found.again) if found.takes(TREES) else None
    except Ended as end:
        late = (
            f"family: the rounds of learned metrics did not end within {learner.share:.0%} of max_seconds, so none was "
            "added to the list"
        )
        notes = choice.notes if end.interrupted else (*choice.notes, late)
        return Grown(attrs.evolve(choice, notes=notes), interrupted=end.interrupted)
    if not found.rounds.number:
        choice = _told(choice, kept, "held-out rows were predicted no better with them")
    fewer = () if seen is plan else (_fewer(seen, min(plan.rows, len(request.training.X))),)
    notes = (*choice.notes, *fewer, *_gains(found, trees=parted is not None))
    last = parted or last
    choice = attrs.evolve(choice, leaves=last.kernels.leaves, notes=notes)
    return Grown(choice, known=last.known, unseen=found.unseen)


def _observed(request: Request) -> Request:
    """The request with weights that say how often each row was observed, as the criterion takes them."""
    training = request.training
    weight = request.criterion.observed(training.weight[:, 0])
    if np.array_equal(weight, training.weight[:, 0]):
        return request
    every = np.repeat(weight[:, None], training.weight.shape[1], axis=1)
    return attrs.evolve(request, training=attrs.evolve(training, weight=every))


def _fewer(seen: Growth, wanted: int) -> str:
    """A note where new kernels were judged on fewer rows than wanted."""
    return f"family: max_seconds left time to judge new kernels on {seen.rows} rows, where {wanted} were wanted"


def _gains(found: Judged, *, trees: bool) -> tuple[str, ...]:
    """A note on each kind of kernels that joined, with what rows that were held out gain by it."""
    number = found.rounds.number
    rounds = f"{number} round{'s' * (number > 1)} of learned metrics"
    joined = [(one.step.words, one.gain) for one in found.steps if one.step is not TREES or trees]
    gains = [(rounds, found.rounds.gain)] * (number > 0) + joined
    return tuple(
        f"family: {words} joined the list, which lowers the mean loss on held-out rows by {gain:.3g}"
        for words, gain in gains
    )


def _larger(plan: Growth, n: int, outputs: int) -> Growth:
    """A plan for half of n rows at least; for fewer, where many outputs have each row say more."""
    return attrs.evolve(plan, rows=max(plan.rows, int(0.5 * n / math.sqrt(max(0.5 * outputs, 1.0)))))


def restrained(leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The leaves as they begin, before they grow."""
    return tuple(_restrained(leaf) for leaf in leaves)


def _restrained(leaf: Leaf) -> Leaf:
    """With a price on its kernels a family is as it is, for it cannot grow."""
    family = leaf.family.restrained() if leaf.penalty is None else leaf.family
    return leaf if family is leaf.family else attrs.evolve(leaf, family=family)


def _told(choice: Choice, kept: tuple[str, ...], why: str) -> Choice:
    """The choice with a note on the families that were kept to a part of their kernels, where there are any."""
    if not kept:
        return choice
    note = f"family: {' and '.join(kept)} learned no metrics, because {why}"
    return attrs.evolve(choice, notes=(*choice.notes, note))


@attrs.frozen(eq=False)
class _Last:
    """Families that have grown, and a kernel of them.

    Attributes:
        kernels: of all steps.
        rows: from which it was learned, shape (n,); None where none was.
    """

    kernels: Kernels
    rows: IntArray | None = None

    @property
    def known(self) -> Known | None:
        """The kernel, for the run on all rows."""
        return None if self.kernels.at is None or self.rows is None else Known(self.kernels.at, len(self.rows))


def _found_in_time(learner: Learner, base: Kernels, plan: Growth) -> tuple[Growth, tuple[Judged, _Last]]:
    """As `_found`, and by which plan; with a time limit fewer of the rows are looked at first. They take a small part
    of the time, tell how long all of the plan's will take, and what they say stays where there is no time for twice as
    many.
    """
    few = attrs.evolve(plan, rows=int(_FEWER * min(plan.rows, len(learner.request.training.X))))
    if learner.budget.deadline is None or few.rows < _FEWEST:
        return plan, _found(learner, base, plan)
    began = working()
    first = few, _found(learner, base, few)
    larger = _affordable(learner, few, plan, working() - began)
    return first if larger is None else _in_time(lambda: (larger, _found(learner, base, larger)), first)


def _affordable(learner: Learner, few: Growth, plan: Growth, took: float) -> Growth | None:
    """The plan, or that of as many rows as there is time for, by the seconds that few rows took; None where these are
    not many more.
    """
    if learner.budget.allows(took * (1.0 / _FEWER) ** _GROWTH):
        return plan
    times = ((learner.budget.remaining() or 0.0) / max(took, TICK)) ** (1.0 / _GROWTH)
    return attrs.evolve(plan, rows=int(times * few.rows)) if times >= _WORTH else None


def _found(learner: Learner, base: Kernels, plan: Growth) -> tuple[Judged, _Last]:
    """What rows that were held out gain by, where there are enough of them and time in both of two looks, and the
    families with it. A look that is the only one is taken once more at its own standard, if there is time for that.
    """
    began = working()
    twice = len(learner.request.training.X) >= 2 * plan.rows
    found = judged(learner, base, plan, EACH if twice else ERRORS)
    took = working() - began
    if twice and found.gained and learner.budget.allows(_SECOND * took):
        found = _in_time(lambda: confirmed(learner, base, plan, found), found)
        return found, _kept(found)
    if found.gained and not found.sure and learner.budget.allows(took):
        found = judged(learner, base, plan)
    return found, _in_time(lambda: _repeated(learner, plan, found), _kept(found))


def _in_time(work: Callable[[], T], before: T) -> T:
    """What comes out of the work, or what was there before where there is no time for it."""
    try:
        return work()
    except Ended as end:
        if end.interrupted:
            raise
        return before


def _begun(found: Judged) -> _Last:
    """The families that rounds begin with, and what was learned of them first."""
    return _Last(found.begun, None if found.base is None else found.base.rows)


def _kept(found: Judged) -> _Last:
    """The families as the rows that are not of the first part have learned them."""
    if found.last is None or not found.fitted:
        return _begun(found)
    return _Last(found.last.pruned(), found.last.rows)


def _repeated(learner: Learner, plan: Growth, found: Judged) -> _Last:
    """The families after so many rounds on the whole sample as rows that were held out gain by, with kernels of few
    columns before and fitted widths after, where they gain by these; where the sample is not all rows, without the new
    kernels to which it gives no weight.
    """
    if found.base is None or not found.fitted:
        return _begun(found)
    kernels, learned, training = found.begun, found.base.rows, learner.request.training
    sample, number = np.sort(sample_of(learner.request, plan)), found.rounds.number
    for step in (CORRELATED, SPARSE, COLUMNS):
        if found.takes(step):
            kernels = kernels.among(step.join(kernels.leaves, training, sample) or kernels.leaves)
    for done in range(number):
        learner.told(f"round {done + 1} of learned metrics, for all parts together", done / (number + 1))
        larger = learner.fit(kernels, sample).grown(training)
        if larger is None:
            break
        kernels, learned = larger, sample
    learner.told("what joins the list, for all parts together", number / (number + 1))
    for step in (CATEGORIES, WIDTHS):
        if found.takes(step):
            kernels = kernels.among(step.join(kernels.leaves, training, sample) or kernels.leaves)
    if len(sample) < len(training.X):
        return _Last(learner.fit(kernels, sample).pruned(), sample)
    return _learned(learner, kernels, sample) if found.again else _Last(kernels, learned)


def _parted(learner: Learner, last: _Last, *, again: bool) -> _Last | None:
    """With kernels of trees, which see all rows; None where there are none."""
    leaves = TREES.join(last.kernels.leaves, learner.request.training, slice(None))
    if leaves is None:
        return None
    larger, rows = attrs.evolve(last, kernels=last.kernels.among(leaves)), last.rows
    if rows is None or not again:
        return larger
    return _in_time(lambda: _learned(learner, larger.kernels, rows), larger)


def _learned(learner: Learner, kernels: Kernels, rows: IntArray) -> _Last:
    """These families with their kernel for some rows (n,): the run on all rows begins at it, and would stay at the one
    that was learned without what joined last.
    """
    return _Last(Kernels(kernels.leaves, learner.fit(kernels, rows).response.mixture), rows)
