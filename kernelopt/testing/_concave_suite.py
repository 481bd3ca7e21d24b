"""The conformance suite of a solver for objectives with a concave term: the evidence."""

import copy
from functools import partial

import attrs
import numpy as np

from kernelopt._api.beginning._first_size import sized
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence.lists._majoriser import Tangent
from kernelopt._families._leaf import Leaf
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.variances._constant import Constant
from kernelopt._families.variances._delta import Delta
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt._saddle._saddle_objective import objective_of
from kernelopt.plugin import (
    Budget,
    ConcaveSolver,
    FloatArray,
    KernelFamily,
    Mixture,
    Norm,
    Price,
    Problem,
    Square,
    State,
)
from kernelopt.testing._class_laws import Calls, ClassLaws
from kernelopt.testing._costly import Costly
from kernelopt.testing._laws import demand, demand_close, demand_frozen, demand_name, pickled, untouched
from kernelopt.testing._solver_case import same
from kernelopt.testing._toys import Affine, Columns

_ROOM = 1e-8


class ConcaveSolverSuite(ClassLaws):
    """Every law of a `ConcaveSolver`, as tests that a class inherits.

    You write the solver:

        class TestMine(ConcaveSolverSuite):
            def solver(self):
                return Mine()

    Attributes:
        tolerance: the gap that must be reached, as a share of half the number of targets.
        max_steps: the largest number of steps within which the gap must be reached.
        steps: the number of steps that the other laws look at.
    """

    tolerance: float = 1e-3
    max_steps: int = 200
    steps: int = 5

    def solver(self) -> ConcaveSolver:
        """The solver to judge."""
        raise NotImplementedError(f"{type(self).__name__}: write solver(self), which returns the solver to judge")

    def _plugin(self) -> ConcaveSolver:
        return self.solver()

    def _calls(self, subject: ConcaveSolver) -> Calls:
        for problem in self.problems()[:2]:
            state = yield "init", partial(subject.init, problem, sized(problem, problem.center()), 0, Budget())
            for _ in range(2):
                state = yield "step", partial(subject.step, problem, state, Budget())

    def problems(self) -> tuple[Problem, ...]:
        """Small problems of the evidence."""
        return evidence_problems()

    def states(self, problem: Problem, steps: int | None = None) -> list[State]:
        """The first states on a problem: the state at the beginning, and the states after each of `steps` steps."""
        solver = self.solver()
        states = [solver.init(problem, sized(problem, problem.center()), 0, Budget())]
        for _ in range(self.steps if steps is None else steps):
            states.append(solver.step(problem, states[-1], Budget()))
        return states

    def test_solver_is_a_frozen_value_with_a_name(self) -> None:
        """The name is lower-case, attributes cannot be set, and the limits are positive."""
        solver = self.solver()
        right = isinstance(solver, ConcaveSolver)
        demand(right, "solver-type", f"solver() must return a ConcaveSolver, got {solver!r}")
        demand_name(solver, "solver-name")
        demand_frozen(solver, "solver-frozen")
        for problem in self.problems():
            reason = solver.refuses(problem.leaves, problem.criterion)
            demand(reason is None, "refuses", f"it must serve every small problem of the evidence, it says {reason!r}")

    def test_any_kernel_is_a_beginning(self) -> None:
        """`begin` from a kernel has the bounds of `init` from its answer, and does not change the problem."""
        for problem in self.problems():
            solver, center = self.solver(), sized(problem, problem.center()).mixture
            for mixture in (center, _jittered(problem, center, np.random.default_rng(0))):
                with untouched("begin", "begin", mixture=mixture, problem=problem):
                    begun = _bounds(solver.begin(problem, mixture, 0, Budget()))
                wanted = _bounds(solver.init(problem, problem.respond(mixture), 0, Budget()))
                detail = "begin from a kernel must have the bounds of init from its answer"
                demand_close(begun, wanted, "begin", detail, tolerance=1e-7, scale=float(abs(wanted[0])) + 1.0)

    def test_no_step_raises_the_objective_and_its_bounds_hold(self) -> None:
        """No step raises the upper bound, which is the objective; the tangent saddle is nowhere below the lower."""
        for problem in self.problems():
            before = np.inf
            for k, state in enumerate(self.states(problem)):
                value = problem.respond(state.response.mixture).upper
                detail = f"step {k}: the upper bound must be the objective of its kernel"
                demand_close(state.response.upper, value, "objective", detail, tolerance=1e-7, scale=abs(value) + 1.0)
                detail = f"step {k}: the objective must not rise, it went from {before:.10g} to {value:.10g}"
                demand(value <= before + _ROOM * (1.0 + abs(value)), "descent", detail)
                before = value
                _demand_tangent(problem, state, k)

    def test_run_ends_stationary(self) -> None:
        """Within max_steps the gap is at most `tolerance` times half the number of targets."""
        for problem in self.problems():
            allowed = Evidence().allowed(problem, self.tolerance)
            limits = Limits(0.0, allowed, self.max_steps, None)
            done = run(problem, self.solver(), sized(problem, problem.center()), limits)
            certificate = done.bounds.certificate
            wanted = objective_of(problem.criterion).reached(certificate)
            what = f"after {len(done.trace)} steps ({done.status.name}) the gap is {certificate.gap:.2g}"
            detail = f"{what}, wanted {allowed:.2g}"
            demand(done.status is wanted, "stationary", detail)

    def test_step_is_pure(self) -> None:
        """The same state, also copied or pickled, gives the same next state, and is not changed."""
        for problem in self.problems():
            solver = self.solver()
            state = self.states(problem, 1)[1]
            with untouched("step-pure", "step", **{"its input state": state, "the problem": problem}):
                first = solver.step(problem, state, Budget())
            for again in (state, pickled(copy.deepcopy(state), "state-pickle")):
                detail = "the same state must give the same next state"
                demand(same(first, solver.step(problem, again, Budget())), "step-pure", detail)


