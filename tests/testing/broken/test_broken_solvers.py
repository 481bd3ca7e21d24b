"""The kit must reject a broken solver, and for its reason."""

import sys
from typing import ClassVar

import attrs
import numpy as np
import pytest

from kernelopt.plugin import Budget, FiniteFamily, Mixture, Part, State
from kernelopt.testing import CuttingPlanes, SolverSuite, broken_laws, judge, verdicts


def other_mixture(state, weights_of):
    """The state with other weights; its bounds are left as they are."""
    parts = tuple(Part(part.atoms, weights_of(part.weights)) for part in state.response.mixture.parts)
    return attrs.evolve(state, response=attrs.evolve(state.response, mixture=Mixture(parts)))


@attrs.frozen
class Impure(CuttingPlanes):
    """Remembers in itself what it did before."""

    memory: list = attrs.field(factory=list, eq=False)

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        self.memory.append(after)
        return after if len(self.memory) % 2 else attrs.evolve(state, step=state.step + 1)


class ChangesItsInput(CuttingPlanes):
    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        state.cuts[0].q[...] += 1e-9
        return after


class ChangesTheStart(CuttingPlanes):
    def init(self, problem, start, seed, budget):
        state = super().init(problem, start, seed, budget)
        start.duals[0].alpha[0] += 1e-12
        return state


class HeavyWeights(CuttingPlanes):
    def step(self, problem, state, budget):
        return other_mixture(super().step(problem, state, budget), lambda w: 1.001 * w)


class NegativeWeights(CuttingPlanes):
    def step(self, problem, state, budget):
        def shifted(w):
            return w + np.where(np.arange(len(w)) == 0, -2.0, 2.0 / max(len(w) - 1, 1)) if len(w) > 1 else w

        return other_mixture(super().step(problem, state, budget), shifted)


class ForgedFloor(CuttingPlanes):
    """Claims a lower bound above the optimum."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        return attrs.evolve(after, ceiling=attrs.evolve(after.ceiling, lower=after.response.upper + 1.0))


class HopefulFloor(CuttingPlanes):
    """Claims a lower bound that its dual point does not prove, true or not."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        hope = after.ceiling.lower + 0.1 * (after.response.upper - after.ceiling.lower)
        return attrs.evolve(after, ceiling=attrs.evolve(after.ceiling, lower=hope))


class ForgedUpper(CuttingPlanes):
    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        return attrs.evolve(after, response=attrs.evolve(after.response, upper=after.ceiling.lower))


class HopefulUpper(CuttingPlanes):
    """Reports the next kernel with the bound of the best one."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        best = min(after.response.upper, state.response.upper)
        return attrs.evolve(after, response=attrs.evolve(after.response, upper=best - 1e-3 * abs(best)))


class IgnoresBudget(CuttingPlanes):
    """Twenty steps in one, whatever the budget says."""

    def step(self, problem, state, budget):
        after = state
        for _ in range(20):
            after = super().step(problem, after, budget)
        return attrs.evolve(after, step=state.step + 1)


class KeepsBudget(CuttingPlanes):
    """Does not tell the inner solver of the deadline."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        return attrs.evolve(after, response=problem.respond(after.response.mixture, after.response))


class Idle(CuttingPlanes):
    def step(self, problem, state, budget):
        return attrs.evolve(state, step=state.step + 1)


class Uncounted(CuttingPlanes):
    def step(self, problem, state, budget):
        return attrs.evolve(super().step(problem, state, budget), step=min(state.step + 1, 2))


class Restless(CuttingPlanes):
    def step(self, problem, state, budget):
        noise = np.random.default_rng().uniform()
        return other_mixture(super().step(problem, state, budget), lambda w: w * (1.0 + 1e-13 * noise))


class Mumbles(CuttingPlanes):
    def refuses(self, leaves, criterion):
        return None if super().refuses(leaves, criterion) is None else "no"


class Thawed(CuttingPlanes):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class NoSteps(CuttingPlanes):
    default_steps = 0


