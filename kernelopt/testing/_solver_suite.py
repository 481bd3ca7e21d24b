"""The conformance suite of a solver."""

import copy
from functools import partial

import numpy as np

from kernelopt._solvers._exchange import Exchange
from kernelopt.plugin import Budget, Leaf, Mixture, Problem, Solver, State
from kernelopt.testing._examples import Example, permuted, scaled
from kernelopt.testing._laws import (
    LawBroken,
    demand,
    demand_close,
    demand_frozen,
    demand_keeps_nothing,
    demand_kind,
    demand_name,
    demand_sentence,
    pickled,
    untouched,
)
from kernelopt.testing._solver_case import (
    KNOWN,
    demand_mixture,
    demand_true_bounds,
    one_atom,
    same,
)
from kernelopt.testing.laws._price_laws import PriceLaws
from kernelopt.testing.laws._stop_laws import StopLaws
from kernelopt.testing.laws._task_laws import TaskLaws

_LOOSE = 10.0
"""A slow solver may come so many times less near in other units, or with the samples in another order."""


class SolverSuite(StopLaws, PriceLaws, TaskLaws):
    """Every law of a solver, as tests that a class inherits.

    You write the solver, and a tolerance if the solver is not made for the usual tolerance:

        class TestMine(SolverSuite):
            tolerance = 1e-4

            def solver(self):
                return Mine()
    """

    def test_solver_is_a_frozen_value_with_a_name(self) -> None:
        """The name is lower-case, attributes cannot be set, and the limits are positive."""
        solver = self.solver()
        demand(isinstance(solver, Solver), "solver-type", f"solver() must return a Solver, got {solver!r}")
        demand_name(solver, "solver-name")
        demand_frozen(solver, "solver-frozen")
        limits = (solver.default_steps, solver.patience, solver.gram_copies)
        right = all(isinstance(limit, int) for limit in limits) and min(limits[:2]) > 0
        right = right and (limits[2] > 0 or (solver.loose and limits[2] == 0))
        detail = f"default_steps, patience and gram_copies must be positive integers, got {limits}"
        demand(right, "solver-limits", detail)

    def test_refusal_is_a_sentence(self) -> None:
        """refuses returns None or a sentence, the same each time, and refuses not all of the examples."""
        solver = self.solver()
        for example in self.problems():
            asked = (example.problem.leaves, example.problem.criterion)
            reason = solver.refuses(*asked)
            demand_sentence(reason, "refuses", "refuses")
            again = solver.refuses(*asked)
            demand(
                again == reason, "refuses", f"refuses must give the same answer each time, got {reason!r}, {again!r}"
            )
        self.accepted()

    def test_solver_says_what_it_must(self) -> None:
        """remark is None or a sentence, lifted is a solver, and bound has a leaf for each leaf."""
        solver = self.solver()
        demand_sentence(solver.remark(), "remark", "remark")
        demand_kind(solver.lifted(Exchange), Solver, "lifted", "lifted")
        for example in self.accepted()[:2]:
            leaves = example.problem.leaves
            bound = solver.bound(leaves, len(example.X))
            right = isinstance(bound, tuple) and len(bound) == len(leaves)
            right = right and all(isinstance(leaf, Leaf) for leaf in bound)
            demand(right, "bound", f"bound must return a tuple of {len(leaves)} leaves, got {bound!r}")

    def test_bounds_are_true(self) -> None:
        """In every state lower <= optimum <= upper, and the core computes the same bounds from the state."""
        for example in self.accepted():
            for k, state in enumerate(self.first_states(example)):
                demand_true_bounds(example, state, f"step {k}")

    def test_mixture_is_a_kernel_of_the_family(self) -> None:
        """A mixture has a part for each leaf, with weights >= 0 that sum to 1; dual points are feasible."""
        for example in self.accepted():
            for k, state in enumerate(self.first_states(example)):
                demand_mixture(example, state, f"step {k}")
                for duals in (state.response.duals, state.ceiling.duals):
                    for qp, dual in zip(example.problem.outputs, duals, strict=True):
                        off = qp.violation(dual.alpha)
                        detail = f"step {k} on {example.name}: a dual point must be feasible, it is off by {off:.1e}"
                        demand(off <= 1e-9 * (1.0 + float(np.abs(dual.alpha).sum())), "alpha-feasible", detail)

    def test_steps_are_counted(self) -> None:
        """init returns step 0, each step counts one, and the core stops at max_steps."""
        for example in self.accepted()[:2]:
            steps = [state.step for state in self.first_states(example)]
            detail = f"State.step must count 0, 1, 2..., got {steps}"
            demand(steps == list(range(self.steps + 1)), "step-count", detail)
            done = self._run(example, tolerance=1e-15, max_steps=3)
            last = done.trace[-1].step
            demand(last <= 3, "max-steps", f"with max_steps = 3 the last step was {last}")

    def test_state_is_a_frozen_value(self) -> None:
        """A state is a State that cannot be changed and with a note of one line; copied or pickled it is the same."""
        for example in self.accepted()[:2]:
            for state in self.states(example, 1):
                demand(isinstance(state, State), "state-type", f"wanted a State, got {type(state).__name__}")
                demand_frozen(state, "state-frozen")
                line = isinstance(state.note, str) and "\n" not in state.note
                demand(line, "state-note", f"the note of a state must be one line of text, got {state.note!r}")
                for restored in (copy.deepcopy(state), pickled(state, "state-pickle")):
                    detail = "a copied or pickled state must say the same"
                    demand(same(restored, state), "state-pickle", detail)

    def test_step_is_pure(self) -> None:
        """The same state gives the same next state twice, and is not changed."""
        for example in self.accepted():
            solver, problem = self.solver(), example.problem
            (state,) = self.states(example, 0)
            for _ in range(3):
                detail = f"step on {example.name}"
                with untouched("step-pure", detail, **{"its input state": state, "the problem": problem}):
                    first = solver.step(problem, state, Budget())
                second = solver.step(problem, state, Budget())
                detail = f"the same state must give the same next state, on {example.name}"
                demand(same(first, second), "step-pure", detail)
                state = first

    def test_steps_keep_nothing(self) -> None:
        """step, called again and again from one state, keeps no memory outside of the state that it returns."""
        for example in self.accepted()[:2]:
            solver, problem = self.solver(), example.problem
            *_, state = self.states(example, 1)
            again = partial(_stepped, solver, problem, state)
            demand_keeps_nothing("keeps", "step", len(example.X), again, turns=2)

    def test_same_seed_has_the_same_bits(self) -> None:
        """Two runs with the same seed agree to the last bit."""
        for example in self.accepted()[::2]:
            runs = [list(self.states(example, self.steps, seed=5)) for _ in range(2)]
            right = all(same(a, b) for a, b in zip(*runs, strict=True))
            demand(right, "same-seed", f"the same seed must give the same bits, on {example.name}")

    def test_resumed_run_is_the_uninterrupted_one(self) -> None:
        """k steps, a pickled state, a new solver object and two more steps give k + 2 steps, to 1e-9."""
        for example in self.accepted():
            *_, before, _, wanted = self.first_states(example)
            got, solver = pickled(before, "state-pickle"), self.solver()
            for _ in range(2):
                got = solver.step(example.problem, got, Budget())
            detail = f"a resumed run must go on as if it had not stopped, on {example.name}"
            bounds = np.array([wanted.response.upper, wanted.ceiling.lower])
            resumed = np.array([got.response.upper, got.ceiling.lower])
            known = np.isfinite(bounds)  # before anything is proved a bound is infinite
            demand(np.array_equal(resumed[~known], bounds[~known]), "resume", detail)
            demand_close(resumed[known], bounds[known], "resume", detail, tolerance=1e-9)

    def test_start_stays_as_it_is(self) -> None:
        """init changes neither the start nor the problem, and its bounds are true from any start."""
        for example in self.accepted():
            solver, problem = self.solver(), example.problem
            *_, later = self.states(example, 1)
            for start in (problem.respond(problem.center()), later.response):
                with untouched("init-pure", "init", start=start, problem=problem):
                    state = solver.init(problem, start, 0, Budget())
                demand_mixture(example, state, "init")
                demand_true_bounds(example, state, "init")

    def test_run_converges_or_says_why_not(self) -> None:
        """Within max_steps the gap is at most `tolerance`; on some examples the solver may stall with a note."""
        reached = []
        for example in self.accepted():
            done = self.whole_run(example)
            reached.append(done.status.converged)
            certificate = done.bounds.certificate
            last = done.trace[-1]
            detail = (
                f"on {example.name} the relative gap is {certificate.relative_gap:.1e} after {last.step} steps "
                f"({done.status.name}), wanted {self.tolerance:.1e} or a stalled state with a note"
            )
            demand(done.status.converged or self._explained(example, done), "converges", detail)
            room = KNOWN * abs(example.optimum) + 1e-9
            held = certificate.lower <= example.optimum + room and certificate.upper >= example.optimum - room
            demand(held, "bounds-true", f"{certificate} on {example.name}, and the optimum is {example.optimum:.10g}")
            uppers, lowers = ([getattr(record, side) for record in done.trace] for side in ("upper", "lower"))
            falls, rises = np.diff(uppers) <= 0.0, np.diff(lowers) >= 0.0
            detail = f"the best bounds must not become worse, on {example.name}"
            demand(bool(falls.all()) and bool(rises.all()), "bounds-monotone", detail)
        detail = f"the solver stalls on all {len(reached)} examples: it must reach {self.tolerance:.1e} on one of them"
        demand(any(reached), "converges", detail)

    def test_run_converges_from_a_single_atom(self) -> None:
        """Begun at one atom, all other weights 0, the run has the same optimum, or the solver stalls with a note."""
        for example in self.accepted():
            start = one_atom(example.problem)
            done = self._run(example, start=start)
            detail = (
                f"on {example.name}, begun at a single atom, the relative gap is "
                f"{done.bounds.certificate.relative_gap:.1e} after {done.trace[-1].step} steps ({done.status.name}), "
                f"wanted {self.tolerance:.1e}; let the solver add atoms that the start does not have, as "
                "state.ceiling.best names one, because a user or an exchange may begin with few of them"
            )
            demand(done.status.converged or self._explained(example, done, start), "any-start", detail)

    def test_rebase_goes_on_from_the_kept_atoms(self) -> None:
        """rebase starts from the kept mixture, whatever the old state is, which stays the same; its bounds are true."""
        for example in self.accepted():
            solver, problem = self.solver(), example.problem
            *_, own = self.states(example, 2)
            plain = State(own.step, own.response, own.ceiling, note=own.note)
            at_hand = Mixture(tuple(part.kept() for part in own.response.mixture.parts))
            for state, kept in ((own, at_hand), (own, problem.center()), (plain, at_hand), (plain, problem.center())):
                when = f"rebase of {'its own state' if state is own else 'the plain State of another solver'}"
                with untouched(
                    "rebase-pure",
                    "rebase",
                    **{"the old state": state, "the kept mixture": kept, "the problem": problem},
                ):
                    fresh = _rebased(solver, problem, state, kept, when)
                demand_mixture(example, fresh, when)
                demand_true_bounds(example, fresh, when)
                _demand_kernel(example, fresh, kept, when)
                after = solver.step(problem, fresh, Budget())
                demand_true_bounds(example, after, f"a step after {when}")

    def test_units_do_not_matter(self) -> None:
        """With the kernels times t and C divided by t, the optimum is divided by t, and it is reached where it was."""
        t = 37.0
        for example in self.accepted():
            other = scaled(example, t)
            if other is None:
                continue
            self._demand_same_optimum(example, other, t, "units", f"with the kernels times {t:g} and C over {t:g}")

    def test_order_of_samples_does_not_matter(self) -> None:
        """If rows are permuted, the optimum stays the same within the gap, and is reached where it was."""
        for example in self.accepted():
            order = np.random.default_rng(3).permutation(len(example.X))
            self._demand_same_optimum(example, permuted(example, order), 1.0, "order", "with permuted samples")

    def _demand_same_optimum(self, example: Example, other: Example, t: float, law: str, how: str) -> None:
        """The bounds on a transformed example, times t, hold the optimum and are as close."""
        done = self._run(self.bound(other))
        certificate, optimum = done.bounds.certificate, example.optimum
        room = KNOWN * abs(optimum) + 1e-9
        held = t * certificate.lower <= optimum + room and t * certificate.upper >= optimum - room
        detail = f"{how} the bounds are {t * certificate.lower:.8g} and {t * certificate.upper:.8g}"
        demand(held, law, f"{detail}, and the optimum is {optimum:.8g}, on {example.name}")
        detail = f"{how} the relative gap is {certificate.relative_gap:.1e}, wanted {self.tolerance:.1e}"
        if certificate.relative_gap > _LOOSE * self.tolerance:
            reached = f"{detail}, on {example.name}, where it is reached as the example is"
            demand(not self.whole_run(example).status.converged, law, reached)
        demand(done.status.converged or self._explained(self.bound(other), done), law, f"{detail}, on {example.name}")


