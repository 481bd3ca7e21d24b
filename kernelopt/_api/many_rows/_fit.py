"""Many rows summed up over features, and the kernel's size, the level and the noise that all of them ask for."""

import time
from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._api._progress import Told
from kernelopt._api._validate import Request
from kernelopt._api.many_rows._asked import evidence_of, places_at_hand
from kernelopt._api.many_rows._belief import Belief, Believing, belief_in, weighed
from kernelopt._api.many_rows._kept import ManyKeeper
from kernelopt._api.many_rows._on_landmarks import Begun
from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._counting import counted, whole_noise
from kernelopt._evidence._summed import summed_problem
from kernelopt._evidence._summed_mean import SummedMean
from kernelopt._families._atom_subset import Active
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.features._feature_rows import FeatureMap, FeatureRows, HeldRows
from kernelopt._families.features._feature_sums import Summing, Sums
from kernelopt._families.variances._delta import Delta
from kernelopt._rows._coded import CodedRows
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._certification import certified
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import Run, run
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._watch import Observer, Watch

_SUMS, _MACHINE = 0.3, 0.9
"""Where these stages begin on the progress line."""
_FEW = 10_000
"""From so many rows at most it is learned how probable classes are, and a start for all."""


@attrs.frozen(eq=False)
class Follower:
    """Who follows the call.

    Attributes:
        gate: where Ctrl-C comes in.
        told: gets each stage, and the share of all that is over.
        observers: get every record of the run.
        budget: of all.
    """

    gate: Gate
    told: Told
    observers: tuple[Observer, ...]
    budget: Budget

    def sums(self, share: float) -> None:
        """So many of the rows are summed up."""
        self.told(f"all rows summed up, {share:.0%}", _SUMS + share * (_MACHINE - _SUMS))

    def machine(self) -> None:
        """What predicts comes next."""
        self.told("what predicts", _MACHINE)


@attrs.frozen(eq=False)
class Fit:
    """What was learned from all rows.

    Attributes:
        leaves: explicit lists, and the identity on samples.
        map: the features of the former.
        rows: that were seen: all, but where time was short.
        few: some of them, in memory.
        sums: over the features.
        noise: the least noise of a row that counts once.
        problem: of the sums.
        done: its run.
        belief: how far rows are believed, by which their weights are multiplied; None where their noise is Gaussian and
            of one size.
    """

    leaves: tuple[Leaf, ...]
    map: FeatureMap
    rows: CodedRows
    few: HeldRows
    sums: Sums
    noise: float
    problem: Problem
    done: Run
    belief: Belief | None = None

    @property
    def mixture(self) -> Mixture:
        """The kernel, in the leaves' own atoms."""
        pairs = zip(self.problem.leaves, self.done.bounds.response.mixture.parts, strict=True)
        return Mixture(tuple(_lifted(leaf, part) for leaf, part in pairs))

    @property
    def root(self) -> FloatArray:
        """The root of what each feature counts in the kernel, shape (r,)."""
        owners, pieces = iter(self.map.owner), [np.zeros(0)]
        for leaf, part in zip(self.problem.leaves, self.done.bounds.response.mixture.parts, strict=True):
            if not isinstance(leaf.family, Delta):
                pieces.append(np.sqrt(leaf.parameters(part)[next(owners)]))
        return np.concatenate(pieces)

    @property
    def tau(self) -> float:
        """The noise of a row that counts once."""
        return whole_noise(self.problem, self.done.bounds.response.mixture)

    @property
    def degrees(self) -> float | None:
        """Of freedom of the noise, where that is Student's t; else None."""
        return None if self.belief is None else self.belief.degrees

    @property
    def inner(self) -> FloatArray:
        """diag(w)^1/2 Phi'S Phi diag(w)^1/2 + tau I, shape (r, r)."""
        root = self.root
        inner = root[:, None] * self.sums.inner * root
        inner[np.diag_indices(len(inner))] += self.tau
        return np.asarray(inner)

    def mean(self) -> SummedMean:
        """The mean of the targets."""
        return SummedMean.of(self.inner, self.sums.along, self.root)


