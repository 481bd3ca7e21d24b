"""What is done where no step leads lower."""

import attrs

from kernelopt.plugin import Budget, Problem, Query
from kernelopt_simplemkl._cutting_planes import Plane, alphas_of, blended, lowest
from kernelopt_simplemkl._direction import Memory
from kernelopt_simplemkl._state import DescentState
from kernelopt_simplemkl._weights import cleaned, gradient, mixture_of

_OUT = 0.7
"""So far from the best kernel towards that of the lowest planes lies the next one.
Worth: `constants.py simplemkl.out`."""
_WORTH = 1e-3
"""A response counts where it lowers the value, or lifts the planes, by this share of the gap."""
_MUCH = 0.1
"""After a step on planes that closed this share of the gap the next one is another.
Worth: `constants.py simplemkl.much`."""
_SHARPER, _SHARPEST = 1e-2, 1e-12
"""How much more accurate responses become where no step leads lower, and where that ends."""


def planed(problem: Problem, state: DescentState, budget: Budget) -> DescentState | None:
    """The answer to a kernel between the best one and that where the planes of all dual points known are lowest.

    Where the best alpha of a kernel is not unique the value has a kink there, and each response gives one of many
    gradients; together their planes know the kink. The answer lowers the value or lifts the planes where it was asked.
    The mixture of dual points that carries the lowest point proves a lower bound. None where an answer does neither:
    then it is not accurate enough.

    Kelley (1960); Ben-Ameur and Neto (2007) for the kernel between.
    """
    fresh = (Plane.under(problem, state.w, problem.points(alphas)) for alphas in state.points)
    planes = (*state.planes, *fresh)
    found = lowest(planes, float(state.w.sum()))
    if found is None:
        return None
    outer, shares = found
    proved = problem.ceiling(problem.points(blended(planes, shares)), Query(seed=state.step))
    ceiling = max(state.ceiling, proved, key=lambda one: one.lower)
    w = cleaned(state.w + _OUT * (outer - state.w))
    response = problem.respond(mixture_of(problem, w), state.response, budget)
    plane = Plane.under(problem, w, response.duals)
    fell = max(state.response.upper - response.upper, 0.0)
    lifted = plane.at(w) - max(known.at(w) for known in planes)
    if not max(fell, lifted) > _WORTH * (state.response.upper - ceiling.lower):
        return None
    kept = (known for known, share in zip(planes, shares, strict=True) if share > 0.0)
    gap = state.response.upper - state.ceiling.lower
    after = attrs.evolve(
        state,
        step=state.step + 1,
        ceiling=ceiling,
        memory=Memory.empty(len(w)),
        points=(),
        planes=(*kept, plane),
        kinked=fell + ceiling.lower - state.ceiling.lower > _MUCH * gap,
        note=f"between the best kernel and the lowest of {len(planes)} planes",
    )
    return attrs.evolve(after, response=response, w=w, slopes=plane.slopes) if fell > 0.0 else after


def sharpened(problem: Problem, state: DescentState, budget: Budget) -> DescentState:
    """Where no step led lower: the same weights without memory and with a more accurate response, or the end."""
    if state.accuracy <= _SHARPEST:
        return attrs.evolve(
            state, step=state.step + 1, stalled=True, note="the objective does not fall along the reduced gradient"
        )
    accuracy = max(_SHARPER * state.accuracy, _SHARPEST)
    sharp = attrs.evolve(problem, accuracy=accuracy)
    response = sharp.respond(state.response.mixture, state.response, budget)
    after = attrs.evolve(
        state,
        step=state.step + 1,
        response=response,
        ceiling=problem.ceiling(response.duals, Query(seed=state.step)),
        slopes=gradient(problem, state.w, response.V),
        memory=Memory.empty(len(state.w)),
        accuracy=accuracy,
        kinked=False,
        note=f"responses to {accuracy:.0e} from here",
    )
    return after.remembering([alphas_of(response)])
