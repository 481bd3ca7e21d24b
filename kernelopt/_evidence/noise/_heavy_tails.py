"""How targets lie about what is predicted of them: as Gaussian numbers, or as those of Student's t with heavier tails.

Of a kernel that is right nearly everywhere most rows are met closely and some are missed by far. The variance of what
is left is then that of the few rows, and Gaussian intervals that hold half of the targets by this variance hold four of
five. Student's t has the degrees of freedom under which each row is the most likely, as all others predict it. What is
predicted stays as it is, and so does the variance, unless intervals of 95 % would hold too few of the rows. A few
rows far out then tell how heavy the tails are, and with little more than 2 degrees of freedom most of the variance is
that of targets which are farther out than any row: new targets have the variance that rows tell, where that is less.
"""

import math

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._prediction._interval import student_reach
from kernelopt._prediction._likelihood import density
from kernelopt._prediction._tails import LEAST_OF_NEW
from kernelopt._saddle._held_out import error_of_mean

_DEGREES = (2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, None)
"""The degrees of freedom that are tried; None is Gaussian. With 2 there is no variance."""
_NATS = 3.0
"""All rows but the one that gains the most must gain so many nats by Student's t: of a hundred sets of Gaussian numbers
less than one gains as much. Worth: `noise_tables.py`."""

_TIMES = tuple(2.0 ** (0.5 * k) for k in range(-24, 25))
"""What the variance of the noise may be multiplied by: a guard, for less than a 4000th is none."""
_STEPS = tuple(2.0 ** (k / 8.0) for k in range(97))
"""How many times larger the variance may become until intervals hold their share: a guard, for no interval is then a
twentieth wider than it must be."""
_TOGETHER = (LEAST_OF_NEW, *(nu for nu in _DEGREES if nu is not None))
"""The degrees of freedom that are tried together with these. The closer to 2 they are, the larger a share of the
variance is made by a few rows far out."""
_PRICE = 0.1
"""So many nats a row wider intervals may cost at most: a guard, for where one target in ten may be anywhere, what holds
95 % says nothing of the others."""
FEWEST = 20
"""Fewer rows do not say how far the farthest lie: a guard."""
_HELD = 0.95
"""What intervals are asked that most people ask for."""


def likeliest_degrees(away: FloatArray, deviation: FloatArray, own: FloatArray) -> float | None:
    """The degrees of freedom under which targets are the most likely; None is Gaussian.

    Args:
        away: what others leave of each target, shape (n, 1).
        deviation: the standard deviation that it should have, shape (n, 1).
        own: how often each row counts, shape (n,).
    """
    return max(_DEGREES, key=lambda nu: float(own @ density(away, deviation, nu)))


def heavy_degrees(away: FloatArray, deviation: FloatArray, own: FloatArray, alike: IntArray) -> float | None:
    """The same, but Gaussian unless all rows but the one that gains the most, and its copies, gain 3 nats by it.

    Args:
        away: as in `likeliest_degrees`.
        deviation: as there.
        own: as there.
        alike: the number of the set of copies that each row is in, shape (n,).
    """
    degrees = likeliest_degrees(away, deviation, own)
    gain = density(away, deviation, degrees) - density(away, deviation, None)
    gains = np.bincount(alike, weights=own / own.mean() * gain)
    believed = gains.sum() - gains.max() > _NATS
    return degrees if believed else None


@attrs.frozen(eq=False)
class Left:
    """What others leave of one target of each row.

    Attributes:
        away: shape (n, 1).
        function: the variance of the function there, as others tell of it, shape (n,).
        noise: the variance of the target about it, shape (n,).
        own: how often each row counts, shape (n,).
        alike: the number of the set of copies that each row is in, shape (n,).
    """

    away: FloatArray
    function: FloatArray
    noise: FloatArray
    own: FloatArray
    alike: IntArray

    @property
    def repeated(self) -> bool:
        """Whether some rows are copies, or count otherwise than others: such weights may count copies."""
        return bool(np.ptp(self.own) > 0.0) or len(np.unique(self.alike)) < len(self.alike)


