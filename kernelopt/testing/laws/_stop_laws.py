"""Laws of how a solver stops: within a budget, at a deadline, and on Ctrl-C."""

from collections.abc import Callable
from functools import partial

from kernelopt.plugin import Budget, Solver, State
from kernelopt.testing._interrupts import Modules, lines_of
from kernelopt.testing._laws import demand
from kernelopt.testing._solver_case import SolverCase, Watched, demand_mixture, demand_true_bounds, watched

_QUESTIONS = (1, 4)
"""At these questions of the problem a budget is cancelled."""
_LINES = 10_000
"""So many lines are more than a few for a dozen rows."""


class StopLaws(SolverCase):
    """Laws of `init`, `step` and `rebase` when somebody asks them to end."""

    def test_cancelled_step_returns(self) -> None:
        """With a cancelled budget a step asks few questions, runs few lines of its own, and its bounds are true."""
        modules = Modules.of(self.solver())
        for example in self.accepted():
            solver, problem = self.solver(), watched(example.problem)
            cancelled = Budget(stop=_yes)
            state = solver.init(problem, problem.respond(problem.center(), None, Budget()), 0, Budget())
            for name in ("init", "step"):
                problem.asked.clear()
                given = (state.response, 0) if name == "init" else (state,)
                after, lines = lines_of(partial(getattr(solver, name), problem, *given, cancelled), modules)
                detail = (
                    f"{name} with a cancelled budget ran {lines} lines of its own on {example.name}, wanted {_LINES} "
                    "at most; let each loop end where budget.cancelled(), because a step of many rows would take hours"
                )
                demand(lines <= _LINES, "budget", detail)
                asked = len(problem.asked)
                detail = (
                    f"{name} with a cancelled budget asked {asked} questions of the problem, wanted {self.questions}"
                )
                demand(asked <= self.questions, "budget", f"{detail} at most, on {example.name}")
                demand_mixture(example, after, f"{name} with a cancelled budget")
                demand_true_bounds(example, after, f"{name} with a cancelled budget")

    def test_step_returns_soon_after_it_is_cancelled(self) -> None:
        """If a budget is cancelled within init, step or rebase, the method asks only a few questions more."""
        for example in self.accepted()[:2]:
            solver, problem = self.solver(), watched(example.problem)
            state = solver.init(problem, problem.respond(problem.center(), None, Budget()), 0, Budget())
            calls = {
                "init": partial(solver.init, problem, state.response, 0),
                "step": partial(solver.step, problem, state),
                "rebase": partial(solver.rebase, problem, state, state.response.mixture),
            }
            for name, call in calls.items():
                for after in _QUESTIONS:
                    asked = _asked_after(problem, call, after)
                    detail = (
                        f"{name} asked {asked} questions of the problem after its budget was cancelled, at question "
                        f"{after}, wanted {self.questions} at most, on {example.name}; let each loop within {name} end "
                        "where budget.cancelled()"
                    )
                    demand(asked <= self.questions, "budget", detail)

    def test_budget_is_passed_on(self) -> None:
        """Each problem.respond within init, step or rebase gets their budget, so that a deadline reaches it."""
        for example in self.accepted()[:2]:
            solver, problem = self.solver(), watched(example.problem)
            state = solver.init(problem, problem.respond(problem.center(), None, problem.budget), 0, problem.budget)
            _demand_limited(problem, "init")
            for _ in range(self.steps):
                state = solver.step(problem, state, problem.budget)
            _demand_limited(problem, "step")
            solver.rebase(problem, state, state.response.mixture, problem.budget)
            _demand_limited(problem, "rebase")

    def test_interrupt_passes_through(self) -> None:
        """A KeyboardInterrupt that is raised within a step leaves the step."""
        for example in self.accepted()[:2]:
            solver, problem = self.solver(), example.problem
            state = solver.init(problem, problem.respond(problem.center(), None, Budget()), 0, Budget())
            interrupted = watched(problem, interrupts=True)
            if _ends(solver, interrupted, state):
                detail = (
                    "step caught the KeyboardInterrupt that was raised within it, so that Ctrl-C cannot end the run; "
                    "catch Exception, or a narrower class, and not BaseException"
                )
                demand(not interrupted.asked, "interrupt", f"{detail}, on {example.name}")


def _ends(solver: Solver, problem: Watched, state: State) -> bool:
    """Whether the step returns, although the problem is interrupted."""
    try:
        solver.step(problem, state, Budget())
    except KeyboardInterrupt:
        return False
    return True


def _asked_after(problem: Watched, call: Callable[[Budget], State], after: int) -> int:
    """How many questions a call asks of the problem after the budget is cancelled, which it is at question `after`."""
    problem.asked.clear()
    call(Budget(stop=lambda: len(problem.asked) >= after))
    return len(problem.asked) - after


def _demand_limited(problem: Watched, method: str) -> None:
    detail = (
        f"{method} called problem.respond {len(problem.unlimited)} times without the budget that it got; pass the "
        f"`budget` of {method} on, because a new Budget() has no deadline and no stop"
    )
    demand(not problem.unlimited, "budget-passed", detail)


def _yes() -> bool:
    return True