def _stepped(solver: Solver, problem: Problem, state: State, turn: int) -> State:  # noqa: ARG001
    return solver.step(problem, state, Budget())


def _rebased(solver: Solver, problem: Problem, state: State, kept: Mixture, when: str) -> State:
    """What rebase returns; `LawBroken` where it looks in a plain state for what its own states hold."""
    try:
        fresh = solver.rebase(problem, state, kept, Budget())
    except (AttributeError, AssertionError) as error:
        if type(state) is not State:
            raise
        detail = f"{when}, as a chain passes it, ended with {type(error).__name__}: {error}"
        raise LawBroken("rebase-plain", f"{detail}; read only response and ceiling, or begin anew") from error
    demand_kind(fresh, State, "state-type", "rebase")
    return fresh


def _demand_kernel(example: Example, fresh: State, kept: Mixture, when: str) -> None:
    """The kernel of a rebased state is that of the mixture that was kept."""
    wanted = example.problem.gram(kept).dense().copy()
    got = example.problem.gram(fresh.response.mixture).dense()
    detail = (
        f"{when} on {example.name} must begin at the mixture that was kept, and its kernel is another; rebase calls "
        "init unless the solver has a rebase of its own, so let init return a state whose response is `start`"
    )
    demand_close(got, wanted, "rebase-kept", detail, tolerance=KNOWN)