@attrs.frozen(eq=False)
class Session(State):
    """Keeps a function of the running session."""

    inner: State = attrs.field(kw_only=True)
    hook: object = attrs.field(kw_only=True)


class Unpicklable(CuttingPlanes):
    def init(self, problem, start, seed, budget):
        inner = super().init(problem, start, seed, budget)
        return Session(0, inner.response, inner.ceiling, inner=inner, hook=lambda: None)

    def step(self, problem, state, budget):
        inner = super().step(problem, state.inner, budget)
        return Session(inner.step, inner.response, inner.ceiling, note=inner.note, inner=inner, hook=lambda: None)


@attrs.frozen
class Absent(CuttingPlanes):
    """Keeps half of its state outside of the state."""

    memory: dict = attrs.field(factory=dict, eq=False)

    def step(self, problem, state, budget):
        known = self.memory.setdefault(id(problem), list(state.cuts))
        after = super().step(problem, attrs.evolve(state, cuts=tuple(known)), budget)
        known.append(after.cuts[-1])
        return attrs.evolve(after, cuts=after.cuts[-1:])


class ForgetsKept(CuttingPlanes):
    def rebase(self, problem, state, kept, budget):
        fresh = super().rebase(problem, state, kept, budget)
        return other_mixture(fresh, lambda w: 0.5 * w)


class StaysWhereItIs(CuttingPlanes):
    """Does not look at the mixture that is to be kept."""

    def rebase(self, problem, state, kept, budget):
        return super().rebase(problem, state, state.response.mixture, budget)


class ReadsItsOwn(CuttingPlanes):
    """Goes on with the cuts of the old state, which another solver in a chain does not have."""

    def rebase(self, problem, state, kept, budget):
        fresh = super().rebase(problem, state, kept, budget)
        return attrs.evolve(fresh, cuts=(*state.cuts, *fresh.cuts))


class OneOutput(CuttingPlanes):
    def step(self, problem, state, budget):
        (_,) = state.response.duals
        return super().step(problem, state, budget)


class FirstOutputAlone(CuttingPlanes):
    """Right for two classes, which have one output."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        duals = tuple(attrs.evolve(dual, alpha=after.response.duals[0].alpha) for dual in after.response.duals)
        return attrs.evolve(after, response=attrs.evolve(after.response, duals=duals))


class RemarksANumber(CuttingPlanes):
    def remark(self):
        return 3


class LiftsNothing(CuttingPlanes):
    def lifted(self, exchange):
        return None


class BindsNothing(CuttingPlanes):
    def bound(self, leaves, n):
        return ()


class Prints(CuttingPlanes):
    def step(self, problem, state, budget):
        sys.stdout.write("one more step\n")
        return super().step(problem, state, budget)


class FirstSampleAside(CuttingPlanes):
    """Works on a problem of its own, and hands out its bounds for the one that was asked."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        duals = tuple(attrs.evolve(dual, alpha=1.5 * dual.alpha) for dual in after.response.duals)
        return attrs.evolve(after, response=attrs.evolve(after.response, duals=duals))


class ForgetsTheDeadline(CuttingPlanes):
    """Gives the inner solver a budget of its own, which nothing ends."""

    def step(self, problem, state, budget):
        return super().step(problem, state, Budget())


class RebasesWithoutEnd(CuttingPlanes):
    def rebase(self, problem, state, kept, budget):
        return self.init(problem, problem.respond(kept), 0, budget)


class GivesUp(CuttingPlanes):
    """Says that it cannot go on, wherever it is."""

    def step(self, problem, state, budget):
        return attrs.evolve(super().step(problem, state, budget), stalled=True, note="no step is better")


class StaysAmongItsAtoms(CuttingPlanes):
    """Moves towards the best atom only if the kernel has it already."""

    def step(self, problem, state, budget):
        leaf, atom = state.ceiling.best
        if (state.response.mixture.parts[leaf].atoms == atom).all(axis=1).any():
            return super().step(problem, state, budget)
        return attrs.evolve(state, step=state.step + 1)


