"""A kernel on explicit lists: a kernel without features is represented by landmark rows that span it."""

import math
from functools import partial

import attrs
import numpy as np

from kernelopt._api._learned import Call
from kernelopt._api._validate import Request
from kernelopt._api.many_rows._asked import at_random, evidence_of
from kernelopt._api.many_rows._pace import Pace
from kernelopt._api.many_rows._roughness import clearly_rough
from kernelopt._api.many_rows._sample_noise import SampleNoise
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.features._feature_columns import columns_of
from kernelopt._families.features._feature_rows import FeatureMap, holdable
from kernelopt._families.features._landmark_choice import chosen
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._families.variances._delta import Delta

_ROOT = 6.0
"""Landmarks are as many for 100,000 rows as the criterion says, and go with the inverse of the sixth root of n, so that
the time, n times their square, grows a little slower than n."""
_CANDIDATES = 20_000
"""Landmarks are drawn from so many rows, if these are in memory: of half of 20,000 rows with a few distant ones,
landmarks left out 150 times as much."""
BESIDE = 1e-2
"""Of the mean squared error by the sample, or of the noise: landmarks that leave out less of k(x, x) are enough. What
they leave out adds no more than itself to the squared error."""
_FEWER = "family: max_seconds, or Ctrl-C, ended the choice of landmark rows before there were enough of them"


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
        noise: what the sample has learned of the noise; None where it is Gaussian and of one size.
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
    noise: SampleNoise | None = None

    def root(self, features: FeatureMap) -> FloatArray:
        """The root of what each of the lists' features counts in the kernel, shape (r,)."""
        owners, pieces = iter(features.owner), [np.zeros(0)]
        for leaf, part in zip(self.leaves, self.at.parts, strict=True):
            if not isinstance(leaf.family, Delta):
                pieces.append(np.sqrt(leaf.parameters(part)[next(owners)]))
        return np.concatenate(pieces)


def spanned(
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
    candidates, rng = at_random(request, _CANDIDATES), np.random.default_rng(request.settings.seed)
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
            vain = partial(_vain, request, pace, leaf.factor, most, (enough / BESIDE, noise))
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
