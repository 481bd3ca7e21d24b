"""The working set: any solver on the samples that matter, certified on all of them."""

from collections.abc import Callable
from typing import Any, ClassVar

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import within
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._dual_qp import side_by_side
from kernelopt._criteria._kkt import between_bounds
from kernelopt._families._binding import tightened
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Query
from kernelopt._linalg._gram import Gram
from kernelopt._linalg._wide import Wide
from kernelopt._plugins._registry import resolve
from kernelopt._saddle._contract import Solver, State
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._row_subset import (
    Chosen,
    capacity,
    choose,
    free,
    guessed,
    merged,
    sampled,
    subset,
    widened,
    widened_ceiling,
)
from kernelopt._solvers._working_state import WorkingState

_LIGHT = 1e-4
"""Atoms that have a smaller share of all weights are left out over all samples.
Worth: `sparse_rows.py --cases magic-19020 --family dictionary`."""
_LIGHTER = 1e-3
"""The same after the random sample, whose kernel is rough.
Worth: `sparse_rows.py --cases magic-19020 --family dictionary`."""
_ROUGH = 0.02
"""The sample that stands for all is solved to this relative gap, and the share `inexact` of it is the roughest that the
machine of all samples may be: variables that it leaves at a wrong bound move too. Worth: `constants.py sets.rough`."""
_OTHERS = 0.5
"""The next set is chosen where the rows outside this one make at least this share of the gap.
Worth: `constants.py sets.others`."""
_HALVED = 0.5
"""A set that leaves more than this share of the gap is followed by one with twice as wide a band.
Worth: `constants.py sets.halved`."""

_MOST = 0.75
"""Where a set would have this share of the rows, all of them are solved at once: several sets would take longer. Half
of a band counts besides the variables that are strictly between their bounds on the sample, of which there are more
than on all rows. Worth: `sparse_rows.py --C 30`."""


def _solver(spec: Any) -> Solver:
    solver = resolve("solver", spec)
    if solver.loose:
        raise InvalidOption(f"working-set: the inner solver cannot be {solver.name}; name one such as ipm or fw")
    assert isinstance(solver, Solver)
    return solver


def _default_solver() -> Any:
    return "ipm"