class CatchesEverything(CuttingPlanes):
    def step(self, problem, state, budget):
        try:
            return super().step(problem, state, budget)
        except BaseException:
            return attrs.evolve(state, step=state.step + 1)


class TwoLines(CuttingPlanes):
    def step(self, problem, state, budget):
        return attrs.evolve(super().step(problem, state, budget), note="step\nlength")


class ForgetsPrices(CuttingPlanes):
    """Takes lists with a price, and learns as if there were none."""

    def refuses(self, leaves, criterion):
        return None if all(isinstance(leaf.family, FiniteFamily) for leaf in leaves) else "there is no finite list"


class ForgetsLinearPrices(ForgetsPrices):
    """Refuses the prices that are curved, as a method that adds the oracle's best atom may, and looks at no oracle."""

    def refuses(self, leaves, criterion):
        if any(leaf.penalty is not None and not leaf.penalty.linear for leaf in leaves):
            return "there is a curved price"
        return super().refuses(leaves, criterion)


class PrintsLater(CuttingPlanes):
    def step(self, problem, state, budget):
        if state.step == 3:
            sys.stdout.write("step 3\n")
        return super().step(problem, state, budget)


class SeedsEverybody(CuttingPlanes):
    """Random numbers from the generator that all of numpy shares."""

    def step(self, problem, state, budget):
        np.random.seed(state.step)  # noqa: NPY002
        return super().step(problem, state, budget)


class Remembers(CuttingPlanes):
    seen: ClassVar[list] = []

    def step(self, problem, state, budget):
        self.seen.append(problem.gram(state.response.mixture).dense().copy())
        return super().step(problem, state, budget)


class SilencesEverybody(CuttingPlanes):
    def step(self, problem, state, budget):
        np.seterr(divide="ignore")
        return super().step(problem, state, budget)


BROKEN = (
    (Impure, "step-pure"),
    (ChangesItsInput, "step-pure"),
    (ChangesTheStart, "init-pure"),
    (HeavyWeights, "weights-sum"),
    (NegativeWeights, "weights-sign"),
    (ForgedFloor, "lower-true"),
    (HopefulFloor, "lower-proved"),
    (ForgedUpper, "upper-true"),
    (HopefulUpper, "upper-proved"),
    (IgnoresBudget, "budget"),
    (KeepsBudget, "budget-passed"),
    (Idle, "converges"),
    (Uncounted, "step-count"),
    (Restless, "same-seed"),
    (Mumbles, "refuses"),
    (Thawed, "solver-frozen"),
    (NoSteps, "solver-limits"),
    (Unpicklable, "state-pickle"),
    (Absent, "resume"),
    (ForgetsKept, "weights-sum"),
    (StaysWhereItIs, "rebase-kept"),
    (ReadsItsOwn, "rebase-plain"),
    (FirstSampleAside, "alpha-feasible"),
    (FirstOutputAlone, "upper-proved"),
    (RemarksANumber, "remark"),
    (LiftsNothing, "lifted"),
    (BindsNothing, "bound"),
    (Prints, "prints"),
    (ForgetsTheDeadline, "budget-passed"),
    (RebasesWithoutEnd, "budget-passed"),
    (GivesUp, "converges"),
    (StaysAmongItsAtoms, "any-start"),
    (CatchesEverything, "interrupt"),
    (TwoLines, "state-note"),
    (PrintsLater, "prints"),
    (ForgetsPrices, "prices"),
    (ForgetsLinearPrices, "prices"),
    (SeedsEverybody, "step-pure"),
    (Remembers, "keeps"),
    (SilencesEverybody, "step-pure"),
)


def laws_of(make):
    class Laws(SolverSuite):
        max_steps = 100

        def solver(self):
            return make()

    return Laws()


@pytest.mark.parametrize(("solver", "law"), BROKEN, ids=lambda x: getattr(x, "__name__", None))
def test_broken_solver_is_rejected_for_its_reason(solver, law, rejected):
    rejected(laws_of(solver), law)


