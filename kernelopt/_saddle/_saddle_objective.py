"""The objective of the usual saddle, and which objective a criterion has."""

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._contract import Criterion
from kernelopt._families._binding import tightened
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Query
from kernelopt._families.penalties._penalty import Price
from kernelopt._linalg._gram import Gram
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Posterior
from kernelopt._saddle._bounds import Bounds, capped, capped_by_mixture
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._contract import ConcaveSolver, Solver
from kernelopt._saddle._held_out import losses_of_numbers
from kernelopt._saddle._objective import Growth, Objective
from kernelopt._saddle._polish import polished
from kernelopt._saddle._problem import Problem, SaddleBounds
from kernelopt._saddle._pruned import pruned
from kernelopt._saddle._remarks import endless, flat, remarks
from kernelopt._saddle._response import Response
from kernelopt._saddle._rounding import rounding_of


@attrs.frozen
class SaddleObjective(SaddleBounds, Objective):
    """min over kernels, max over alpha, of h(alpha) - 1/2 v'Kv + R(kernel): convex, so that bounds hold for all."""

    def default_family(self) -> tuple[str, tuple[str, ...]]:
        return "tk", ('family: no family was named, so tessellated kernels, "tk", were taken',)

    def serves(self, solver: type[Solver]) -> bool:
        return not issubclass(solver, ConcaveSolver)

    def union(self, leaves: tuple[Leaf, ...], width: int) -> tuple[tuple[Leaf, ...], tuple[str, ...]]:  # noqa: ARG002
        return leaves, ()

    def unbounded(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        if any(leaf.total is not None for leaf in leaves):
            return None
        for leaf in leaves:
            if leaf.penalty is None:
                return f"{leaf.family.name} has no price, so its weights need a total"
            if isinstance(leaf.penalty, Price) and leaf.penalty.least <= 0.0:
                return (
                    f"{leaf.family.name} has kernels of a price of {leaf.penalty.least:.3g}, so that larger is always "
                    "better; take prices above 0, or give the weights a total"
                )
            if leaf.penalty.homogeneous and criterion.sized:
                return (
                    "it fixes the size of its dual variables, so with a price in proportion to the size of a kernel "
                    "the optimal size is 0 or infinite; give the weights a total, or take a squared penalty"
                )
        return None

    def tolerances(self, problem: Problem, tol: float, atol: float | None) -> tuple[float, float | None]:  # noqa: ARG002
        return tol, atol

    def accuracy(self, problem: Problem, tol: float, atol: float | None) -> float:  # noqa: ARG002
        return problem.accuracy

    def size(self, problem: Problem, gram: Gram) -> float:  # noqa: ARG002
        return 1.0

    def rehearsal(self, n: int) -> int | None:  # noqa: ARG002
        return None

    def growth(self, n: int, outputs: int) -> Growth | None:  # noqa: ARG002
        return None

    def losses(self, values: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
        return losses_of_numbers(values, y, weight)

    def elsewhere(self, problem: Problem, response: Response) -> tuple[Mixture, ...]:  # noqa: ARG002
        return ()

    def improved(self, problem: Problem, best: Bounds, new: Bounds) -> Bounds:
        """The better of each. Where a ceiling is estimated, every atom that is found later caps it."""
        response = new.response if new.response.upper < best.response.upper else best.response
        mine = best.ceiling if best.ceiling.exact else capped(problem, best.ceiling, new.ceiling)
        return Bounds(response, new.ceiling if new.ceiling.lower > mine.lower else mine)

    def reached(self, certificate: Certificate) -> Status:
        return Status.CONVERGED if certificate.exact else Status.CONVERGED_ESTIMATED

    def reconciled(self, problem: Problem, bounds: Bounds) -> Bounds:
        """Atoms of the kernel at hand cap an estimated ceiling."""
        bounds = bounds if bounds.ceiling.exact else capped_by_mixture(problem, bounds)
        return attrs.evolve(bounds, rounding=rounding_of(problem, bounds)) if bounds.past_each_other else bounds

    def recertified(self, problem: Problem, bounds: Bounds, gram: Gram, seed: int, budget: Budget) -> Bounds:
        """F = K v, the primal side and the oracle; alpha that hover near a bound are put on it."""
        response = problem.assess(bounds.response.mixture, tuple(dual.alpha for dual in bounds.response.duals), gram)
        pairs = zip(bounds.response.duals, bounds.ceiling.duals, strict=True)
        one = all(own.alpha is other.alpha for own, other in pairs)  # then they are repaired already
        points = response.duals if one else problem.points(tuple(dual.alpha for dual in bounds.ceiling.duals))
        ceiling = problem.ceiling(points, Query(seed=seed))
        if not ceiling.exact:
            ceiling = capped(problem, ceiling, bounds.ceiling)
        if bounds.response.settled is not None:  # else alpha is the dual engine's, which puts variables on their bounds
            response = polished(problem, response, gram, budget)
        return Bounds(pruned(problem, response, gram, budget), ceiling)

    def rows(self, response: Response) -> IntArray:
        return response.support

    def posterior(
        self,
        problem: Problem,  # noqa: ARG002
        mixture: Mixture,  # noqa: ARG002
        kernel: Kernel,  # noqa: ARG002
        X: FloatArray,  # noqa: ARG002
        own: OwnNoise | None = None,  # noqa: ARG002
    ) -> Posterior | None:
        return None

    def remarks(
        self,
        problem: Problem,
        response: Response,
        rows: IntArray,  # noqa: ARG002
        targets: FloatArray,
        *,
        converged: bool,  # noqa: ARG002
    ) -> tuple[str, ...]:
        told = (endless(problem, response), flat(response, targets))
        return (*(text for text in told if text is not None), *remarks(tightened(problem.leaves), response))


_SADDLE = SaddleObjective()


def objective_of(criterion: Criterion) -> Objective:
    """The objective of a criterion: its own, or the plain saddle's."""
    return criterion if isinstance(criterion, Objective) else _SADDLE
