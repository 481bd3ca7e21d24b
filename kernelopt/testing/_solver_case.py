"""What a solver's author supplies, and what the laws make of it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

import attrs
import numpy as np

from kernelopt._families._binding import loosened
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import Run, run
from kernelopt.plugin import (
    Budget,
    Ceiling,
    DualPoint,
    FloatArray,
    Gram,
    Mixture,
    Part,
    Problem,
    Query,
    Response,
    Solver,
    State,
)
from kernelopt.testing._class_laws import Calls, ClassLaws, class_untouched, nothing_printed
from kernelopt.testing._examples import Example, default_examples
from kernelopt.testing._laws import LawBroken, demand, demand_kind

KNOWN = 1e-5
"""How well an example's optimum is known, relative."""


@attrs.define(eq=False)
class Switch:
    """Says that the user asked to stop, once it is on.

    Attributes:
        on: whether it is.
    """

    on: bool = False

    def __call__(self) -> bool:
        return self.on


@attrs.frozen(eq=False)
class Watched(Problem):
    """A problem that counts what it is asked.

    Attributes:
        asked: one word for each question.
        unlimited: one word for each `respond` that got no budget, or one that does not end when that of `budget` ends.
        switch: ends `budget`.
        interrupts: each `respond` and each `ceiling` ends as if the user had pressed Ctrl-C.
    """

    asked: list[str] = attrs.field(factory=list, kw_only=True)
    unlimited: list[str] = attrs.field(factory=list, kw_only=True)
    switch: Switch = attrs.field(factory=Switch, kw_only=True)
    interrupts: bool = attrs.field(default=False, kw_only=True)

    @property
    def budget(self) -> Budget:
        """The budget that whoever calls `respond` must pass on."""
        return Budget(stop=self.switch)

    def respond_gram(
        self,
        mixture: Mixture,
        gram: Gram,
        warm: Response | Sequence[DualPoint] | None = None,
        budget: Budget | None = None,
    ) -> Response:
        self._asked("respond")
        before, self.switch.on = self.switch.on, True
        if budget is None or not budget.cancelled():
            self.unlimited.append("respond")
        self.switch.on = before
        return Problem.respond_gram(self, mixture, gram, warm, budget)

    def ceiling(
        self,
        duals: Sequence[DualPoint],
        query: Query | None = None,
        near: Mixture | None = None,
        forms: Sequence[FloatArray] | None = None,
    ) -> Ceiling:
        self._asked("ceiling")
        return Problem.ceiling(self, duals, query, near, forms)

    def value_of(self, leaf: int, atoms: FloatArray, V: FloatArray) -> FloatArray:
        self.asked.append("value_of")
        return Problem.value_of(self, leaf, atoms, V)

    def _asked(self, what: str) -> None:
        self.asked.append(what)
        if self.interrupts:
            raise KeyboardInterrupt


def watched(problem: Problem, *, interrupts: bool = False) -> Watched:
    """The same problem, counting, or one that is interrupted."""
    parts = (problem.leaves, problem.data, problem.criterion, problem.outputs, problem.accuracy)
    return Watched(*parts, interrupts=interrupts)