def _demand_tangent(problem: Problem, state: State, k: int) -> None:
    """The lower bound of the state after k steps holds for the tangent saddle at its kernel."""
    rng, at = np.random.default_rng(k), state.response.mixture
    tangent = Tangent.at(problem, at)
    assert tangent is not None
    for other in (at, *(_jittered(problem, at, rng) for _ in range(10))):
        value = _tangent_value(problem, tangent, other)
        detail = f"step {k}: the lower bound is {state.ceiling.lower:.10g}, and a kernel has {value:.10g}"
        demand(state.ceiling.lower <= value + _ROOM * (1.0 + abs(value)), "tangent-bound", detail)
    value = _tangent_value(problem, tangent, at)
    detail = f"step {k}: the tangent must touch the objective at the kernel"
    demand_close(value, state.response.upper, "tangent", detail, tolerance=1e-7, scale=abs(value) + 1.0)


def _bounds(state: State) -> FloatArray:
    return np.array([state.response.upper, state.ceiling.lower])


def evidence_problems() -> tuple[Problem, ...]:
    """The evidence over a finite list, a matrix family and features, each with a level and noise; then over lists whose
    price is a norm or a square, and a matrix family at a price.
    """
    rng = np.random.default_rng(2)
    X = rng.normal(size=(24, 2))
    y = (X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=24))[:, None]
    kernels = Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 0.5, 3.0)])
    norm, square = Costly(kernels.kernels, rule=Norm, rho=4.0), Costly(kernels.kernels, rule=Square, rho=4.0)
    free = tuple(_posed(family, X, y) for family in (kernels, Affine(), Columns(), norm, square))
    return (*free, _posed(Affine(), X, y, price=0.5))


def _posed(family: KernelFamily, X: FloatArray, y: FloatArray, price: float | None = None) -> Problem:
    members = (family, Constant(), Delta())
    prepared = (Leaf.of(one.prepare(X, np.ones(len(X))), np.arange(X.shape[1])) for one in members)
    leaves = tuple(attrs.evolve(leaf, total=None) for leaf in prepared)
    if price is not None:
        cost = Price(price * leaves[0].parameters(leaves[0].family.center()))
        leaves = (attrs.evolve(leaves[0], penalty=cost), *leaves[1:])
    data = tuple(leaf.family.bind(X) for leaf in leaves)
    criterion = Evidence(targets="numbers")
    return Problem(leaves, data, criterion, criterion.outputs(y, np.ones_like(y)))


def _jittered(problem: Problem, at: Mixture, rng: np.random.Generator) -> Mixture:
    """A kernel of the cone some way from this one, towards the centre."""
    t = rng.uniform(0.0, 0.3)
    parts = []
    for part, other in zip(at.parts, sized(problem, problem.center()).mixture.parts, strict=True):
        weights = part.weights * rng.uniform(0.5, 1.5, size=len(part))
        atoms = np.vstack([part.atoms, other.atoms]) if len(part) else other.atoms
        parts.append(type(part)(atoms, np.concatenate([weights, t * other.weights])))
    return Mixture(tuple(parts))


def _tangent_value(problem: Problem, tangent: Tangent, mixture: Mixture) -> float:
    """1/2 y'K^-1 y + 1/2 tr(Omega K_theta) + offset + R(theta), by dense algebra."""
    K = np.array(problem.gram(mixture).dense())
    price = 0.5 * tangent.outputs * float(np.sum(tangent.omega.dense() * K))
    noise = float(problem.outputs[0].curvature[0])
    fits = (float(qp.linear @ np.linalg.solve(K + noise * np.eye(problem.n), qp.linear)) for qp in problem.outputs)
    return 0.5 * sum(fits) + price + tangent.level.offset + problem.penalty(mixture)