def fitted(request: Request, kernel: Begun, solver: Solver, follower: Follower, keeper: ManyKeeper) -> Fit:
    """Learned from sums over all rows, or over those for which there was time."""
    criterion, settings = evidence_of(request), request.settings
    lists = tuple(leaf for leaf in kernel.leaves if not isinstance(leaf.family, Delta))
    features = FeatureMap.of(lists, request.training.X, request.settings.device)
    every = _all(request, features, kernel)
    belief = _belief(request, features, kernel, follower.budget)
    sums, rows = _summed(every, features, belief, kernel, follower, keeper)
    square = float(np.trace(sums.squares)) / (sums.rows * len(sums.squares))
    noise = criterion.floor * (square or 1.0)
    problem = summed_problem(kernel.leaves, features, sums, criterion, noise)
    relative, absolute = criterion.tolerances(problem, settings.tol, settings.atol)
    problem = attrs.evolve(problem, accuracy=criterion.accuracy(problem, settings.tol, settings.atol))
    steps = solver.default_steps if settings.max_steps is None else settings.max_steps
    limits = Limits(relative, absolute, steps, request.deadline)
    gate = follower.gate
    watch = Watch(observers=follower.observers, began=request.since, interrupted=gate.asked, gate=gate)
    done = run(problem, solver, _lowered(problem, kernel), limits, seed=settings.seed, watch=watch)
    done = certified(problem, solver, done, limits, settings.seed, gate)
    few = _few(request, features, belief, rows)
    return Fit(kernel.leaves, features, rows, few, sums, noise, problem, done, belief)


def _belief(request: Request, features: FeatureMap, kernel: Begun, budget: Budget) -> Belief | None:
    """How far rows are believed, by the rows at hand; None where their noise is Gaussian and of one size."""
    if kernel.noise is None:
        return None
    places = places_at_hand(request)
    few = rows_in_memory(request, features, kernel.features).only(places)
    few = attrs.evolve(few, features=few.features.kept())
    noise = attrs.evolve(kernel.noise, tau=kernel.noise.tau + kernel.left)
    sample = np.searchsorted(places, noise.places)
    return belief_in(few, noise, sample, kernel.root(features), budget.cancelled)


def _summed(
    every: CodedRows,
    features: FeatureMap,
    belief: Belief | None,
    kernel: Begun,
    follower: Follower,
    keeper: ManyKeeper,
) -> tuple[Sums, CodedRows]:
    """The sums and the rows that they are over; where a pass is dear, those that an earlier run has finished."""
    kept = keeper.found.sums
    if kept is not None and len(kept.inner) == features.width and not isinstance(every, HeldRows):
        return kept, every
    work = Summing(features) if belief is None else Believing(Summing(features), belief)
    sums, rows = every.total(work, follower.sums, _hurried(kernel, every, follower.budget))
    rows = weighed(rows, belief) if isinstance(rows, HeldRows) else rows
    if rows.n == every.n:
        keeper.offer(attrs.evolve(keeper.found, sums=sums))
    return sums, rows


def _all(request: Request, features: FeatureMap, kernel: Begun) -> CodedRows:
    """All rows: in memory, or as they are read."""
    return rows_in_memory(request, features, kernel.features) if request.rows is None else request.rows


def rows_in_memory(request: Request, features: FeatureMap, known: FloatArray | None = None) -> HeldRows:
    """The training rows, each as often as it counts among all, with their features (n, r) where these are known."""
    training = request.training
    return HeldRows.of(FeatureRows(features, training.X, known), training.y, given_weights(request))


def given_weights(request: Request) -> FloatArray:
    """How often each training row counts among all, however far it is believed, shape (n,)."""
    training, rows = request.training, request.rows
    weight: FloatArray = training.weight[:, 0]
    return counted(training.weight, evidence_of(request).weights) if rows is None else weight * rows.coding.times


