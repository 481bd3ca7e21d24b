"""Weights and noise of each of many targets, from Gram matrices between their rows."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import attrs
import numpy as np

from kernelopt._base._memory import require
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._targets._atlas import Atlas, atlas_for, pilots
from kernelopt._targets._batch import ROUNDS, Fitted, fitted
from kernelopt._targets._beginnings import best_single, equal
from kernelopt._targets._costs import few_enough, too_much
from kernelopt._targets._exact import Sums, finished, joined, lost
from kernelopt._targets._found import Found, Part, nothing, of_constant, written
from kernelopt._targets._options import Options
from kernelopt._targets._quick import Start, Targets, pilot_weights, stiff
from kernelopt._targets._shared import Shared
from kernelopt._targets._subspace import Room

Told = Callable[[str, float], None]
Way = Callable[[FloatArray, FloatArray, float], Fitted]
_PILOTS = 400
"""So many targets say where rays are needed."""
_QUICK_PILOTS = 100
_RARE, _OPEN = 0.005, 10.0
"""The quick way finishes this share of the targets alone at most, of those with more than so many allowed gaps."""
_BATCH_BYTES = 192 << 20
"""A batch takes about so many bytes where its size is left open."""
_HELD_QUICK = 8
"""The quick way holds so many arrays of images in double precision, or twice as many in single precision."""
_TOGETHER = 200
"""So many targets that are learned by themselves share the tridiagonal matrices of kernels: where time ends, no more of
them were looked at in vain."""
_AT_ONCE = 1 << 18
"""So many numbers of targets at a time are made in passing."""
_CONSTANT = 1e-13
"""The standard deviation of a target that is constant, as a share of its largest value."""


class TimeIsOver(Exception):
    """Raised by what is told of stages, where no further one may begin."""


def learned(
    kernels: Sequence[FloatArray],
    Y: FloatArray,
    options: Options,
    told: Told,
    counts: FloatArray | None = None,
    deadline: float = math.inf,
) -> tuple[Found, Shared]:
    """Each target of Y (n, t) by the evidence, under kernels (n, n) each that are centred here.

        max over w >= 0   log N(Q'y; 0, Q' (sum_a w_a H K_a H / size_a + w_e I) Q)

    with orthonormal columns Q that span what the mean leaves (Patterson and Thompson 1971).

    A row counts as so many copies of it (n,) as counts say, and once where they are None.

    An interruption (`KeyboardInterrupt`) after the first batch, or `TimeIsOver`, ends the work with what is done. Where
    targets would share what takes too much memory, or time until the deadline on the clock of `time.monotonic`, each
    is learned by itself.
    """
    n, t = Y.shape
    halves = 5 if options.quick else 4  # the quick way has kernels in single precision too
    require(4 * n * n * (halves * len(kernels) + 6), f"the kernels of {n} rows")
    counts = np.ones(n) if counts is None else counts
    shared = Shared.of(kernels, counts)
    found = nothing(len(kernels), n, t, shared.sizes)
    share = counts / counts.sum()
    mean = share @ Y
    sizes = np.sqrt(_variances(Y, mean, share))
    varied = sizes > _CONSTANT * np.maximum(Y.max(axis=0), -Y.min(axis=0))
    of_constant(found, np.flatnonzero(~varied))
    places = np.flatnonzero(varied)
    few = options.rays is None and _by_themselves(shared, len(places), deadline - time.monotonic(), quick=options.quick)
    found = attrs.evolve(found, few=few and len(places) > 0)
    way = _one_by_one if few else _batches
    try:
        fitted = way(shared, Y, mean, sizes, places, options, told) if len(places) else ()
        for some, part in fitted:
            written(found, shared, some, part, sizes[some], rough=options.quick)
    except TimeIsOver:
        pass
    except KeyboardInterrupt:
        if not found.done[places].any():
            raise
    found.solution[:, ~found.done] = math.nan  # whatever the memory held is in its place
    return found, shared


def _by_themselves(shared: Shared, t: int, seconds: float, *, quick: bool) -> bool:
    """Whether t targets are better learned each by itself, where so many seconds are left."""
    m, r = len(shared.varied), shared.rank
    return few_enough(t, m, r, quick=quick) or too_much(t, m, r, quick=quick, seconds=seconds)


def _variances(Y: FloatArray, mean: FloatArray, share: FloatArray) -> FloatArray:
    """Of columns (n, t), shape (t,), by few rows at a time."""
    found = np.zeros(Y.shape[1])
    at_once = max(_AT_ONCE // max(Y.shape[1], 1), 1)
    for first in range(0, len(Y), at_once):
        rows = slice(first, first + at_once)
        found += share[rows] @ (Y[rows] - mean) ** 2
    return found


def _one_by_one(
    shared: Shared, Y: FloatArray, mean: FloatArray, sizes: FloatArray, places: IntArray, options: Options, told: Told
) -> Iterator[tuple[IntArray, Part]]:
    """The targets in these places, each by its own factorisations from the beginning."""
    sums = Sums(_varied(shared), shared.free, options.floor)
    every, over = equal(len(sums.grams)), 0
    for some in _cut(places, _TOGETHER):
        Z, outside = shared.coordinates((Y[:, some] - mean[some]) / sizes[some])
        single = best_single(sums, Z, outside, partial(told, "single kernels", over / len(places)))
        for i in range(len(some)):
            told(f"{over} of {len(places)} targets", over / len(places))
            k = slice(i, i + 1)
            ends = (finished(sums, Z[k], outside[k], begin, options.tol) for begin in (every, single[k]))
            part = min(ends, key=lambda end: float(end.value[0]))
            yield some[k], Part(part, np.ones(1, dtype=bool), outside[k], np.full(1, math.nan))
            over += 1
    told(f"{len(places)} of {len(places)} targets", 1.0)


def _varied(shared: Shared) -> FloatArray:
    """The kernels that are not constant, shape (m, r, r), which are not copied where all are these."""
    return shared.grams if len(shared.varied) == len(shared.grams) else shared.grams[shared.varied]


def _batches(
    shared: Shared, Y: FloatArray, mean: FloatArray, sizes: FloatArray, places: IntArray, options: Options, told: Told
) -> Iterator[tuple[IntArray, Part]]:
    """The targets in these places, batch by batch."""

    def coordinates(some: IntArray) -> tuple[FloatArray, FloatArray]:
        return shared.coordinates((Y[:, some] - mean[some]) / sizes[some])

    varied = shared.varied
    if not len(places):
        return
    if not len(varied):
        for some in _cut(places, 10_000):
            yield some, _noise_alone(*coordinates(some), shared)
        return
    grams = _varied(shared)
    sums = Sums(grams, shared.free, options.floor)
    rays = options.rays_for(len(grams))
    size = options.batch or _batch(len(grams), shared.rank, quick=options.quick)
    check = partial(told, "eigendecompositions", 0.0)
    first = Atlas.first(grams, shared.free, options.floor, rays, options.seed, check, rough=options.quick)
    most = _QUICK_PILOTS if options.quick else _PILOTS
    few = places[pilots(Y, mean, sizes, places, most)]

    def weights(atlas: Atlas, Z: FloatArray, outside: FloatArray) -> FloatArray:
        if options.quick:
            return pilot_weights(atlas, Z, outside, size, options.tol, check)
        room, found = Room(), list[FloatArray]()
        for some in _cut(np.arange(len(Z)), size):
            check()
            found.append(fitted(atlas, room, Z[some], outside[some], options.tol).w)
        return np.concatenate(found)

    pilot = coordinates(few)
    atlas, over = atlas_for(first, *pilot, rays, weights, check), 0
    sampled = np.zeros(len(mean), dtype=bool)
    if options.quick and options.sample:
        sampled[places[pilots(Y, mean, sizes, places, options.sample)]] = True
    left = math.ceil(_RARE * len(places))
    for some, way in _ways(atlas, places, size, coordinates, pilot, options):
        told(f"{over} of {len(places)} targets", over / len(places))
        Z, outside = coordinates(some)
        part = way(Z, outside, options.tol)
        if options.quick:
            part, alone = _rescued(atlas, sums, part, Z, outside, options.tol, left)
            left -= int(alone.sum())
            below = _sampled(sums, part, Z, outside, sampled[some], options.tol)
            yield some, Part(part, alone, outside, below)
        else:
            kept, done = _finished(sums, part, Z, outside, options.tol, check)
            yield some[kept], done
        over += len(some)
    told(f"{over} of {len(places)} targets", 1.0)


def _ways(
    atlas: Atlas,
    places: IntArray,
    size: int,
    coordinates: Callable[[IntArray], Targets],
    pilot: Targets,
    options: Options,
) -> Iterator[tuple[IntArray, Way]]:
    """Batches of targets, and how each is learned: the quick way has those together that begin at one candidate."""
    if not options.quick:
        way = partial(fitted, atlas, Room())
        for some in _cut(places, size):
            yield some, way
        return
    start = Start.of(atlas, pilot, (coordinates(some) for some in _cut(places, size)))
    for some, quick in start.batches(size):
        yield places[some], start.way(some, quick)


def _rescued(
    atlas: Atlas, sums: Sums, part: Fitted, Z: FloatArray, outside: FloatArray, tol: float, most: int
) -> tuple[Fitted, BoolArray]:
    """A batch of the quick way, of which so many at most are finished one by one, and which: those with so little noise
    that the span of few vectors leaves their evidence open.
    """
    asked = stiff(atlas.largest, part.w) & ~(part.bound <= _OPEN * tol)
    places = np.flatnonzero(asked)
    places = places[np.argsort(-part.bound[places], kind="stable")[:most]]
    alone = np.zeros(len(Z), dtype=bool)
    alone[places] = True
    if len(places):
        part = joined(part, places, [finished(sums, Z[[k]], outside[[k]], part.w[[k]], tol) for k in places])
    return part, alone


def _sampled(
    sums: Sums, part: Fitted, Z: FloatArray, outside: FloatArray, sampled: BoolArray, tol: float
) -> FloatArray:
    """By how many nats the targets of the sample are above their optimum, NaN of the others."""
    found = np.full(len(Z), math.nan)
    for k in np.flatnonzero(sampled):
        found[k] = lost(sums, Z[[k]], outside[[k]], part.w[[k]], tol)
    return found


def _finished(
    sums: Sums, part: Fitted, Z: FloatArray, outside: FloatArray, tol: float, check: Callable[[], None]
) -> tuple[IntArray, Part]:
    """Of a batch (t, r), those in doubt are finished one by one, until time is over: the places that are done, and what
    is found there.
    """
    doubtful = ~(part.bound <= tol)
    places, better = np.flatnonzero(doubtful), list[Fitted]()
    try:
        for k in places:
            check()
            better.append(finished(sums, Z[[k]], outside[[k]], part.w[[k]], tol))
    except TimeIsOver:
        pass
    if better:
        part = joined(part, places[: len(better)], better)
    kept = np.setdiff1d(np.arange(len(Z)), places[len(better) :])
    return kept, Part(part.taken(kept), doubtful[kept], outside[kept], np.full(len(kept), math.nan))


def _noise_alone(Z: FloatArray, outside: FloatArray, shared: Shared) -> Part:
    """Targets (t, r) of mean square 1 where all kernels are constant."""
    t, free = len(Z), shared.free
    noise = shared.n / free
    value = 0.5 * free * (1.0 + math.log(noise))
    found = Fitted(np.full((t, 1), noise), Z / noise, np.full(t, value), np.full(t, free / noise), np.zeros(t))
    return Part(found, np.zeros(t, dtype=bool), outside, np.full(t, math.nan))


def _batch(m: int, r: int, *, quick: bool) -> int:
    """So many targets at once."""
    vectors = _HELD_QUICK if quick else min(1 + m + ROUNDS, r + 1)
    return max(int(_BATCH_BYTES / (8.0 * r * (m + 1) * vectors)), 8)


def _cut(places: IntArray, size: int) -> list[IntArray]:
    return [places[first : first + size] for first in range(0, len(places), size)]
