"""The master problem: the saddle on the kernels and on the variables that are in play, solved to a share of the gap."""

import math
from contextlib import suppress

import numpy as np

from kernelopt.interior import Point, Saddle, Stuck, central, inward, resumed
from kernelopt.plugin import Budget, FloatArray, Mixture, Problem
from kernelopt_fw._climb import climbed
from kernelopt_fw._state import CorrectiveState

_ROUGHEST = 0.03
"""No master is rougher than this share of the size. Worth: `constants.py fw.roughest`."""
_RESIDUAL = 0.03
"""While the gap is large, its equations hold to this only, at last to `_EXACT`. Worth: `constants.py fw.residual`."""
_EXACT = 1e-3
_NEAR = 0.1
"""A master starts from the last one's answer where the relative gap is below this: else the middle is nearer.
Worth: `constants.py fw.near`."""
_ANSWERED = 0.9
"""Of the way from the middle to the best dual point, a master of weights that foresees starts so far. Farther from the
optimum that point misleads. Worth: `cosine_table.py`."""


def mastered(
    problem: Problem, state: CorrectiveState, most: int, budget: Budget
) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...], Mixture, str]:
    """The master's parameters, its dual variables by outputs, its kernel, and how it went, in so many steps at most."""
    few = state.held.problem
    triples = zip(state.working, few.leaves, few.data, strict=True)
    saddle = Saddle.of(few, tuple(known.block(leaf, data) for known, leaf, data in triples))
    point, note = _solved(problem, saddle, state, most, budget)
    S = saddle.scaled(point.S)
    return saddle.plain(S), state.held.spread(problem, saddle.split(point.alpha)), saddle.mixture(S), note


def near_the_best(
    problem: Problem, saddle: Saddle, state: CorrectiveState, most: int, budget: Budget
) -> tuple[Point, int, str]:
    """A master of one family's weights from near the best dual point, any other from the middle, as where that gets
    stuck: in a union the even weights are too far from those that the point belongs to.
    """
    goal = _goal(problem, state)
    distance = state.upper - state.anchor.lower
    if saddle.listed and len(saddle.blocks) == 1 and 0.0 < distance < math.inf:
        alpha = np.concatenate(state.held.taken(state.anchor.duals))
        start, image = inward(saddle, alpha, distance, _ANSWERED)
        found = climbed(saddle, start, *goal, most, budget, image)
        if not found[2]:
            return found
    return climbed(saddle, central(saddle), *goal, most, budget)


def _solved(problem: Problem, saddle: Saddle, state: CorrectiveState, most: int, budget: Budget) -> tuple[Point, str]:
    """The saddle on the working sets, from the last master's answer; from the middle where that gets stuck."""
    gap, residual = _goal(problem, state)
    S = tuple(known.S for known in state.working if known.S is not None)
    if state.gap <= _NEAR and len(S) == len(saddle.blocks):
        distance = max(state.upper - state.anchor.lower, gap)
        alpha = np.concatenate(state.held.taken(state.anchor.duals))
        with suppress(Stuck):
            point, steps, stuck = climbed(saddle, resumed(saddle, alpha, S, distance), gap, residual, most, budget)
            if not stuck:
                return point, f"master: {steps} steps"
    point, steps, stuck = climbed(saddle, central(saddle), gap, residual, most, budget)
    return point, f"master: {steps} steps from the middle{f', {stuck}' if stuck else ''}"


def _goal(problem: Problem, state: CorrectiveState) -> tuple[float, float]:
    """The gap and the residual that end the next master."""
    gap = max(min(_ROUGHEST, state.sharpness * state.gap), 10.0 * problem.accuracy) * state.size
    return gap, min(max(_RESIDUAL * state.gap, _EXACT), _RESIDUAL)
