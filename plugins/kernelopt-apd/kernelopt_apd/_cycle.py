"""Accelerated primal-dual iterations between two looks at the bounds."""

import math
from collections.abc import Callable

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_apd._kernels import nearest_parameters
from kernelopt_apd._saddle import Field, Parameters, Place, apart

_SHARE = 0.45
"""How much of the kernel's step may be spent on the change of D, and as much on the change of the prices' slopes."""
_SHRINK, _GROW = 0.7, 1.05
"""Step lengths shrink by the first until they pass the test, and grow by the second after each iteration."""
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
class Course:
    """What a cycle brings back.

    Attributes:
        S, alpha: where it ended.
        mean, mean_alpha: the average over its iterations, by the kernel's step lengths.
        pace: for the next cycle.
        iterations: how many there were.
        exhausted: whether no step length passed the test.
    """

    S: Parameters
    alpha: FloatArray
    mean: Parameters
    mean_alpha: FloatArray
    pace: Pace
    iterations: int
    exhausted: bool


@attrs.frozen(eq=False)
class _Stand:
    """Where an iteration begins: the point, and what it remembers of the one before.

    Attributes:
        S, place: the point.
        rise: minus the gradient in S there.
        before: the same at the point before.
        sigma: the kernel's last step length.
        pace: of the dual variables' next step.
    """

    S: Parameters
    place: Place
    rise: Parameters
    before: Parameters
    sigma: float
    pace: Pace


@attrs.frozen(eq=False)
class _Trial:
    """A step that passed the test.

    Attributes:
        stand: where it ended.
        moved: whether the dual variables did.
        kernel, coupling: the curvatures that it met, of K and of D, per squared step of alpha.
    """

    stand: _Stand
    moved: bool
    kernel: float
    coupling: float


def cycle(
    field: Field, S: Parameters, alpha: FloatArray, pace: Pace, length: int, cancelled: Callable[[], bool]
) -> Course:
    """So many iterations of the accelerated primal-dual method with backtracking.

        rise = D(v) / 2 - grad R(S)
        S+     = nearest kernel to  S + sigma ((1 + theta) rise - theta rise_before),      theta = sigma_before / sigma
        alpha+ = nearest dual point to  alpha + tau (grad h - E'K(S+)v)
        until the test is passed, tau shrinks;      sigma = ratio tau

    Where h is strongly concave with modulus mu the ratio grows by 1 + mu tau and tau shrinks by its root: O(1/k^2).

    Hamedani and Aybat (2021), Algorithm 2.3; Talitckii, Colbert and Peet (2024), Algorithm 4.
    """
    mu = _modulus(field)
    place = field.place(alpha)
    rise = field.rise(place, field.slopes(S))
    stand = _Stand(S, place, rise, rise, pace.ratio * pace.tau, pace)
    mean, mean_alpha, mass = tuple(np.zeros_like(s) for s in S), np.zeros_like(alpha), 0.0
    kernel = coupling = 0.0
    done, exhausted = 0, False
    while done < length and not (done and cancelled()):
        trial = _advanced(field, stand)
        if trial is None:
            exhausted = True
            break
        stand = trial.stand
        kernel, coupling = max(kernel, trial.kernel), max(coupling, trial.coupling)
        weight = stand.sigma
        mean = tuple(one + weight * s for one, s in zip(mean, stand.S, strict=True))
        mean_alpha, mass, done = mean_alpha + weight * stand.place.alpha, mass + weight, done + 1
        growth = math.sqrt(1.0 + mu * stand.pace.tau)
        tau = stand.pace.tau * (_GROW if trial.moved else 1.0)
        stand = attrs.evolve(stand, pace=Pace(tau / growth, stand.pace.ratio * growth**2))
    moved = apart(stand.S, S), float(np.sum((stand.place.alpha - alpha) ** 2))
    after = Pace(stand.pace.tau, _balanced(pace.ratio, moved, kernel, coupling))
    mass = mass or 1.0
    means = (tuple(one / mass for one in mean), mean_alpha / mass) if done else (S, alpha)
    return Course(stand.S, stand.place.alpha, *means, after, done, exhausted)


def _advanced(field: Field, stand: _Stand) -> _Trial | None:
    """The next point, with the largest step length that passes the test; None where rounding leaves none."""
    tau, ratio = stand.pace.tau, stand.pace.ratio
    qp = field.saddle.qp
    least = tau * _SMALLEST
    while tau > least:
        sigma = ratio * tau
        theta = stand.sigma / sigma
        steps = (
            s + sigma * (rise + theta * (rise - old))
            for s, rise, old in zip(stand.S, stand.rise, stand.before, strict=True)
        )
        S = nearest_parameters(tuple(steps), field.total)
        weight = 1.0 / tau + qp.curvature
        alpha = field.duals.nearest((stand.place.alpha / tau + field.pull(stand.place, S)) / weight, weight)
        place = field.place(alpha)
        slopes, before = field.slopes(S), field.slopes(stand.S)
        spent = _spent(field, stand, S, place, (slopes, before))
        if spent.passes(tau, sigma, curved=field.curved):
            after = _Stand(S, place, field.rise(place, slopes), stand.rise, sigma, Pace(tau, ratio))
            moved = spent.alpha or 1.0
            return _Trial(after, spent.alpha > 0.0, spent.bend / moved, spent.coupling / moved)
        tau *= _SHRINK
    return None


@attrs.frozen
class _Spent:
    """The squares of a step: of alpha and S, of what they change in each other's gradients, and in their own."""

    alpha: float
    S: float
    bend: float
    coupling: float
    prices: float

    def passes(self, tau: float, sigma: float, *, curved: bool) -> bool:
        """Whether the step is short enough: Hamedani and Aybat (2021), the test of Algorithm 2.3."""
        share = _SHARE if curved else 2.0 * _SHARE
        change = self.bend + sigma / share * (self.coupling + self.prices)
        return change <= self.alpha / tau + (1.0 - 2.0 * _SHARE) / sigma * self.S


def _spent(field: Field, stand: _Stand, S: Parameters, place: Place, slopes: tuple[Parameters, Parameters]) -> _Spent:
    step = place.alpha - stand.place.alpha
    return _Spent(
        alpha=float(step @ step),
        S=apart(S, stand.S),
        bend=field.bend(place, stand.place, S),
        coupling=0.25 * apart(place.D, stand.place.D),
        prices=apart(*slopes),
    )


def _balanced(ratio: float, moved: tuple[float, float], kernel: float, coupling: float) -> float:
    """The next ratio: half-way, in logarithms, to that of the squared ways that kernel and dual variables went.

    It is never so small that the curvature of K alone would limit both step lengths.
    """
    way_S, way_alpha = moved
    if way_S > 0.0 and way_alpha > 0.0:
        ratio = math.sqrt(ratio * way_S / way_alpha)
    return max(ratio, kernel**2 / coupling) if coupling > 0.0 and kernel > 0.0 else ratio


def _modulus(field: Field) -> float:
    """How strongly concave h is: the least curvature of a variable that can move."""
    qp = field.saddle.qp
    return float(np.min(qp.curvature, where=qp.upper > qp.lower, initial=qp.curvature.max()))
