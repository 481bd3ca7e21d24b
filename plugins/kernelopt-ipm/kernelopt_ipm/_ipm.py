"""The interior point on all parameters of families that are linear in finitely many."""

import math
from typing import ClassVar

import attrs
import numpy as np

from kernelopt.interior import (
    Block,
    Image,
    Point,
    Saddle,
    Stuck,
    advance,
    bounds_at,
    central,
    cheaper_by_parameters,
    goes_by_rows,
    inward,
    matrix_block,
    middle,
    on_atoms,
    resumed,
    rowwise,
)
from kernelopt.plugin import (
    Budget,
    Ceiling,
    Criterion,
    Data,
    FiniteFamily,
    FloatArray,
    Leaf,
    MatrixFamily,
    Mixture,
    Problem,
    Query,
    Refused,
    Response,
    Solver,
    State,
)
from kernelopt_ipm._by_rows import RowState, begun, stepped

_MOST_STACKED = 8000
"""Several outputs couple through the kernel: one dense system of this many rows takes 512 MB, and more
are refused."""
_LEAST = 1e-10
"""A start that is optimal already is treated as this far away: an interior point needs room."""
_NEAR = 0.3
"""A start whose relative gap is below this is worth going on from, unless it is the centre: then the middle is the
better start. Worth: `constants.py ipm.near`."""
_ANSWERED = 0.8
"""Of the way from the middle of a list to the answer to its kernel, a cold start has gone so much already.
Worth: `constants.py ipm.answered`."""
_USEFUL = 0.1
"""A complementarity below this share of the inner accuracy is of no use: the bounds are no closer for it."""


@attrs.frozen(eq=False)
class InteriorState(State):
    """A point of the central path.

    Attributes:
        saddle: what is solved, which is the same at every step.
        point: alpha, parameters and their slacks, strictly interior.
        image: what the point's kernel says of its alpha, where that is known.
        warm: whether the run began at somebody's answer; if that leads nowhere it begins again in the middle.
        upper: the best upper bound so far.
        lower: the best lower bound so far.
        late: for how many steps the upper bound has lagged behind the path.
    """

    saddle: Saddle = attrs.field(kw_only=True)
    point: Point = attrs.field(kw_only=True)
    image: Image | None = attrs.field(kw_only=True, default=None)
    warm: bool = attrs.field(kw_only=True, default=False)
    upper: float = attrs.field(kw_only=True)
    lower: float = attrs.field(kw_only=True)
    late: int = attrs.field(kw_only=True, default=0)


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

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if not isinstance(leaf.family, MatrixFamily | FiniteFamily):
                return f"{leaf.family.name} is neither a matrix family nor a finite list of atoms"
        return None

    def bound(self, leaves: tuple[Leaf, ...], n: int) -> tuple[Leaf, ...]:
        return rowwise(leaves, n)

    def begin(self, problem: Problem, mixture: Mixture, seed: int, budget: Budget) -> State:
        return begun(problem, budget) if goes_by_rows(problem) else super().begin(problem, mixture, seed, budget)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> State:
        if goes_by_rows(problem):
            return begun(problem, budget)
        ceiling = problem.ceiling(start.duals, Query(seed=seed))
        saddle = _saddle(problem)
        rows = saddle.qp.n
        shapes = tuple(block.start.shape for block in saddle.blocks)
        whole = len(problem.outputs) > 1 and not cheaper_by_parameters((problem.n,) * len(problem.outputs), shapes)
        if whole and rows > _MOST_STACKED:
            raise Refused(
                f"ipm couples {len(problem.outputs)} outputs of {problem.n} rows in one system of {rows}, at most "
                f"{_MOST_STACKED} are supported; use solver='fw', fewer rows, or one output against the rest"
            )
        point, image, warm = _begun(saddle, start, ceiling, at_center=problem.is_center(start.mixture))
        upper, lower = start.upper, ceiling.lower
        return InteriorState(
            0, start, ceiling, saddle=saddle, point=point, image=image, warm=warm, upper=upper, lower=lower
        )

    def step(self, problem: Problem, state: State, budget: Budget) -> State:
        if isinstance(state, RowState):
            return stepped(problem, state, budget)
        assert isinstance(state, InteriorState)
        saddle = state.saddle
        try:
            size = max(abs(state.upper), abs(state.lower))
            point = advance(saddle, state.point, state.image, least=_USEFUL * problem.accuracy * size)
            image = Image.of(saddle, point.alpha, point.S)
        except (Stuck, np.linalg.LinAlgError) as stuck:
            if state.warm:
                start, image = _central(saddle)
                return attrs.evolve(state, step=state.step + 1, point=start, image=image, warm=False, note=str(stuck))
            return self._last(problem, state, str(stuck), budget)
        response, ceiling = bounds_at(problem, saddle, point, image)
        gap = point.complementarity(saddle.qp)
        lags = response.upper >= state.upper and gap < state.upper - state.lower
        after = InteriorState(
            step=state.step + 1,
            response=response,
            ceiling=ceiling,
            note=f"mu {gap / point.degree(saddle.qp):.1e}",
            saddle=saddle,
            point=point,
            image=image,
            warm=state.warm,
            upper=min(state.upper, response.upper),
            lower=max(state.lower, ceiling.lower),
            late=state.late + 1 if lags else 0,
        )
        if not _due(after.late):
            return after
        after = _answered(problem, after, budget)
        upper, lower = min(state.upper, after.response.upper), max(state.lower, after.ceiling.lower)
        return attrs.evolve(after, upper=upper, lower=lower)

    def _last(self, problem: Problem, state: InteriorState, why: str, budget: Budget) -> InteriorState:
        """Where precision is exhausted: the dual engine has the last word on the kernel that was reached."""
        return attrs.evolve(_answered(problem, state, budget), step=state.step + 1, stalled=True, note=why)


