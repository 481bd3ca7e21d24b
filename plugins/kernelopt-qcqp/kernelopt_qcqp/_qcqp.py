"""The solver: cone programs over a growing list of atoms, each answer certified by the core."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt.interior import narrowed, thinned
from kernelopt.plugin import (
    Budget,
    Criterion,
    FiniteFamily,
    Leaf,
    Norm,
    Price,
    Problem,
    Query,
    Response,
    Solver,
    Square,
    State,
    one_of,
    untilted,
    within,
)
from kernelopt_qcqp._active_atoms import Active, count, first, grams, grown, leaner, listed, mixture_of, weighty
from kernelopt_qcqp._backends import CHOICES, replaced, solve
from kernelopt_qcqp._cone_program import Master, Units, master
from kernelopt_qcqp._program_arrays import Answer
from kernelopt_qcqp._shared_columns import Priced, Radius, Share, Tail

_SHARE = 10.0
"""The first programs' tolerance in units of the engine's; what an interior point meets last, it exceeds.
Worth: `constants.py qcqp.share`."""
_PRECISION = 1e-8
"""What of an atom's Gram the first programs leave out, as a share of its largest diagonal entry.
Worth: `constants.py qcqp.precision`."""
_FINER = 1e-2
"""By how much the last programs are sharper, those where no atom is missing; of a Gram they leave out so much less,
twice over: it is the factor's square. Worth: `constants.py qcqp.finer`."""
_FINEST = 1e-10
"""More than this relative accuracy is asked of no cone solver."""
_MOST_TRIED = 64
"""Of each leaf, how many atoms are tried on a sample at most. Worth: `constants.py qcqp.most_tried`."""
_LIGHT = 1e-3
"""An atom with less weight on a sample does not enter the first program on all rows.
Worth: `constants.py qcqp.light`."""
_BEGUN = 2
"""Atoms of each leaf in the first program, at most: often few have weight, and a program takes as long as it has
cones. Worth: `constants.py qcqp.begun`."""
_IDLE = 1e-5
"""An atom with less of the weight leaves when others enter: the optimum of its program is the same without it.
Worth: `constants.py qcqp.idle`."""
_FEW = 2
"""A sample is worth drawing where there are more than so many times its rows. Worth: `constants.py qcqp.few`."""


@attrs.frozen(eq=False)
class ConeState(State):
    """The atoms in play.

    Attributes:
        active: their numbers in each leaf's dictionary, sorted.
        sampled: whether the next program is one on a sample, to see which atoms matter.
        last: whether the next program moves every variable, and is sharper: before it, no atom was missing.
    """

    active: Active = attrs.field(kw_only=True)
    sampled: bool = attrs.field(kw_only=True, default=False)
    last: bool = attrs.field(kw_only=True, default=False)


