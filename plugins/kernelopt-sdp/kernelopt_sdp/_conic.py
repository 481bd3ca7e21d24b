"""The program by cvxpy, with a general solver of conic programs."""

import warnings
from importlib import import_module
from typing import Any

from kernelopt.plugin import FloatArray, Mixture, Problem, Response
from kernelopt_sdp._attempts import Attempt
from kernelopt_sdp._parameter_variables import Parameters, parameters
from kernelopt_sdp._program import Side
from kernelopt_sdp._units import Units


def solved(
    problem: Problem, response: Response, attempt: Attempt, seconds: float | None
) -> tuple[Mixture | None, tuple[FloatArray, ...], str]:
    """The program's kernel and dual variables, and the solver's word; None where it has no numbers.

    Args:
        problem: what the program states.
        response: an answer, for the units.
        attempt: how the program is stated and solved.
        seconds: at most.
    """
    cvxpy: Any = import_module("cvxpy")
    units = Units.of(response)
    units = Units(attempt.unit * units.alpha, units.value)
    pairs = zip(problem.leaves, problem.data, strict=True)
    kernels = [parameters(cvxpy, leaf, data, units.gram, balanced=attempt.balanced) for leaf, data in pairs]
    sides = [Side.of(cvxpy, qp, [one.share(cvxpy) for one in kernels]) for qp in units.outputs(problem)]
    prices = sum(one.price(cvxpy) for one in kernels)
    constraints = [constraint for side in sides for constraint in side.constraints]
    if problem.total is not None:
        constraints.append(sum(one.mass(cvxpy) for one in kernels) == problem.total)
    program = cvxpy.Problem(cvxpy.Minimize(sum(side.value for side in sides) + prices / units.value), constraints)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it has to say of its accuracy is its status; the core certifies
            program.solve(solver=attempt.solver, **attempt.options(seconds))
    except cvxpy.SolverError as error:
        return None, (), f"{attempt.solver.lower()}: {str(error).splitlines()[0]}"
    if any(one.variable.value is None for one in kernels):
        return None, (), f"{attempt.solver.lower()}: {program.status}"
    alphas = tuple(units.alpha * side.alpha() for side in sides)
    return _mixture(problem, kernels), alphas, f"{attempt.solver.lower()}: {program.status}"


def _mixture(problem: Problem, kernels: list[Parameters]) -> Mixture:
    """The program's kernel, its weights brought to their total."""
    found = Mixture(tuple(one.part() for one in kernels))
    if problem.total is None or found.mass == 0.0:
        return found
    return Mixture(tuple(part.scaled(problem.total / found.mass) for part in found.parts))
