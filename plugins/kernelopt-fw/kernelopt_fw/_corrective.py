"""Fully corrective Frank-Wolfe on a remembered subspace."""

from typing import ClassVar

import attrs

from kernelopt.interior import Point, Saddle, Stuck, advance, central, refuses, resumed
from kernelopt.plugin import (
    Budget,
    Ceiling,
    Criterion,
    Leaf,
    Problem,
    Query,
    Response,
    Solver,
    State,
    adaptable,
    adapted,
    settled,
    within,
)
from kernelopt_fw._working import WorkingSet, lightened, started

_WORTH = 1e-3
"""Local adaptation ends where a step gains less than this share of the gap."""
_SHARP = 0.3
"""The master is solved to this share of the gap, sharper only while nothing moves."""


@attrs.frozen(eq=False)
class CorrectiveState(State):
    """The working sets, the best bounds, and what the course of the gap says of the next master.

    Attributes:
        working: one for each leaf.
        upper: the best upper bound so far.
        anchor: the best lower bound so far, with its dual point.
        sharpness: the next master's relative gap, as a share of the whole gap.
        memory: how many directions the next master remembers.
    """

    working: tuple[WorkingSet, ...] = attrs.field(kw_only=True)
    upper: float = attrs.field(kw_only=True)
    anchor: Ceiling = attrs.field(kw_only=True)
    sharpness: float = attrs.field(kw_only=True)
    memory: int = attrs.field(kw_only=True)

    @property
    def size(self) -> float:
        """The larger of the two bounds' sizes."""
        return max(abs(self.upper), abs(self.anchor.lower))

    @property
    def gap(self) -> float:
        """The relative gap of the best bounds."""
        return max(self.upper - self.anchor.lower, 0.0) / self.size if self.size else 0.0


@attrs.frozen
class FrankWolfe(Solver):
    """Fully corrective Frank-Wolfe: the oracle brings atoms, a master problem re-optimises over all that it brought.

        repeat   solve the master: min over P = U S U' (or weights on the atoms), max over alpha, by an interior point
                 ask the oracle at the master's alpha; its best atoms join U
                 keep the leading directions of S, those without weight too

    For matrix families the master moves in the whole spectraplex of the remembered subspace, not only in the hull of
    its atoms: with a double top eigenvalue, or an optimum that turns a little with each step, weights on single atoms
    take hundreds of steps where this takes ten.

    Talitckii, Colbert and Peet (2024), Algorithm 2, made fully corrective; the master's subspace as in the spectral
    bundle method of Helmberg and Rendl (2000).

    Attributes:
        add: atoms that enter after each master, at most, >= 1.
        memory: directions that the master remembers, >= 1 (outside matrix families: atoms without weight); it grows
            by 8 with every slow step, up to `most`.
        most: the largest memory, >= 1.
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
    master_steps: int = attrs.field(default=60, validator=within(1, 1000, integer=True))
    adapt: int = attrs.field(default=30, validator=within(0, 10**6, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        return refuses(leaves, criterion)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> CorrectiveState:  # noqa: ARG002
        ceiling = problem.ceiling(start.duals, Query(k=self.add, seed=seed))
        working = tuple(
            known.grown(leaf, best.atoms, self.memory)
            for known, leaf, best in zip(
                started(problem, start.mixture.parts, self.memory), problem.leaves, ceiling.atoms, strict=True
            )
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
        )

    def step(self, problem: Problem, state: State, budget: Budget) -> CorrectiveState:
        assert isinstance(state, CorrectiveState)
        blocks = tuple(
            known.block(leaf, data)
            for known, leaf, data in zip(state.working, problem.leaves, problem.data, strict=True)
        )
        saddle = Saddle.of(problem, blocks)
        point, note = self._master(problem, saddle, state, budget)
        S, alphas = point.mixture_weights, saddle.split(point.alpha)
        mixture = saddle.mixture(S)
        gram = problem.gram(mixture)
        visible = tuple(
            settled(qp, alpha, gram.apply(qp.embed(alpha))) for qp, alpha in zip(problem.outputs, alphas, strict=True)
        )
        response = problem.respond_gram(mixture, gram, problem.assess(mixture, visible, gram), budget)
        working = tuple(attrs.evolve(known, S=s) for known, s in zip(state.working, S, strict=True))
        if self.adapt and adaptable(problem, matrices=False):
            least = _WORTH * max(state.upper - state.anchor.lower, 0.0)
            start = attrs.evolve(response, mixture=lightened(mixture))
            response = adapted(problem, start, budget, steps=self.adapt, least=least, matrices=False)
            working = tuple(
                known.moved(leaf, part, before.mass)
                for known, leaf, part, before in zip(
                    working, problem.leaves, response.mixture.parts, mixture.parts, strict=True
                )
            )
        near = lightened(response.mixture)
        ceiling = problem.ceiling(problem.points(alphas), Query(k=self.add + len(near), seed=state.step), near)
        after = attrs.evolve(
            state,
            step=state.step + 1,
            response=response,
            ceiling=ceiling,
            upper=min(state.upper, response.upper),
            anchor=max(state.anchor, ceiling, key=lambda one: one.lower),
            note=note,
        )
        return self._grown(problem, state, attrs.evolve(after, working=working))

    def _grown(self, problem: Problem, before: CorrectiveState, after: CorrectiveState) -> CorrectiveState:
        """The oracle's atoms come in; a slow step buys more memory, and a sharper master."""
        memory = before.memory if after.gap < 0.3 * before.gap else min(before.memory + 8, max(self.most, self.memory))
        working = tuple(
            known.grown(leaf, best.atoms, memory)
            for known, leaf, best in zip(after.working, problem.leaves, after.ceiling.atoms, strict=True)
        )
        sharpness = _SHARP if after.gap < 0.9 * before.gap else max(0.3 * before.sharpness, 1e-3)
        return attrs.evolve(after, working=working, memory=memory, sharpness=sharpness)

    def _master(self, problem: Problem, saddle: Saddle, state: CorrectiveState, budget: Budget) -> tuple[Point, str]:
        """The saddle on the working sets, from the last master's answer; from the middle where that gets stuck."""
        gap = max(min(0.03, state.sharpness * state.gap), 10.0 * problem.accuracy) * state.size
        S = tuple(known.S for known in state.working if known.S is not None)
        if len(S) == len(saddle.blocks):
            distance = max(state.upper - state.anchor.lower, gap)
            start = resumed(saddle, saddle.join(state.anchor.duals), S, distance)
            point, steps, stuck = self._climb(saddle, start, gap, budget)
            if not stuck:
                return point, f"master: {steps} steps"
        point, steps, stuck = self._climb(saddle, central(saddle), gap, budget)
        return point, f"master: {steps} steps from the middle{f', {stuck}' if stuck else ''}"

    def _climb(self, saddle: Saddle, point: Point, gap: float, budget: Budget) -> tuple[Point, int, str]:
        """Interior-point steps until the gap; how many, and why they ended early."""
        for steps in range(self.master_steps):
            if point.reached(saddle.qp, gap) or budget.cancelled():
                return point, steps, ""
            try:
                point = advance(saddle, point)
            except Stuck as stuck:
                return point, steps, str(stuck)
        return point, self.master_steps, "" if point.reached(saddle.qp, gap) else "its step limit"
