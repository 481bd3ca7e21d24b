"""Rows beyond what Grams can have: the kernel from some of them, the machine from all, by the features of landmarks.

learn the families' kernel from a sample, as with few rows                              here
choose rows that span it, until what they leave out is small beside the noise           here
sum all rows up over the features of these; learn the kernel's size, level and noise    `_fit`
predict by what all rows say                                                            `_result`
"""

import math
import time
from functools import partial

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._learned import Call, Learned
from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api._outliers import believed
from kernelopt._api._progress import Audience
from kernelopt._api._rows_in_time import drawn, spread
from kernelopt._api._training import Training
from kernelopt._api._validate import Request
from kernelopt._api.many_rows._pace import Pace
from kernelopt._api.many_rows._roughness import clearly_rough
from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._counting import whole_noise
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._scoring import Scoring
from kernelopt._families._binding import tightened
from kernelopt._families._delta import Delta
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._feature_columns import columns_of
from kernelopt._families._feature_rows import holdable
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._lacking import Lacking
from kernelopt._families._landmark_choice import chosen
from kernelopt._families._landmark_lists import MANY
from kernelopt._families._landmarks import Landmarks
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._model._solution import Solution

_ROOT = 6.0
"""Landmarks are as many for 100,000 rows as the criterion says, and go with the inverse of the sixth root of n, so that
the time, n times their square, grows a little slower than n."""
_AT_HAND = 10_000
"""The sample is drawn from so many rows."""
_CANDIDATES = 20_000
"""Landmarks are drawn from so many rows, if these are in memory: of half of 20,000 rows with a few distant ones,
landmarks left out 150 times as much."""
_BESIDE = 1e-2
"""Of the mean squared error by the sample, or of the noise: landmarks that leave out less of k(x, x) are enough. What
they leave out adds no more than itself to the squared error."""
_HELD_OUT, _PART = 1000, 4
"""So many rows at most, of which none is of the sample, say how large the error is: the values of the kernel between
them and the sample take no more time than this part of its Gram."""
_GAUSSIAN = (
    'noise: with so many rows noise="student" is used only for the sample from which the kernel was learned; the noise '
    "of all rows is Gaussian"
)
_FEWER = "family: max_seconds, or Ctrl-C, ended the choice of landmark rows before there were enough of them"
_SHARE = 0.5
"""Of the time that is left once the rows are read, at most, is spent on the kernel."""
_TICK = 1e-9
"""No time limit is shorter, in seconds."""
_PREPARING = 0.2
"""Of the stages, on the progress line, is the kernel."""


@attrs.frozen(eq=False)
class Own:
    """The kernel of the sample.

    Attributes:
        leaves: its families.
        mixture: of their atoms.
        noise: of a row that counts once.
    """

    leaves: tuple[Leaf, ...]
    mixture: Mixture
    noise: float


@attrs.frozen(eq=False)
class Begun:
    """A kernel that some rows have learned, on explicit lists.

    Attributes:
        leaves: explicit lists, and the identity on samples.
        at: the kernel.
        notes: what the user should know.
        ahead: how many seconds it will take to learn weights of what the landmarks span.
        own: the kernel itself; None where it has no landmarks.
        left: what landmarks leave out of k(x, x) in the mean, which is noise to all rows.
        landmarks: the numbers of the training rows that are landmarks, in the order of the lists.
        features: of the lists at all rows, in their order, where the choice of landmarks has computed them, shape
            (n, r); else None.
        hurried: whether the kernel is of a smaller sample than was wanted, for want of time.
    """

    leaves: tuple[Leaf, ...]
    at: Mixture
    notes: tuple[str, ...]
    ahead: float = 0.0
    own: Own | None = None
    left: float = 0.0
    landmarks: IntArray = attrs.field(factory=lambda: np.zeros(0, dtype=np.intp))
    features: FloatArray | None = None
    hurried: bool = False


def summable(request: Request, choice: Choice) -> bool:
    """Whether rows may be summed up over features: by the evidence, with the solver of its own."""
    return isinstance(request.criterion, Evidence) and isinstance(choice.solver, Scoring)


def many(request: Request, choice: Choice) -> bool:
    """Whether there are so many rows that they are summed up over features.

    Raises:
        InvalidOption: rows are read in blocks, and the solver wants all in memory.
    """
    if request.rows is not None and not summable(request, choice):
        raise InvalidOption(
            f"solver: got {choice.solver.name}, which wants all rows in memory, and {request.n} rows are read in "
            'blocks; leave solver out, or take "scoring"'
        )
    return summable(request, choice) and request.n > MANY


def evidence_of(request: Request) -> Evidence:
    """The criterion, where there are so many rows."""
    assert isinstance(request.criterion, Evidence)
    return request.criterion


