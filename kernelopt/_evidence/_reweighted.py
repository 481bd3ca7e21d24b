"""Majorise and minimise: any solver on the tangent saddle of the evidence, again and again."""

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import within
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._dual_qp import DualPoint
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._tangent_criterion import Fit
from kernelopt._evidence.lists._majoriser import Tangent
from kernelopt._evidence.lists._restricted_master import Play
from kernelopt._families._atom_subset import Active
from kernelopt._families._contract import LinearFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Mixture, Query
from kernelopt._families.penalties._composite_penalty import tilted
from kernelopt._families.penalties._penalty import Price
from kernelopt._plugins._registry import resolve
from kernelopt._saddle._contract import ConcaveSolver, Solver, State
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._solvers._local_descent import merged
from kernelopt._solvers._total_search import Sizing

_TOGETHER = 0.03
"""Atoms count as one within this share of the root of the relative gap: the objective feels the distance's square.
Worth: `constants.py evidence.together`."""


def _solver(spec: Any) -> Solver:
    solver = resolve("solver", spec)
    assert isinstance(solver, Solver)
    if isinstance(solver, ConcaveSolver):
        raise InvalidOption(f"reweighted: the inner solver cannot be {solver.name}; name one such as ipm or fw")
    return solver


def _default_solver() -> Any:
    return "ipm"


@attrs.frozen(eq=False)
class ReweightedState(State):
    """The evidence's state.

    Attributes:
        seed: of the next oracle.
    """

    seed: int = attrs.field(kw_only=True, default=0)


@attrs.frozen
class Reweighted(ConcaveSolver):
    """The evidence by any solver of saddles: linearise log det K, solve the saddle with this price, and repeat.

    The tangent to log det K at a kernel K_t makes an objective that lies above the evidence and touches it at K_t, so
    that no step raises the evidence. If the inner solver cannot work with a family, or the family cannot have a price,
    then the solver works with a list of some of its atoms: those that exceed their price the most join those with
    weight.

    Attributes:
        solver: the inner solver: a name, an object or a mapping.
        inexact: the share of the whole gap at which the inner solver ends, from 1e-6 to 1.
        inner: the largest number of steps of the inner solver for one tangent once the kernel is better than at the
            start, an integer >= 1.
        k: the largest number of atoms that each oracle adds at a time, an integer >= 1.

    Raises:
        InvalidOption: an option is out of its range, or the inner solver is itself a solver of the evidence.
    """

    name: ClassVar[str] = "reweighted"
    default_steps: ClassVar[int] = 300
    patience: ClassVar[int] = 50

    solver: Solver = attrs.field(factory=_default_solver, converter=_solver)
    inexact: float = attrs.field(default=0.1, validator=within(1e-6, 1.0))
    inner: int = attrs.field(default=12, validator=within(1, 10**6, integer=True))
    k: int = attrs.field(default=4, validator=within(1, 1000, integer=True))

    @property
    def gram_copies(self) -> int:  # type: ignore[override]
        """Those of the inner solver, the inverse, and what factors it."""
        return self.solver.gram_copies + 3

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        if not isinstance(criterion, Evidence):
            return "it works with the criterion evidence only; take its inner solver alone"
        if self.solver.loose:
            return (
                f"{self.solver.name} forms no n x n matrix, and the evidence needs its determinant; leave solver out, "
                "or name a family and another criterion, such as svc or svr"
            )
        if self._able(leaves, lists=False) is not None or self._able(leaves, lists=True) is not None:
            return None
        return Sizing(self.solver).refuses(_shapes(leaves, lists=True), Fit())

    def _able(self, leaves: tuple[Leaf, ...], *, lists: bool) -> Solver | None:
        """The inner solver, by a search for the total if need be; None where neither serves the tangent saddle."""
        shapes = _shapes(leaves, lists=lists)
        return next((one for one in (self.solver, Sizing(self.solver)) if one.refuses(shapes, Fit()) is None), None)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> State:
        ceiling = _ceiling(problem, start.duals, Query(k=self.k, seed=seed), start.mixture, budget)
        return ReweightedState(0, start, ceiling, seed=seed)

    def step(self, problem: Problem, state: State, budget: Budget) -> State:
        assert isinstance(state, ReweightedState)
        before = state.response
        whole = self._able(problem.leaves, lists=False)
        solver = whole or self._able(problem.leaves, lists=True) or self.solver
        play = Play.of(problem, before.mixture, state.ceiling, keep=() if whole is None else (LinearFamily,))
        tangent = _tangent(play.problem, play.local(before.mixture))
        if tangent is None or budget.cancelled():
            return attrs.evolve(state, step=state.step + 1, stalled=tangent is None, note="the Gram is singular")
        inner = self._solved(solver, tangent, play.local(before.mixture), before, state, budget)
        response = _descended(problem, play.whole(inner.response.mixture), state, budget)
        note = f"{self.solver.name}, {inner.step} steps: {len(response.mixture)} atoms"
        if not response.upper < before.upper:
            ceiling = self._proved(problem, inner, state, budget)
            return attrs.evolve(
                state, step=state.step + 1, ceiling=ceiling, stalled=True, note=f"{note}, and no kernel is better"
            )
        query = Query(k=self.k, seed=state.step + 1)
        ceiling = _ceiling(problem, response.duals, query, response.mixture, budget)
        return ReweightedState(state.step + 1, response, ceiling, note=note, seed=state.seed)

    def _proved(self, problem: Problem, inner: State, state: State, budget: Budget) -> Ceiling:
        """What the inner solver's dual point proves of the kernel that it could not better: it solved its tangent."""
        points = problem.points(tuple(dual.alpha for dual in inner.ceiling.duals))
        query = Query(k=self.k, seed=state.step + 1)
        ceiling = _ceiling(problem, points, query, state.response.mixture, budget)
        return max(state.ceiling, ceiling, key=lambda one: one.lower)

    def _solved(
        self,
        solver: Solver,
        tangent: Problem,
        local: Mixture,
        before: Response,
        state: ReweightedState,
        budget: Budget,
    ) -> State:
        """The inner solver's answer to the tangent saddle, near enough to its optimum."""
        start = tangent.assess(local, tuple(dual.alpha for dual in before.duals))
        enough = self.inexact * (before.upper - state.ceiling.lower)
        inner = solver.init(tangent, start, state.seed, budget)
        for step in range(max(self.inner, solver.default_steps)):
            better = inner.response.upper < start.upper
            near = inner.response.upper - inner.ceiling.lower <= enough
            if inner.stalled or budget.cancelled() or (better and (near or step >= self.inner)):
                break
            inner = solver.step(tangent, inner, budget)
        return inner