class SolverCase(ClassLaws):
    """The hooks of a solver's suite. A subclass writes `solver`, and `problems` where the default does not fit.

    Attributes:
        tolerance: the relative gap that it must reach on the examples.
        max_steps: within how many steps.
        steps: how many steps the other laws look at.
        questions: how many questions a step may still ask of the problem when its budget is cancelled.
    """

    tolerance: float = 1e-3
    max_steps: int = 500
    steps: int = 4
    questions: int = 8

    def solver(self) -> Solver:
        """The solver to judge."""
        # Not an abstract method: pytest passes over abstract classes in silence.
        raise NotImplementedError(f"{type(self).__name__}: write solver(self), which returns the solver to judge")

    def _plugin(self) -> Solver:
        return self.solver()

    def _calls(self, subject: Solver) -> Calls:
        yield "remark", subject.remark
        yield "lifted", partial(subject.lifted, _unchanged)
        for example in self.accepted()[:2]:
            problem, budget = example.problem, Budget()
            yield "refuses", partial(subject.refuses, problem.leaves, problem.criterion)
            yield "bound", partial(subject.bound, problem.leaves, len(example.X))
            state = yield "init", partial(subject.init, problem, problem.respond(problem.center()), 0, budget)
            for _ in range(self.steps):
                state = yield "step", partial(subject.step, problem, state, budget)
            yield "rebase", partial(subject.rebase, problem, state, state.response.mixture, budget)

    def problems(self) -> tuple[Example, ...]:
        """Small problems with known optima; those that the solver refuses are left out."""
        return default_examples()

    def accepted(self) -> tuple[Example, ...]:
        """The examples that the solver does not refuse, bound as it wants them."""
        solver = self.solver()
        bound = (self.bound(one) for one in self.problems())
        kept = tuple(one for one in bound if solver.refuses(one.problem.leaves, one.problem.criterion) is None)
        if not kept:
            detail = f"{solver.name} refuses every example: write problems(self) with examples that it serves"
            raise LawBroken("serves", detail)
        return kept

    def bound(self, example: Example) -> Example:
        """The example as the solver wants its rows bound: whole, or where it is `loose` with nothing n x n."""
        if not self.solver().loose:
            return example
        leaves = loosened(example.problem.leaves)
        data = tuple(leaf.family.bind(example.X) for leaf in leaves)
        return attrs.evolve(example, problem=attrs.evolve(example.problem, leaves=leaves, data=data))

    def states(self, example: Example, steps: int, seed: int = 0, start: Mixture | None = None) -> Iterator[State]:
        """The first states on an example, begun at the centre or at `start`."""
        yield from _states(self.solver(), example.problem, steps, seed, start)

    def first_states(self, example: Example) -> tuple[State, ...]:
        """The first `steps` states on an example, for laws that only read them: equal solvers take the steps once."""
        solver = self.solver()
        try:
            hash(solver)
        except TypeError:  # an option is a list, say
            return tuple(self.states(example, self.steps))
        return _kept_states(solver, example.problem, self.steps)

    def whole_run(self, example: Example) -> Run:
        """The run on an example from its centre, for laws that only read it: equal solvers run once."""
        solver = self.solver()
        try:
            hash(solver)
        except TypeError:
            return self._run(example)
        return _kept_run(solver, example.problem, self.tolerance, self.max_steps)

    def _run(
        self,
        example: Example,
        *,
        tolerance: float | None = None,
        max_steps: int | None = None,
        start: Mixture | None = None,
    ) -> Run:
        tolerance = self.tolerance if tolerance is None else tolerance
        return _ran(
            self.solver(), example.problem, tolerance, self.max_steps if max_steps is None else max_steps, start
        )

    def _explained(self, example: Example, done: Run, start: Mixture | None = None) -> bool:
        """Whether the solver itself said that it cannot go on, and why."""
        *_, last = self.states(example, done.trace[-1].step, start=start)
        return last.stalled and bool(last.note)


def _states(solver: Solver, problem: Problem, steps: int, seed: int, start: Mixture | None) -> Iterator[State]:
    response = problem.respond(problem.center() if start is None else start)
    with class_untouched(solver, "init has"):
        state = solver.init(problem, response, seed, Budget())
    demand_kind(state, State, "state-type", "init")
    yield state
    for _ in range(steps):
        with class_untouched(solver, "step has"):
            state = solver.step(problem, state, Budget())
        demand_kind(state, State, "state-type", "step")
        yield state


@lru_cache(maxsize=16)
def _kept_states(solver: Solver, problem: Problem, steps: int) -> tuple[State, ...]:
    return tuple(_states(solver, problem, steps, 0, None))


@lru_cache(maxsize=16)
def _kept_run(solver: Solver, problem: Problem, tolerance: float, max_steps: int) -> Run:
    return _ran(solver, problem, tolerance, max_steps, None)


def _ran(solver: Solver, problem: Problem, tolerance: float, max_steps: int, start: Mixture | None) -> Run:
    beginning = problem.respond(problem.center() if start is None else start)
    with nothing_printed():
        return run(problem, solver, beginning, Limits(tolerance, None, max_steps, None))


def _unchanged(solver: Solver) -> Solver:
    return solver


