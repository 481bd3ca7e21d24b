"""SimpleMKL: descent on the weights of a finite list."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt.plugin import (
    Budget,
    Criterion,
    FiniteFamily,
    FloatArray,
    Gram,
    Leaf,
    Norm,
    Problem,
    Query,
    Response,
    Solver,
    State,
    within,
)
from kernelopt_simplemkl._direction import Memory, balanced, downhill, reach
from kernelopt_simplemkl._search import Point, Segment, searched
from kernelopt_simplemkl._weights import cleaned, gradient, mixture_of, weights_of

_SHARPER, _SHARPEST = 1e-2, 1e-12
"""How much more accurate responses become where no step leads lower, and where that ends."""


@attrs.frozen(eq=False)
class DescentState(State):
    """The weights, with what the last steps told.

    Attributes:
        w: of all atoms of all leaves, shape (M,); the response is that to their kernel.
        slopes: the gradient of the value in them, shape (M,).
        memory: of the last steps.
        accuracy: the relative gap to which the responses are asked for.
    """

    w: FloatArray = attrs.field(kw_only=True)
    slopes: FloatArray = attrs.field(kw_only=True)
    memory: Memory = attrs.field(kw_only=True)
    accuracy: float = attrs.field(kw_only=True)


@attrs.frozen
class SimpleMKL(Solver):
    """Reduced gradients on the weights of a finite list, with a line search in each step.

        J(w) = R(w) + max over alpha in A  h(alpha) - 1/2 v'K(w)v,    dJ/dw_a = dR/dw_a - 1/2 v'K_a v

    The direction is followed from wall to wall: where a weight meets 0 while the value still falls, the rest of the
    direction goes on without it. Two things are not as published: the line search is on the slope, which each response
    gives for nothing, where the original takes golden sections; and the gradient is turned by the curvature that the
    last steps showed, because plain gradients zigzag. `memory=0` leaves them plain.

    Rakotomamonjy, Bach, Canu and Grandvalet (2008), Algorithm 1; Nocedal (1980) for the memory.

    Attributes:
        searches: responses that one line search may take, >= 1.
        slope: the line search ends where the slope fell to this share of its start, in (0, 1].
        memory: steps that are remembered; 0 for none.
    """

    name: ClassVar[str] = "simplemkl"
    patience: ClassVar[int] = 60
    gram_copies: ClassVar[int] = 5

    searches: int = attrs.field(default=8, validator=within(1, 100, integer=True))
    slope: float = attrs.field(default=0.1, validator=within(1e-6, 1.0))
    memory: int = attrs.field(default=10, validator=within(0, 1000, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if not isinstance(leaf.family, FiniteFamily):
                return f"{leaf.family.name} is not a finite list of atoms"
            if isinstance(leaf.penalty, Norm) and len(leaves) > 1:
                return f"the norm that {leaf.family.name} costs has no gradient where others have all the weight"
        if all(leaf.total is None for leaf in leaves):
            return "reduced gradients move weight from one atom to another, and here the weights have no total"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> DescentState:  # noqa: ARG002
        ceiling = problem.ceiling(start.duals, Query(seed=seed))
        w = weights_of(problem, start.mixture)
        slopes, memory = gradient(problem, w, start.V), Memory.empty(len(w))
        return DescentState(0, start, ceiling, w=w, slopes=slopes, memory=memory, accuracy=problem.accuracy)

    def step(self, problem: Problem, state: State, budget: Budget) -> DescentState:
        assert isinstance(state, DescentState)
        if budget.cancelled():
            return attrs.evolve(state, step=state.step + 1, note="cancelled")
        sharp = attrs.evolve(problem, accuracy=state.accuracy)
        w, response, walls = self._descended(sharp, state, budget)
        if not response.upper < state.response.upper:
            return _sharpened(problem, state, budget)
        slopes = gradient(problem, w, response.V)
        memory = state.memory.joined(w - state.w, slopes - state.slopes, self.memory)
        ceiling = problem.ceiling(response.duals, Query(seed=state.step))
        note = f"{walls} weights met 0, {np.count_nonzero(w)} are left"
        return DescentState(
            state.step + 1, response, ceiling, note=note, w=w, slopes=slopes, memory=memory, accuracy=state.accuracy
        )

    def _descended(self, problem: Problem, state: DescentState, budget: Budget) -> tuple[FloatArray, Response, int]:
        """The best weights along the direction downhill, the response to them, and how many walls were met."""
        w, best = state.w, state.response
        pivot = int(np.argmax(w))
        direction = downhill(w, state.slopes, state.memory)
        gram = problem.gram(mixture_of(problem, w))
        for walls in range(len(w)):
            if not (direction < 0.0).any() or budget.cancelled():
                return w, best, walls
            segment, wall = _segment(problem, w, direction, gram)
            low = Point(0.0, best, segment.slope(0.0, best))
            if low.slope >= 0.0:
                return w, best, walls
            trial = segment.respond(1.0, best, budget)
            high = Point(1.0, trial, segment.slope(1.0, trial))
            if high.slope > 0.0:
                found = searched(segment, low, high, self.searches, self.slope, budget)
                return segment.weights(found.s), found.response, walls
            w, best, gram = segment.end, trial, segment.last
            if wall == pivot:
                return w, best, walls + 1
            direction[wall] = 0.0
            direction = balanced(direction, pivot)
        return w, best, len(w)


def _sharpened(problem: Problem, state: DescentState, budget: Budget) -> DescentState:
    """Where no step led lower: the same weights without memory and with a more accurate response, or the end."""
    if state.accuracy <= _SHARPEST:
        return attrs.evolve(state, step=state.step + 1, stalled=True, note="the reduced gradient leads no lower")
    accuracy = max(_SHARPER * state.accuracy, _SHARPEST)
    sharp = attrs.evolve(problem, accuracy=accuracy)
    response = sharp.respond(state.response.mixture, state.response, budget)
    return DescentState(
        state.step + 1,
        response,
        problem.ceiling(response.duals, Query(seed=state.step)),
        note=f"responses to {accuracy:.0e} from here",
        w=state.w,
        slopes=gradient(problem, state.w, response.V),
        memory=Memory.empty(len(state.w)),
        accuracy=accuracy,
    )


def _segment(problem: Problem, w: FloatArray, direction: FloatArray, gram: Gram) -> tuple[Segment, int]:
    """From the weights to where the first of them meets 0, and which one that is."""
    length, wall = reach(w, direction)
    end = np.maximum(w + length * direction, 0.0)
    end[wall] = 0.0
    end = cleaned(end)
    return Segment(problem, w, end, gram, problem.gram(mixture_of(problem, end))), wall
