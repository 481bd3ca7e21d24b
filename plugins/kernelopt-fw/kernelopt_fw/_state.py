"""Where the corrective solver stands, and what a master's answer is worth on all variables."""

import attrs

from kernelopt.interior import Held
from kernelopt.plugin import Budget, Ceiling, FloatArray, Gram, Mixture, Problem, Response, State, settled
from kernelopt_fw._working_set import WorkingSet


@attrs.frozen(eq=False)
class CorrectiveState(State):
    """The working sets, the best bounds, and what the course of the gap says of the next master.

    Attributes:
        working: one for each leaf.
        upper: the best upper bound so far.
        anchor: the best lower bound so far, with its dual point.
        sharpness: the next master's relative gap, as a share of the whole gap.
        memory: how many directions the next master remembers.
        held: the next master's problem: variables far from the margin are held.
        band: how many variables of each output move in the next master, at least.
        damping: how much nearer to the best dual point the next one shall stay than the tangents say, >= 1.
    """

    working: tuple[WorkingSet, ...] = attrs.field(kw_only=True)
    upper: float = attrs.field(kw_only=True)
    anchor: Ceiling = attrs.field(kw_only=True)
    sharpness: float = attrs.field(kw_only=True)
    memory: int = attrs.field(kw_only=True)
    held: Held = attrs.field(kw_only=True)
    band: int = attrs.field(kw_only=True)
    damping: float = attrs.field(kw_only=True, default=1.0)

    @property
    def size(self) -> float:
        """The larger of the two bounds' sizes."""
        return max(abs(self.upper), abs(self.anchor.lower))

    @property
    def gap(self) -> float:
        """The relative gap of the best bounds."""
        return max(self.upper - self.anchor.lower, 0.0) / self.size if self.size else 0.0


def answers(
    problem: Problem, mixture: Mixture, alphas: tuple[FloatArray, ...], gram: Gram, budget: Budget
) -> tuple[Response, Response]:
    """What the master's dual variables prove at its kernel, those near a bound put on it; and all variables' answer."""
    visible = tuple(
        settled(qp, alpha, gram.apply(qp.embed(alpha))) for qp, alpha in zip(problem.outputs, alphas, strict=True)
    )
    reached = problem.assess(mixture, visible, gram)
    return reached, problem.respond_gram(mixture, gram, reached, budget)


def widened(problem: Problem, band: int, reached: Response, response: Response, ceiling: Ceiling) -> int:
    """The next band: twice this one where the variables that were held cost more than the kernels left out.

    At the master's kernel, `response` is the answer of all variables and `reached` the master's own.
    """
    objective = sum(dual.objective for dual in reached.duals)
    held, kernels = response.upper - objective, objective - ceiling.lower
    return min(2 * band, max(qp.size for qp in problem.outputs)) if held > kernels else band
