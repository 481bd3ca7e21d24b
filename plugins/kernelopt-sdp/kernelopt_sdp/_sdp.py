"""The solver: one semidefinite program, then the core's certificate."""

import warnings
from importlib import import_module
from typing import Any, ClassVar

import attrs
import numpy as np

from kernelopt.plugin import (
    Budget,
    Criterion,
    FiniteFamily,
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
from kernelopt_sdp._attempts import Attempt, attempts
from kernelopt_sdp._parameter_variables import Parameters, orders, parameters
from kernelopt_sdp._program import Side, in_units


@attrs.frozen
class SDP(Solver):
    """The whole saddle as one semidefinite program, as printed, by cvxpy with SCS and Clarabel.

    A matrix inequality of order n + 1 for each output and leaf: a step of SCS costs the cube of n, and there are some
    hundreds or thousands. Up to an order of 60 Clarabel follows where SCS does not reach the tolerance; its cost grows
    with the sixth power of n. The solver is there to be compared with, and refuses what would take long. An explicit
    matrix family needs one of the order of P, and a list of atoms with features none. Matrix families and finite lists,
    and unions of them; others through the core's exchange.

    Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan (2004); Colbert and Peet (2020), equation (24).

    Attributes:
        most: the orders of all matrix inequalities together, at most, >= 2.
    """

    name: ClassVar[str] = "sdp"
    default_steps: ClassVar[int] = 10
    gram_copies: ClassVar[int] = 2

    most: int = attrs.field(default=300, validator=within(2, 10**4, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if not isinstance(untilted(leaf.penalty), Price | Norm | Square | None):
                return f"the price of {leaf.family.name} is {type(leaf.penalty).__name__}, wanted Price, Norm or Square"
            if not isinstance(leaf.family, MatrixFamily | FiniteFamily):
                return f"{leaf.family.name} is neither a matrix family nor a finite list of atoms"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> State:  # noqa: ARG002
        order = _order(problem)
        if order > self.most:
            raise Refused(
                f"sdp: matrix inequalities of order {order} together would take minutes to hours, and the limit is "
                f"{self.most}; use solver='ipm', fewer rows, or raise the limit with `most`"
            )
        return State(0, start, problem.ceiling(start.duals, Query(seed=seed)))

    def step(self, problem: Problem, state: State, budget: Budget) -> State:
        step = state.step + 1
        if budget.cancelled():
            return attrs.evolve(state, step=step, note="cancelled")
        tried = attempts(_order(problem))
        attempt = tried[min(state.step, len(tried) - 1)]
        mixture, alphas, note = _solved(problem, state.response, attempt, budget.remaining())
        last = step >= len(tried)
        if mixture is None:
            return attrs.evolve(state, step=step, stalled=last, note=note)
        ceiling = problem.ceiling(problem.points(alphas))
        response = problem.respond(mixture, problem.assess(mixture, alphas), budget)
        ceiling = max(ceiling, problem.ceiling(response.duals), key=lambda one: one.lower)
        return State(step, response, ceiling, stalled=last, note=note)


def _order(problem: Problem) -> int:
    """Of all matrix inequalities together."""
    return len(problem.outputs) * sum(orders(leaf, problem.n) for leaf in problem.leaves)


def _solved(
    problem: Problem, response: Response, attempt: Attempt, seconds: float | None
) -> tuple[Mixture | None, tuple[Any, ...], str]:
    """The program's kernel and dual variables, and the solver's word; None where it has no numbers."""
    cvxpy: Any = import_module("cvxpy")
    alpha = attempt.unit * (max(float(np.abs(dual.alpha).max(initial=0.0)) for dual in response.duals) or 1.0)
    value = max(abs(response.h), sum(dual.quad for dual in response.duals)) or 1.0
    pairs = zip(problem.leaves, problem.data, strict=True)
    kernels = [parameters(cvxpy, leaf, data, alpha * alpha / value, balanced=attempt.balanced) for leaf, data in pairs]
    outputs = [in_units(qp, alpha, value) for qp in problem.outputs]
    sides = [Side.of(cvxpy, qp, [one.share(cvxpy) for one in kernels]) for qp in outputs]
    prices = sum(one.price(cvxpy) for one in kernels)
    constraints = [constraint for side in sides for constraint in side.constraints]
    if problem.total is not None:
        constraints.append(sum(one.mass(cvxpy) for one in kernels) == problem.total)
    program = cvxpy.Problem(cvxpy.Minimize(sum(side.value for side in sides) + prices / value), constraints)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it has to say of its accuracy is its status; the core certifies
            program.solve(solver=attempt.solver, **attempt.options(seconds))
    except cvxpy.SolverError as error:
        return None, (), f"{attempt.solver.lower()}: {str(error).splitlines()[0]}"
    if any(one.variable.value is None for one in kernels):
        return None, (), f"{attempt.solver.lower()}: {program.status}"
    alphas = tuple(alpha * side.alpha() for side in sides)
    return _mixture(problem, kernels), alphas, f"{attempt.solver.lower()}: {program.status}"


def _mixture(problem: Problem, kernels: list[Parameters]) -> Mixture:
    """The program's kernel, its weights brought to their total."""
    found = Mixture(tuple(one.part() for one in kernels))
    if problem.total is None or found.mass == 0.0:
        return found
    return Mixture(tuple(part.scaled(problem.total / found.mass) for part in found.parts))