@attrs.frozen
class WorkingSet(Solver):
    """Solve for the samples near the margin, the others held on their bounds; certify on all; repeat.

        a random sample, its box widened to stand for all, gives a first kernel
        repeat   the machine of all samples for this kernel, by blocks of samples
                 choose: samples well outside its margin have alpha = 0 and leave, those well inside are held at their
                 upper bound, the `band` nearest the margin move
                 the inner solver works on those that stayed, and changes the kernel
                 the next set is that of the kernel with the least upper bound, and of the samples on which its machine
                 and that of the kernel before, or after it, disagree

    Alpha with zeros outside is feasible, so the set's lower bound is one for all samples. The upper bound is the
    primal objective over all of them, for which the kernel between all rows and the support vectors is computed by
    blocks. Memory is that of the inner solver on the support vectors. Held variables have the values of a machine that
    is the best one of some kernel: rows that were held by the margins of a sample would be wrong by the thousand where
    many are near the margin, and those that move could not make up for it.

    Working sets as in Osuna, Freund and Girosi (1997), for the kernel and the machine together.

    Attributes:
        solver: the inner solver: a name, an object or a mapping.
        band: samples that move, at least, >= 2; there are as many more as turn out to be free.
        inexact: the inner solver works until its own gap is this share of the whole gap.
    """

    name: ClassVar[str] = "working-set"
    default_steps: ClassVar[int] = 1000
    patience: ClassVar[int] = 150
    gram_copies: ClassVar[int] = 0
    loose: ClassVar[bool] = True

    solver: Solver = attrs.field(factory=_default_solver, converter=_solver)
    band: int = attrs.field(default=2000, validator=within(2, 10**9, integer=True))
    inexact: float = attrs.field(default=0.1, validator=within(1e-6, 1.0))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        if not any(criterion.bounded):
            return f"the dual variables of {criterion.name} have no bounds, at which a working set keeps them fixed"
        return self.solver.refuses(tightened(leaves), criterion)

    def lifted(self, exchange: Callable[[Solver], Solver]) -> Solver:
        return attrs.evolve(self, solver=self.solver.lifted(exchange))

    def begin(self, problem: Problem, mixture: Mixture, seed: int, budget: Budget) -> State:
        """From dual variables of 0 where they are allowed: what they prove takes no kernel between rows."""
        points = problem.points(tuple(np.zeros(qp.size) for qp in problem.outputs))
        if any(point.v.any() for point in points):
            return super().begin(problem, mixture, seed, budget)
        nothing = problem.judged(mixture, points, problem.gram(mixture), [point.v for point in points])
        return self.init(problem, nothing, seed, budget)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> WorkingState:
        ceiling = problem.ceiling(start.duals, Query(seed=seed))
        chosen, inner_problem = sampled(problem, min(self.band, problem.n), seed)
        inner = self._entered(inner_problem, start, chosen, seed, budget)
        return WorkingState(
            0,
            start,
            ceiling,
            chosen=chosen,
            inner_problem=inner_problem,
            inner=inner,
            upper=start.upper,
            lower=ceiling.lower,
            band=self.band,
        )

    def _entered(self, inner: Problem, start: Response, chosen: Chosen, seed: int, budget: Budget) -> State:
        """The inner solver's start on a set, from the dual variables of a response over all samples."""
        return self.solver.init(inner, inner.assess(start.mixture, chosen.taken(start.duals)), seed, budget)

    def step(self, problem: Problem, state: State, budget: Budget) -> WorkingState:
        assert isinstance(state, WorkingState)
        inner = self.solver.step(state.inner_problem, state.inner, budget)
        note = f"set {state.rounds}, {len(state.chosen.rows)} rows, {state.chosen.moving} move: {inner.note}"
        after = attrs.evolve(state, step=state.step + 1, inner=inner, note=note)
        own = inner.response.upper - inner.ceiling.lower
        if state.rounds == 0:
            enough = own < np.inf and own <= _ROUGH * max(abs(inner.response.upper), abs(inner.ceiling.lower))
            return self._left_sample(problem, after, budget) if enough or inner.stalled else after
        ceiling = widened_ceiling(problem, state.chosen, inner.ceiling)
        after = attrs.evolve(after, ceiling=ceiling, lower=max(state.lower, ceiling.lower))
        if own > self.inexact * (state.upper - after.lower) and not inner.stalled:
            return after
        return self._reviewed(problem, after, budget)

    def _left_sample(self, problem: Problem, state: WorkingState, budget: Budget) -> WorkingState:
        """From the sample's kernel the machine of all samples, and the first set."""
        inner = attrs.evolve(state.inner, response=_lighter(problem, state.inner.response, _LIGHTER))
        guess = guessed(problem, state.chosen, inner)
        if self._most_move(problem, state, budget):
            return self._on(problem, state, guess, free(problem, np.arange(problem.n)), budget)
        gram = problem.gram(guess.mixture)
        gram = gram.knowing(guess.V, gram.apply(guess.V)) if isinstance(gram, Wide) else gram
        return self._next(problem, state, guess, gram, budget)

    def _most_move(self, problem: Problem, state: WorkingState, budget: Budget) -> bool:
        """Whether, as the sample tells, most rows would be in each set, and all of them have room."""
        share = self._free_share(state, budget) + 0.5 * state.band / problem.n
        return share >= _MOST and problem.n <= capacity(problem, 2 + self.solver.gram_copies)

    def _free_share(self, state: WorkingState, budget: Budget) -> float:
        """The share of the rows of a set whose variables are strictly between their bounds."""
        inner, n = state.inner, state.inner_problem.n
        found = inner.response
        sharp = found if found.settled is None else state.inner_problem.respond(found.mixture, found, budget)
        pairs = zip(state.inner_problem.outputs, sharp.duals, strict=True)
        return max(len(np.unique(qp.sample[between_bounds(qp, dual.alpha)])) / n for qp, dual in pairs)

    def _reviewed(self, problem: Problem, state: WorkingState, budget: Budget) -> WorkingState:
        """The bound over all samples, and the next set, unless what is left of the gap is the inner solver's."""
        found = _lighter(problem, self._settled(state, budget))
        points = problem.points(widened(problem, state.chosen, found.duals))
        gram, V = problem.gram(found.mixture), side_by_side(points)
        F = gram.apply(V)
        response = problem.judged(found.mixture, points, gram, list(F.T))
        after = attrs.evolve(state, response=response, upper=min(state.upper, response.upper))
        others = response.upper - found.upper
        if others < _OTHERS * (response.upper - after.lower) and not state.inner.stalled:
            return after
        gram = gram.knowing(V, F) if isinstance(gram, Wide) else gram
        return self._next(problem, after, response, gram, budget)

    def _settled(self, state: WorkingState, budget: Budget) -> Response:
        """The inner response; where its alpha is from the inside of the box, the best one of its kernel, with zeros."""
        found = state.inner.response
        if found.settled is None:
            return found
        sharp = state.inner_problem.respond(found.mixture, found, budget)
        return sharp if sharp.upper <= found.upper else found

    def _next(self, problem: Problem, state: WorkingState, found: Response, gram: Gram, budget: Budget) -> WorkingState:
        """The machine of all samples for the response's kernel, whose Gram this is, the set that its margins ask for,
        and the inner solver's start on it.
        """
        left = (state.upper - state.lower) / max(abs(state.upper), abs(state.lower))
        rough = attrs.evolve(problem, accuracy=max(self.inexact * min(left, _ROUGH), problem.accuracy))
        response = rough.respond_gram(found.mixture, gram, found, budget)
        F = gram.apply(response.V)
        upper = min(state.upper, response.upper)
        gap = upper - state.lower
        band = state.band if gap <= _HALVED * state.mark else 2 * state.band
        known = [(response, F), *([] if state.best is None else [state.best])]
        best, *others = sorted(known, key=lambda one: one[0].upper)
        state = attrs.evolve(state, response=response, upper=upper, band=min(band, 2 * problem.n), mark=gap, best=best)
        chosen = choose(problem, *best, state.band, others[0][0].duals if others else None)
        return self._on(problem, state, best[0], chosen, budget)

    def _on(
        self, problem: Problem, state: WorkingState, response: Response, chosen: Chosen, budget: Budget
    ) -> WorkingState:
        """The set of these samples, and the inner solver's start on it."""
        chosen = merged(problem, chosen)
        limit = capacity(problem, 2 + self.solver.gram_copies)
        if len(chosen.rows) > limit:
            note = (
                f"{len(chosen.rows)} rows are in the working set, memory has room for {limit}: solve on fewer "
                f"rows, or with more memory"
            )
            return attrs.evolve(_proved(problem, state, response), stalled=True, note=note)
        if state.rounds and chosen.same(state.chosen):
            return attrs.evolve(state, stalled=state.inner.stalled)
        inner_problem = subset(problem, chosen)
        inner = self._entered(inner_problem, response, chosen, state.step, budget)
        ceiling = widened_ceiling(problem, chosen, inner.ceiling)
        return attrs.evolve(
            state,
            ceiling=ceiling,
            lower=max(state.lower, ceiling.lower),
            chosen=chosen,
            inner_problem=inner_problem,
            inner=inner,
            rounds=state.rounds + 1,
        )