def one_atom(problem: Problem) -> Mixture:
    """The first atom of the centre with the weight of all."""
    first, *others = problem.center().parts
    alone = Part(first.atoms[:1], np.full(1, 1.0 if problem.total is None else problem.total))
    return Mixture((alone, *(Part(part.atoms[:0], part.weights[:0]) for part in others)))


def demand_true_bounds(example: Example, state: State, when: str) -> None:
    """Both bounds of a state hold: lower <= optimum <= upper, and both are proved by what comes with them."""
    problem, optimum = example.problem, example.optimum
    room = KNOWN * abs(optimum) + 1e-9
    upper, lower = state.response.upper, state.ceiling.lower
    where = f"{when} on {example.name}"
    detail = f"{where}: the lower bound {lower:.10g} is above the optimum {optimum:.10g}"
    demand(not np.isnan(lower) and lower <= optimum + room, "lower-true", detail)
    detail = f"{where}: the upper bound {upper:.10g} is below the optimum {optimum:.10g}"
    demand(not np.isnan(upper) and upper >= optimum - room, "upper-true", detail)
    proved = problem.assess(state.response.mixture, tuple(dual.alpha for dual in state.response.duals)).upper
    detail = f"{where}: the upper bound {upper:.10g} is below {proved:.10g}, which its kernel and dual point prove"
    demand(upper >= proved - room, "upper-proved", detail)
    for duals in (state.response.duals, state.ceiling.duals):
        points = problem.points(tuple(dual.alpha for dual in duals))
        right = all(np.allclose(one.v, point.v, rtol=1e-9) for one, point in zip(duals, points, strict=True))
        detail = (
            f"{where}: v of a dual point must be E alpha of its alpha, of which lower bounds and predictions are made"
        )
        demand(right, "dual-points", detail)
        right = all(np.isclose(one.h, point.h, rtol=1e-9) for one, point in zip(duals, points, strict=True))
        demand(right, "dual-points", f"{where}: h of a dual point must be h(alpha) of its alpha")
    proved = problem.ceiling(problem.points(tuple(dual.alpha for dual in state.ceiling.duals))).lower
    detail = f"{where}: the lower bound {lower:.10g} is above {proved:.10g}, which its dual point proves"
    demand(lower <= proved + room, "lower-proved", detail)


def demand_mixture(example: Example, state: State, when: str) -> None:
    """The mixture has one part a leaf, atoms of the family's width, weights >= 0 with the right sum."""
    parts, center = state.response.mixture.parts, example.problem.center().parts
    where = f"{when} on {example.name}"
    detail = f"{where}: a mixture needs one part for each of the {len(center)} leaves, got {len(parts)}"
    demand(len(parts) == len(center), "mixture-parts", detail)
    for part, like in zip(parts, center, strict=True):
        right = part.atoms.ndim == 2 and part.weights.shape == (len(part.atoms),)
        right = right and (not len(part) or part.atoms.shape[1] == like.atoms.shape[1])
        demand(right, "mixture-parts", f"{where}: atoms must be (m, {like.atoms.shape[1]}), weights (m,)")
        detail = f"{where}: weights must be finite and >= 0, got {part.weights}"
        demand(bool(np.isfinite(part.weights).all()) and bool(np.all(part.weights >= 0.0)), "weights-sign", detail)
    total = example.problem.total
    mass = state.response.mixture.mass
    detail = f"{where}: the weights must sum to {total}, they sum to {mass!r}"
    demand(total is None or abs(mass - total) <= 1e-12 * total, "weights-sum", detail)


def fingerprint(state: State) -> tuple[FloatArray, ...]:
    """What a state says: bounds, mixture and dual points."""
    bounds = np.array([state.step, state.response.upper, state.ceiling.lower])
    parts = [array for part in state.response.mixture.parts for array in (part.atoms, part.weights)]
    alphas = [dual.alpha for dual in (*state.response.duals, *state.ceiling.duals)]
    return (bounds, *parts, *alphas)


def same(first: State, second: State) -> bool:
    """Whether two states say the same to the last bit."""
    pairs = zip(fingerprint(first), fingerprint(second), strict=False)
    return all(np.array_equal(a, b) for a, b in pairs)
