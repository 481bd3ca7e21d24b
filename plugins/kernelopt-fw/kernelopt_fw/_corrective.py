"""Fully corrective Frank-Wolfe on a remembered subspace, with a stabilised lower bound."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt.interior import Block, Point, Stuck, advance, central, refuses
from kernelopt.plugin import (
    Budget,
    Ceiling,
    Criterion,
    FloatArray,
    Leaf,
    Mixture,
    Part,
    Problem,
    Query,
    Response,
    Solver,
    State,
    within,
)
from kernelopt_fw._working import WorkingSet, first


@attrs.frozen(eq=False)
class CorrectiveState(State):
    """The working sets, the best bounds that steer the search, and how sharp the next master is to be.

    Attributes:
        working: one for each leaf.
        upper: the best upper bound so far.
        anchor: the best lower bound so far, with its dual point.
        sharpness: the master's relative gap, as a share of the whole gap.
    """

    working: tuple[WorkingSet, ...] = attrs.field(kw_only=True)
    upper: float = attrs.field(kw_only=True)
    anchor: Ceiling = attrs.field(kw_only=True)
    sharpness: float = attrs.field(kw_only=True, default=0.3)

    @property
    def gap(self) -> float:
        """The relative gap of the best bounds."""
        size = max(abs(self.upper), abs(self.anchor.lower))
        return max(self.upper - self.anchor.lower, 0.0) / size if size else 0.0


@attrs.frozen
class FrankWolfe(Solver):
    """Fully corrective Frank-Wolfe: the oracle brings atoms, a master problem re-optimises over all that it brought.

        repeat   solve the master: min over P = U S U' (or weights on the atoms), max over alpha, by an interior point
                 ask the oracle at its alpha and on the segment to the best alpha so far (in-out search)
                 add the oracle's atoms to U, keep the leading directions

    For matrix families the master moves in the whole spectraplex of the remembered subspace, not only in the hull of
    its atoms: with a double top eigenvalue, or an optimum that turns a little with each step, weights on single atoms
    make hundreds of steps where this makes ten. The in-out search looks for the best lower bound between the best
    alpha and the master's, so that a wild alpha in a nearly degenerate saddle does no harm.

    Talitckii, Colbert and Peet (2024), Algorithm 2, made fully corrective; subspace masters as in the spectral bundle
    method of Helmberg and Rendl (2000), in-out separation as in Ben-Ameur and Neto (2007).

    Attributes:
        add: atoms that enter after each master, at most, >= 1.
        memory: directions (atoms, outside matrix families) that the master remembers, >= 1.
        searches: oracle calls of one in-out search, >= 0; 0 asks the oracle at the master's alpha only.
        master_steps: interior-point steps of one master, at most, >= 1.
    """

    name: ClassVar[str] = "fw"
    default_steps: ClassVar[int] = 200
    patience: ClassVar[int] = 12
    gram_copies: ClassVar[int] = 3

    add: int = attrs.field(default=8, validator=within(1, 1000, integer=True))
    memory: int = attrs.field(default=24, validator=within(1, 4096, integer=True))
    searches: int = attrs.field(default=5, validator=within(0, 100, integer=True))
    master_steps: int = attrs.field(default=60, validator=within(1, 1000, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        return refuses(leaves, criterion)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> CorrectiveState:  # noqa: ARG002
        ceiling = problem.ceiling(start.duals, Query(k=self.add, seed=seed))
        working = tuple(
            known.grown(leaf, None, [best.atoms], self.memory)
            for known, leaf, best in zip(
                first(problem, start.mixture.parts, self.memory), problem.leaves, ceiling.atoms, strict=True
            )
        )
        return CorrectiveState(0, start, ceiling, working=working, upper=start.upper, anchor=ceiling)

    def step(self, problem: Problem, state: State, budget: Budget) -> CorrectiveState:
        assert isinstance(state, CorrectiveState)
        blocks = tuple(
            known.block(leaf, data)
            for known, leaf, data in zip(state.working, problem.leaves, problem.data, strict=True)
        )
        accuracy = max(min(0.03, state.sharpness * state.gap), 10.0 * problem.accuracy)
        point, note = self._master(problem, blocks, state, accuracy, budget)
        S = point.mixture_weights
        mixture = _mixture(blocks, S)
        settled = problem.assess(mixture, (point.settled(problem.outputs[0]),), gram := problem.gram(mixture))
        response = problem.respond_gram(mixture, gram, settled, budget)
        tried = self._separate(problem, state, point, budget)
        anchor = max([state.anchor, *tried], key=lambda ceiling: ceiling.lower)
        best_first = sorted(tried, key=lambda ceiling: -ceiling.lower)[: self.add]
        working = tuple(
            known.grown(leaf, s, [ceiling.atoms[k].atoms for ceiling in best_first], self.memory)
            for k, (known, leaf, s) in enumerate(zip(state.working, problem.leaves, S, strict=True))
        )
        after = attrs.evolve(
            state,
            step=state.step + 1,
            response=response,
            ceiling=best_first[0],
            working=working,
            upper=min(state.upper, response.upper),
            anchor=anchor,
            note=note,
        )
        slow = after.gap > 0.9 * state.gap
        return attrs.evolve(after, sharpness=max(0.3 * state.sharpness, 1e-3) if slow else 0.3)

    def _master(
        self, problem: Problem, blocks: tuple[Block, ...], state: CorrectiveState, accuracy: float, budget: Budget
    ) -> tuple[Point, str]:
        """The saddle on the working sets, to a relative gap."""
        qp = problem.outputs[0]
        point = central(problem, blocks, state.anchor.duals[0].alpha if state.step else None)
        size = max(abs(state.upper), abs(state.anchor.lower))
        steps = 0
        try:
            while steps < self.master_steps and point.complementarity(qp) > accuracy * size:
                if budget.cancelled():
                    break
                point = advance(problem, blocks, point)
                steps += 1
        except Stuck as stuck:
            return point, f"master: {steps} steps, {stuck}"
        return point, f"master: {steps} steps"

    def _separate(self, problem: Problem, state: CorrectiveState, point: Point, budget: Budget) -> list[Ceiling]:
        """The oracle's answers at the master's alpha and along the segment from the best alpha so far."""
        last = problem.ceiling(problem.points((point.alpha,)), Query(seed=state.step))
        tried = [last]
        anchor = state.anchor
        move = last.duals[0].alpha - anchor.duals[0].alpha
        low, high = 0.0, 1.0
        t = 0.5 if last.lower > anchor.lower else 0.3
        if _slope(problem, last, move) >= 0.0:
            return tried
        for _ in range(self.searches):
            if budget.cancelled():
                break
            between = problem.points((anchor.duals[0].alpha + t * move,))
            ceiling = problem.ceiling(between, Query(seed=state.step))
            tried.append(ceiling)
            if _slope(problem, ceiling, move) > 0.0:
                low = t
            else:
                high = t
            t = 0.5 * (low + high)
        return tried


def _slope(problem: Problem, ceiling: Ceiling, move: FloatArray) -> float:
    """The derivative of the lower bound along a move of alpha, from the atom that decides it."""
    qp, dual = problem.outputs[0], ceiling.duals[0]
    leaf, atom = ceiling.best
    family, data, factor = problem.leaves[leaf].family, problem.data[leaf], problem.leaves[leaf].factor
    image = factor * family.apply(Part(atom[None], np.ones(1)), data, dual.v[:, None])[:, 0]
    return float(qp.gradient(dual.alpha) @ move - qp.embed(move) @ image)


def _mixture(blocks: tuple[Block, ...], S: tuple[FloatArray, ...]) -> Mixture:
    """The master's kernel in the families' atoms, weights summing to 1."""
    parts = tuple(block.part(s).kept() for block, s in zip(blocks, S, strict=True))
    mass = sum(part.mass for part in parts)
    return Mixture(tuple(part.scaled(1.0 / mass) for part in parts))
