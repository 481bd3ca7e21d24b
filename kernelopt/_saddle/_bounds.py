"""What a run has proved so far, and when it may stop."""

import math

import attrs

from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_ROUNDING = 1e-12
"""What counts as 0 beside 1."""


@attrs.frozen
class Limits:
    """When the loop stops.

    Attributes:
        tol, atol: converged where gap <= tol max(|lower|, |upper|) + atol; atol None: `default_atol`.
        max_steps: after this many steps.
        deadline: on `time.monotonic()`'s clock, or None.
    """

    tol: float
    atol: float | None
    max_steps: int
    deadline: float | None


@attrs.frozen(eq=False)
class Bounds:
    """Two bounds, with the kernel and the dual point that prove them.

    Attributes:
        response: the upper one.
        ceiling: the lower one.
        rounding: by so much rounding alone may have moved them past each other; 0 where nobody had to ask.
        lost: by so much rounding may have moved each of them, >= 0: they are that much further apart as numbers.
    """

    response: Response
    ceiling: Ceiling
    rounding: float = 0.0
    lost: float = 0.0

    @property
    def certificate(self) -> Certificate:
        """Both as numbers."""
        ceiling, upper = self.ceiling, self.response.upper + self.lost
        return Certificate(upper, ceiling.lower - self.lost, ceiling.exact, ceiling.tangent, self.rounding)

    @property
    def past_each_other(self) -> bool:
        """Whether the lower bound is above the upper one, by rounding or by more."""
        return not self.ceiling.lower - self.lost <= self.response.upper + self.lost


def default_atol(response: Response, first: float) -> float:
    """1e-12 (|h| + 1/2 sum v_i^2 K_ii), or 1e-24 of the smaller of the run's first bounds: what rounding leaves of 0.

    Of the best dual variables h is the bound of their output and 1/2 v'Kv. Of bad ones, such as those in the middle of
    a box with a side of 1e14, it may be billions of times as far below 0, which says nothing of the optimum.

    A first bound that is 0 says nothing. The second number counts where the optimum is 0 because no kernel is worth its
    price: then |h| and v are 0 as well. An upper bound alone would say too much: with a price of slack of 1e90 the
    first one is some 1e90.
    """
    terms = sum(min(abs(dual.h), abs(dual.upper) + 0.5 * abs(dual.quad)) for dual in response.duals)
    size = terms + 0.5 * sum(dual.squares for dual in response.duals)
    return max(_ROUNDING * size, _ROUNDING**2 * abs(first) if math.isfinite(first) else 0.0)


def capped_by_mixture(problem: Problem, bounds: Bounds) -> Bounds:
    """An estimated ceiling, corrected by the atoms of the kernel that proves the upper bound: no search may miss them.

    The weighted mean of their values is v'Kv at that kernel, so that h - 1/2 max <= h - 1/2 v'Kv <= upper.
    """
    ceiling, values = bounds.ceiling, bounds.ceiling.values.copy()
    for k, (part, best) in enumerate(zip(bounds.response.mixture.parts, ceiling.atoms, strict=True)):
        if not best.exact and len(part):
            values[k] = max(values[k], float(problem.value_of(k, part.atoms, ceiling.V).max()))
    return attrs.evolve(bounds, ceiling=ceiling.capped(values))


def capped(problem: Problem, ceiling: Ceiling, later: Ceiling) -> Ceiling:
    """An estimated ceiling, corrected by the atoms of a later search."""
    values = ceiling.values.copy()
    for k, best in enumerate(later.atoms):
        if not best.exact:
            values[k] = max([values[k], *problem.value_of(k, best.atoms, ceiling.V)])
    return ceiling.capped(values)