def _proved(problem: Problem, state: WorkingState, response: Response) -> WorkingState:
    """The state with the lower bound that a machine of all samples proves, which takes the kernel of no set.

    A run may end before its first set has proved anything. Where another kernel is much better than the machine's, a
    share of its alpha proves more: h(t alpha) - t^2 q with h linear is largest at t = h / (2 q).
    """
    query = Query(seed=state.step)
    whole = problem.ceiling(response.duals, query)
    share = 0.5 * response.h / max(response.h - whole.lower, 1e-300)
    if 0.0 < share < 1.0:
        less = problem.points(tuple(share * dual.alpha for dual in response.duals))
        whole = max(whole, problem.ceiling(less, query), key=lambda one: one.lower)
    return state if whole.lower <= state.lower else attrs.evolve(state, ceiling=whole, lower=whole.lower)


def _lighter(problem: Problem, response: Response, share: float = _LIGHT) -> Response:
    """Without the atoms that have less than this share of all weights: each would take a kernel between all samples and
    support vectors.

    An interior point leaves a weight on every atom. The bounds of what is left are computed anew. Where kernels have a
    price, all stay.
    """
    if any(leaf.penalty is not None for leaf in problem.leaves):
        return response
    mixture = response.mixture
    kept = mixture.kept(share * mixture.mass)
    return response if len(kept) == len(mixture) else attrs.evolve(response, mixture=kept)