@attrs.frozen
class QCQP(Solver):
    """The saddle over a finite list as a second-order cone program; the weights are multipliers of its cones.

        max over alpha in A    h(alpha) - r^2 / 2,    r >= |F_a' v| for every atom a

    Few atoms have weight at the optimum, so few are in play: those that have weight on a sample of the rows where
    there are many rows, else those that are best for the start's dual variables. After each answer the oracle tells
    which others it violates, and those without weight leave. Dual variables far from the margin are held at their
    bounds, until the last programs move all.

    Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan (2004); Bach, Lanckriet and Jordan (2004), (D_K);
    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), (21).

    Attributes:
        backend: "clarabel", "ecos", "mosek", or "auto": MOSEK where it is installed and licensed, else Clarabel. One
            that is missing or does not solve a program is replaced by Clarabel, with a note.
        add: atoms of each leaf that enter at a time, >= 1, fewer in the first program; those with thin factors enter
            all at once.
        band: dual variables of each output that move at least, >= 1; where more than half would move, all do.
        rough: rows of the sample, >= 10; one is drawn where there are more than twice as many.
    """

    name: ClassVar[str] = "qcqp"
    default_steps: ClassVar[int] = 200
    patience: ClassVar[int] = 20
    gram_copies: ClassVar[int] = 12

    backend: str = attrs.field(default="auto", validator=one_of(*CHOICES))
    add: int = attrs.field(default=3, validator=within(1, 10**6, integer=True))
    band: int = attrs.field(default=200, validator=within(1, 10**9, integer=True))
    rough: int = attrs.field(default=200, validator=within(10, 10**9, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if not isinstance(untilted(leaf.penalty), Price | Norm | Square | None):
                return f"the price of {leaf.family.name} is {type(leaf.penalty).__name__}, wanted Price, Norm or Square"
            if not isinstance(leaf.family, FiniteFamily):
                return f"{leaf.family.name} is not a finite list of atoms"
        return None

    def remark(self) -> str | None:
        return replaced(self.backend)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> ConeState:  # noqa: ARG002
        sampled = problem.n > _FEW * self.rough and problem.is_center(start.mixture)
        most = _MOST_TRIED if sampled else min(self.add, _BEGUN)
        ceiling = problem.ceiling(start.duals, Query(k=most, seed=seed))
        return ConeState(0, start, ceiling, active=first(problem, start, ceiling, most), sampled=sampled)

    def step(self, problem: Problem, state: State, budget: Budget) -> ConeState:
        assert isinstance(state, ConeState)
        if budget.cancelled():
            return attrs.evolve(state, step=state.step + 1, note="cancelled")
        program = self._master(problem, state)
        tolerance = max(_SHARE * problem.accuracy * (_FINER if state.last else 1.0), _FINEST)
        answer = solve(self.backend, program.program, tolerance, budget.remaining())
        if not answer.usable:
            return self._failed(problem, state, answer)
        return (self._entered if state.sampled else self._certified)(problem, state, program, answer, budget)

    def _master(self, problem: Problem, state: ConeState) -> Master:
        """The program of this state: its atoms, its accuracy, and the variables that may move."""
        outputs = problem.outputs
        if state.sampled:
            outputs = thinned(problem, self.rough, 0).outputs
        elif not state.last and problem.n > 2 * self.band:
            gram = problem.gram(state.response.mixture)
            outputs = narrowed(problem, state.response, gram, self.band).problem.outputs
        precision = _PRECISION * (_FINER**2 if state.last else 1.0)
        units = _units(state)
        return master(outputs, grams(problem, state.active), _tail(problem, state.active, units), units, precision)

    def _failed(self, problem: Problem, state: ConeState, answer: Answer) -> ConeState:
        """Without numbers: a sample is given up, a program on all rows is the end."""
        if not state.sampled:
            return attrs.evolve(state, step=state.step + 1, stalled=True, note=answer.note)
        active = first(problem, state.response, state.ceiling, self.add)
        return attrs.evolve(state, step=state.step + 1, active=active, sampled=False, note=f"no sample, {answer.note}")

    def _entered(
        self, problem: Problem, state: ConeState, program: Master, answer: Answer, budget: Budget
    ) -> ConeState:
        """After a sample: the kernel that it found, on all rows, with the atoms that have weight."""
        mixture = mixture_of(problem, state.active, program.weights(answer))
        response = problem.respond(mixture, None, budget)
        ceiling = problem.ceiling(response.duals)
        active = weighty(problem, state.active, mixture, _LIGHT)
        note = f"{count(state.active)} atoms on {self.rough} rows, {answer.note}"
        return ConeState(state.step + 1, response, ceiling, note=note, active=active)

    def _certified(
        self, problem: Problem, state: ConeState, program: Master, answer: Answer, budget: Budget
    ) -> ConeState:
        """After a program on all rows: both bounds, and what it lacks: atoms, or accuracy."""
        mixture, alphas = mixture_of(problem, state.active, program.weights(answer)), program.alphas(answer)
        ceiling = problem.ceiling(problem.points(alphas))
        response = problem.respond(mixture, problem.assess(mixture, alphas), budget)
        active = grown(problem, state.active, ceiling, mixture, self.add)
        complete = count(active) == count(state.active)
        if not complete and _fell(problem, state.response, response):
            active = leaner(problem, state.active, active, mixture, _IDLE)
        return ConeState(
            state.step + 1,
            response,
            max(ceiling, problem.ceiling(response.duals), key=lambda one: one.lower),
            stalled=complete and state.last,
            note=f"{count(state.active)} atoms, {answer.note}",
            active=active,
            last=complete or state.last,
        )


def _fell(problem: Problem, before: Response, after: Response) -> bool:
    """Whether the upper bound fell by more than the engine's accuracy. Only then do atoms leave: where dual variables
    are not unique, the same atoms could leave and enter in turn for ever.
    """
    return before.upper - after.upper > problem.accuracy * abs(after.upper)


def _units(state: ConeState) -> Units:
    """The sizes at the state's dual points; 1 where these are 0."""
    alpha = max(float(np.abs(dual.alpha).max(initial=0.0)) for dual in state.response.duals)
    value = max(sum(dual.quad for dual in state.response.duals), abs(state.response.h))
    return Units(alpha or 1.0, value or 1.0)


def _tail(problem: Problem, active: Active, units: Units) -> Tail:
    """What bounds the atoms' squares: the radius alone, or with their prices."""
    if problem.total is not None and all(leaf.penalty is None for leaf in problem.leaves):
        return Radius(problem.total)
    pairs = [(leaf, listed(leaf)[mine]) for leaf, mine in zip(problem.leaves, active, strict=True)]
    return Priced(tuple(Share.of(leaf.listed(atoms), len(atoms), units.value) for leaf, atoms in pairs), problem.total)
