"""The accelerated primal-dual method, with restarts and the core's bounds."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt.plugin import (
    Budget,
    Ceiling,
    Criterion,
    FiniteFamily,
    FloatArray,
    Leaf,
    MatrixFamily,
    Mixture,
    Problem,
    Query,
    Response,
    Solver,
    State,
    within,
)
from kernelopt_apd._cycle import Course, cycle
from kernelopt_apd._iterate import Pace
from kernelopt_apd._saddle import Field, Parameters, tensors

_FIRST = 25
"""The first cycle is short: it shows how long the steps of the two sides should be.
Worth: `constants.py apd.first`."""
_SLOW = 0.5
"""A cycle that leaves more than this share of the gap is followed by one twice as long.
Worth: `constants.py apd.slow`."""
_LONGEST = 64
"""A run gives up where so many times the usual length brought nothing."""
_PROBES = 3
"""Iterations that are made for their curvatures alone. Worth: `constants.py apd.probes`."""
_POWERS = 10
"""Power iterations for the first step length. Worth: `constants.py apd.powers`."""


@attrs.frozen(eq=False)
class PrimalDualState(State):
    """The best kernel and the best dual point, from which the next cycle starts, and how it goes.

    Attributes:
        pace: step lengths.
        length: iterations of the next cycle.
        direct: for each leaf, whether its couplings are tensors, and a Gram for each kernel cheaper.
    """

    pace: Pace = attrs.field(kw_only=True)
    length: int = attrs.field(kw_only=True)
    direct: tuple[bool, ...] = attrs.field(kw_only=True)

    @property
    def gap(self) -> float:
        """Between the best bounds."""
        return self.response.upper - self.ceiling.lower


@attrs.frozen
class AcceleratedPrimalDual(Solver):
    """Gradient steps on kernel and dual variables in turn, with momentum and exact projections, in restarted cycles.

        S+     = nearest kernel to  S + sigma (extrapolated D(v) / 2 - grad R(S))
        alpha+ = nearest dual point to  alpha + tau (grad h - E'K(S+)v)

    An iteration couples each leaf to one v and solves no equations, so it costs O(n^2) where the family does; no
    machine is trained in it. After each cycle the last and the average iterates are tried for both bounds, a machine
    is trained at the better kernel, and the next cycle starts from the best kernel and the best dual point. Step
    lengths are found by backtracking; the ratio of the two sides' follows the ways that they went in the last cycle.
    The gap falls as 1/k at worst, as 1/k^2 where h is strongly concave, and by restarts faster as a rule.

    Hamedani and Aybat (2021), Algorithm 2.3; Talitckii, Colbert and Peet (2024), appendix B.

    Attributes:
        inner: iterations of a cycle, >= 1; slow cycles are followed by longer ones.
    """

    name: ClassVar[str] = "apd"
    default_steps: ClassVar[int] = 1000
    patience: ClassVar[int] = 30
    gram_copies: ClassVar[int] = 3

    inner: int = attrs.field(default=200, validator=within(1, 10**6, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if not isinstance(leaf.family, MatrixFamily | FiniteFamily):
                return f"{leaf.family.name} is neither a matrix family nor a finite list of atoms"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> PrimalDualState:  # noqa: ARG002
        return self._from(problem, start, problem.ceiling(start.duals, Query(seed=seed)))

    def rebase(self, problem: Problem, state: State, kept: Mixture, budget: Budget) -> PrimalDualState:
        response = problem.respond(kept, state.response, budget)
        central = problem.points(tuple(dual.alpha for dual in state.ceiling.duals))
        return self._from(problem, response, _higher(problem.ceiling(response.duals), problem.ceiling(central)))

    def _from(self, problem: Problem, response: Response, ceiling: Ceiling) -> PrimalDualState:
        direct = tensors(problem, response.V[:, 0])
        pace = _first_pace(problem, Field.of(problem, direct, ceiling.duals), response, ceiling)
        return PrimalDualState(0, response, ceiling, pace=pace, length=min(_FIRST, self.inner), direct=direct)

    def step(self, problem: Problem, state: State, budget: Budget) -> PrimalDualState:
        assert isinstance(state, PrimalDualState)
        field = Field.of(problem, state.direct, state.ceiling.duals)
        S, alpha = field.parameters(state.response.mixture), field.saddle.join(state.ceiling.duals)
        course = cycle(field, S, alpha, state.pace, state.length, budget.cancelled)
        response = _lower(state.response, _answered(problem, field, course, budget))
        ceiling = _asked(problem, field, course, response, state.ceiling)
        after = attrs.evolve(
            state,
            step=state.step + 1,
            response=response,
            ceiling=ceiling,
            pace=course.pace,
            note=f"{course.iterations} iterations",
        )
        if not course.iterations:
            return attrs.evolve(after, stalled=True, note="rounding errors prevent further steps")
        return self._paced(state, after)

    def _paced(self, before: PrimalDualState, after: PrimalDualState) -> PrimalDualState:
        """The next cycle's length; the end where a long one brought nothing."""
        if after.length >= _LONGEST * self.inner and after.gap >= before.gap:
            return attrs.evolve(after, stalled=True, note=f"{after.length} iterations did not make the gap smaller")
        slow = after.length < self.inner or after.gap > _SLOW * before.gap
        return attrs.evolve(after, length=min(2 * after.length, _LONGEST * self.inner)) if slow else after


def _first_pace(problem: Problem, field: Field, start: Response, ceiling: Ceiling) -> Pace:
    """Step lengths that suit the start: from a guess, one over K's norm, and from what a few iterations show."""
    S, alpha = field.parameters(start.mixture), field.saddle.join(ceiling.duals)
    return cycle(field, S, alpha, _guessed(problem, start, S), _PROBES, bool).pace


def _guessed(problem: Problem, start: Response, S: Parameters) -> Pace:
    """One over K's norm, and in proportion to what there is of both sides."""
    gram = problem.gram(start.mixture)
    v = np.random.default_rng(0).normal(size=gram.n)
    size = 0.0
    for _ in range(_POWERS):
        v = gram.apply(v / np.linalg.norm(v))
        size = float(np.linalg.norm(v))
        if size == 0.0:
            break
    bias = max(qp.bias_cost * qp.n for qp in problem.outputs)
    weights = sum(float(np.vdot(s, s)) for s in S)
    alpha = sum(float(dual.alpha @ dual.alpha) for dual in start.duals)
    return Pace(1.0 / (size + bias or 1.0), weights / alpha if weights and alpha else 1.0)


def _answered(problem: Problem, field: Field, course: Course, budget: Budget) -> Response:
    """A trained machine at the better of the cycle's two kernels."""
    tried = [_assessed(problem, field, S, alpha) for S, alpha in (course.last, course.mean)]
    best = min(tried, key=lambda one: one.upper)
    return _lower(best, problem.respond(best.mixture, best, budget))


def _assessed(problem: Problem, field: Field, S: Parameters, alpha: FloatArray) -> Response:
    return problem.assess(field.saddle.mixture(field.saddle.scaled(S)), field.saddle.split(alpha))


def _asked(problem: Problem, field: Field, course: Course, response: Response, best: Ceiling) -> Ceiling:
    """The best lower bound of the last and the average dual variables, the machine's, and the best so far."""
    for _, alpha in (course.last, course.mean):
        best = _higher(best, problem.ceiling(problem.points(field.saddle.split(alpha))))
    return _higher(best, problem.ceiling(response.duals))


def _lower(first: Response, second: Response) -> Response:
    return second if second.upper < first.upper else first


def _higher(first: Ceiling, second: Ceiling) -> Ceiling:
    return second if second.lower > first.lower else first
