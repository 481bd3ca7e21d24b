"""The exchange: any solver for finite lists, lifted to every family."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._options import within
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion
from kernelopt._families._atom_subset import Active, active
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part, Query, join
from kernelopt._saddle._contract import Solver, State
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._solvers._dual_mixture import mixed
from kernelopt._solvers._in_out import better, in_out
from kernelopt._solvers._local_descent import adaptable, adapted, merged
from kernelopt._solvers._turned_atoms import turned, turns

_FELL = 0.01
"""A fall of the upper bound by less than this share of the gap is none. Worth: `constants.py exchange.fell`."""
_POINTS = 8
"""So many masters' dual points are mixed where the last one proves nothing new.
Worth: `constants.py exchange.points`."""
_ROUNDS = 20
"""After so many steps of the master the oracle is asked, however far the master is from its own optimum: a solver that
creeps on one list may not on the next. Worth: `constants.py exchange.rounds`."""


@attrs.frozen(eq=False)
class ExchangeState(State):
    """The list in play, as a problem of its own, and the master's state on it.

    Attributes:
        master: the problem on the atoms in play.
        inner: the master's state.
        anchor: the best lower bound so far, with its dual point.
        mark: the best upper bound at an exchange so far.
        exchanges: how many there were.
        rounds: how many steps of the master there were since.
        points: the dual variables of the last masters.
    """

    master: Problem = attrs.field(kw_only=True)
    inner: State = attrs.field(kw_only=True)
    anchor: Ceiling = attrs.field(kw_only=True)
    mark: float = attrs.field(kw_only=True)
    exchanges: int = attrs.field(kw_only=True, default=0)
    rounds: int = attrs.field(kw_only=True, default=0)
    points: tuple[tuple[FloatArray, ...], ...] = attrs.field(kw_only=True, default=())


@attrs.frozen
class Exchange(Solver):
    """Solve on the active atoms, adapt them locally, ask the oracle, add its atoms, drop those of no weight, repeat.

    For quadratic forms in features the atoms that are added are also those turned a little around the best ones.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), Algorithm 1, generalised: the master may be any solver for finite
    lists, the family anything with an oracle.

    Attributes:
        solver: the master.
        k: how many atoms each leaf's oracle adds at most, >= 1, besides one for each atom that has weight.
        inexact: the master works until its own gap is this share of the whole gap.
        drop: atoms with a smaller weight leave the list.
        adapt: after each master so many steps of a descent move the atoms of smooth and matrix families, and all
            weights; 0 for none.
        worth: the descent ends where a step gains less than this share of the gap.
    """

    name: ClassVar[str] = "exchange"
    patience: ClassVar[int] = 100

    solver: Solver
    k: int = attrs.field(default=8, validator=within(1, 1000, integer=True))
    inexact: float = attrs.field(default=0.1, validator=within(1e-6, 1.0))
    drop: float = attrs.field(default=1e-6, validator=within(0.0, 1.0))
    adapt: int = attrs.field(default=60, validator=within(0, 10**6, integer=True))
    worth: float = attrs.field(default=1e-3, validator=within(0.0, 1.0))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        active = tuple(attrs.evolve(leaf, family=Active(leaf.family, np.zeros((0, 0)))) for leaf in leaves)
        return self.solver.refuses(active, criterion)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> ExchangeState:
        ceiling = problem.ceiling(start.duals, Query(k=self.k, seed=seed))
        master, local = _restrict(problem, _enriched(problem, start.mixture, ceiling))
        inner = self.solver.init(master, attrs.evolve(start, mixture=local), seed, budget)
        return ExchangeState(0, start, ceiling, master=master, inner=inner, anchor=ceiling, mark=start.upper)

    def step(self, problem: Problem, state: State, budget: Budget) -> ExchangeState:
        assert isinstance(state, ExchangeState)
        inner = self.solver.step(state.master, state.inner, budget)
        master_floor = inner.ceiling.lower
        response = attrs.evolve(inner.response, mixture=_lift(state.master, inner.response.mixture))
        whole = response.upper - state.anchor.lower
        rough = inner.response.upper - master_floor > self.inexact * whole
        if rough and not inner.stalled and state.rounds + 1 < _ROUNDS:
            return attrs.evolve(
                state, step=state.step + 1, response=response, inner=inner, rounds=state.rounds + 1, note="master"
            )
        return self._exchange(problem, state, inner, response, budget)

    def _exchange(
        self, problem: Problem, state: ExchangeState, inner: State, response: Response, budget: Budget
    ) -> ExchangeState:
        """Adapt, ask the oracle at the master's dual point; its answers come in, atoms without weight go."""
        if self.adapt and adaptable(problem):
            least = self.worth * max(response.upper - state.anchor.lower, 0.0)
            response = adapted(problem, response, budget, steps=self.adapt, least=least, drop=self.drop)
        kept = self._kept(problem, state, inner, response)
        # The master's dual point is central; the best one for the adapted kernel is an extreme one, and misleads.
        alphas = tuple(dual.alpha for dual in inner.ceiling.duals)
        query = Query(k=self.k + len(kept), seed=state.step)
        ceiling = in_out(problem, alphas, state.anchor, query, kept)
        points = (*state.points, alphas)[-_POINTS:]
        if ceiling.lower < state.anchor.lower and all(leaf.penalty is None for leaf in problem.leaves):
            between = problem.points(mixed(state.master, (*points, tuple(dual.alpha for dual in state.anchor.duals))))
            ceiling = better(ceiling, problem.ceiling(between, query, kept))
        master, local = _restrict(problem, _enriched(problem, kept, ceiling))
        warm = attrs.evolve(inner, response=response)
        return ExchangeState(
            state.step + 1,
            response,
            ceiling,
            master=master,
            inner=self.solver.rebase(master, warm, local, budget),
            anchor=max(state.anchor, ceiling, key=lambda one: one.lower),
            mark=min(state.mark, response.upper),
            exchanges=state.exchanges + 1,
            points=points,
            note=f"exchange {state.exchanges + 1}: {len(local)} atoms in play",
        )

    def _kept(self, problem: Problem, state: ExchangeState, inner: State, response: Response) -> Mixture:
        """The atoms that stay. Those without weight go only when the upper bound fell well below all before: else the
        oracle would bring the same ones back for ever. Where turned atoms come in they go always.
        """
        kept = merged(response.mixture.kept(self.drop))
        if state.mark - response.upper > _FELL * (state.mark - state.anchor.lower):
            return kept
        idle = _in_play(state.master, inner.response.mixture)
        triples = zip(problem.leaves, kept.parts, idle.parts, strict=True)
        return Mixture(tuple(part if turns(leaf) else _with_atoms(part, other.atoms) for leaf, part, other in triples))


