"""Any solver for kernels of one total, on a cone: it learns the shares, and a root search their sum."""

import math
from typing import ClassVar

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._options import within
from kernelopt._criteria._contract import Criterion
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._linalg._log_root import Root
from kernelopt._saddle._contract import Solver, State
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._solvers._scaled_lists import Cone, rest_of, slope_of


@attrs.frozen(eq=False)
class SizingState(State):
    """The search for the sum of the weights, in the units of `Cone`, and the solver at the sum where it stands.

    Attributes:
        root: the search.
        inner: the solver's state for that total.
    """

    root: Root = attrs.field(kw_only=True)
    inner: State = attrs.field(kw_only=True)


@attrs.frozen
class Sizing(Solver):
    """Solve over kernels of one total, move the total to where kernels are worth their price, repeat.

        min over t > 0 of   t + min over shares u   max over alpha   h(alpha) - t/2 sum_a u_a v'K_a v / c_a + R(t u / c)

    The value is convex in t, and its slope has the sign of 1 - rho, where rho = 1/2 v'Kv / <grad R(w), w> is what the
    kernel is worth over its price: at the optimum they agree, as Euler's identity has it. rho is continuous, for v'Kv
    is unique at every t, and falls about as a power of t (for a ridge without noise as t^-2), so that a secant between
    logarithms finds the root in a few sizes.

    Attributes:
        solver: for finite lists of one total.
        inexact: the solver works until its own gap is this share of the whole gap.
    """

    name: ClassVar[str] = "sizing"
    patience: ClassVar[int] = 100

    solver: Solver
    inexact: float = attrs.field(default=0.1, validator=within(1e-6, 1.0))

    @property
    def default_steps(self) -> int:  # type: ignore[override]
        """Those of the solver."""
        return self.solver.default_steps

    @property
    def gram_copies(self) -> int:  # type: ignore[override]
        """As many as the solver's."""
        return self.solver.gram_copies

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        if self.solver.loose:
            return f"{self.solver.name} forms no n x n matrix, and the search for the total of the weights needs one"
        for leaf in leaves:
            if not isinstance(leaf.family, FiniteFamily):
                return f"{leaf.family.name} is not a finite list of atoms"
            if leaf.penalty is None or leaf.total is not None:
                return f"the weights of {leaf.family.name} have a given total, so there is no total to search for"
        return self.solver.refuses(_of_one_total(leaves), criterion)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> SizingState:
        cone = Cone.of(problem)
        if not cone.size(start.mixture) > 0.0:  # no kernel has shares to begin with
            start = problem.respond(problem.center(), start, budget)
        size = cone.size(start.mixture)
        inside = attrs.evolve(start, mixture=cone.inside(start.mixture), upper=start.upper - cone.cost(size))
        inner = self.solver.init(cone.at(size), inside, seed, budget)
        return SizingState(0, start, problem.ceiling(start.duals), root=Root(size), inner=inner)

    def step(self, problem: Problem, state: State, budget: Budget) -> SizingState:
        assert isinstance(state, SizingState)
        cone, size = Cone.of(problem), state.root.size
        scaled = cone.at(size)
        inner = self.solver.step(scaled, state.inner, budget)
        response = attrs.evolve(
            inner.response,
            mixture=cone.whole(scaled, inner.response.mixture, size),
            upper=inner.response.upper + cone.cost(size),
        )
        ceiling = problem.ceiling(inner.ceiling.duals)
        after = attrs.evolve(
            state,
            step=state.step + 1,
            response=min(state.response, response, key=lambda one: one.upper),
            ceiling=max(state.ceiling, ceiling, key=lambda one: one.lower),
            inner=inner,
            note=f"size {size:.4g}: {inner.note}",
        )
        own, whole = inner.response.upper - inner.ceiling.lower, after.response.upper - after.ceiling.lower
        if (own > self.inexact * whole and not inner.stalled) or budget.cancelled():
            return after
        if math.isinf(after.response.upper):  # a kernel without a largest dual objective has none in any size
            return attrs.evolve(after, stalled=inner.stalled)
        root = state.root.moved(worth(problem, response))
        if root.size == size:
            return attrs.evolve(after, stalled=inner.stalled)
        other = cone.at(root.size)
        if not all(leaf.factor > 0.0 for leaf in other.leaves):  # a kernel of that size is nothing but rounding
            return attrs.evolve(after, stalled=True)
        moved = self.solver.rebase(other, inner, inner.response.mixture, budget)
        return attrs.evolve(after, root=root, inner=moved)


def worth(problem: Problem, response: Response) -> float:
    """1/2 v'Kv over <grad R(w), w> of an answer: above 1 a larger kernel is better, below 1 a smaller one."""
    price = 0.0
    for leaf, part in zip(problem.leaves, response.mixture.parts, strict=True):
        assert leaf.penalty is not None
        w = leaf.parameters(part)
        price += float(leaf.penalty.gradient(w) @ w)
    norm = max(sum(dual.quad for dual in response.duals), 0.0)  # rounding may take it below 0
    return 0.5 * norm / price if price > 0.0 else math.inf


def _of_one_total(leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The leaves as the solver is asked about them."""
    paid = all(slope_of(leaf) is not None for leaf in leaves)
    return tuple(attrs.evolve(leaf, penalty=rest_of(leaf) if paid else leaf.penalty, total=1.0) for leaf in leaves)
