"""What a run has proved so far, and when it may stop."""

import attrs

from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem, Response


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
    """Two bounds, with the kernel and the dual point that prove them."""

    response: Response
    ceiling: Ceiling

    @property
    def certificate(self) -> Certificate:
        """Both as numbers."""
        return Certificate(self.response.upper, self.ceiling.lower, self.ceiling.exact, self.ceiling.tangent)


def default_atol(response: Response) -> float:
    """1e-12 (|h| + 1/2 sum v_i^2 K_ii): what rounding leaves of a gap where the optimum is 0."""
    return 1e-12 * (abs(response.h) + 0.5 * sum(dual.squares for dual in response.duals))


def capped(problem: Problem, ceiling: Ceiling, later: Ceiling) -> Ceiling:
    """An estimated ceiling, corrected by the atoms of a later search."""
    values = ceiling.values.copy()
    for k, best in enumerate(later.atoms):
        if not best.exact:
            values[k] = max([values[k], *problem.value_of(k, best.atoms, ceiling.V)])
    return ceiling.capped(values)
