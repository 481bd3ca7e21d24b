"""The law of a solver under criteria of other dual problems than those of two classes, on a union of lists."""

import math

import numpy as np

from kernelopt._criteria._svc import SVC
from kernelopt._families._leaf import Leaf
from kernelopt._families.variances._delta import Delta
from kernelopt.plugin import Criterion, Problem
from kernelopt.testing._examples import Example, few_kernels
from kernelopt.testing._laws import demand
from kernelopt.testing._skip import skip
from kernelopt.testing._solver_case import SolverCase
from kernelopt.testing._tasks import every_criterion, small_task
from kernelopt.testing._toys import Columns

_LOOSE = 10.0
"""So many times the tolerance is enough, as in the law of prices."""
_ROWS = 20
_SAMPLES, _KERNELS, _OUTPUTS = 22, 10, 5
_FAR = 50.0
"""Who looks at some kernels, outputs or samples alone remains further away than so many times the tolerance."""
_ASKED = ("l2-svc", "nu-svc", "svr", "one-class", "ridge")
"""A quadratic term, two equalities, two variables of a sample, a sum that is fixed, and no bounds at all."""


class TaskLaws(SolverCase):
    """The law of other dual problems and of several leaves, each with a factor of its own."""

    def test_a_wider_problem_is_served_or_refused(self) -> None:
        """A list of ten kernels, five outputs and 22 samples of other weights: 50 `tolerance`, a refusal or a stall."""
        example = self.bound(_wide())
        reason = self.solver().refuses(example.problem.leaves, example.problem.criterion)
        if reason is not None:
            skip(f"ten kernels and five outputs are refused: {reason}")
        wanted = _FAR * self.tolerance
        done = self._run(example, tolerance=wanted)
        detail = (
            f"on {example.name} the relative gap is {done.bounds.certificate.relative_gap:.1e} after "
            f"{done.trace[-1].step} steps ({done.status.name}), wanted {wanted:.1e}; look at every kernel, every "
            "output and the box of every sample, or let refuses return a sentence"
        )
        demand(done.status.converged or self._explained(example, done), "wide", detail)

    def test_other_criteria_are_served_or_refused(self) -> None:
        """A union of three lists is learned under five criteria to 10 `tolerance`, is refused, or the solver stalls."""
        solver, wanted, said = self.solver(), _LOOSE * self.tolerance, []
        for name in _ASKED:
            example = self.bound(_union_under(every_criterion()[name]))
            reason = solver.refuses(example.problem.leaves, example.problem.criterion)
            if reason is not None:
                said.append(reason)
                continue
            done = self._run(example, tolerance=wanted)
            detail = (
                f"on {example.name} the relative gap is {done.bounds.certificate.relative_gap:.1e} after "
                f"{done.trace[-1].step} steps ({done.status.name}), wanted {wanted:.1e}; serve every criterion and "
                "every factor of a leaf, or let refuses return a sentence"
            )
            stalled = not done.status.converged and self._explained(example, done)
            demand(done.status.converged or stalled, "tasks", detail)
            said.extend([detail] if stalled else [""])
        if "" in said:
            return
        gaps = [one for one in said if one.startswith("on ")]
        demand(not gaps, "tasks", f"{' '.join(gaps[:1])}; the solver stalls under each criterion that it serves")
        skip(f"other criteria on three lists are refused: {said[0]}")


def _wide() -> Example:
    """Ten kernels, each of which suits some of five outputs, and boxes of all sizes; its optimum is not known."""
    rng = np.random.default_rng(19)
    X = rng.normal(size=(_SAMPLES, _KERNELS))
    noise = 0.5 * rng.normal(size=(_SAMPLES, _OUTPUTS))
    y = np.where(X[:, -_OUTPUTS:] + noise > 0.0, 1.0, -1.0)
    weight = np.repeat(np.logspace(-0.5, 0.5, _SAMPLES)[:, None], _OUTPUTS, axis=1)
    criterion, leaf = SVC(1.0), Leaf.of(Columns(_KERNELS), np.arange(_KERNELS), 1.0)
    problem = Problem((leaf,), (leaf.family.bind(X),), criterion, criterion.outputs(y, weight))
    return Example("ten kernels and five outputs", problem, math.nan, X, y, (leaf.family,))


def _union_under(criterion: Criterion) -> Example:
    """Three lists, whose leaves have three factors, under a criterion; its optimum is not known."""
    X, targets = small_task(criterion.task, _ROWS)
    y, ones = np.ones((_ROWS, 1)) if targets is None else targets[:, None], np.ones(_ROWS)
    families = (Delta(), Columns(2), few_kernels())
    pairs = zip(families, (0.3, 1.0, 3.0), strict=True)
    leaves = tuple(Leaf.of(family.prepare(X, ones), np.arange(2), factor) for family, factor in pairs)
    data = tuple(leaf.family.bind(X) for leaf in leaves)
    problem = Problem(leaves, data, criterion, criterion.outputs(y, np.ones_like(y)))
    return Example(f"three lists under {criterion.name}", problem, math.nan, X, y, families)
