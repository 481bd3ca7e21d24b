"""The exchange: any solver for finite lists, lifted to every family."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._criterion import Criterion
from kernelopt._family import FiniteFamily, KernelFamily
from kernelopt._gram import Gram
from kernelopt._mixture import Mixture, Part, Query, join
from kernelopt._problem import Ceiling, Leaf, Problem, Response
from kernelopt._solver import Budget, Solver, State
from kernelopt._typing import Data, FloatArray


@attrs.frozen(eq=False)
class Active(FiniteFamily):
    """The atoms of a family that are in play, as a finite list; an atom of it is a number in that list."""

    name: ClassVar[str] = "active"

    family: KernelFamily
    atoms: FloatArray

    def lift(self, part: Part) -> Part:
        """The part in the family's own atoms."""
        return Part(self.atoms[part.atoms[:, 0].astype(int)], part.weights)

    def bind(self, X: FloatArray) -> Data:
        return self.family.bind(X)

    def bind_bytes(self, n: int, d: int) -> int:
        return self.family.bind_bytes(n, d)

    def paper_scale(self) -> float:
        return self.family.paper_scale()

    def caution(self, Z: FloatArray) -> str | None:
        return self.family.caution(Z)

    def describe(self, part: Part) -> str:
        return self.family.describe(self.lift(part))

    def dictionary(self) -> Part:
        m = len(self.atoms)
        return Part(np.arange(m, dtype=float)[:, None], np.full(m, 1.0 / max(m, 1)))

    def gram(self, part: Part, data: Data) -> Gram:
        return self.family.gram(self.lift(part), data)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.family.cross(self.lift(part), Z, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.diag(self.lift(part), X)

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        return self.family.apply(self.lift(part), data, V)


@attrs.frozen(eq=False)
class ExchangeState(State):
    """The list in play, as a problem of its own, and the master's state on it.

    Attributes:
        master: the problem on the atoms in play.
        inner: the master's state.
        floor: the best lower bound so far.
        mark: the best upper bound at an exchange so far.
    """

    master: Problem = attrs.field(kw_only=True)
    inner: State = attrs.field(kw_only=True)
    floor: float = attrs.field(kw_only=True)
    mark: float = attrs.field(kw_only=True)


@attrs.frozen
class Exchange(Solver):
    """Solve on the active atoms, ask the oracle, add its atoms, drop those of zero weight, repeat.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), Algorithm 1, generalised: the master may be any solver for finite
    lists, the family anything with an oracle.

    Attributes:
        solver: the master.
        k: how many atoms each leaf's oracle adds at most.
        inexact: the master works until its own gap is this share of the whole gap.
        drop: atoms with a smaller weight leave the list.
    """

    name: ClassVar[str] = "exchange"

    solver: Solver
    k: int = 3
    inexact: float = 0.1
    drop: float = 1e-9

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        active = tuple(attrs.evolve(leaf, family=Active(leaf.family, np.zeros((0, 0)))) for leaf in leaves)
        return self.solver.refuses(active, criterion)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> ExchangeState:
        ceiling = problem.ceiling(start.duals, Query(k=self.k, seed=seed))
        master, local = _restrict(problem, _enriched(start.mixture, ceiling))
        inner = self.solver.init(master, attrs.evolve(start, mixture=local), seed, budget)
        return ExchangeState(0, start, ceiling, master=master, inner=inner, floor=ceiling.lower, mark=start.upper)

    def step(self, problem: Problem, state: State, budget: Budget) -> ExchangeState:
        assert isinstance(state, ExchangeState)
        inner = self.solver.step(state.master, state.inner, budget)
        master_floor = inner.ceiling.lower
        response = attrs.evolve(inner.response, mixture=_lift(state.master, inner.response.mixture))
        whole = response.upper - state.floor
        if inner.response.upper - master_floor > self.inexact * whole and not inner.stalled:
            return attrs.evolve(state, step=state.step + 1, response=response, inner=inner, note="master")
        return self._exchange(problem, state, inner, response, budget)

    def _exchange(
        self, problem: Problem, state: ExchangeState, inner: State, response: Response, budget: Budget
    ) -> ExchangeState:
        """Ask the oracle at the master's dual point; its answers come in, atoms without weight go.

        They go only when the upper bound fell below all before: else the oracle would bring them back for ever.
        """
        ceiling = problem.ceiling(inner.ceiling.duals, Query(k=self.k, seed=state.step))
        kept = _in_play(state.master, inner.response.mixture)
        if response.upper < state.mark:
            kept = Mixture(tuple(part.kept(self.drop) for part in kept.parts))
            kept = Mixture(tuple(part.scaled(response.mixture.mass / kept.mass) for part in kept.parts))
        master, local = _restrict(problem, _enriched(kept, ceiling))
        return ExchangeState(
            state.step + 1,
            response,
            ceiling,
            master=master,
            inner=self.solver.rebase(master, inner, local, budget),
            floor=max(state.floor, ceiling.lower),
            mark=min(state.mark, response.upper),
            note=f"exchange: {len(local)} atoms in play",
        )


def _enriched(mixture: Mixture, ceiling: Ceiling) -> Mixture:
    """The mixture with each leaf's best atoms added at weight 0."""
    return Mixture(
        tuple(_with_atoms(part, best.atoms) for part, best in zip(mixture.parts, ceiling.atoms, strict=True))
    )


def _with_atoms(part: Part, atoms: FloatArray) -> Part:
    """The part with further atoms at weight 0; those that it has already are not taken twice."""
    known = {atom.tobytes() for atom in part.atoms}
    fresh = np.array([atom.tobytes() not in known for atom in atoms], dtype=bool)
    new = Part(atoms[fresh], np.zeros(int(fresh.sum())))
    return join(part, new) if len(part) else new


def _restrict(problem: Problem, mixture: Mixture) -> tuple[Problem, Mixture]:
    """The problem on the mixture's atoms alone, and the mixture in its terms."""
    leaves = tuple(
        attrs.evolve(leaf, family=Active(leaf.family, part.atoms))
        for leaf, part in zip(problem.leaves, mixture.parts, strict=True)
    )
    local = tuple(Part(np.arange(len(part), dtype=float)[:, None], part.weights) for part in mixture.parts)
    return attrs.evolve(problem, leaves=leaves), Mixture(local)


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
