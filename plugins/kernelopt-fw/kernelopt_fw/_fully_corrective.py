"""Fully corrective Frank-Wolfe on a remembered subspace."""

import math
from contextlib import suppress
from typing import ClassVar

import attrs
import numpy as np

from kernelopt.interior import Held, Saddle, narrowed, thinned
from kernelopt.plugin import (
    Budget,
    Ceiling,
    FloatArray,
    InvalidOption,
    Mixture,
    Problem,
    Query,
    Response,
    Solver,
    State,
    adaptable,
    adapted,
    merged,
    within,
)
from kernelopt_fw._foreseen import asked, curved, damped, foreseen
from kernelopt_fw._master import mastered, near_the_best
from kernelopt_fw._state import CorrectiveState, answers, widened
from kernelopt_fw._working_set import LIGHT, WorkingSet, started

_WORTH = 2e-4
"""Local adaptation ends where a step gains less than this share of the gap, or of the upper bound where that is less:
while the lower bound is far away, it says nothing of what a step is worth.
Worth: `constants.py fw.worth`."""
_TOGETHER = 0.03
"""Atoms merge where they are closer than this share of the gap's root: the objective feels the distance's square.
Worth: `constants.py fw.together`."""
_SHARP = 0.3
"""The master is solved to this share of the gap, sharper only while nothing moves. Worth: `constants.py fw.sharp`."""
_ROUGH_GAP = 0.3
"""The relative gap to which the kernel of a sample is learned. Worth: `constants.py fw.rough_gap`."""
_CLEAR = 0.1
"""Where the relative gap is below this at the start, its answer tells which variables move in the first master.
Worth: `constants.py fw.clear`."""
_MORE = 8
"""By so many directions the memory grows with every step."""
_STILL, _SHARPER, _SHARPEST = 0.9, 0.3, 1e-3
"""Where a step leaves more than this share of the gap, the next master is this much sharper, down to the last: without
that a master that is too rough to move would be solved for ever.
Worth: `constants.py fw.still`. Worth: `constants.py fw.sharper`. Worth: `constants.py fw.sharpest`."""
_FORESEEN = 0.3
"""From this relative gap on the master foresees where the best atoms move: farther away they jump.
Worth: `constants.py fw.foreseen`."""
_MANY = 5000
"""So many rows over all outputs are many, and a sample is worth learning from: below, the whole is as quick.
Worth: `constants.py fw.many`."""


