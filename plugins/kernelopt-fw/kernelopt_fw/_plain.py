"""Plain Frank-Wolfe with line search."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt.plugin import (
    Budget,
    Ceiling,
    Criterion,
    Dense,
    FloatArray,
    Leaf,
    Mixture,
    Problem,
    Query,
    Response,
    Solver,
    State,
    within,
)


def refuses_penalty(leaves: tuple[Leaf, ...]) -> str | None:
    """Why Frank-Wolfe cannot serve these leaves: a price on kernels bends the objective that its steps assume."""
    for leaf in leaves:
        if leaf.penalty is not None:
            return f"{leaf.family.name} puts a price on its kernels, and Frank-Wolfe steps assume none"
    return None


def towards(mixture: Mixture, leaf: int, atom: FloatArray, step: float) -> Mixture:
    """(1 - step) mixture + step k_atom."""
    parts = [part.scaled(1.0 - step) for part in mixture.parts]
    parts[leaf] = parts[leaf].with_atom(atom, step)
    return Mixture(tuple(part.kept() for part in parts))


@attrs.frozen
class PlainFrankWolfe(Solver):
    """K <- (1 - t) K + t K_a with the oracle's best atom a, t by an exact line search.

    The slope along the step is known from one response, -1/2 v'(K_a - K)v, so the line search is a root search.

    Talitckii, Colbert and Peet (2024), Algorithm 2.

    Attributes:
        searches: responses that one line search may take, >= 1.
        slope: the line search ends where the slope fell to this share of its start, in (0, 1].
    """

    name: ClassVar[str] = "plain-fw"
    gram_copies: ClassVar[int] = 4

    searches: int = attrs.field(default=8, validator=within(1, 100, integer=True))
    slope: float = attrs.field(default=0.05, validator=within(1e-6, 1.0))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        return refuses_penalty(leaves)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> State:  # noqa: ARG002
        return State(0, start, problem.ceiling(start.duals, Query(seed=seed)))

    def step(self, problem: Problem, state: State, budget: Budget) -> State:
        response, length = self._search(problem, state.response, state.ceiling, budget)
        ceiling = problem.ceiling(response.duals, Query(seed=state.step))
        return State(state.step + 1, response, ceiling, stalled=length == 0.0, note=f"step length {length:.2g}")

    def _search(self, problem: Problem, response: Response, ceiling: Ceiling, budget: Budget) -> tuple[Response, float]:
        """The best response on the segment to the best atom, and where it lies."""
        leaf, atom = ceiling.best
        K = problem.gram(response.mixture).dense()
        K_a = problem.gram(towards(response.mixture, leaf, atom, 1.0)).dense()
        best, length = response, 0.0
        low, high = 0.0, 1.0
        first = at_low = _slope(K, K_a, response)
        at_high = 0.0
        t = 1.0
        for _ in range(self.searches):
            mixture = towards(response.mixture, leaf, atom, t)
            trial = problem.respond_gram(mixture, Dense((1.0 - t) * K + t * K_a), best, budget)
            if trial.upper < best.upper:
                best, length = trial, t
            slope = _slope(K, K_a, trial)
            if abs(slope) <= self.slope * abs(first) or budget.cancelled():
                break
            if slope < 0.0:
                low, at_low = t, slope
                if high == t:
                    break
            else:
                high, at_high = t, slope
            # The root of the chord, kept away from both ends.
            root = low + (high - low) * (at_low / (at_low - at_high)) if at_high > 0.0 else 0.5 * (low + high)
            t = float(np.clip(root, low + 0.05 * (high - low), high - 0.05 * (high - low)))
        return best, length


def _slope(K: FloatArray, K_a: FloatArray, response: Response) -> float:
    """-1/2 sum_c v'(K_a - K)v, the slope of the objective along the segment at this response."""
    V = response.V
    support = response.support
    block = np.ix_(support, support)
    return -0.5 * float(np.vdot(V[support], (K_a[block] - K[block]) @ V[support]))
