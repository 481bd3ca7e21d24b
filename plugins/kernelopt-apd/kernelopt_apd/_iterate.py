"""One iteration: a step of the kernel, one of the dual variables, and the test that their lengths must pass."""

import math

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_apd._parameter_sets import nearest_parameters
from kernelopt_apd._saddle import Field, Parameters, Place, apart

_SHARE = 0.25
"""How much of the kernel's step may be spent on the change of D, and as much on the change of the prices' slopes: half
of it is left. The method converges with any share below a half."""
_SMALLEST = 1e-12
"""A step length that had to shrink by more than this in one iteration is at the end of rounding."""


@attrs.frozen
class Pace:
    """Step lengths.

    Attributes:
        tau: of the dual variables, > 0.
        ratio: the kernel's step length over that of the dual variables, > 0.
    """

    tau: float
    ratio: float


@attrs.frozen(eq=False)
class Stand:
    """Where an iteration begins: the point, and what it remembers of the one before.

    Attributes:
        S, place: the point.
        rise: minus the gradient in S there.
        before: the same at the point before.
        sigma: the kernel's last step length.
        pace: of the next step.
    """

    S: Parameters
    place: Place
    rise: Parameters
    before: Parameters
    sigma: float
    pace: Pace

    @classmethod
    def at(cls, field: Field, S: Parameters, alpha: FloatArray, pace: Pace) -> "Stand":
        """A start without momentum."""
        place = field.place(alpha, field.norms.start(S))
        rise = field.rise(place, field.slopes(S))
        return cls(S, place, rise, rise, pace.ratio * pace.tau, pace)


@attrs.frozen
class Curvatures:
    """What limits step lengths: the test asks for tau kernel, sigma tau coupling and sigma^2 prices below a constant.

    Attributes:
        kernel: of K, per squared step of the dual variables.
        coupling: of D, per squared step of the dual variables.
        prices: of the prices' slopes, per squared step of S.
    """

    kernel: float
    coupling: float
    prices: float

    def joined(self, other: "Curvatures") -> "Curvatures":
        """The larger ones of both."""
        return Curvatures(
            max(self.kernel, other.kernel), max(self.coupling, other.coupling), max(self.prices, other.prices)
        )


@attrs.frozen(eq=False)
class Trial:
    """A step that passed the test.

    Attributes:
        stand: where it ended.
        moved: whether it went anywhere.
        curvatures: those that it met.
    """

    stand: Stand
    moved: bool
    curvatures: Curvatures


def advanced(field: Field, stand: Stand) -> Trial | None:
    """The next point, with its step length halved until that passes the test; None where rounding leaves none."""
    tau, ratio = stand.pace.tau, stand.pace.ratio
    least = tau * _SMALLEST
    before = field.slopes(stand.S)
    while tau > least:
        sigma = ratio * tau
        S = _stepped(field, stand, sigma)
        if S is None:
            tau *= 0.5
            continue
        force = field.force(stand.place, S)
        u = field.norms.climbed(stand.place.u, S, tau)
        place = field.place(_climbed(field, stand, force, tau), u)
        slopes = field.slopes(S)
        spent = _spent(field, (stand.S, S), (stand.place, place), force, apart(slopes, before))
        if spent.passes(tau, sigma, curved=field.curved):
            after = Stand(S, place, field.rise(place, slopes), stand.rise, sigma, Pace(tau, ratio))
            return Trial(after, spent.alpha + spent.S > 0.0, spent.curvatures)
        tau *= 0.5
    return None


def _stepped(field: Field, stand: Stand, sigma: float) -> Parameters | None:
    """The kernel's next parameters: a step along the extrapolated gradient, and the nearest kernel; None where numbers
    are too large or too small for that, as where the dual variables are nearly 0.
    """
    if not 0.0 < sigma < math.inf or not stand.sigma / sigma < math.inf:
        return None
    theta = stand.sigma / sigma
    with np.errstate(over="ignore", invalid="ignore"):
        ahead = tuple(
            s + sigma * (rise + theta * (rise - old))
            for s, rise, old in zip(stand.S, stand.rise, stand.before, strict=True)
        )
    return nearest_parameters(ahead, field.total) if all(np.isfinite(one).all() for one in ahead) else None


def _climbed(field: Field, stand: Stand, force: FloatArray, tau: float) -> FloatArray:
    """The next dual variables: h is as it is, but for a penalised bias; v'Kv by its gradient."""
    qp = field.saddle.qp
    weight = 1.0 / tau + qp.curvature
    pull = qp.linear - qp.sign * force[qp.sample]
    return field.duals.nearest((stand.place.alpha / tau + pull) / weight, weight)


@attrs.frozen
class _Spent:
    """The squares of a step: of alpha and u, of S, of what they change in each other's gradients, and in their own."""

    alpha: float
    S: float
    bend: float
    coupling: float
    prices: float

    @property
    def curvatures(self) -> Curvatures:
        """Each change by the step that made it."""
        way = self.alpha or 1.0
        return Curvatures(self.bend / way, self.coupling / way, self.prices / (self.S or 1.0))

    def passes(self, tau: float, sigma: float, *, curved: bool) -> bool:
        """Whether the step is short enough: Hamedani and Aybat (2021), the test of Algorithm 2.3."""
        share = _SHARE if curved else 2.0 * _SHARE
        change = self.bend + sigma / share * (self.coupling + self.prices)
        return change <= self.alpha / tau + (1.0 - 2.0 * _SHARE) / sigma * self.S


def _spent(
    field: Field, S: tuple[Parameters, Parameters], places: tuple[Place, Place], force: FloatArray, prices: float
) -> _Spent:
    """From the first of each pair to the second; `force` is the second kernel's at the first dual variables."""
    start, end = places
    step = end.alpha - start.alpha
    return _Spent(
        alpha=float(step @ step) + apart(start.u, end.u),
        S=apart(*S),
        bend=float((end.v - start.v) @ (field.force(end, S[1]) - force)),
        coupling=apart(field.lift(end), field.lift(start)),
        prices=prices,
    )
