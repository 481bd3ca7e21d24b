"""The contract of a criterion with a concave term in the kernel, with the methods that all such criteria share."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._dual_qp import DualPoint
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Query
from kernelopt._families.penalties._penalty import Price
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._bounds import Bounds
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._contract import ConcaveSolver, Solver
from kernelopt._saddle._held_out import losses_of_classes, losses_of_numbers
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._objective import Growth, Objective
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._rounding import rounding_of

_EXACTEST = 1e-14
"""No inner problem is solved to less."""
_ROUNDING = 1e-12
"""A price below 0 by less than this share of the largest is 0."""


class ConcaveCriterion(Criterion, Objective):
    """A criterion whose objective is a saddle plus a term that is concave in the kernel.

    The tangent to this term at a kernel is a linear price, and the saddle with this price bounds the objective from
    above, with equality at this kernel. So the bounds are those of one kernel: the upper bound is the objective, and
    the lower bound says how far the tangent saddle can still descend. If the two meet, the kernel is stationary, which
    need not be the global minimum.

    `primal` includes the concave term.
    """

    default_solver: ClassVar[str | None] = "scoring"
    adapter: ClassVar[str | None] = "reweighted"

    @abstractmethod
    def ceiling(
        self, problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture, budget: Budget
    ) -> Ceiling:
        """The lower bound on the tangent saddle at the kernel `at`, and the atoms that exceed their price the most; a
        search for them ends with the time.
        """

    @abstractmethod
    def bounds(
        self, problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture, gram: Gram, budget: Budget
    ) -> Bounds:
        """The answer to the kernel `at`, of this Gram, and the `ceiling` of these dual points there, from scratch, with
        what rounding may have moved them by; the ceiling may be nearer to the tangent saddle if there is time for that.
        """

    @abstractmethod
    def allowed(self, problem: Problem, tol: float) -> float:
        """The absolute gap that counts as reached."""

    def lower(
        self,
        problem: Problem,
        duals: tuple[DualPoint, ...],
        query: Query,
        near: Mixture | None,
        forms: Sequence[FloatArray] | None,  # noqa: ARG002
    ) -> Ceiling:
        """The `ceiling` at the kernel at hand, or at the centre."""
        return self.ceiling(problem, duals, query, problem.center() if near is None else near, Budget())

    def default_family(self) -> tuple[str, tuple[str, ...]]:
        return "auto", ('family: no family was named, so the list "auto" was taken',)

    def serves(self, solver: type[Solver]) -> bool:
        return issubclass(solver, ConcaveSolver)

    def unbounded(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        """A sentence if a kernel has a negative price: weights may have any sum, so its weight would grow forever."""
        for leaf in leaves:
            price = leaf.penalty
            if isinstance(price, Price) and price.least < -_ROUNDING * float(np.abs(price.c).max()):
                return (
                    f"a kernel of {leaf.family.name} has a negative price, so larger is always better; take prices >= 0"
                )
        return None

    def tolerances(self, problem: Problem, tol: float, atol: float | None) -> tuple[float, float | None]:
        """No relative tolerance, and an absolute one in nats: the objective may have any size, also 0."""
        return 0.0, self.allowed(problem, tol) if atol is None else atol

    def accuracy(self, problem: Problem, tol: float, atol: float | None) -> float:
        """The accuracy of inner problems: the problem's own, or less if the user asks for a smaller gap than `tol`."""
        share = 1.0 if atol is None else min(atol / self.allowed(problem, tol), 1.0)
        return max(share * problem.accuracy, _EXACTEST)

    def improved(self, problem: Problem, best: Bounds, new: Bounds) -> Bounds:  # noqa: ARG002
        """The bounds of the better kernel: the upper and the lower bound belong to the same kernel."""
        return best if new.response.upper > best.response.upper else new

    def reconciled(self, problem: Problem, bounds: Bounds) -> Bounds:
        """Both bounds, computed again from scratch, since a solver may have computed prices with fewer digits."""
        points, mixture = problem.points(tuple(dual.alpha for dual in bounds.ceiling.duals)), bounds.response.mixture
        bounds = self.bounds(problem, points, Query(), mixture, problem.gram(mixture), Budget())
        return attrs.evolve(bounds, rounding=self.rounding(problem, bounds)) if bounds.past_each_other else bounds

    def rounding(self, problem: Problem, bounds: Bounds) -> float:
        """How far rounding may move the bounds past each other; by default the concave term adds nothing to it."""
        return rounding_of(problem, bounds)

    def reached(self, certificate: Certificate) -> Status:
        return Status.STATIONARY if certificate.exact else Status.STATIONARY_ESTIMATED

    def recertified(self, problem: Problem, bounds: Bounds, gram: Gram, seed: int, budget: Budget) -> Bounds:
        points = problem.points(tuple(dual.alpha for dual in bounds.ceiling.duals))
        found = self.bounds(problem, points, Query(seed=seed), bounds.response.mixture, gram, budget)
        if found.ceiling.exact or not budget.cancelled():
            return found
        known = min(found.ceiling.lower, bounds.ceiling.lower)  # a search without time does not refute an earlier one
        return attrs.evolve(found, ceiling=attrs.evolve(found.ceiling, lower=known))

    def proved(self, problem: Problem, response: Response, gram: Gram) -> Bounds:
        return self.bounds(problem, response.duals, Query(), response.mixture, gram, Budget())

    def rows(self, response: Response) -> IntArray:
        """The rows that predictions need: all rows, since the variance of a prediction depends on all of them."""
        return np.arange(response.duals[0].v.shape[0])

    def growth(self, n: int, outputs: int) -> Growth | None:  # noqa: ARG002
        """In how many rounds kernels may join a family, and how they are judged; by default none join."""
        return None

    def losses(self, values: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
        """The losses of predictions: those of classes, or those of numbers, as the task is."""
        return (losses_of_classes if self.task == "classification" else losses_of_numbers)(values, y, weight)

    def elsewhere(self, problem: Problem, response: Response) -> tuple[Mixture, ...]:  # noqa: ARG002
        """Other kernels that may be better and that a run should look at before it ends; by default none."""
        return ()

    def remarks(
        self,
        problem: Problem,  # noqa: ARG002
        response: Response,  # noqa: ARG002
        rows: IntArray,  # noqa: ARG002
        targets: FloatArray,  # noqa: ARG002
        *,
        converged: bool,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Sentences on the answer that become notes of the solution, of a run that met its tolerance or did not; by
        default none.
        """
        return ()
