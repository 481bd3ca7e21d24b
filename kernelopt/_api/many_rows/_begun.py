"""Rows beyond what Grams can have: the kernel from some of them, the machine from all, by the features of landmarks.

learn the families' kernel from a sample, as with few rows                              here
choose rows that span it, until what they leave out is small beside the noise           `_on_landmarks`
sum all rows up over the features of these; learn the kernel's size, level and noise    `_fit`
predict by what all rows say                                                            `_result`
"""

import time

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._learned import Call, Learned
from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api._progress import Audience
from kernelopt._api._rows_in_time import drawn, spread
from kernelopt._api._validate import Request
from kernelopt._api.data._training import Training
from kernelopt._api.many_rows._asked import at_hand, evidence_of
from kernelopt._api.many_rows._on_landmarks import BESIDE, Begun, spanned
from kernelopt._api.many_rows._sample_noise import SampleNoise, noise_of_sample
from kernelopt._api.outliers._outliers import believed, foreseen
from kernelopt._base._budget import TICK, Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import IntArray
from kernelopt._evidence._counting import whole_noise
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._scoring import Scoring
from kernelopt._families._binding import tightened
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture
from kernelopt._families.features._landmark_lists import MANY
from kernelopt._families.variances._lacking import Lacking
from kernelopt._model._solution import Solution

_HELD_OUT, _PART = 1000, 4
"""So many rows at most, of which none is of the sample, say how large the error is: the values of the kernel between
them and the sample take no more time than this part of its Gram."""
_SHARE, _FIRST, _BOTH = 0.5, 0.2, 0.75
"""Of the time that is left once the rows are read, at most, is spent on the kernel; where targets far out will ask for
noise of Student's t, on that with Gaussian noise first; and on both. Learning with the former takes twice to five times
as long: with three tenths for the latter it had too little time on so many rows, and its kernel was worse."""
_PREPARING = 0.2
"""Of the stages, on the progress line, is the kernel."""


def summable(request: Request, choice: Choice) -> bool:
    """Whether rows may be summed up over features: by the evidence, with the solver of its own."""
    return isinstance(request.criterion, Evidence) and isinstance(choice.solver, Scoring)


def many(request: Request, choice: Choice, start: object) -> bool:
    """Whether there are so many rows that they are summed up over features.

    Some runs learn from all rows as long as Gram matrices are formed of them: those with groups and those with views
    that rows lack, whose kernels have no short features, and those that start from a mixture, which has no kernel.

    Raises:
        InvalidOption: rows are read in blocks, and the solver wants all in memory.
    """
    if request.rows is not None and not summable(request, choice):
        raise InvalidOption(
            f"solver: got {choice.solver.name}, which wants all rows in memory, and {request.n} rows are read in "
            'blocks; leave solver out, or take "scoring"'
        )
    if not summable(request, choice):
        return False
    if request.n > MANY:
        return True
    lacking = any(isinstance(leaf.family, Lacking) for leaf in choice.leaves)
    whole = lacking or request.training.grouped or not isinstance(start, Solution | None)
    return request.n > evidence_of(request).at_once and not whole


def begun(request: Request, choice: Choice, call: Call) -> Begun:
    """A kernel, on landmarks where its family has no features: that of a sample, or of a solution to go on from."""
    if call.start is not None:
        return _taken(request, call, hurried=not many(request, choice, call.start))
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
    share = _FIRST if foreseen(request) else _SHARE
    settings = attrs.evolve(request.settings, max_seconds=max(share * left, TICK))
    return attrs.evolve(request, began=time.monotonic(), settings=settings, again=(_BOTH - share) * left)


def carried(request: Request, known: Learned, call: Call) -> Begun:
    """The kernel that some of the rows have learned, on landmarks where its family has no features."""
    call.audience.told("rows that span the kernel", _PREPARING)
    problem, mixture, sample = known.problem, known.done.bounds.response.mixture, len(known.request.training.X)
    leaves, noise = tightened(problem.leaves), whole_noise(problem, mixture)
    told = noise_of_sample(known, request.training.rows, noise)
    enough = BESIDE * max(noise, _error(at_hand(request), known, leaves, told))
    found = spanned(request, leaves, mixture, noise, enough, sample, call)
    wanted = min(len(at_hand(request).X), _wanted(request))
    hurried = sample < wanted and request.deadline is not None
    fewer = (
        f"data: max_seconds was too short for a sample of {wanted} rows, so the kernel was learned from fewer",
    ) * hurried
    notes = (*known.choice.notes, *fewer, *found.notes, *known.notes)
    return attrs.evolve(found, notes=notes, hurried=hurried, noise=told)


def _taken(request: Request, call: Call, *, hurried: bool) -> Begun:
    """The kernel of a solution, in a hurry where there are so few rows that all of them could learn it at once.

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
    found = spanned(request, leaves, mixture, noise, BESIDE * noise, 0, call)
    short = (
        f"data: max_seconds may be too short for {request.n} rows at once, so landmarks represent the kernel of start; "
        "raise max_seconds to learn from all rows at once"
    )
    notes = ("family: the kernel of start was taken", *((short,) if hurried else ()), *found.notes)
    return attrs.evolve(found, notes=notes)


def _wanted(request: Request) -> int:
    """How many rows the sample has, where there are so many."""
    return evidence_of(request).sample(request.training.y.shape[1])


def _sample(request: Request, few: Training) -> IntArray:
    """The rows from which the kernel is learned, at random; of classes each gives its share."""
    k, order = _wanted(request), drawn(few, len(few.X), request.settings.seed)
    return np.sort(order[:k] if few.classes is None else spread(order, k))


def _error(few: Training, known: Learned, leaves: tuple[Leaf, ...], noise: SampleNoise | None) -> float:
    """The mean squared error by the sample on some of the other rows at hand, as far as these are believed; 0 where
    there are none.
    """
    sample, response = known.request.training, known.done.bounds.response
    others = spread(np.flatnonzero(~np.isin(few.rows, sample.rows)), min(_HELD_OUT, len(sample.X) // _PART))
    if not len(others):
        return 0.0
    values = learned_kernel(leaves, response.mixture, sample).between(few.X[others], sample.X) @ response.V
    away = few.encoded[others] - sample.level - values
    return float(np.mean(away**2)) if noise is None else noise.error(few.X[others], away)
