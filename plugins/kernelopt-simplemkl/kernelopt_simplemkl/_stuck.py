"""What is done where no step leads lower."""

import attrs

from kernelopt.plugin import Budget, Problem, Query, mixed
from kernelopt_simplemkl._direction import Memory
from kernelopt_simplemkl._state import DescentState
from kernelopt_simplemkl._weights import gradient

_WORTH = 1e-3
"""A mixture of dual points is worth a step where it closes this share of the gap."""
_SHARPER, _SHARPEST = 1e-2, 1e-12
"""How much more accurate responses become where no step leads lower, and where that ends."""


def turned(problem: Problem, state: DescentState) -> DescentState | None:
    """The same weights with the gradient of the best mixture of the last dual points, where that proves more.

    Where the best alpha of a kernel is not unique the value has a kink there, and each response gives one of many
    gradients; a mixture of those of both sides leads on, or proves that the weights are best.
    """
    if any(leaf.penalty is not None for leaf in problem.leaves):
        return None
    between = mixed(problem, state.points)
    ceiling = problem.ceiling(problem.points(between), Query(seed=state.step))
    if not ceiling.lower - state.ceiling.lower > _WORTH * (state.response.upper - state.ceiling.lower):
        return None
    return attrs.evolve(
        state.remembering([between]),
        step=state.step + 1,
        ceiling=ceiling,
        slopes=gradient(problem, state.w, ceiling.V),
        memory=Memory.empty(len(state.w)),
        note="the gradient of several dual points",
    )


def sharpened(problem: Problem, state: DescentState, budget: Budget) -> DescentState:
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
        points=state.points,
    )