def _enriched(problem: Problem, mixture: Mixture, ceiling: Ceiling) -> Mixture:
    """The mixture with each leaf's best atoms added at weight 0, and those turned around what it has."""
    parts = []
    for leaf, part, best in zip(problem.leaves, mixture.parts, ceiling.atoms, strict=True):
        more = _with_atoms(part, best.atoms)
        parts.append(_with_atoms(more, turned(part, best.atoms)) if turns(leaf) else more)
    return Mixture(tuple(parts))


def _with_atoms(part: Part, atoms: FloatArray) -> Part:
    """The part with further atoms at weight 0; those that it has already are not taken twice."""
    known = {atom.tobytes() for atom in part.atoms}
    fresh = np.array([atom.tobytes() not in known for atom in atoms], dtype=bool)
    new = Part(atoms[fresh], np.zeros(int(fresh.sum())))
    return join(part, new) if len(part) else new


def _restrict(problem: Problem, mixture: Mixture) -> tuple[Problem, Mixture]:
    """The problem on the mixture's atoms alone, and the mixture in its terms."""
    pairs = [
        active(leaf, data, part.atoms)
        for leaf, data, part in zip(problem.leaves, problem.data, mixture.parts, strict=True)
    ]
    local = tuple(Part(np.arange(len(part), dtype=float)[:, None], part.weights) for part in mixture.parts)
    leaves, data = tuple(leaf for leaf, _ in pairs), tuple(bound for _, bound in pairs)
    return attrs.evolve(problem, leaves=leaves, data=data), Mixture(local)


def _in_play(master: Problem, mixture: Mixture) -> Mixture:
    """All atoms of the master with the mixture's weights, 0 where it left one out, in the families' own atoms."""
    parts = []
    for leaf, part in zip(master.leaves, mixture.parts, strict=True):
        assert isinstance(leaf.family, Active)
        weights = np.zeros(len(leaf.family.atoms))
        np.add.at(weights, part.atoms[:, 0].astype(int), part.weights)
        parts.append(Part(leaf.family.atoms, weights))
    return Mixture(tuple(parts))


def _lift(master: Problem, mixture: Mixture) -> Mixture:
    """A mixture of the master in the families' own atoms."""
    parts = []
    for leaf, part in zip(master.leaves, mixture.parts, strict=True):
        assert isinstance(leaf.family, Active)
        parts.append(leaf.family.lift(part))
    return Mixture(tuple(parts))
