"""The chain of two solvers: the second one continues where the first one became slow."""

from typing import Any, ClassVar

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import within
from kernelopt._criteria._contract import Criterion
from kernelopt._families._leaf import Leaf
from kernelopt._plugins._registry import resolve
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._contract import Solver, State
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._solvers._adapters import refusal, serving


@attrs.frozen(eq=False)
class ChainState(State):
    """The state of the member at work, and the best bounds of both.

    Attributes:
        inner: the member's own state.
        handed: whether the second member is at work.
        best: the answer with the lowest upper bound so far.
        anchor: the best lower bound so far.
        gaps: the relative gaps of the first member's last steps, the latest last.
    """

    inner: State = attrs.field(kw_only=True)
    handed: bool = attrs.field(kw_only=True, default=False)
    best: Response = attrs.field(kw_only=True)
    anchor: Ceiling = attrs.field(kw_only=True)
    gaps: tuple[float, ...] = attrs.field(kw_only=True, default=())


def _member(spec: Any) -> Solver:
    solver = resolve("solver", spec)
    assert isinstance(solver, Solver)
    if solver.loose:
        raise InvalidOption(
            f'chain: {solver.name} cannot be a member; put the chain inside: {{"name": "{solver.name}", "solver": ...}}'
        )
    return solver


def _first() -> Any:
    return "fw"


def _then() -> Any:
    return "apd"


@attrs.frozen
class Chain(Solver):
    """Two solvers in turn: the second goes on from the kernel, the dual variables and the bounds of the first.

    The first solver hands over in three cases: the last `window` steps left more than the share `rate` of the relative
    gap; the relative gap is at most `gap`; or the solver stalls. `solver="fw+apd"` is a chain of two solvers, and
    "a+b+c" is a chain whose second member is "b+c". If a member cannot work with the families, it works with a list of
    their atoms, to which an exchange adds the best atoms.

    Talitckii, Colbert and Peet (2024), appendix B.6, chain Frank-Wolfe and an accelerated primal-dual method.

    Attributes:
        first: the first solver: a name, an object or a mapping.
        then: the second solver: a name, an object or a mapping.
        gap: the relative gap at which the first solver hands over, from 0 to 1. With 0, only the progress of the steps
            counts.
        window: the number of steps over which the progress of the first solver is measured, an integer >= 1.
        rate: the share of the relative gap that `window` steps may leave, in (0, 1].

    Raises:
        InvalidOption: an option is out of its range, or a member is a working set.
    """

    name: ClassVar[str] = "chain"
    patience: ClassVar[int] = 100

    first: Solver = attrs.field(factory=_first, converter=_member)
    then: Solver = attrs.field(factory=_then, converter=_member)
    gap: float = attrs.field(default=0.0, validator=within(0.0, 1.0))
    window: int = attrs.field(default=8, validator=within(1, 10**6, integer=True))
    rate: float = attrs.field(default=0.5, validator=within(1e-6, 1.0))

    @property
    def default_steps(self) -> int:  # type: ignore[override]
        """The sum of the limits of both solvers."""
        return self.first.default_steps + self.then.default_steps

    @property
    def gram_copies(self) -> int:  # type: ignore[override]
        """The larger number of both solvers."""
        return max(self.first.gram_copies, self.then.gram_copies)

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        for member in (self.first, self.then):
            if serving(member, leaves, criterion) is None:
                return refusal(member, leaves, criterion)
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> ChainState:
        inner = _fitted(self.first, problem).init(problem, start, seed, budget)
        response, ceiling = inner.response, inner.ceiling
        gaps = (_gap(response, ceiling),)
        return ChainState(0, response, ceiling, note=inner.note, inner=inner, best=response, anchor=ceiling, gaps=gaps)

    def step(self, problem: Problem, state: State, budget: Budget) -> ChainState:
        assert isinstance(state, ChainState)
        if not state.handed and self._slow(state):
            return self._handed(problem, state, budget)
        member = self.then if state.handed else self.first
        inner = _fitted(member, problem).step(problem, state.inner, budget)
        after = _advanced(state, inner)
        return attrs.evolve(
            after,
            stalled=inner.stalled and state.handed,
            note=f"{member.name}: {inner.note}" if inner.note else member.name,
            gaps=() if state.handed else (*state.gaps, _gap(after.best, after.anchor))[-self.window - 1 :],
        )

    def _slow(self, state: ChainState) -> bool:
        """Whether the first solver has ended, so that the second one takes over."""
        if state.inner.stalled or state.gaps[-1] <= self.gap:
            return True
        return len(state.gaps) > self.window and state.gaps[-1] > self.rate * state.gaps[0]

    def _handed(self, problem: Problem, state: ChainState, budget: Budget) -> ChainState:
        """The second member's start from the best answer, with the dual point of the best lower bound beside it."""
        then = _fitted(self.then, problem)
        known = State(state.step, state.best, state.anchor)
        after = _advanced(state, then.rebase(problem, known, state.best.mixture, budget))
        note = f"{self.first.name} hands over to {self.then.name} at a relative gap of {state.gaps[-1]:.1e}"
        return attrs.evolve(after, handed=True, stalled=False, note=note, gaps=())


def _fitted(member: Solver, problem: Problem) -> Solver:
    """The member, with what it needs around it to serve these leaves."""
    return serving(member, problem.leaves, problem.criterion) or member


def _advanced(state: ChainState, inner: State) -> ChainState:
    """One step further, with the member's new state and the better of its bounds and the best so far."""
    return attrs.evolve(
        state,
        step=state.step + 1,
        response=inner.response,
        ceiling=inner.ceiling,
        inner=inner,
        best=min(state.best, inner.response, key=lambda one: one.upper),
        anchor=max(state.anchor, inner.ceiling, key=lambda one: one.lower),
    )


def _gap(response: Response, ceiling: Ceiling) -> float:
    """The relative gap of two bounds."""
    return Certificate(response.upper, ceiling.lower, ceiling.exact).relative_gap
