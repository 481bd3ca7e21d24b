"""The solver: one semidefinite program, then the core's certificate."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt.plugin import (
    Budget,
    Criterion,
    FiniteFamily,
    FloatArray,
    Leaf,
    MatrixFamily,
    Mixture,
    Norm,
    Price,
    Problem,
    Query,
    Refused,
    Response,
    Solver,
    Square,
    State,
    untilted,
    within,
)
from kernelopt_sdp._attempts import attempts
from kernelopt_sdp._conic import solved
from kernelopt_sdp._interior import alphas, begun, followed, mixture
from kernelopt_sdp._parameter_variables import orders
from kernelopt_sdp._path import PathPoint
from kernelopt_sdp._units import Units

_ENOUGH = 1e-14
"""Where the products of points and dual points are as small as this, rounding alone is left."""


@attrs.frozen
class ProgramState(State):
    """A point of the program's central path, or what general solvers have answered.

    Attributes:
        units: of the point.
        point: None before the first step, where a general solver has the program, and where the path has ended.
        asked: how many times a general solver was asked.
    """

    units: Units | None = attrs.field(default=None, kw_only=True)
    point: PathPoint | None = attrs.field(default=None, kw_only=True)
    asked: int = attrs.field(default=0, kw_only=True)


@attrs.frozen
class SDP(Solver):
    """The whole saddle as one semidefinite program, as printed.

    A matrix inequality of order n + 1 for each output. An interior point of its own follows programs of matrix families
    and lists at a linear price or a fixed total: with p parameters of the kernel a step takes 2 p n^3 + p^2 n^2
    multiplications, and 20 to 30 steps reach 1e-6. Other programs go through cvxpy to SCS, and up to an order of 60 to
    Clarabel, whose cost grows with the sixth power of n; an explicit matrix family needs an inequality of the order of
    P there, and a list of atoms with features none. The solver is there to be compared with. Matrix families and finite
    lists, and unions of them; others through the core's exchange.

    Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan (2004); Colbert and Peet (2020), equation (24).

    Attributes:
        most: the orders of all matrix inequalities together, at most, >= 2.
    """

    name: ClassVar[str] = "sdp"
    default_steps: ClassVar[int] = 100
    gram_copies: ClassVar[int] = 2

    most: int = attrs.field(default=700, validator=within(2, 10**4, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if not isinstance(untilted(leaf.penalty), Price | Norm | Square | None):
                return f"the price of {leaf.family.name} is {type(leaf.penalty).__name__}, wanted Price, Norm or Square"
            if not isinstance(leaf.family, MatrixFamily | FiniteFamily):
                return f"{leaf.family.name} is neither a matrix family nor a finite list of atoms"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> ProgramState:  # noqa: ARG002
        order = _order(problem)
        if order > self.most:
            raise Refused(
                f"sdp: matrix inequalities of order {order} together would take minutes to hours, and the limit is "
                f"{self.most}; use solver='ipm', fewer rows, or raise the limit with `most`"
            )
        state = ProgramState(0, start, problem.ceiling(start.duals, Query(seed=seed)))
        if not followed(problem):
            return state
        units, point = begun(problem, start)
        return attrs.evolve(state, units=units, point=point)

    def step(self, problem: Problem, state: State, budget: Budget) -> ProgramState:
        assert isinstance(state, ProgramState)
        if budget.cancelled():
            return attrs.evolve(state, step=state.step + 1, note="cancelled")
        if state.point is None:
            return _asked(problem, state, budget)
        return _followed(problem, state, state.point, budget)


def _followed(problem: Problem, state: ProgramState, point: PathPoint, budget: Budget) -> ProgramState:
    """One step along the central path; where it ends, a general solver may be asked next."""
    assert state.units is not None
    try:
        point = point.next()
        mu = point.mu
    except np.linalg.LinAlgError:
        over = not attempts(_order(problem), followed=True)
        return attrs.evolve(state, step=state.step + 1, point=None, stalled=over, note="the path ends in rounding")
    note = f"mu {mu:.1e}"
    found = _certified(problem, state, mixture(point), alphas(point, state.units), budget, note)
    over = mu <= _ENOUGH
    stalled = over and not attempts(_order(problem), followed=True)
    return attrs.evolve(found, point=None if over else point, stalled=stalled)


def _asked(problem: Problem, state: ProgramState, budget: Budget) -> ProgramState:
    """The program to a general solver."""
    tried = attempts(_order(problem), followed=state.units is not None)
    attempt = tried[min(state.asked, len(tried) - 1)]
    kernel, dual, note = solved(problem, state.response, attempt, budget.remaining())
    last = state.asked + 1 >= len(tried)
    if kernel is None:
        return attrs.evolve(state, step=state.step + 1, stalled=last, asked=state.asked + 1, note=note)
    found = _certified(problem, state, kernel, dual, budget, note)
    return attrs.evolve(found, stalled=last, asked=state.asked + 1)


def _certified(
    problem: Problem, state: ProgramState, kernel: Mixture, dual: tuple[FloatArray, ...], budget: Budget, note: str
) -> ProgramState:
    """The better of the bounds that are there and those of a kernel and of dual variables."""
    ceilings = [state.ceiling, problem.ceiling(problem.points(dual))]
    response = problem.respond(kernel, problem.assess(kernel, dual), budget)
    ceilings.append(problem.ceiling(response.duals))
    return attrs.evolve(
        state,
        step=state.step + 1,
        response=min(state.response, response, key=lambda one: one.upper),
        ceiling=max(ceilings, key=lambda one: one.lower),
        note=note,
    )


def _order(problem: Problem) -> int:
    """Of all matrix inequalities together."""
    each = problem.n if followed(problem) else sum(orders(leaf, problem.n) for leaf in problem.leaves)
    return len(problem.outputs) * each
