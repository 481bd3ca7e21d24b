"""The kit must reject a solver that is right for one list and two classes, and wrong for other problems."""

import attrs
import numpy as np
import pytest

from kernelopt.plugin import Mixture, Part
from kernelopt.testing import CuttingPlanes, judge, verdicts

LAW = "test_other_criteria_are_served_or_refused"


class ForgetsFactors(CuttingPlanes):
    """Its planes are those of the kernels in the units of their families."""

    def planes(self, problem, cut):
        counts = [len(leaf.family.dictionary()) for leaf in problem.leaves]
        return attrs.evolve(cut, q=cut.q / np.repeat([leaf.factor for leaf in problem.leaves], counts))

    def init(self, problem, start, seed, budget):
        after = super().init(problem, start, seed, budget)
        return attrs.evolve(after, cuts=(self.planes(problem, after.cuts[0]),))

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        return attrs.evolve(after, cuts=(*after.cuts[:-1], self.planes(problem, after.cuts[-1])), stalled=False)


class FirstLeafAlone(ForgetsFactors):
    def planes(self, problem, cut):
        first = len(problem.leaves[0].family.dictionary())
        return attrs.evolve(cut, q=np.where(np.arange(len(cut.q)) < first, cut.q, 0.0))


class PositiveAlpha(CuttingPlanes):
    """The dual variables of regression have both signs."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        alphas = [np.maximum(point.alpha, 0.0) for point in after.ceiling.duals]
        return attrs.evolve(after, ceiling=problem.ceiling(problem.points(tuple(alphas))), stalled=False)


class GivesUpElsewhere(CuttingPlanes):
    """Stalls, with a note, under every criterion but that of the examples."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        if problem.criterion.name == "svc":
            return after
        return attrs.evolve(after, response=state.response, ceiling=state.ceiling, stalled=True, note="too hard")


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        (ForgetsFactors, "every factor of a leaf"),
        (FirstLeafAlone, "on three lists under l2-svc"),
        (PositiveAlpha, "on three lists under ridge"),
        (GivesUpElsewhere, "the solver stalls under each criterion"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_solver_of_one_list_and_two_classes_is_rejected(solver, words, rejected):
    rejected(judge(solver), "tasks", words)


class EightKernels(CuttingPlanes):
    """The weights of the others stay where they are not looked for."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        kept = tuple(Part(part.atoms[:8], part.weights[:8]) for part in after.response.mixture.parts)
        mass = sum(part.mass for part in kept)
        mixture = Mixture(tuple(part.scaled(1.0 / mass) for part in kept)) if mass else state.response.mixture
        return attrs.evolve(after, response=problem.respond(mixture, state.response, budget), stalled=False)


class Stays(CuttingPlanes):
    """Goes nowhere from where it is too much."""

    def step(self, problem, state, budget):
        if self.too_much(problem):
            return attrs.evolve(state, step=state.step + 1)
        return super().step(problem, state, budget)


class FourOutputs(Stays):
    def too_much(self, problem):
        return len(problem.outputs) > 4


class TwentySamples(Stays):
    def too_much(self, problem):
        return problem.n > 20


class EqualBoxes(CuttingPlanes):
    """Each dual variable is kept in the box of the first."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        pairs = zip(after.ceiling.duals, problem.outputs, strict=True)
        alphas = tuple(np.clip(dual.alpha, qp.lower[0], qp.upper[0]) for dual, qp in pairs)
        return attrs.evolve(after, ceiling=problem.ceiling(problem.points(alphas)), stalled=False)


@pytest.mark.parametrize("solver", [EightKernels, FourOutputs, TwentySamples, EqualBoxes])
def test_a_solver_of_a_few_kernels_outputs_or_equal_samples_is_rejected(solver, rejected):
    rejected(judge(solver), "wide", "look at every kernel, every output and the box of every sample")


class AsksForC(CuttingPlanes):
    def step(self, problem, state, budget):
        assert problem.criterion.C > 0.0
        return super().step(problem, state, budget)


def test_a_solver_that_asks_for_an_option_of_some_criteria_is_rejected():
    (said,) = verdicts(judge(AsksForC), [LAW])
    assert (said.outcome, said.law) == ("failed", LAW)
    assert "has no attribute 'C'" in said.detail


class TwoClassesAlone(CuttingPlanes):
    def refuses(self, leaves, criterion):
        return super().refuses(leaves, criterion) or (None if criterion.name == "svc" else "two classes, please")


@pytest.mark.parametrize(("solver", "outcome"), [(CuttingPlanes, "passed"), (TwoClassesAlone, "skipped")])
def test_a_solver_that_serves_other_problems_or_refuses_them_passes(solver, outcome):
    (said,) = verdicts(judge(solver), [LAW])
    assert said.outcome == outcome
