"""Which part stated something untrue, where the two bounds of a run contradict each other."""

import numpy as np

from kernelopt._linalg._gram import Gram
from kernelopt._saddle._bounds import Bounds
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._problem import Problem

_SLACK = 1e-9
"""As a share of what is compared: a part is accused of more than rounding."""


def suspect(problem: Problem, claimed: Bounds, anew: Bounds, gram: Gram, solver: Solver) -> str:
    """The part whose statement is disproved, in a sentence.

    Args:
        problem: the problem.
        claimed: the bounds at the end of the run, as the solver reported them.
        anew: the same kernel and dual point, with both bounds computed from scratch.
        gram: of that kernel.
        solver: whose run it was.
    """
    if not anew.certificate.crossed:
        now = anew.certificate
        return (
            f"contradiction: the solver {solver.name} reported the lower bound {claimed.ceiling.lower:.8g} and the "
            f"upper bound {claimed.response.upper:.8g}; computed anew they are {now.lower:.8g} and {now.upper:.8g}"
        )
    return _criterion(problem, anew, gram) or _family(problem, anew) or _NOBODY


_NOBODY = (
    "contradiction: it could not be told which part is to blame; the laws of kernelopt.testing look at a family, a "
    "criterion or a solver alone"
)


def _criterion(problem: Problem, bounds: Bounds, gram: Gram) -> str | None:
    """Whether a dual point is worth more at this very kernel than the primal objective allows.

    Where the bound is a tangent's, the objective has a further term in the kernel, of which this says nothing.
    """
    if bounds.ceiling.tangent:
        return None
    upper = bounds.response.upper - problem.penalty(bounds.response.mixture)
    V = bounds.ceiling.V
    dual = sum(one.h for one in bounds.ceiling.duals) - 0.5 * float(np.vdot(V, gram.apply(V)))
    if dual <= upper + _SLACK * max(abs(dual), abs(upper)) + bounds.rounding:
        return None
    return (
        f"contradiction: the criterion {problem.criterion.name} is probably wrong: at the learned kernel its dual "
        f"objective reaches {dual:.8g}, and its primal objective is only {upper:.8g}"
    )


def _family(problem: Problem, bounds: Bounds) -> str | None:
    """Whether atoms of the learned kernel are worth more than their family's oracle allows."""
    ceiling = bounds.ceiling
    for k, (leaf, part) in enumerate(zip(problem.leaves, bounds.response.mixture.parts, strict=True)):
        if not len(part) or leaf.penalty is not None:
            continue
        most = float(problem.value_of(k, part.atoms, ceiling.V).max())
        if most > ceiling.values[k] + _SLACK * abs(most):
            return (
                f"contradiction: the family {leaf.family.name} is probably wrong: its oracle gives "
                f"{ceiling.values[k]:.8g} as the largest value of all its kernels, and a kernel of the solution "
                f"has the value {most:.8g}"
            )
    return None