def weight_of_copy(request: Request, rows: HeldRows) -> FloatArray:
    """How much of the weight of each row (k,) a single copy of it has, however far it is believed: all of it where
    weights are no numbers of copies.
    """
    if evidence_of(request).weights == "relative":
        return rows.weight
    return np.asarray(rows.weight / given_weights(request)[rows.places])


def _few(request: Request, features: FeatureMap, belief: Belief | None, rows: CodedRows) -> HeldRows:
    """Some of the rows that were seen, in memory: the same ones in whatever blocks they were."""
    held = rows if isinstance(rows, HeldRows) else weighed(rows_in_memory(request, features), belief)
    order = np.random.default_rng(request.settings.seed).permutation(held.n)
    return held.only(np.argsort(held.places)[np.sort(order[:_FEW])])


def _hurried(kernel: Begun, rows: CodedRows, budget: Budget) -> Callable[[], bool]:
    """Whether to sum up no further rows: the weights take their time, and where features are not held, what predicts
    asks for them once more.
    """
    left = budget.remaining()
    if left is None:
        return budget.stop
    after = max(left - kernel.ahead, 0.0)
    once = isinstance(rows, HeldRows) and rows.features.small
    deadline = time.monotonic() + (after if once else 0.5 * after)
    return Budget(deadline, budget.stop).cancelled


def _lowered(problem: Problem, kernel: Begun) -> Mixture:
    """The kernel from which the run begins, in the atoms of the lists that the problem is over.

    What landmarks leave out is noise to the rows: of a sample without noise the run would double its noise step after
    step until it is so much.
    """
    triples = zip(kernel.leaves, problem.leaves, kernel.at.parts, strict=True)
    return Mixture(tuple(_noisy(new, _as_listed(old, new, part), kernel.left) for old, new, part in triples))


def _noisy(leaf: Leaf, part: Part, least: float) -> Part:
    """A part with this noise at least, where it is of the identity on samples."""
    if not isinstance(leaf.family, Delta) or leaf.factor * part.mass >= least:
        return part
    return leaf.family.dictionary().scaled(least / leaf.factor)


def _as_listed(old: Leaf, new: Leaf, part: Part) -> Part:
    if not isinstance(new.family, Active):
        return part
    assert isinstance(old.family, FiniteFamily)
    return Part(old.family.index(part.atoms)[:, None].astype(float), part.weights)


def _lifted(leaf: Leaf, part: Part) -> Part:
    return leaf.family.lift(part) if isinstance(leaf.family, Active) else part


def places_of(leaves: tuple[Leaf, ...], mixture: Mixture, features: FeatureMap, X: FloatArray) -> list[IntArray]:
    """For each leaf, where the columns of its atoms stand among all features, in its own order; none without weight.

    Args:
        leaves: explicit lists, and the identity on samples.
        mixture: of the leaves' own atoms.
        features: of the former.
        X: some rows, shape (n, d).
    """
    others = iter(zip(features.places, features.owner, strict=True))
    places = []
    for leaf, part in zip(leaves, mixture.parts, strict=True):
        if isinstance(leaf.family, Delta):
            places.append(np.zeros(0, dtype=np.intp))
            continue
        place, owner = next(others)
        places.append(place.start + _columns(leaf, part, owner, X[:1]))
    return places


def _columns(leaf: Leaf, part: Part, owner: IntArray, X: FloatArray) -> IntArray:
    """The places among a leaf's columns, which stand atom by atom (r,), of those of a part, in the family's order."""
    assert isinstance(leaf.family, ExplicitFamily)
    assert isinstance(leaf.family, FiniteFamily)
    if part.mass <= 0.0:
        return np.zeros(0, dtype=np.intp)
    chosen = leaf.family.columns(part.atoms, leaf.view(X))[1]
    found = np.empty(len(chosen), dtype=np.intp)
    for i, a in enumerate(leaf.family.index(part.atoms)):
        found[chosen == i] = np.flatnonzero(owner == a)
    return found
