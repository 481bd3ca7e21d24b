"""What is minimised over kernels: two kinds of objective, and a third that is one class and changes nothing else."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence, Status
from kernelopt._saddle._bounds import Bounds
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._remarks import flat
from kernelopt._saddle._saddle_objective import SaddleObjective, objective_of
from kernelopt.testing import Waves, every_criterion, make_problem, small_task

LEVEL = 5.0


@attrs.frozen
class Raised(kernelopt.SVC, SaddleObjective):
    """The support vector classifier's objective plus a constant: both bounds are higher by it, nothing else moves."""

    name = "raised"

    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return attrs.evolve(found, value=found.value + LEVEL)

    def plain(self, problem):
        return attrs.evolve(problem, criterion=kernelopt.SVC(self.C))

    def answer(self, problem, mixture, gram):
        found = self.plain(problem).respond_gram(mixture, gram)
        duals = tuple(attrs.evolve(dual, upper=dual.upper + LEVEL) for dual in found.duals)
        return attrs.evolve(found, duals=duals, upper=found.upper + LEVEL)

    def lower(self, problem, duals, query, near, forms):
        found = self.plain(problem).ceiling(duals, query, near, forms)
        return attrs.evolve(found, lower=found.lower + LEVEL)


def test_every_criterion_has_the_saddle_but_those_with_one_of_their_own():
    for criterion in every_criterion().values():
        own = criterion.name == "evidence"
        assert (objective_of(criterion) is criterion) == own
        assert isinstance(objective_of(criterion), SaddleObjective) != own
    raised = Raised(C=2.0)
    assert objective_of(raised) is raised


CELLS = [(family, solver) for family in ("tk", "dictionary") for solver in ("ipm", "fw", "smo", "plain-fw+apd")]


@pytest.mark.parametrize(("family", "solver"), [*CELLS, ("cosine", "fw"), ("cosine", "smo")])
def test_a_third_kind_of_objective_is_one_class(family, solver):
    X, y = small_task("classification")
    plain = kernelopt.solve(X, y, family=family, solver=solver, criterion=kernelopt.SVC(C=2.0), tol=1e-4)
    raised = kernelopt.solve(X, y, family=family, solver=solver, criterion=Raised(C=2.0), tol=1e-4)
    assert raised.status is plain.status
    assert raised.certificate.upper >= plain.certificate.lower + LEVEL
    assert raised.certificate.lower <= plain.certificate.upper + LEVEL
    assert raised.certificate.upper == pytest.approx(plain.certificate.upper + LEVEL, rel=1e-3)
    assert raised.baseline == pytest.approx(plain.baseline + LEVEL, rel=1e-4)


def test_the_saddle_converges_and_the_evidence_is_stationary():
    exact, estimated = Certificate(1.0, 1.0), Certificate(1.0, 1.0, exact=False)
    assert SaddleObjective().reached(exact) is Status.CONVERGED
    assert SaddleObjective().reached(estimated) is Status.CONVERGED_ESTIMATED
    assert Evidence().reached(exact) is Status.STATIONARY
    assert Evidence().reached(estimated) is Status.STATIONARY_ESTIMATED


def test_a_later_search_caps_an_estimated_bound():
    """And no other: a ceiling that is proved stays as it is."""
    X, y = small_task("classification")
    problem = make_problem((Waves(),), X, y[:, None], kernelopt.SVC(C=1.0))
    response = problem.respond(problem.center())
    whole = problem.ceiling(response.duals)
    (best,) = whole.atoms
    blind = attrs.evolve(best, atoms=best.atoms[-1:], values=best.values[-1:], ceiling=0.0, exact=False)
    estimated = attrs.evolve(whole, atoms=(blind,), values=np.zeros(1), lower=response.h, exact=False)
    later = attrs.evolve(whole, atoms=(attrs.evolve(best, exact=False),), lower=-np.inf, exact=False)
    saddle = SaddleObjective()
    after = saddle.improved(problem, Bounds(response, estimated), Bounds(response, later))
    assert after.ceiling.lower == pytest.approx(whole.lower)
    proved = attrs.evolve(estimated, exact=True)
    assert saddle.improved(problem, Bounds(response, proved), Bounds(response, later)).ceiling is proved


@pytest.mark.parametrize(("epsilon", "told"), [(0.5, True), (0.4, False)])
def test_a_machine_that_is_a_constant_says_so(epsilon, told):
    """Targets are at most half of their range from its middle."""
    X = np.linspace(0.0, 1.0, 12)[:, None]
    s = kernelopt.solve(X, X[:, 0], family="tk", criterion=kernelopt.SVR(epsilon=epsilon))
    assert any("smaller epsilon" in note for note in s.notes) == told
    same = kernelopt.solve(X, np.ones(12), family="tk", criterion=kernelopt.SVR(epsilon=epsilon))
    assert not any("smaller epsilon" in note for note in same.notes)


def test_a_machine_that_was_never_trained_is_told_from_one_that_is_a_constant():
    X, y = small_task("regression")
    s = kernelopt.solve(X, y, family="tk")
    untrained = attrs.evolve(s.response, duals=tuple(attrs.evolve(dual, v=0.0 * dual.v) for dual in s.response.duals))
    assert "give more seconds" in flat(untrained, y[:, None])
    assert flat(s.response, y[:, None]) is None


@pytest.mark.parametrize("C", [1.0, 1e14])
def test_kernels_that_cost_something_and_explain_nothing_go_to_none(C):
    """Also where slack costs so much that dual variables in the middle of their box have h of -1e19."""
    X = np.linspace(0.0, 1.0, 12)[:, None]
    family = [kernelopt.priced("tk", 1.0), kernelopt.priced("delta", 4.0)]
    s = kernelopt.solve(X, X[:, 0], family=family, criterion=kernelopt.SVR(C=C, epsilon=1e5), solver="ipm")
    assert s.status.converged
    assert 0.0 <= s.certificate.upper < 1e-15
    assert any("smaller epsilon" in note for note in s.notes)
