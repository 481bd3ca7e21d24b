"""The best frequencies by local search from many starts."""

import math

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray
from kernelopt_cosine._batched_lbfgs import descend
from kernelopt_cosine._frequency_objective import Landscape
from kernelopt_cosine._local_maxima import Peaks

BLOCK = 64
"""Starts that climb together: as many as one matrix product serves well."""
_PROBES = 256
"""Random frequencies that are looked at first: the best of them limits the radius of the search.
Worth: `constants.py cosine.probes`."""
_FAINTEST = 1e-6
_EXACT = 1e-6
"""A start has arrived where no entry of the gradient of log(value) is larger."""
_ROUGH, _STEPS = 1e-3, 40
"""In single precision it climbs until none is larger, and takes no more steps."""
_CLOSE = 0.05
"""Starts are close to each other where no entry differs by more, in units of the rows' radius."""


@attrs.frozen
class Plan:
    """How long to search (the paper's T2 and T3).

    Attributes:
        repeats: the search ends when starts ended at known peaks so many times more often than there are peaks.
        starts: random starts at most, in blocks of `BLOCK`.
        seed: of the starts.
    """

    repeats: int
    starts: int
    seed: int

    def longer(self, effort: float) -> "Plan":
        """The plan whose starts begin with those of this one, where effort >= 1."""
        return Plan(math.ceil(effort * self.repeats), math.ceil(effort * self.starts), self.seed)


@attrs.frozen(eq=False)
class Found:
    """What a search found.

    Attributes:
        peaks: local maxima.
        starts: how many starts were made.
        radius: no frequency with a larger norm is better than the best peak, or than what was asked for.
    """

    peaks: Peaks
    starts: int
    radius: float


def search(landscape: Landscape, near: FloatArray, above: float, plan: Plan) -> Found:
    """Local maxima by many starts (Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), Algorithm 2, in blocks).

        repeat   R: beyond it G(gamma) total <= the best value so far
                 a block of random starts within R climbs to local maxima; those that are new join the list
        until    known maxima were met often enough, or there were enough starts

    Before that the given frequencies climb, and some along the leading directions of sum_i v_i x_i; where they meet
    does not count.

    Args:
        landscape: normalised.
        near: frequencies to start from, shape (m, d).
        above: only values above are of interest.
        plan: how long to search.
    """
    rng = np.random.default_rng(plan.seed)
    d = landscape.rows.shape[1]
    faintest = landscape.decay.radius(_FAINTEST)
    probes = random_frequencies(rng, _PROBES, d, faintest)
    floor = max(above, landscape.rounding, float(landscape.values(probes).max()))
    start = np.vstack([np.zeros((1, d)), near, _opening(landscape)])
    reached = climb(landscape, start)
    peaks = attrs.evolve(Peaks.none(d).merged(reached, landscape.values(reached)), repeats=0)
    starts = len(start)
    for _ in range(math.ceil(plan.starts / BLOCK)):
        start = random_frequencies(rng, BLOCK, d, radius_of(landscape, max(floor, peaks.best)))
        reached = climb(landscape, start)
        peaks = peaks.merged(reached, landscape.values(reached))
        starts += len(start)
        if peaks.repeats - len(peaks) >= plan.repeats:
            break
    return Found(peaks, starts, radius_of(landscape, max(floor, peaks.best)))


def radius_of(landscape: Landscape, floor: float) -> float:
    """The norm beyond which G(gamma) total, and so every value, is below `floor`."""
    return landscape.decay.radius(min(1.0, max(floor, landscape.rounding) / landscape.total))


def random_frequencies(rng: np.random.Generator, m: int, d: int, radius: float) -> FloatArray:
    """Random frequencies (m, d) of norm `radius` at most; every second radius is small, every third row sparse."""
    direction = rng.normal(size=(m, d))
    few = rng.uniform(size=(m, d)) < 2.0 / d
    few[np.arange(m), rng.integers(d, size=m)] = True
    direction[::3] = np.where(few, direction, 0.0)[::3]
    share = rng.uniform(size=m)
    share[::2] = 10.0 ** (-2.0 * share[::2])
    length = np.linalg.norm(direction, axis=1)
    return np.asarray(direction * (radius * share / length)[:, None])


def climb(landscape: Landscape, start: FloatArray) -> FloatArray:
    """The local maxima that starts (m, d) climb to, shape (m, d).

    Most of the way they climb in single precision. Where some come close to each other, one of them climbs on and the
    others end where it ends.
    """
    near = _ascended(landscape.single(), start, tolerance=_ROUGH, steps=_STEPS)
    leader = _leaders(near)
    first, place = np.unique(leader, return_inverse=True)
    return _ascended(landscape, near[first])[place]


def _leaders(points: FloatArray) -> IntArray:
    """For each point (m, d) the first one that is close to it or to its negative, itself where none is, shape (m,)."""
    leader = np.arange(len(points))
    for a in range(len(points)):
        if leader[a] == a:
            gaps = np.abs(points[a:] - points[a]).max(axis=1), np.abs(points[a:] + points[a]).max(axis=1)
            close = np.minimum(*gaps) <= _CLOSE
            leader[a:] = np.where(close, np.minimum(leader[a:], a), leader[a:])
    return leader


def _ascended(landscape: Landscape, start: FloatArray, *, tolerance: float = _EXACT, steps: int = 200) -> FloatArray:
    """Where starts (m, d) are after so many steps, or once no entry of the gradient is larger, shape (m, d)."""
    tiny = landscape.rounding
    if landscape.decay.norm == "l2":

        def smooth(frequencies: FloatArray) -> tuple[FloatArray, FloatArray]:
            power, gradient = landscape.power(frequencies)
            slope = 2.0 * landscape.decay.slope(frequencies)
            price = landscape.decay.beta * np.sum(frequencies * frequencies, axis=1)
            return price - np.log(power + tiny), slope - gradient / (power + tiny)[:, None]

        return descend(smooth, start, -np.inf, tolerance=tolerance, steps=steps)

    def split(halves: FloatArray) -> tuple[FloatArray, FloatArray]:
        """gamma = p - m with p, m >= 0, where |gamma|_1 = sum p + sum m is smooth."""
        positive, negative = np.hsplit(halves, 2)
        power, gradient = landscape.power(positive - negative)
        ascent = gradient / (power + tiny)[:, None]
        size = halves.sum(axis=1)
        slope = 2.0 * landscape.decay.beta * size[:, None]
        return landscape.decay.beta * size * size - np.log(power + tiny), np.hstack([slope - ascent, slope + ascent])

    halves = np.hstack([np.maximum(start, 0.0), np.maximum(-start, 0.0)])
    positive, negative = np.hsplit(descend(split, halves, 0.0, tolerance=tolerance, steps=steps), 2)
    return positive - negative


def _opening(landscape: Landscape) -> FloatArray:
    """Starts along the leading directions of sum_i v_i x_i, in which low frequencies separate best, shape (m, d)."""
    directions, size, _ = np.linalg.svd(landscape.rows.T @ landscape.V, full_matrices=False)
    leading = directions[:, size > 1e-9 * max(float(size.max(initial=0.0)), 1e-300)].T[:4]
    return np.asarray(leading)