@attrs.frozen
class FrankWolfe(Solver):
    """Fully corrective Frank-Wolfe: the oracle brings atoms, a master problem re-optimises over all that it brought.

        repeat   solve the master: min over P = U S U' (or weights on the atoms), max over alpha, by an interior point
                     in which only the alpha near the margin move
                     where a family is curved and the gap is small, it foresees where the best atoms move with alpha
                 answer its kernel on all rows: which alpha should have moved?
                 where a family is smooth and was not foreseen, move its atoms and all weights downhill together
                 ask the oracle at the master's alpha (smooth families: and half-way to the best one); its atoms join U
                 keep the leading directions of S, those without weight too

    For matrix families the master moves in the whole spectraplex of the remembered subspace, not only in the hull of
    its atoms: with a double top eigenvalue, or an optimum that turns a little with each step, weights on single atoms
    take hundreds of steps where this takes ten.

    Talitckii, Colbert and Peet (2024), Algorithm 2, made fully corrective; the master's subspace as in the spectral
    bundle method of Helmberg and Rendl (2000).

    Attributes:
        add: atoms that enter after each master, at most, >= 1.
        memory: directions that the master remembers, >= 1 (outside matrix families: atoms without weight); it grows
            by 8 with every step, up to `most`.
        most: the largest memory, >= 1.
        rough: samples on which the kernel is learned first, where there are more, and many over all outputs, >= 10.
        band: dual variables of each output that move in a master, at least, >= 1: those nearest the margin. It doubles
            where those held cost more than the kernels left out. Where more than half would move, all do.
        master_steps: interior-point steps of one master, at most, >= 1.
        adapt: after each master so many steps of a descent move the atoms of smooth families, and all weights.
    """

    name: ClassVar[str] = "fw"
    default_steps: ClassVar[int] = 200
    patience: ClassVar[int] = 8
    gram_copies: ClassVar[int] = 3

    add: int = attrs.field(default=8, validator=within(1, 1000, integer=True))
    memory: int = attrs.field(default=32, validator=within(1, 4096, integer=True))
    most: int = attrs.field(default=96, validator=within(1, 4096, integer=True))
    rough: int = attrs.field(default=250, validator=within(10, math.inf, integer=True))
    band: int = attrs.field(default=200, validator=within(1, math.inf, integer=True))
    master_steps: int = attrs.field(default=60, validator=within(1, 1000, integer=True))
    adapt: int = attrs.field(default=60, validator=within(0, 10**6, integer=True))

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> CorrectiveState:
        if self._many(problem) and problem.is_center(start.mixture):
            with suppress(InvalidOption):  # a sample may lack what an equality asks for
                return self._from_sample(problem, start, seed, budget)
        return self._begun(problem, self._from(problem, start, started(problem, start.mixture, self.memory), seed))

    def _many(self, problem: Problem) -> bool:
        return problem.n > self.rough and len(problem.outputs) * problem.n > _MANY

    def _begun(self, problem: Problem, state: CorrectiveState) -> CorrectiveState:
        """The state at the start; where that has many rows and is near the optimum, it says which variables move."""
        if problem.n <= self.rough or state.gap > _CLEAR:
            return state
        start = state.response
        held = narrowed(problem, start, problem.gram(start.mixture), self.band)
        return attrs.evolve(state, held=held)

    def _from(self, problem: Problem, start: Response, known: tuple[WorkingSet, ...], seed: int) -> CorrectiveState:
        """The state at this response, the oracle's atoms at it added to what is known."""
        ceiling = problem.ceiling(start.duals, Query(k=self.add, seed=seed))
        working = tuple(
            one.grown(leaf, best.atoms, self.memory)
            for one, leaf, best in zip(known, problem.leaves, ceiling.atoms, strict=True)
        )
        return CorrectiveState(
            0,
            start,
            ceiling,
            working=working,
            upper=start.upper,
            anchor=ceiling,
            sharpness=_SHARP,
            memory=self.memory,
            held=Held(problem),
            band=self.band,
        )

    def _from_sample(self, problem: Problem, start: Response, seed: int, budget: Budget) -> CorrectiveState:
        """The state at the kernel that some of the samples ask for: a cheap way to where variables can be held."""
        sample = thinned(problem, self.rough, seed)
        begun = sample.respond(start.mixture, None, budget)
        state = self._from(sample, begun, started(problem, start.mixture, self.memory), seed)
        while state.gap > _ROUGH_GAP and state.step < self.default_steps and not budget.cancelled():
            state = self.step(sample, state, budget)
        if not state.step:  # the sample asks for no other kernel
            return self._begun(problem, self._from(problem, start, state.working, seed))
        mixture = state.response.mixture
        gram = problem.gram(mixture)
        response = problem.respond_gram(mixture, gram, start, budget)
        if response.upper >= start.upper:
            del gram
            return self._begun(problem, self._from(problem, start, state.working, seed))
        whole = self._from(problem, response, state.working, seed)
        held = narrowed(problem, response, gram, self.band)
        return attrs.evolve(whole, held=held, note=f"from {self.rough} samples")

    def step(self, problem: Problem, state: State, budget: Budget) -> CorrectiveState:
        assert isinstance(state, CorrectiveState)
        if state.gap <= _FORESEEN and curved(problem):
            return self._foreseeing(problem, state, budget)
        S, alphas, mixture, note = mastered(problem, state, self.master_steps, budget)
        K = problem.gram(mixture)
        reached, answered = answers(problem, mixture, alphas, K, budget)
        working = tuple(attrs.evolve(known, S=s) for known, s in zip(state.working, S, strict=True))
        moves = adaptable(problem, matrices=False)
        gram = None if moves else K
        del K
        if moves:
            response, working = self._adapted(problem, state, answered, working, budget)
        else:
            response = answered
        ceilings = self._asked(problem, state, alphas, response.mixture)
        after = attrs.evolve(
            self._bounded(problem, state, response, ceilings[0], reached, answered), working=working, note=note
        )
        gram = problem.gram(response.mixture) if gram is None else gram
        held = narrowed(problem, response, gram, after.band)
        return self._grown(problem, state, attrs.evolve(after, held=held), ceilings)

    def _foreseeing(self, problem: Problem, state: CorrectiveState, budget: Budget) -> CorrectiveState:
        """A step whose master foresees where the best atoms move; its kernel has them there."""
        leaves = foreseen(state)
        saddle = Saddle.of(state.held.problem, tuple(leaf.block for leaf in leaves))
        point, steps, stuck = near_the_best(problem, saddle, state, self.master_steps, budget)
        S = saddle.plain(saddle.scaled(point.S))
        alphas = state.held.spread(problem, saddle.split(point.alpha))
        parts = tuple(leaf.part(s, saddle.qp.embed(point.alpha)) for leaf, s in zip(leaves, S, strict=True))
        mixture = saddle.whole(Mixture(tuple(part.kept() for part in parts)))
        K = problem.gram(mixture)
        reached, answered = answers(problem, mixture, alphas, K, budget)
        working = tuple(leaf.working(part, s) for leaf, part, s in zip(leaves, parts, S, strict=True))
        ceilings = self._asked(problem, state, alphas, mixture)
        response = answered
        if answered.upper >= state.upper and ceilings[0].lower <= state.anchor.lower:
            response, working = self._adapted(problem, state, answered, working, budget)
        after = self._bounded(problem, state, response, ceilings[0], reached, answered)
        held = narrowed(problem, reached, K, after.band, near=after.anchor.duals)
        after = attrs.evolve(
            after,
            working=working,
            held=held,
            damping=damped(state.damping, rose=len(ceilings) == 1),
            note=f"master: {steps} steps, its atoms foreseen{f', {stuck}' if stuck else ''}",
        )
        return self._grown(problem, state, after, ceilings)

    def _asked(
        self, problem: Problem, state: CorrectiveState, alphas: tuple[FloatArray, ...], mixture: Mixture
    ) -> tuple[Ceiling, ...]:
        """The oracle's answers, the best one first."""
        near = mixture.kept(LIGHT)
        return asked(problem, alphas, state.anchor, Query(k=self.add + len(near), seed=state.step), near)

    def _bounded(
        self,
        problem: Problem,
        state: CorrectiveState,
        response: Response,
        ceiling: Ceiling,
        reached: Response,
        answered: Response,
    ) -> CorrectiveState:
        """The next state's bounds, and how many variables its master moves."""
        return attrs.evolve(
            state,
            step=state.step + 1,
            response=response,
            ceiling=ceiling,
            upper=min(state.upper, response.upper),
            anchor=max(state.anchor, ceiling, key=lambda one: one.lower),
            band=widened(problem, state.band, reached, answered, ceiling),
        )

    def _adapted(
        self,
        problem: Problem,
        state: CorrectiveState,
        response: Response,
        working: tuple[WorkingSet, ...],
        budget: Budget,
    ) -> tuple[Response, tuple[WorkingSet, ...]]:
        """The better of the last response and that after local adaptation, and the working sets after it."""
        if not self.adapt:
            return response, working
        least = _WORTH * min(max(state.upper - state.anchor.lower, 0.0), abs(state.upper))
        moved = adapted(problem, response, budget, steps=self.adapt, least=least, drop=LIGHT, matrices=False)
        fewer = merged(moved.mixture, _TOGETHER * math.sqrt(state.gap))
        parts = zip(working, problem.leaves, fewer.parts, response.mixture.parts, strict=True)
        after = tuple(known.moved(leaf, part, before.mass) for known, leaf, part, before in parts)
        return (moved if moved.upper < state.response.upper else state.response), after

    def _grown(
        self, problem: Problem, before: CorrectiveState, after: CorrectiveState, ceilings: tuple[Ceiling, ...]
    ) -> CorrectiveState:
        """The oracle's atoms come in; there is more memory, and after a slow step a sharper master."""
        memory = min(before.memory + _MORE, max(self.most, self.memory))
        working = tuple(
            known.grown(leaf, np.vstack([one.atoms[k].atoms for one in ceilings]), memory)
            for k, (known, leaf) in enumerate(zip(after.working, problem.leaves, strict=True))
        )
        sharpness = _SHARP if after.gap < _STILL * before.gap else max(_SHARPER * before.sharpness, _SHARPEST)
        return attrs.evolve(after, working=working, memory=memory, sharpness=sharpness)
