"""The contract of a solver, which chooses the atoms and their weights step by step; the core runs the loop of steps."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import attrs

from kernelopt._base._budget import Budget
from kernelopt._criteria._contract import Criterion
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response


@attrs.frozen(eq=False)
class State:
    """The state of a solver after a step; a solver that stores more values adds frozen fields in a subclass.

    Attributes:
        step: the number of steps that were made.
        response: a kernel with the best answer to it, which gives the upper bound.
        ceiling: a dual point with the oracle's answer, which gives the lower bound. It may be another dual point than
            that of the response.
        stalled: whether the solver knows that it cannot improve either bound.
        note: one line on this step for the trace.
    """

    step: int
    response: Response
    ceiling: Ceiling
    stalled: bool = False
    note: str = ""

    @property
    def unfinished(self) -> Response | None:
        """An answer that the solver would not give yet, and that may be better than `response`: a run that ends before
        its tolerance takes the better one. None by default.
        """
        return None


class Solver(ABC):
    """A method that finds the best kernel together with its machine: a first state, and a step from state to state.

    The options of a solver are the fields of its class, which is frozen.
    """

    name: ClassVar[str]
    """The name by which users ask for the solver, as in `solver="fw"`."""
    default_steps: ClassVar[int] = 1000
    """The number of steps after which the core stops if the user sets no limit."""
    patience: ClassVar[int] = 30
    """The core ends a run as stalled if this number of steps in a row neither shrink the gap by a hundredth nor lower
    the upper bound by a hundredth of the gap."""
    gram_copies: ClassVar[int] = 2
    """The largest number of n x n arrays that the solver holds, with the copy of the engine that solves for the dual
    variables; the core checks before any work that the memory is large enough."""

    loose: ClassVar[bool] = False
    """Whether families should bind data without n x n arrays for this solver, as for `WorkingSet`."""

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        """None, or one sentence that says why this solver cannot serve these leaves with this criterion."""
        return None

    def remark(self) -> str | None:
        """One sentence on how this solver works here, such as that a library is missing; it becomes a note.

        The default, None, says that there is nothing to tell.
        """
        return None

    def bound(self, leaves: tuple[Leaf, ...], n: int) -> tuple[Leaf, ...]:  # noqa: ARG002
        """The leaves in the form in which the solver wants them to bind n rows; by default unchanged."""
        return leaves

    @abstractmethod
    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> State:
        """The state before the first step, from the answer to the kernel to start with."""

    def begin(self, problem: Problem, mixture: Mixture, seed: int, budget: Budget) -> State:
        """The state before the first step, from a kernel without an answer; by default the kernel is answered first."""
        return self.init(problem, problem.respond(mixture, None, budget), seed, budget)

    @abstractmethod
    def step(self, problem: Problem, state: State, budget: Budget) -> State:
        """The next state. Pure: the same problem and state give the same answer, and `state` stays as it was."""

    def lifted(self, exchange: "Callable[[Solver], Solver]") -> "Solver":
        """This solver with an exchange that adds atoms to its list, for families that it cannot work with itself.

        Args:
            exchange: a function that puts an exchange around a solver. A solver that leaves the work to an inner solver
                puts the exchange around the inner solver.
        """
        return exchange(self)

    def rebase(self, problem: Problem, state: State, kept: Mixture, budget: Budget) -> State:
        """A state for a problem whose atoms were added or removed, or after another solver; by default a new start.

        Args:
            problem: the problem to go on with.
            state: the last state of this solver or of the other one. The dual points of its response and of its ceiling
                are still valid; the bounds need not be.
            kept: the mixture to start from; the default starts from the answer to it, with the last dual variables.
            budget: the time that the calling step may still take.
        """
        return self.init(problem, problem.respond(kept, state.response, budget), 0, budget)


class ConcaveSolver(Solver):
    """A solver for criteria with a concave term in the kernel (`ConcaveCriterion`); it serves no other criteria.

    The response and the ceiling of a state belong to the same kernel, and no step raises the objective.
    """