def _due(late: int) -> bool:
    """Whether the dual engine is asked: after 2, 4, 8, ... steps without news, for it costs as much as some steps."""
    return late > 1 and late.bit_count() == 1


def _answered(problem: Problem, state: InteriorState, budget: Budget) -> InteriorState:
    """The state with the dual engine's answer to its kernel.

    The path's own gap says what the kernel is worth. Where it is below that of the bounds, and the upper one does not
    fall, it is alpha that is not sharp: with a large C the machine's loss magnifies the last digits of its margins.
    """
    response = problem.respond(state.response.mixture, state.response, budget)
    ceiling = max(state.ceiling, problem.ceiling(response.duals), key=lambda one: one.lower)
    return attrs.evolve(state, response=response, ceiling=ceiling)


def _begun(saddle: Saddle, start: Response, ceiling: Ceiling, *, at_center: bool) -> tuple[Point, Image | None, bool]:
    """Where to begin, the image there if it is known, and whether an answer, not the middle alone, says so."""
    gap, size = start.upper - ceiling.lower, max(abs(start.upper), abs(ceiling.lower))
    if not at_center:
        near = _resumed(saddle, start, gap, size)
        if near is not None:
            return near, None, True
    elif _NEAR * size < gap < math.inf and saddle.listed:
        return *inward(saddle, saddle.join(start.duals), gap, _ANSWERED), True
    return *_central(saddle), False


def _central(saddle: Saddle) -> tuple[Point, Image]:
    """A cold start, with its image."""
    image = Image.of(saddle, *middle(saddle))
    return central(saddle, image), image


def _resumed(saddle: Saddle, start: Response, gap: float, size: float) -> Point | None:
    """A warm start where the answer to start from is near the optimum; None where the middle is the better place."""
    gap = max(gap, _LEAST * size)
    if not 0.0 < gap <= _NEAR * size < math.inf:
        return None
    parts = zip(saddle.blocks, start.mixture.parts, strict=True)
    parameters = tuple(block.parameters(part) for block, part in parts)
    if not any(S.any() for S in parameters):  # its atoms have the kernels of others here, which the blocks do not see
        return None
    try:
        return resumed(saddle, saddle.join(start.duals), parameters, gap)
    except Stuck:
        return None


def _saddle(problem: Problem) -> Saddle:
    return Saddle.of(problem, _blocks(problem))


def _blocks(problem: Problem) -> tuple[Block, ...]:
    """All parameters of every leaf."""
    return tuple(_block(leaf, data) for leaf, data in zip(problem.leaves, problem.data, strict=True))


def _block(leaf: Leaf, data: Data) -> Block:
    family = leaf.family
    if isinstance(family, MatrixFamily):
        return matrix_block(leaf, data)
    assert isinstance(family, FiniteFamily)
    atoms: FloatArray = family.dictionary().atoms
    return on_atoms(leaf, data, atoms)