def begun(request: Request, choice: Choice, call: Call) -> Begun:
    """A kernel, on landmarks where its family has no features: that of a sample, or of a solution to go on from."""
    if call.start is not None:
        return _taken(request, call)
    few = at_hand(request)
    sample = _sample(request, few)
    asked = attrs.evolve(_with_its_share(request), training=few.some(sample), rows=None)

    def told(words: str, share: float) -> None:
        call.audience.told(f"{len(sample)} rows: {words}", _PREPARING * share)

    told("the kernel", 0.0)
    aside = Call(Audience(told=told), call.gate, fewer=True, asked=False)
    return carried(request, believed(asked, choice, aside), call)


def _with_its_share(request: Request) -> Request:
    """The request with the time limit of the kernel, which begins now: what all rows took before is no part of it."""
    left = Budget(request.deadline).remaining()
    if left is None:
        return request
    settings = attrs.evolve(request.settings, max_seconds=max(_SHARE * left, _TICK))
    return attrs.evolve(request, began=time.monotonic(), settings=settings)


def carried(request: Request, known: Learned, call: Call) -> Begun:
    """The kernel that some of the rows have learned, on landmarks where its family has no features."""
    call.audience.told("rows that span the kernel", _PREPARING)
    problem, mixture, sample = known.problem, known.done.bounds.response.mixture, len(known.request.training.X)
    leaves, noise = tightened(problem.leaves), whole_noise(problem, mixture)
    enough = _BESIDE * max(noise, _error(at_hand(request), known, leaves))
    found = _spanned(request, leaves, mixture, noise, enough, sample, call)
    gaussian = () if evidence_of(request).noise != "student" else (_GAUSSIAN,)
    wanted = min(len(at_hand(request).X), _wanted(request))
    hurried = sample < wanted and request.deadline is not None
    fewer = (
        f"data: max_seconds was too short for a sample of {wanted} rows, so the kernel was learned from fewer",
    ) * hurried
    asked = known.notes if known.tails is None else ()
    notes = (*known.choice.notes, *fewer, *found.notes, *asked, *gaussian)
    return attrs.evolve(found, notes=notes, hurried=hurried)


def _taken(request: Request, call: Call) -> Begun:
    """The kernel of a solution.

    Raises:
        InvalidOption: it is none, or of rows with other columns.
    """
    start = call.start
    if not isinstance(start, Solution):
        raise InvalidOption(
            f"start: got {type(start).__name__}, wanted a Solution: with more than {MANY} rows its kernel is "
            "taken, and a mixture alone does not determine a kernel; leave start out"
        )
    width = request.training.X.shape[1]
    if start.kernel.width != width:
        raise InvalidOption(f"start: its kernel is of {start.kernel.width} columns, and X has {width}; leave start out")
    pairs = tuple(zip(start.kernel.leaves, start.kernel.mixture.parts, strict=True))
    pairs = tuple((leaf, part) for leaf, part in pairs if not isinstance(leaf.family, Lacking))
    leaves, mixture = tuple(leaf for leaf, _ in pairs), Mixture(tuple(part for _, part in pairs))
    noise = sum(leaf.factor * leaf.family.ridge(part) for leaf, part in pairs if len(part))
    found = _spanned(request, leaves, mixture, noise, _BESIDE * noise, 0, call)
    short = (
        f"data: max_seconds may be too short for {request.n} rows at once, so landmarks represent the kernel of start; "
        "raise max_seconds to learn from all rows at once"
    )
    notes = ("family: the kernel of start was taken", *((short,) if request.n <= MANY else ()), *found.notes)
    return attrs.evolve(found, notes=notes)


def at_hand(request: Request) -> Training:
    """Some of the rows in memory, at random: from them the sample is drawn."""
    places = _at_random(request, _AT_HAND)
    return request.training if len(places) == len(request.training.X) else request.training.some(places)


def _at_random(request: Request, most: int) -> IntArray:
    """The numbers of at most so many of the rows in memory, ascending."""
    order = np.random.default_rng(request.settings.seed).permutation(len(request.training.X))
    return np.sort(order[:most])


def _wanted(request: Request) -> int:
    """How many rows the sample has, where there are so many."""
    return evidence_of(request).sample(request.training.y.shape[1])


def _sample(request: Request, few: Training) -> IntArray:
    """The rows from which the kernel is learned, at random; of classes each gives its share."""
    k, order = _wanted(request), drawn(few, len(few.X), request.settings.seed)
    return np.sort(order[:k] if few.classes is None else spread(order, k))


