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
    Mixture,
    Norm,
    Problem,
    Query,
    Response,
    Solver,
    State,
    within,
)
from kernelopt_simplemkl._cutting_planes import Alphas, alphas_of
from kernelopt_simplemkl._direction import Memory, balanced, downhill, reach
from kernelopt_simplemkl._line_search import Point, Segment, searched
from kernelopt_simplemkl._plane_descent import planed, sharpened
from kernelopt_simplemkl._state import DescentState
from kernelopt_simplemkl._weights import cleaned, gradient, mixture_of, weights_of


@attrs.frozen(eq=False)
class _Descent:
    """Where a direction led: the best weights, their response, how many walls were met, and which dual variables."""

    w: FloatArray
    response: Response
    walls: int
    met: list[Alphas]


@attrs.frozen
class SimpleMKL(Solver):
    """Reduced gradients on the weights of a finite list, with a line search in each step.

        J(w) = R(w) + max over alpha in A  h(alpha) - 1/2 v'K(w)v,    dJ/dw_a = dR/dw_a - 1/2 v'K_a v

    The direction is followed from wall to wall: where a weight meets 0 while the value still falls, the rest of the
    direction goes on without it. Three things are not as published: the line search is on the slope, which each
    response gives for nothing, where the original takes golden sections; the gradient is turned by the curvature that
    the last steps showed, because plain gradients zigzag (`memory=0` leaves them plain); and where no step leads lower,
    because J has a kink where alpha is not unique, the planes that the dual points put under J lead on:

        J(w) >= R(w_j) + R'(w_j)'(w - w_j) + h(alpha_j) - 1/2 sum_a w_a v_j'K_a v_j

    The next kernel lies between the best one and that where the largest plane is lowest, and the planes' multipliers
    mix a dual point that proves a lower bound. Planes lead as long as they close the gap quickly; then gradients take
    their turn.

    Rakotomamonjy, Bach, Canu and Grandvalet (2008), Algorithm 1; Nocedal (1980) for the memory; Kelley (1960) for the
    planes; Ben-Ameur and Neto (2007) for the kernel between.

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
                return f"the norm of {leaf.family.name} has no gradient where other families have all the weight"
        if all(leaf.total is None for leaf in leaves):
            return "reduced gradients move weight from one atom to another, and the weights here can have any sum"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> DescentState:  # noqa: ARG002
        ceiling = problem.ceiling(start.duals, Query(seed=seed))
        w = weights_of(problem, start.mixture)
        slopes, memory = gradient(problem, w, start.V), Memory.empty(len(w))
        points = (alphas_of(start),)
        return DescentState(
            0, start, ceiling, w=w, slopes=slopes, memory=memory, accuracy=problem.accuracy, points=points
        )

    def step(self, problem: Problem, state: State, budget: Budget) -> DescentState:
        assert isinstance(state, DescentState)
        if budget.cancelled():
            return attrs.evolve(state, step=state.step + 1, note="cancelled")
        sharp = attrs.evolve(problem, accuracy=state.accuracy)
        if state.kinked:
            return planed(sharp, state, budget) or sharpened(problem, state, budget)
        walked = self._descended(sharp, state, budget)
        w, response = walked.w, walked.response
        if not response.upper < state.response.upper:
            state = state.remembering(walked.met)
            return planed(sharp, state, budget) or sharpened(problem, state, budget)
        state = state.remembering([*walked.met, alphas_of(response)])
        slopes = gradient(problem, w, response.V)
        memory = state.memory.joined(w - state.w, slopes - state.slopes, self.memory)
        ceiling = problem.ceiling(response.duals, Query(seed=state.step))
        note = f"{walked.walls} weights met 0, {np.count_nonzero(w)} are left"
        return attrs.evolve(
            state,
            step=state.step + 1,
            response=response,
            ceiling=ceiling,
            note=note,
            w=w,
            slopes=slopes,
            memory=memory,
        )

    def rebase(self, problem: Problem, state: State, kept: Mixture, budget: Budget) -> State:
        fresh = super().rebase(problem, state, kept, budget)
        assert isinstance(fresh, DescentState)
        return fresh.succeeding(state) if isinstance(state, DescentState) else fresh

    def _descended(self, problem: Problem, state: DescentState, budget: Budget) -> _Descent:
        """Along the direction downhill, from wall to wall."""
        met: list[Alphas] = []
        w, best = state.w, state.response
        pivot = int(np.argmax(w))
        direction = downhill(w, state.slopes, state.memory)
        gram = problem.gram(mixture_of(problem, w))
        for walls in range(len(w)):
            if not (direction < 0.0).any() or budget.cancelled():
                return _Descent(w, best, walls, met)
            segment, wall = _segment(problem, w, direction, gram)
            low = Point(0.0, best, segment.slope(0.0, best))
            if low.slope >= 0.0:
                return _Descent(w, best, walls, met)
            trial = segment.respond(1.0, best, budget)
            high = Point(1.0, trial, segment.slope(1.0, trial))
            if high.slope > 0.0:
                found = searched(segment, low, high, self.searches, self.slope, budget)
                met += [alphas_of(found.low.response), alphas_of(found.high.response)]
                return _Descent(segment.weights(found.flattest.s), found.flattest.response, walls, met)
            met.append(alphas_of(trial))
            w, best, gram = segment.end, trial, segment.last
            if wall == pivot:
                return _Descent(w, best, walls + 1, met)
            direction[wall] = 0.0
            direction = balanced(direction, pivot)
        return _Descent(w, best, len(w), met)


def _segment(problem: Problem, w: FloatArray, direction: FloatArray, gram: Gram) -> tuple[Segment, int]:
    """From the weights to where the first of them meets 0, and which one that is."""
    length, wall = reach(w, direction)
    end = np.maximum(w + length * direction, 0.0)
    end[wall] = 0.0
    end = cleaned(end)
    return Segment(problem, w, end, gram, problem.gram(mixture_of(problem, end))), wall
