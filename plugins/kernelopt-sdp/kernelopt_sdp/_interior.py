"""The program of a problem on its central path, where an interior point of its own can follow it.

It follows programs whose leaves have a linear price, or none, if one of them needs a matrix inequality on the rows;
then all leaves share it. Squares and norms of prices, and leaves that have features all, cvxpy hands to a general
solver.
"""

import numpy as np

from kernelopt.plugin import DualQP, ExplicitFamily, FloatArray, Mixture, Problem, Response, require
from kernelopt_sdp._cones import cone
from kernelopt_sdp._inequality import Span
from kernelopt_sdp._path import Kernels, PathPoint
from kernelopt_sdp._side import Machine
from kernelopt_sdp._units import Units

_COPIES = 3
"""So many numbers for each entry of the Grams of all coordinates are held at once."""


def followed(problem: Problem) -> bool:
    """Whether the program of a problem has a central path that is known here."""
    linear = all(leaf.penalty is None or leaf.penalty.linear for leaf in problem.leaves)
    thin = all(isinstance(leaf.family, ExplicitFamily) for leaf in problem.leaves)
    return linear and not thin and all(map(_held, problem.outputs))


def _held(qp: DualQP) -> bool:
    """Whether something keeps every dual variable from infinity, whatever the kernel is."""
    return bool(((qp.curvature > 0.0) | np.isfinite(qp.lower) | np.isfinite(qp.upper)).all())


def begun(problem: Problem, response: Response) -> tuple[Units, PathPoint]:
    """The first point, in units from an answer.

    Raises:
        NotEnoughMemory: for the Grams of all coordinates.
    """
    units, cones = Units.of(response), tuple(cone(*one) for one in zip(problem.leaves, problem.data, strict=True))
    need = 8 * _COPIES * sum(one.size for one in cones) * problem.n**2
    require(need, f"sdp: the Gram matrices of {sum(one.size for one in cones)} parameters on {problem.n} rows")
    whole = units.gram * np.sum([one.whole() for one in cones], axis=0)
    kernels = Kernels(cones, np.concatenate([one.price() for one in cones]) / units.value, problem.total)
    spans: dict[float, Span] = {}
    machines = []
    for qp in units.outputs(problem):
        if qp.bias_cost not in spans:
            grams = (units.gram * K for one in cones for K in one.grams())
            spans[qp.bias_cost] = Span.of(grams, whole, qp.bias_cost)
        machines.append(Machine.of(qp, spans[qp.bias_cost]))
    return units, PathPoint.start(kernels, tuple(machines))


def mixture(point: PathPoint) -> Mixture:
    """The kernel of a point, its weights brought to their total."""
    kernels = point.kernels
    parts = zip(kernels.cones, kernels.places, strict=True)
    found = Mixture(tuple(one.part(point.theta[here]) for one, here in parts))
    if kernels.total is None:
        return found
    return Mixture(tuple(part.scaled(kernels.total / found.mass) for part in found.parts))


def alphas(point: PathPoint, units: Units) -> tuple[FloatArray, ...]:
    """The dual variables of a point, of each output."""
    return tuple(units.alpha * side.alpha for side in point.sides)