def test_a_solver_of_one_output_is_rejected():
    (said,) = verdicts(laws_of(OneOutput), ["test_bounds_are_true"])
    assert said.outcome == "failed"
    assert "ValueError: too many values to unpack" in said.detail


def test_sound_solver_passes():
    """The kit's own solver keeps all laws, to a hundredth of the usual tolerance."""
    suite = laws_of(CuttingPlanes)
    suite.tolerance = 1e-5
    assert broken_laws(suite) == {}


@pytest.mark.parametrize(("solver", "law"), dict(BROKEN).items(), ids=lambda x: getattr(x, "__name__", None))
def test_broken_solver_is_rejected_without_its_author(solver, law, fails):
    assert fails(judge(solver), law)


class LooksOnce(CuttingPlanes):
    """Twelve steps in one, and a look at the budget before the first."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        for _ in range(0 if budget.cancelled() else 11):
            after = super().step(problem, after, budget)
        return attrs.evolve(after, step=state.step + 1)


class WorksInRebase(CuttingPlanes):
    """Thirty steps that nobody asked for."""

    def rebase(self, problem, state, kept, budget):
        fresh = after = super().rebase(problem, state, kept, budget)
        for _ in range(30):
            after = self.step(problem, after, budget)
        return fresh


class LooksEachTime(CuttingPlanes):
    """Twelve steps in one, and a look at the budget before each."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        for _ in range(11):
            after = after if budget.cancelled() or after.stalled else super().step(problem, after, budget)
        return attrs.evolve(after, step=state.step + 1)


class DoubledV(CuttingPlanes):
    """Right alpha, and twice its v."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        duals = tuple(attrs.evolve(dual, v=2.0 * dual.v) for dual in after.response.duals)
        return attrs.evolve(after, response=attrs.evolve(after.response, duals=duals))


class WidensABox(CuttingPlanes):
    def rebase(self, problem, state, kept, budget):
        problem.outputs[0].upper[0] *= 1.0 + 1e-12
        return super().rebase(problem, state, kept, budget)


class PrintsMuchLater(CuttingPlanes):
    def step(self, problem, state, budget):
        if state.step == 6:
            sys.stdout.write("step 6\n")
        return super().step(problem, state, budget)


class SpinsOn(CuttingPlanes):
    """A loop of its own, which asks nothing of the problem and which nobody ends."""

    def step(self, problem, state, budget):
        size = 0.0
        for k in range(20_000):
            size += k
        return super().step(problem, state, budget)


class StallsInOtherUnits(CuttingPlanes):
    def step(self, problem, state, budget):
        if problem.criterion.C > 0.5:
            return super().step(problem, state, budget)
        return attrs.evolve(state, step=state.step + 1, stalled=True, note="C is small")


class HardlyHeavier(CuttingPlanes):
    def step(self, problem, state, budget):
        return other_mixture(super().step(problem, state, budget), lambda w: (1.0 + 5e-10) * w)


@pytest.mark.parametrize(
    ("solver", "law", "words"),
    [
        (SpinsOn, "budget", "lines of its own"),
        (StallsInOtherUnits, "units", "where it is reached as the example is"),
        (HardlyHeavier, "weights-sum", "the weights must sum to 1.0"),
        (LooksOnce, "budget", "questions of the problem after its budget was cancelled"),
        (WorksInRebase, "budget", "rebase asked"),
        (DoubledV, "dual-points", "v of a dual point must be E alpha"),
        (WidensABox, "rebase-pure", "it changed the problem"),
        (PrintsMuchLater, "prints", "step 6"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_solver_that_is_broken_in_a_corner_is_rejected(solver, law, words, rejected):
    rejected(laws_of(solver), law, words)


def test_a_solver_of_long_steps_that_looks_at_its_budget_passes():
    asked = ("test_cancelled_step_returns", "test_step_returns_soon_after_it_is_cancelled", "test_budget_is_passed_on")
    assert {one.outcome for one in verdicts(laws_of(LooksEachTime), asked)} == {"passed"}
