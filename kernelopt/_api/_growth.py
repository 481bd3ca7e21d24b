"""Families that grow: kernels which the learned function asks for join them, while rows that were held out gain by it.

    on each fold:  learn, ask the families for kernels, learn again, predict the rows that were held out
    again while they are predicted better, by more than the error of that comparison
    on each fold:  grow trees to the targets, learn with their kernels, predict the rows that were held out
    as many rounds on all of these rows, and trees where they gained; these kernels stand in the families that are
    solved with

A function's directions and the splits of trees are fitted to the rows that they were learned from, and nothing in the
evidence pays for them: so rows that were not looked at decide, and a tie is won by fewer kernels.
"""

import math

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._growth_fits import SHARE, Ended, Kernels, Learner, grows, sample_of, with_trees
from kernelopt._api._growth_rounds import Judged, judged
from kernelopt._api._progress import Told
from kernelopt._api._start import Known
from kernelopt._api._validate import Request
from kernelopt._base._interrupts import Gate
from kernelopt._families._leaf import Leaf
from kernelopt._saddle._objective import Growth


@attrs.frozen(eq=False)
class Grown:
    """What is solved, after its families have grown or could have.

    Attributes:
        choice: the families and the solver.
        interrupted: whether somebody asked to stop.
        known: a kernel of these families that was learned on the way; None where none was.
    """

    choice: Choice
    interrupted: bool = False
    known: Known | None = None


def grown(request: Request, choice: Choice, gate: Gate, told: Told, *, half: bool = False) -> Grown:
    """The choice with families that have grown, and a note on it; as it is where none does, or nothing is gained.

    Args:
        request: what was asked for.
        choice: the families before they grow, and the solver.
        gate: where somebody may interrupt.
        told: gets what is done.
        half: whether rounds learn from half of the rows where nothing is gained with as few as the plan has: more rows
            may show directions that few do not, and a kernel of so many rows is worth the time. Not where time is
            limited.
    """
    plan = request.objective.growth(*request.training.y.shape)
    if plan is None:
        return Grown(choice)
    begun = restrained(choice.leaves)
    kept = tuple(leaf.family.name for leaf, whole in zip(begun, choice.leaves, strict=True) if leaf is not whole)
    choice = attrs.evolve(choice, leaves=begun)
    if not plan.most or not any(grows(leaf) for leaf in choice.leaves):
        return Grown(_told(choice, kept, 'too few rows can be held out, or effort="quick" was given'))
    learner, base = Learner(request, choice.solver, gate, told), Kernels(choice.leaves)
    try:
        found = judged(learner, base, plan)
        if half and request.deadline is None and not (found.rounds or found.steps):
            plan = _larger(plan, *request.training.y.shape)
            found = judged(learner, base, plan)
        repeated = _repeated(learner, base, plan, found)
        every = np.arange(len(request.training.X))
        parted = with_trees(repeated.leaves, request.training, every) if found.steps else None
    except Ended as end:
        why = f"family: the rounds of learned metrics did not end within {SHARE:.0%} of max_seconds, so none was added"
        notes = choice.notes if end.interrupted else (*choice.notes, f"{why} to the list")
        return Grown(attrs.evolve(choice, notes=notes), interrupted=end.interrupted)
    if not found.rounds:
        choice = _told(choice, kept, "held-out rows were predicted no better with them")
    rounds = f"{found.rounds} round{'s' * (found.rounds > 1)} of learned metrics"
    gains = [(rounds, found.gain)] * (found.rounds > 0) + [("kernels of trees", found.steps)] * (parted is not None)
    notes = tuple(
        f"family: {words} joined the list, which lowers the mean loss on held-out rows by {gain:.3g}"
        for words, gain in gains
    )
    leaves = repeated.leaves if parted is None else parted
    return Grown(attrs.evolve(choice, leaves=leaves, notes=(*choice.notes, *notes)), known=repeated.known)


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
class _Repeated:
    """Families that have grown on the sample.

    Attributes:
        leaves: the families.
        known: a kernel of them; None where none was learned.
    """

    leaves: tuple[Leaf, ...]
    known: Known | None


def _repeated(learner: Learner, base: Kernels, plan: Growth, found: Judged) -> _Repeated:
    """The families after so many rounds on the whole sample as rows that were held out gain by; where that is not all
    rows, without the new kernels to which it gives no weight.
    """
    if found.base is None:
        return _Repeated(base.leaves, None)
    begun = found.base.response.mixture
    if not found.rounds:
        return _Repeated(base.leaves, Known(begun, len(found.base.rows)))
    sample, kernels = np.sort(sample_of(learner.request, plan)), attrs.evolve(base, at=begun)
    for done in range(found.rounds):
        learner.told(f"round {done + 1} of learned metrics, for all parts together", done / found.rounds)
        larger = learner.fit(kernels, sample).grown(learner.request.training)
        if larger is None:
            break
        kernels = larger
    if len(sample) < len(learner.request.training.X):
        kernels = learner.fit(kernels, sample).pruned()
    return _Repeated(kernels.leaves, Known(kernels.at, len(sample)) if kernels.at is not None else None)