@attrs.frozen(eq=False)
class Tail:
    """How new targets lie about what is predicted of them.

    Attributes:
        degrees: of freedom of Student's t; None is Gaussian.
        times: what the variance of the noise is multiplied by, > 0.
        spread: the variance of a new target beside that which Student's t has, in (0, 1].
    """

    degrees: float | None = None
    times: float = 1.0
    spread: float = 1.0

    @property
    def reach(self) -> float:
        """How far intervals of 95 % reach where the function is known, in deviations of the noise that was learned."""
        assert self.degrees is not None
        return student_reach(self.degrees, _HELD) * math.sqrt(self.times)

    def likely(self, left: Left) -> float:
        """The logarithm of the density of what is left."""
        deviation = deviation_of(left.function, self.times * left.noise)
        return float(left.own @ density(left.away, deviation, self.degrees))

    def holds(self, left: Left) -> bool:
        """Whether intervals of 95 % hold their share of what is left, but for the error of a share."""
        assert self.degrees is not None
        reach = student_reach(self.degrees, _HELD) * deviation_of(left.function, self.times * left.noise)
        inside = float(np.average(np.abs(left.away[:, 0]) <= reach[:, 0], weights=left.own))
        return inside >= _HELD - math.sqrt(_HELD * (1.0 - _HELD) / len(left.own))

    def spread_by(self, left: Left) -> "Tail":
        """The same with the variance that is left, and the error of this mean, where Student's t has more."""
        deviation = deviation_of(left.function, self.times * left.noise)
        squares = (left.away / deviation)[:, 0] ** 2
        spread = float(np.average(squares, weights=left.own))
        return attrs.evolve(self, spread=min(1.0, spread + error_of_mean(squares, left.alike, left.own)))


def heavy_tail(left: Left, learned: float | None = None, *, narrower: bool = False) -> Tail:
    """The degrees of freedom as in `heavy_degrees`, or those that were learned, and, where rows gain 3 nats more by
    another size of the noise, both together: a few rows far out may make most of the variance of the noise, which then
    says nothing of how close most rows are. Heavy tails have at least the noise that lets intervals of 95 % hold their
    share.

    Args:
        left: what rows say that are left out.
        learned: the degrees of freedom of the noise that was learned, where that is Student's t.
        narrower: whether the noise, and intervals of 95 %, may also become smaller: few rows are no reason to. Of few
            rows those that have copies do not say either how far new targets spread, for weights that count the copies
            do not.
    """
    degrees = learned
    if degrees is None:
        degrees = heavy_degrees(left.away, deviation_of(left.function, left.noise), left.own, left.alike)
    if degrees is None:
        return Tail()
    plain = Tail(degrees)
    sizes = [times for times in _TIMES if narrower or times >= 1.0]
    others = [Tail(nu, times) for nu in _TOGETHER for times in sizes]
    best = max((tail for tail in others if narrower or tail.reach >= plain.reach), key=lambda tail: tail.likely(left))
    begun = best if best.likely(left) - plain.likely(left) > _NATS else plain
    dearest = begun.likely(left) - _PRICE * float(left.own.sum())
    wider = [Tail(begun.degrees, begun.times * step) for step in _STEPS]
    wider = [tail for tail in wider if tail.likely(left) >= dearest]
    found = next((tail for tail in wider if tail.holds(left)), wider[-1])
    as_learned = learned is None and found.times == 1.0
    return found if as_learned or (left.repeated and not narrower) else found.spread_by(left)


def deviation_of(function: FloatArray, noise: FloatArray) -> FloatArray:
    """Of a target by the variances of the function and of the noise, shape (n, 1); rounding makes no variance of the
    function negative.
    """
    return np.asarray(np.sqrt(np.maximum(function, 0.0) + noise)[:, None])