def _error(few: Training, known: Learned, leaves: tuple[Leaf, ...]) -> float:
    """The mean squared error by the sample on some of the other rows at hand; 0 where there are none."""
    sample, response = known.request.training, known.done.bounds.response
    others = spread(np.flatnonzero(~np.isin(few.rows, sample.rows)), min(_HELD_OUT, len(sample.X) // _PART))
    if not len(others):
        return 0.0
    values = learned_kernel(leaves, response.mixture, sample).between(few.X[others], sample.X) @ response.V
    return float(np.mean((few.y[others] - values) ** 2))


def _spanned(
    request: Request,
    leaves: tuple[Leaf, ...],
    mixture: Mixture,
    noise: float,
    enough: float,
    sample: int,
    call: Call,
) -> Begun:
    """The leaves as explicit lists: where one is none, its share of the kernel becomes one of landmarks, so many that
    they leave out no more than is enough of k(x, x) in the mean.
    """
    candidates, rng = _at_random(request, _CANDIDATES), np.random.default_rng(request.settings.seed)
    X = request.training.X if len(candidates) == len(request.training.X) else request.training.X[candidates]
    pace = Pace.of(request, call.gate, evidence_of(request), len(X))
    lists: list[Leaf] = []
    parts: list[Part] = []
    notes: list[str] = []
    known: dict[int, FloatArray] = {}
    landmarks = [np.zeros(0, dtype=np.intp)]
    left = 0.0
    for leaf, part in zip(leaves, mixture.parts, strict=True):
        if isinstance(leaf.family, ExplicitFamily) and isinstance(leaf.family, FiniteFamily):
            lists.append(leaf)
            parts.append(part)
        elif part.mass > 0.0:
            rows, most = leaf.view(X), _most(request)
            vain = partial(_vain, request, pace, leaf.factor, most, (enough / _BESIDE, noise))
            found = chosen(*leaf.family.compact(part), rows, most, enough / leaf.factor, rng, pace.stop, vain)
            known[len(lists)] = found.transposed
            landmarks.append(candidates[found.places])
            left += leaf.factor * found.missing
            lists.append(attrs.evolve(leaf, family=Landmarks((found.kernel,)), penalty=None))
            parts.append(Part(np.zeros((1, 1)), np.ones(1)))
            notes.append(_told(leaf, sample, request.n, len(found.places), found.left))
            notes += [_FEWER] * found.stopped
    r = sum(leaf.family.order for leaf in lists if isinstance(leaf.family, Landmarks))
    own = Own(leaves, mixture, noise) if r else None
    features = _features(lists, X, known) if r and _chosen_from_all(request, len(X)) else None
    at, numbers = Mixture(tuple(parts)), np.concatenate(landmarks)
    return Begun(tuple(lists), at, tuple(notes), pace.ahead(r), own, left, numbers, features)


def _vain(
    request: Request,
    pace: Pace,
    factor: float,
    most: int,
    errors: tuple[float, float],
    r: int,
    missing: float,
    prepared: float,
) -> bool:
    """Whether more than r landmarks are of no use for a leaf of this factor, by the squared error and the noise, where
    the candidates were prepared for so many seconds.
    """
    return clearly_rough(request, r, most, factor * missing, *errors) and pace.whole(r, request.n, prepared)


def _chosen_from_all(request: Request, candidates: int) -> bool:
    """Whether landmarks were chosen from all rows, and memory is where their features are wanted."""
    everywhere = request.rows is None and candidates == len(request.training.X)
    return everywhere and request.settings.device is None


def _features(lists: list[Leaf], X: FloatArray, known: dict[int, FloatArray]) -> FloatArray | None:
    """Those of lists at rows X (n, d), some of which are known but for a factor, shape (n, r); None where they take too
    much memory.
    """
    explicit = [(place, leaf) for place, leaf in enumerate(lists) if not isinstance(leaf.family, Delta)]
    width = sum(len(known[place]) if place in known else len(columns_of(leaf, X[:1])[1]) for place, leaf in explicit)
    if not holdable(len(X), width):
        return None
    held, at = np.empty((len(X), width)), 0
    for place, leaf in explicit:
        piece = np.sqrt(leaf.factor) * known[place].T if place in known else columns_of(leaf, X)[0]
        held[:, at : at + piece.shape[1]] = piece
        at += piece.shape[1]
    return held


def _told(leaf: Leaf, sample: int, n: int, landmarks: int, left: float) -> str:
    """A note on what was done with many rows."""
    learned = f"was learned from {sample} of {n} rows" if sample else "is that of start"
    return (
        f"family: the kernel of {leaf.family.name} {learned}, and {landmarks} landmark rows represent it and "
        f"leave out {100.0 * left:.2g}% of it; its size, the level, the noise and the machine are learned from all "
        "rows, and the bounds are about these"
    )


def _most(request: Request) -> int:
    """How many landmarks there are at most."""
    share: float = (1e5 / request.n) ** (1.0 / _ROOT)
    return math.ceil(evidence_of(request).landmarks * share)
