"""The algorithm of the paper itself: the regularised machine for less and less regularisation, to be compared with."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt.plugin import Budget, Criterion, FloatArray, Leaf, Problem, Response, Solver, State, positive, within
from kernelopt_smo._active_block import Play, gathered
from kernelopt_smo._iterate import Point, Smoothing, weighed
from kernelopt_smo._optimality import Judged
from kernelopt_smo._pooled_kernels import Pool
from kernelopt_smo._smo import MoreauYosidaSMO
from kernelopt_smo._stage import climbed, violated
from kernelopt_smo._state import embedded, values_of

_LEAST_KAPPA = 1e-5
"""Below, the regularised problem is as badly conditioned as the one that it replaces."""


_STAGES = 20
"""Calls of SMO for one kappa, at most: each works until its own patience ends."""


@attrs.frozen(eq=False)
class KappaState(State):
    """Where the continuation stands; the response and the ceiling are the best so far.

    Attributes:
        alphas: dual variables of each output, feasible.
        kappa: of the next step.
    """

    alphas: tuple[FloatArray, ...] = attrs.field(kw_only=True)
    kappa: float = attrs.field(kw_only=True)


@attrs.frozen
class Continuation(Solver):
    """The support kernel machine by its regularisation, which a step makes smaller (section 4.4 of the paper).

        kappa = 1
        repeat   SMO on (R) with a_j = kappa, d_j = 1 - kappa, until the violation is epsilon_2 / 2
                 w_j = d^2 eta_j / (1 - a^2 eta_j), the weights of appendix C
                 say whether alpha and w are (epsilon_1, epsilon_2)-optimal, conditions (OPT 3)
                 kappa <- mu kappa

    It works on all rows and kernels, and is there to be compared with `MoreauYosidaSMO`, whose smoothing need not
    vanish. The note of each step says with which epsilons the conditions hold. The paper stops there; here the gap of
    the core's two bounds decides, as for every solver.

    Bach, Lanckriet and Jordan (2004), sections 3.3, 3.4 and 4.4, appendix C.

    Attributes:
        mu: what kappa is multiplied by, in [0.01, 0.9].
        epsilon1: of the conditions, for each row, above 0.
        epsilon2: of the conditions, above 0.
        sparse: whether kernels are left out, one by one, as long as the conditions hold, by a linear program for each.
    """

    name: ClassVar[str] = "smo-continuation"
    default_steps: ClassVar[int] = 40
    gram_copies: ClassVar[int] = 3

    mu: float = attrs.field(default=0.5, validator=within(0.01, 0.9))
    epsilon1: float = attrs.field(default=5e-4, validator=positive)
    epsilon2: float = attrs.field(default=1e-4, validator=positive)
    sparse: bool = False

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        return MoreauYosidaSMO().refuses(leaves, criterion)

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> KappaState:  # noqa: ARG002
        alphas = tuple(dual.alpha for dual in start.duals)
        return KappaState(0, start, problem.ceiling(start.duals), alphas=alphas, kappa=1.0)

    def step(self, problem: Problem, state: State, budget: Budget) -> KappaState:
        assert isinstance(state, KappaState)
        pool = Pool.of(problem)
        play = gathered(pool, np.arange(len(pool)), np.arange(problem.n))
        smoothing = Smoothing(np.full(len(pool), state.kappa**2), np.full(len(pool), 1.0 - state.kappa))
        end = _answer(play, _point(problem, pool, play, state.alphas), smoothing, 0.5 * self.epsilon2, budget)
        points = problem.points(play.store(problem.outputs, state.alphas, end.u))
        alphas = tuple(point.alpha for point in points)
        judged, epsilon1 = Judged.of(problem, alphas), self.epsilon1 * problem.n
        weights = _weights(end, smoothing)
        found = judged.optimality(weights)
        holds = found.within(epsilon1, self.epsilon2)
        if holds and self.sparse:
            weights = judged.sparser(weights, epsilon1, self.epsilon2)
        V = embedded(problem, alphas)
        ceiling = pool.ceiling(points, values_of(judged.images, V))
        response = problem.respond(pool.mixture(weights), state.response, budget)
        return KappaState(
            state.step + 1,
            min(state.response, response, key=lambda one: one.upper),
            max(state.ceiling, ceiling, key=lambda one: one.lower),
            stalled=state.kappa < _LEAST_KAPPA,
            note=f"kappa {state.kappa:.2g}, {np.count_nonzero(weights)} kernels, epsilon_1 {found.epsilon1:.2g}, "
            f"epsilon_2 {found.epsilon2:.2g}{', (OPT 3) holds' if holds else ''}",
            alphas=alphas,
            kappa=self.mu * state.kappa,
        )


def _answer(play: Play, point: Point, smoothing: Smoothing, eps: float, budget: Budget) -> Point:
    """The regularised machine to a violation of eps, or the best that is reached."""
    for _ in range(_STAGES):
        point = climbed(play, point, smoothing, eps, budget)
        if budget.cancelled() or violated(play, point, smoothing) <= eps:
            break
    return point


def _point(problem: Problem, pool: Pool, play: Play, alphas: tuple[FloatArray, ...]) -> Point:
    """Where SMO begins: every kernel's image of v = E alpha."""
    V = embedded(problem, alphas)
    F = np.ascontiguousarray(pool.images(V).transpose(0, 2, 1))
    return Point(play.load(problem.outputs, alphas), V.sum(axis=0), F, np.einsum("mcn,nc->m", F, V))


def _weights(end: Point, smoothing: Smoothing) -> FloatArray:
    """d^2 eta / (1 - a^2 eta) = d eta s / gamma, brought to sum 1; the same for all where d = 0, a sum of kernels."""
    at = weighed(end.q, smoothing)
    heights = smoothing.d * at.eta * at.s
    total = float(heights.sum())
    return heights / total if total > 0.0 else np.full(len(heights), 1.0 / len(heights))
