"""Average-information scoring: the evidence's weights by second derivatives, its atoms by an exchange."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._options import within
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._dual_qp import Dual
from kernelopt._evidence._counting import rows_of, volume
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence.lists._dual_refinement import promised
from kernelopt._evidence.lists._hyperprior import own_price
from kernelopt._evidence.lists._likelihood import lists_of
from kernelopt._evidence.lists._list_likelihood import ByGram, Lists, Point, Slopes, weighted, weights
from kernelopt._evidence.lists._lower_bound import SETTLED, certified
from kernelopt._evidence.lists._majoriser import nothing
from kernelopt._evidence.lists._pricing import entering
from kernelopt._evidence.lists._restricted_master import Play
from kernelopt._evidence.lists._scoring_step import FIRST, Descent, descend
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Query
from kernelopt._families.dictionary._streamed import streamed
from kernelopt._saddle._contract import ConcaveSolver, State
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_ENOUGH = 0.01
"""Of the gap: scoring on the atoms in play goes on while a step gains more than this.
Worth: `constants.py evidence.enough`."""


@attrs.frozen(eq=False)
class ScoringState(State):
    """The atoms in play as finite lists, their weights, and the derivatives there.

    Attributes:
        play: the atoms in play.
        lists: their evidence.
        point: their weights.
        slopes: the evidence's derivatives.
        damping: of the next step.
        survey: the derivatives of all atoms, not only those in play, where they are known.
    """

    play: Play = attrs.field(kw_only=True)
    lists: Lists = attrs.field(kw_only=True)
    point: Point = attrs.field(kw_only=True)
    slopes: Slopes = attrs.field(kw_only=True)
    damping: float = attrs.field(kw_only=True, default=FIRST)
    survey: Slopes | None = attrs.field(kw_only=True, default=None)


@attrs.frozen
class Scoring(ConcaveSolver):
    """The evidence by average-information scoring (Gilmour, Thompson and Cullis 1995) over weights >= 0.

    Each step solves a quadratic programme in the weights of a list of kernels. If the evidence does not fall as the
    quadratic model predicts, the step is damped, and in the end it is replaced by a multiplicative step, which always
    descends. Families that are no lists, such as "tk", take part with a list of some of their atoms: an exchange adds
    the atoms that exceed their price the most, and drops the atoms of weight 0.

    Attributes:
        k: the largest number of atoms that the oracle of each leaf adds in one exchange, an integer >= 1.
        inner: the largest number of scoring steps between two exchanges, an integer >= 1.
    """

    name: ClassVar[str] = "scoring"
    default_steps: ClassVar[int] = 500
    patience: ClassVar[int] = 50
    gram_copies: ClassVar[int] = 4

    k: int = attrs.field(default=4, validator=within(1, 1000, integer=True))
    inner: int = attrs.field(default=30, validator=within(1, 10**6, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        return None if isinstance(criterion, Evidence) else "it minimises the evidence and nothing else"

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> State:
        return self.begin(problem, start.mixture, seed, budget)

    def begin(self, problem: Problem, mixture: Mixture, seed: int, budget: Budget) -> State:
        play = Play.of(problem, mixture)
        lists = _lists(problem, play)
        point = lists.at(weights(play.problem, play.local(mixture)))
        if point is None:
            start = problem.respond(mixture, None, budget)
            return State(0, start, nothing(problem, start.duals), stalled=True, note="the first Gram is singular")
        return self._state(problem, play, lists, Descent(point, FIRST, ""), None, 0, seed, budget)

    def bound(self, leaves: tuple[Leaf, ...], n: int) -> tuple[Leaf, ...]:
        return streamed(leaves, n)

    def step(self, problem: Problem, state: State, budget: Budget) -> State:
        assert isinstance(state, ScoringState)
        if budget.cancelled():
            return attrs.evolve(state, step=state.step + 1, note="interrupted")
        play, lists, point, slopes = self._entered(problem, state)
        enough = _ENOUGH * (state.response.upper - state.ceiling.lower)
        found: Descent | None = None
        for _ in range(1 if play.complete else self.inner):
            descent = descend(lists, point, slopes, state.damping if found is None else found.damping, budget)
            if descent is None:
                break
            found, fell, point = descent, point.value - descent.point.value, descent.point
            slopes = lists.slopes(point)
            if budget.cancelled():
                break
            if play.streamed:
                settled = promised(point.w, slopes)[1] <= SETTLED * problem.accuracy * state.response.V.size
            else:
                settled = fell <= enough
            if settled:
                break
        if found is None and budget.cancelled():
            return attrs.evolve(state, step=state.step + 1, note="interrupted")
        if found is None:
            return attrs.evolve(state, step=state.step + 1, stalled=True, note="no weights are better")
        return self._state(problem, play, lists, found, slopes, state.step + 1, state.step + 1, budget)

    def _entered(self, problem: Problem, state: ScoringState) -> tuple[Play, Lists, Point, Slopes]:
        """The atoms in play, with those that the last oracle found."""
        if state.play.complete:
            return state.play, state.lists, state.point, state.slopes
        mixture, survey = state.response.mixture, state.survey
        joining = None if survey is None else entering(problem, mixture, survey)
        if joining is not None and state.play.holds(joining):
            return state.play, state.lists, state.point, state.slopes
        play = Play.of(problem, mixture, state.ceiling, before=state.play, entering=joining)
        lists = _lists(problem, play)
        w = weights(play.problem, play.local(mixture))
        if survey is not None:
            return (
                play,
                lists,
                attrs.evolve(state.point, w=w),
                survey.only(play.places(problem), own_price(play.problem)),
            )
        if isinstance(lists, ByGram) and state.slopes.omega is not None:
            return play, lists, attrs.evolve(state.point, w=w), lists.known(state.response.V, state.slopes.omega)
        point = lists.at(w)
        assert point is not None
        return play, lists, point, lists.slopes(point)

    def _state(
        self,
        problem: Problem,
        play: Play,
        lists: Lists,
        descent: Descent,
        known: Slopes | None,
        step: int,
        seed: int,
        budget: Budget,
    ) -> ScoringState:
        """The state at a point, certified."""
        point = descent.point
        response = _response(problem, play, lists, point)
        query = Query(k=self.k, seed=seed)
        bound = certified(problem, play, lists, point, known, response, query, budget)
        note = f"{descent.note}: {len(response.mixture)} atoms" if descent.note else ""
        return ScoringState(
            step,
            response,
            bound.ceiling,
            note=note,
            play=play,
            lists=lists,
            point=Point(point.w, point.value, point.log_determinant),
            slopes=bound.slopes,
            damping=descent.damping,
            survey=bound.survey,
        )


def _lists(problem: Problem, play: Play) -> Lists:
    """The atoms in play; a search for others needs all digits of the inverse."""
    return lists_of(play.problem, single=all(isinstance(leaf.family, FiniteFamily) for leaf in problem.leaves))


def _response(problem: Problem, play: Play, lists: Lists, point: Point) -> Response:
    """The answer to the kernel of these weights."""
    V = lists.solution(point)
    duals = []
    for v, qp in zip(V.T, problem.outputs, strict=True):
        along = float(v @ qp.linear)
        upper = 0.5 * along + volume(point.log_determinant, rows_of(problem))
        duals.append(Dual(v.copy(), v.copy(), qp.h(v), along - float(v @ (qp.curvature * v)), np.zeros(0), upper))
    mixture = play.whole(weighted(play.problem, point.w))
    return Response(mixture, tuple(duals), problem.penalty(mixture) + sum(dual.upper for dual in duals))
