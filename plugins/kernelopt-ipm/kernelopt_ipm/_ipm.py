"""The interior point on all parameters of families that are linear in finitely many."""

from typing import ClassVar

import attrs

from kernelopt.interior import Block, MatrixBlock, Point, Stuck, WeightBlock, advance, central, refuses
from kernelopt.plugin import (
    Budget,
    Criterion,
    Data,
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
)


@attrs.frozen(eq=False)
class InteriorState(State):
    """A point of the central path.

    Attributes:
        point: alpha, parameters and their slacks, strictly interior.
    """

    point: Point = attrs.field(kw_only=True)


@attrs.frozen
class InteriorPoint(Solver):
    """A primal-dual interior point on alpha and the kernel's parameters at once.

        Z = tau I - 1/2 D(v) >= 0,   P Z = mu I,   z (alpha - l) = mu,   u (c - alpha) = mu,   mu -> 0

    Eliminating everything but dalpha leaves one symmetric n x n system a step, K + M + a diagonal, M the family's
    Schur complement. HKM direction, Mehrotra's predictor and corrector with the second-order terms of the saddle's
    bilinear part. Matrix families and finite lists, and unions of them; others through the core's exchange.

    Helmberg, Rendl, Vanderbei and Wolkowicz (1996) for the direction, Mehrotra (1992) for the corrector, Fine and
    Scheinberg (2001) for interior points on support vector machines; the elimination is kernelopt's.
    """

    name: ClassVar[str] = "ipm"
    default_steps: ClassVar[int] = 100
    patience: ClassVar[int] = 40
    gram_copies: ClassVar[int] = 4

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        for leaf in leaves:
            if not isinstance(leaf.family, MatrixFamily | FiniteFamily):
                return f"{leaf.family.name} is neither a matrix family nor a finite list of atoms"
        return refuses(leaves, criterion)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> InteriorState:  # noqa: ARG002
        ceiling = problem.ceiling(start.duals, Query(seed=seed))
        return InteriorState(0, start, ceiling, point=central(problem, _blocks(problem)))

    def step(self, problem: Problem, state: State, budget: Budget) -> InteriorState:
        assert isinstance(state, InteriorState)
        blocks = _blocks(problem)
        try:
            point = advance(problem, blocks, state.point)
        except Stuck as stuck:
            return self._last(problem, state, str(stuck), budget)
        response = self._response(problem, blocks, point)
        ceiling = problem.ceiling(problem.points((point.alpha,)))
        return InteriorState(state.step + 1, response, ceiling, point=point, note=f"mu {_mu(problem, point):.1e}")

    def _last(self, problem: Problem, state: InteriorState, why: str, budget: Budget) -> InteriorState:
        """Where precision is exhausted: the dual engine has the last word on the kernel that was reached."""
        response = problem.respond(state.response.mixture, state.response, budget)
        ceiling = max(state.ceiling, problem.ceiling(response.duals), key=lambda one: one.lower)
        return attrs.evolve(state, step=state.step + 1, response=response, ceiling=ceiling, stalled=True, note=why)

    def _response(self, problem: Problem, blocks: tuple[Block, ...], point: Point) -> Response:
        """What the point's alpha proves at its kernel."""
        parts = tuple(block.part(s).kept() for block, s in zip(blocks, point.mixture_weights, strict=True))
        mass = sum(part.mass for part in parts)
        mixture = Mixture(tuple(part.scaled(1.0 / mass) for part in parts))
        return problem.assess(mixture, (point.alpha,))


def _mu(problem: Problem, point: Point) -> float:
    qp = problem.outputs[0]
    return point.complementarity(qp) / point.degree(qp)


def _blocks(problem: Problem) -> tuple[Block, ...]:
    """All parameters of every leaf."""
    return tuple(_block(leaf, data) for leaf, data in zip(problem.leaves, problem.data, strict=True))


def _block(leaf: Leaf, data: Data) -> Block:
    family = leaf.family
    if isinstance(family, MatrixFamily):
        return MatrixBlock(leaf, data)
    assert isinstance(family, FiniteFamily)
    atoms: FloatArray = family.dictionary().atoms
    return WeightBlock.of(leaf, data, atoms)
