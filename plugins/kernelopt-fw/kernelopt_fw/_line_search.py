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

_SHARPER, _SHARPEST = 1e-3, 1e-12
"""Where no step is found, machines are solved to this share of the accuracy, and to this accuracy at best."""


def towards(mixture: Mixture, leaf: int, atom: FloatArray, step: float, total: float = 1.0) -> Mixture:
    """(1 - step) mixture + step total k_atom."""
    parts = [part.scaled(1.0 - step) for part in mixture.parts]
    parts[leaf] = parts[leaf].with_atom(atom, step * total)
    return Mixture(tuple(part.kept() for part in parts))


def vertex(problem: Problem, response: Response, ceiling: Ceiling) -> tuple[int, FloatArray]:
    """The leaf and the atom (p,) along which the objective falls fastest at this response.

    A ceiling's atoms are best where prices are replaced by their tangents somewhere; here they are at this mixture.
    """
    best: list[tuple[float, FloatArray]] = []
    for k, (leaf, part, answer) in enumerate(zip(problem.leaves, response.mixture.parts, ceiling.atoms, strict=True)):
        if leaf.penalty is None:
            best.append((leaf.factor * float(answer.values[0]), answer.atoms[0]))
            continue
        slope = leaf.penalty.gradient(leaf.parameters(part))
        net = leaf.values(problem.data[k], response.V) - 2.0 * slope
        top = leaf.linear.leading(net, 1)
        best.append((top.ceiling, top.atoms[0]))
    leaf_number = int(np.argmax([value for value, _ in best]))
    return leaf_number, best[leaf_number][1]


@attrs.frozen
class PlainFrankWolfe(Solver):
    """K <- (1 - t) K + t K_a with the oracle's best atom a, t by an exact line search.

    The slope along the step is known from one response, -1/2 v'(K_a - K)v and that of the price, so the line search is
    a root search.

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
        if all(leaf.total is None for leaf in leaves):
            return "its steps move towards an atom with all of the weight, and the weights here can have any sum"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> State:  # noqa: ARG002
        return State(0, start, problem.ceiling(start.duals, Query(seed=seed)))

    def step(self, problem: Problem, state: State, budget: Budget) -> State:
        response, length = self._search(problem, state.response, state.ceiling, budget)
        if length == 0.0 and not budget.cancelled():
            # A step may gain less than the answers to kernels are exact: once more, with sharper ones.
            sharp = attrs.evolve(problem, accuracy=max(_SHARPER * problem.accuracy, _SHARPEST))
            response = sharp.respond(response.mixture, response, budget)
            response, length = self._search(sharp, response, sharp.ceiling(response.duals), budget)
        ceiling = problem.ceiling(response.duals, Query(seed=state.step))
        return State(state.step + 1, response, ceiling, stalled=length == 0.0, note=f"step length {length:.2g}")

    def _search(self, problem: Problem, response: Response, ceiling: Ceiling, budget: Budget) -> tuple[Response, float]:
        """The best response on the segment to the best atom, and where it lies."""
        total = problem.total or 1.0
        leaf, atom = vertex(problem, response, ceiling)
        end = towards(response.mixture, leaf, atom, 1.0, total)
        K, K_a = problem.gram(response.mixture).dense(), problem.gram(end).dense()

        def slope(at: Response) -> float:
            return _slope(K, K_a, at) + _climb(problem, response.mixture, end, at.mixture)

        best, length = response, 0.0
        low, high = 0.0, 1.0
        first = at_low = slope(response)
        at_high = 0.0
        t = 1.0
        for _ in range(self.searches):
            mixture = towards(response.mixture, leaf, atom, t, total)
            trial = problem.respond_gram(mixture, Dense((1.0 - t) * K + t * K_a), best, budget)
            if trial.upper < best.upper:
                best, length = trial, t
            rise = slope(trial)
            if abs(rise) <= self.slope * abs(first) or budget.cancelled():
                break
            if rise < 0.0:
                low, at_low = t, rise
                if high == t:
                    break
            else:
                at_low *= 0.5 if at_high > 0.0 else 1.0  # the same end twice: a chord would creep (the Illinois rule)
                high, at_high = t, rise
            # The root of the chord, kept away from both ends; the middle where rounding makes a segment rise at once.
            chord = at_low < 0.0 < at_high
            root = low + (high - low) * (at_low / (at_low - at_high)) if chord else 0.5 * (low + high)
            t = float(np.clip(root, low + 0.05 * (high - low), high - 0.05 * (high - low)))
        return best, length


def _slope(K: FloatArray, K_a: FloatArray, response: Response) -> float:
    """-1/2 sum_c v'(K_a - K)v, the slope of the objective along the segment at this response."""
    V = response.V
    support = response.support
    block = np.ix_(support, support)
    return -0.5 * float(np.vdot(V[support], (K_a[block] - K[block]) @ V[support]))


def _climb(problem: Problem, start: Mixture, end: Mixture, at: Mixture) -> float:
    """The slope of the price along the segment from start to end, at a mixture of it."""
    total = 0.0
    for leaf, first, last, here in zip(problem.leaves, start.parts, end.parts, at.parts, strict=True):
        if leaf.penalty is not None:
            along = leaf.parameters(last) - leaf.parameters(first)
            total += float(np.vdot(leaf.penalty.gradient(leaf.parameters(here)), along))
    return total
