"""The support kernel machine by sequential minimal optimisation."""

import math
from typing import ClassVar

import attrs
import numpy as np

from kernelopt.plugin import (
    Budget,
    Criterion,
    FiniteFamily,
    Leaf,
    NotEnoughMemory,
    Problem,
    Response,
    Solver,
    State,
    require,
    within,
)
from kernelopt_smo._active_block import Play, gathered, near
from kernelopt_smo._pooled_kernels import Pool
from kernelopt_smo._proximal import Centre
from kernelopt_smo._stages import LEAST_KAPPA, Course, course
from kernelopt_smo._state import ProximalState, embedded, values_of

_PROGRESS = 0.9
"""A step that leaves more than this of the gap has had too few rows or kernels, or too smooth a problem."""


@attrs.frozen
class MoreauYosidaSMO(Solver):
    """Sequential minimal optimisation over all kernels of finite lists at once; other families by the exchange.

        max over alpha   h(alpha) - psi(q),   q_a = |Phi_a'v + kappa^2 w_a|^2,   psi(q) a smoothing of 1/2 max_a q_a

        repeat   gather the Grams of the kernels that may get weight on the rows whose alpha may move
                 repeat   pairs of variables by second-order selection and an exact search; Newton steps on the free
                          w_a <- eta_a (Phi_a'v + kappa^2 w_a): the answer is the next centre
                          halve kappa where that is slow
                 certify: mu_a = |w_a| / sum |w| for the upper bound, alpha for the lower

    With w = 0 the smoothed problem is the paper's, and its answer is off by the order of kappa^2. Around a centre that
    moves, kappa need not vanish: the proximal point method, in which SMO is quick at any accuracy. The bounds are the
    core's, and the gap takes the place of the paper's (epsilon_1, epsilon_2)-optimality.

    Bach, Lanckriet and Jordan (2004), section 4, appendices B and C; Rockafellar (1976) for the centre; Fan, Chen and
    Lin (2005) for the selection.

    Attributes:
        kappa: the first smoothing, in [0.001, 1], relative to the kernel's norm.
        share: a step works until the gap on what is in play is this share of the whole gap, in [0.001, 0.9].
        band: rows in play, at least, >= 1: those nearest the margin. It doubles where the others cost more than uneven
            kernels.
        stages: centres in one step, at most, >= 1.
    """

    name: ClassVar[str] = "smo"
    default_steps: ClassVar[int] = 200
    patience: ClassVar[int] = 15
    gram_copies: ClassVar[int] = 3

    kappa: float = attrs.field(default=0.2, validator=within(1e-3, 1.0))
    share: float = attrs.field(default=0.03, validator=within(1e-3, 0.9))
    band: int = attrs.field(default=200, validator=within(1, math.inf, integer=True))
    stages: int = attrs.field(default=20, validator=within(1, 1000, integer=True))

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if leaf.penalty is not None:
                return f"{leaf.family.name} has prices of its kernels, and smo takes only kernels without a price"
            if not isinstance(leaf.family, FiniteFamily):
                return f"{leaf.family.name} is no finite list of kernels, and smo works on lists"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> ProximalState:  # noqa: ARG002
        pool = Pool.of(problem)
        rows = min(problem.n, self.band)
        require(8 * len(pool) * rows * rows, f"the Grams of {len(pool)} kernels on {rows} rows, which smo holds,")
        images = pool.images(start.V)
        values = values_of(images, start.V)
        return ProximalState(
            0,
            start,
            pool.ceiling(start.duals, values),
            weights=pool.weights(start.mixture),
            alphas=tuple(dual.alpha for dual in start.duals),
            images=images,
            values=values,
            kappa=self.kappa,
            band=self.band,
        )

    def step(self, problem: Problem, state: State, budget: Budget) -> ProximalState:
        assert isinstance(state, ProximalState)
        pool = Pool.of(problem)
        V = embedded(problem, state.alphas)
        kernels = state.kernels()
        images = state.images[kernels]
        f = np.einsum("a,anc->nc", state.weights[kernels], images)
        rows = near(problem.outputs, state.alphas, f, state.band)
        try:
            play = gathered(pool, kernels, rows)
        except NotEnoughMemory as short:
            return attrs.evolve(state, step=state.step + 1, stalled=True, note=str(short))
        G = np.ascontiguousarray(images[:, rows].transpose(0, 2, 1))
        done = course(
            play,
            Centre.along(state.weights[kernels], state.values[kernels], G),
            play.load(problem.outputs, state.alphas),
            V.sum(axis=0),
            kappa=state.kappa,
            allowed=max(self.share * state.gap, problem.accuracy * state.size),
            most=self.stages,
            budget=budget,
        )
        return self._certified(problem, state, pool, play, done, budget)

    def _certified(
        self, problem: Problem, state: ProximalState, pool: Pool, play: Play, done: Course, budget: Budget
    ) -> ProximalState:
        """Both bounds at what was reached, and what the next step should have in play."""
        weights = np.zeros(len(pool))
        weights[play.kernels] = done.reached.weights
        points = problem.points(play.store(problem.outputs, state.alphas, done.u))
        V = np.column_stack([point.v for point in points])
        images = pool.followed(state.images, embedded(problem, state.alphas), V)
        values = values_of(images, V)
        ceiling = pool.ceiling(points, values)
        mixture = pool.mixture(weights)
        if len(play.rows) == problem.n:
            gram = problem.gram(mixture)
        else:
            gram = attrs.evolve(problem.unformed(mixture), known=(V, np.einsum("a,anc->nc", weights, images)))
        # At the kernel that was reached: what the rows out of play cost, and what uneven kernels do.
        mine = ceiling.lower + 0.5 * float(ceiling.values.max()) - 0.5 * done.reached.mean
        response = problem.respond_gram(mixture, gram, points, budget)
        held, uneven = sum(dual.objective for dual in response.duals) - mine, mine - ceiling.lower
        after = attrs.evolve(
            state,
            step=state.step + 1,
            response=min(state.response, response, key=lambda one: one.upper),
            ceiling=max(state.ceiling, ceiling, key=lambda one: one.lower),
            weights=weights,
            alphas=tuple(point.alpha for point in points),
            images=images,
            values=values,
            kappa=done.kappa,
            band=min(2 * state.band, problem.n) if held > uneven else state.band,
            note=f"{done.stages} stages, {len(play.kernels)} kernels, {len(play.rows)} rows, kappa {done.kappa:.2g}",
        )
        if after.gap < _PROGRESS * state.gap:
            return after
        whole = len(play.rows) == problem.n and len(play.kernels) == len(pool) and done.kappa <= LEAST_KAPPA
        return attrs.evolve(
            after,
            kappa=max(0.5 * done.kappa, LEAST_KAPPA),
            band=min(2 * state.band, problem.n),
            stalled=whole,
            note=f"{after.note}; no progress",
        )