def _ceiling(problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture, budget: Budget) -> Ceiling:
    """The lower bound at a kernel, for which atoms are sought as long as there is time."""
    assert isinstance(problem.criterion, Evidence)
    return problem.criterion.ceiling(problem, duals, query, at, budget)


def _descended(problem: Problem, mixture: Mixture, state: State, budget: Budget) -> Response:
    """The answer to the mixture with one atom for all that nearly coincide, if that descends; else to the whole.

    An oracle's atoms draw near to where their price is reached: an inner solver that holds them all loses accuracy.
    """
    before, lower = state.response, state.ceiling.lower
    relative = (before.upper - lower) / max(abs(before.upper), abs(lower))
    fewer = merged(mixture, _TOGETHER * math.sqrt(relative)) if 0.0 < relative < 1.0 else mixture
    if len(fewer) < len(mixture):
        response = problem.respond(fewer, before, budget)
        if response.upper < before.upper:
            return response
    return problem.respond(mixture, before, budget)


def _shapes(leaves: tuple[Leaf, ...], *, lists: bool) -> tuple[Leaf, ...]:
    """The leaves as the tangent saddle has them, where families that are no lists may lend their atoms."""
    return tuple(_shape(leaf, lists=lists) for leaf in leaves)


def _shape(leaf: Leaf, *, lists: bool) -> Leaf:
    """The leaf as the tangent saddle has it, at a price of the right shape: what an inner solver is asked about."""
    family = leaf.family
    if isinstance(family, FiniteFamily):
        own = None if leaf.penalty is None or leaf.penalty.linear else leaf.penalty
        return attrs.evolve(leaf, penalty=tilted(own, np.ones(len(family.dictionary()))))
    if isinstance(family, MatrixFamily) and not lists:
        return attrs.evolve(leaf, penalty=Price(np.eye(family.order)))
    return attrs.evolve(leaf, family=Active(family, np.zeros((0, 0))), penalty=Price(np.zeros(0)))


def _tangent(problem: Problem, mixture: Mixture) -> Problem | None:
    """The saddle with the price of log det K at a mixture; None where the Gram cannot be factored."""
    tangent = Tangent.at(problem, mixture)
    if tangent is None:
        return None
    prices = (tilted(leaf.penalty, tangent.price(problem, k)) for k, leaf in enumerate(problem.leaves))
    leaves = tuple(attrs.evolve(leaf, penalty=price) for leaf, price in zip(problem.leaves, prices, strict=True))
    return attrs.evolve(problem, leaves=leaves, criterion=Fit())
