"""Every way to the evidence descends, is certified, and ends at the same place on a list."""

from typing import ClassVar

import attrs
import numpy as np
import pytest
from kernelopt_ipm import InteriorPoint

import kernelopt
from kernelopt import Status
from kernelopt._api.beginning._first_size import sized
from kernelopt._saddle._bounds import Bounds
from kernelopt.plugin import Budget, Mixture, Solver
from kernelopt.testing import ConcaveSolverSuite, verdicts

INNER = ("ipm", "fw", "apd", "qcqp", "fw+apd", "smo", "simplemkl", "smo+simplemkl")


class TestScoring(ConcaveSolverSuite):
    def solver(self):
        return kernelopt.Scoring()


class TestReweighted(ConcaveSolverSuite):
    def solver(self):
        return kernelopt.Reweighted("ipm")


class TestReweightedLists(ConcaveSolverSuite):
    steps = 2

    def solver(self):
        return kernelopt.Reweighted("qcqp")


class TestReweightedTotals(ConcaveSolverSuite):
    """By a solver of kernels of one total, which crawls."""

    tolerance = 3e-2
    steps = 2

    def solver(self):
        return kernelopt.Reweighted("plain-fw")


@pytest.mark.parametrize("solver", INNER)
def test_any_solver_finds_what_scoring_finds(solver, data, family):
    ours = kernelopt.solve(*data, family=family("list"), criterion="evidence", tol=1e-5)
    theirs = kernelopt.solve(*data, family=family("list"), criterion="evidence", solver=solver, tol=1e-4)
    assert theirs.status is Status.STATIONARY
    assert theirs.objective == pytest.approx(ours.objective, abs=1e-2)
    assert theirs.certificate.gap <= 0.5e-4 * len(data[1])


def test_a_run_goes_on_while_its_objective_falls_at_the_same_gap():
    """The bound is a tangent's, which moves: over fifty steps the gap is as wide as before, and the objective lower."""
    rng = np.random.default_rng(130)
    X = rng.normal(size=(30, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.1 * rng.normal(size=30)
    found = kernelopt.solve(X, signal > np.median(signal), family="tk", criterion="evidence")
    assert found.status is Status.STATIONARY, found


@attrs.frozen
class Lagging(Solver):
    """An interior point that proves what it does, and answers with a kernel that is too large."""

    name: ClassVar[str] = "lagging"
    default_steps: ClassVar[int] = 20

    inner: Solver = attrs.field(factory=InteriorPoint)

    def refuses(self, leaves, criterion):
        return self.inner.refuses(leaves, criterion)

    def init(self, problem, start, seed, budget):
        return self.inner.init(problem, start, seed, budget)

    def step(self, problem, state, budget):
        after = self.inner.step(problem, state, budget)
        larger = Mixture(tuple(part.scaled(1.5) for part in state.response.mixture.parts))
        return attrs.evolve(after, response=attrs.evolve(state.response, mixture=larger))


def test_where_no_kernel_is_better_the_proof_of_that_is_the_bound(posed_on):
    """The answer's own dual point proves less: where one atom exceeds its price all of it must shrink."""
    problem, solver = posed_on("tk"), kernelopt.Reweighted("ipm")
    state = solver.init(problem, sized(problem, problem.center(), Budget()), 0, Budget())
    while state.response.upper - state.ceiling.lower > 0.5:
        state = solver.step(problem, state, Budget())
    start = state.response
    solver = kernelopt.Reweighted(Lagging())
    before = solver.init(problem, start, 0, Budget())
    after = solver.step(problem, before, Budget())
    assert after.stalled
    assert after.response is start
    gap = start.upper - before.ceiling.lower
    assert -1e-9 <= start.upper - after.ceiling.lower <= 0.2 * gap


@pytest.mark.parametrize("solver", ["auto", "ipm"])
def test_matrix_families_are_priced_as_matrices(solver, data):
    s = kernelopt.solve(*data, family="tk", criterion="evidence", solver=solver)
    assert s.status is Status.STATIONARY
    assert s.gain > 0.1


@pytest.mark.parametrize("name", ["gaussian", "cosine"])
def test_searched_families_end_estimated(name, data, family):
    s = kernelopt.solve(*data, family=name, criterion="evidence")
    assert s.status is Status.STATIONARY_ESTIMATED
    assert not s.certificate.exact
    fixed = kernelopt.solve(*data, family=family("list"), criterion="evidence")
    assert s.objective < fixed.objective + 1.0


def test_single_columns_and_unions_keep_their_prices(data, family):
    s = kernelopt.solve(*data, family=[kernelopt.each(family("list")), "gpk"], criterion="evidence")
    assert s.status is Status.STATIONARY
    assert s.kernel.views()[(0,)] > s.kernel.views().get((1,), 0.0)


def test_many_rows_need_no_gram(rows):
    X, y = rows(3000)
    s = kernelopt.solve(X, y, family=kernelopt.sampled("cosine", 40), criterion="evidence")
    assert s.status is Status.STATIONARY
    assert len(s.predictor.support_vectors) == 0
    assert s.score(*rows(500, seed=1)) > 0.6


def test_a_cancelled_run_keeps_its_best(data, family):
    s = kernelopt.solve(*data, family=family("list"), criterion="evidence", tol=1e-8, callback=lambda r: r.step == 2)
    assert s.status is Status.INTERRUPTED
    on = kernelopt.solve(*data, family=family("list"), criterion="evidence", tol=1e-5, start=s)
    assert on.status is Status.STATIONARY
    assert on.objective <= s.objective


def test_bounds_of_one_kernel_stay_together(data, family, posed):
    """An early lower bound is one of an early tangent: it may lie above a later objective."""
    seen = []
    s = kernelopt.solve(*data, family=family("list"), criterion="evidence", callback=seen.append)
    assert all(record.lower <= record.upper + 1e-9 for record in seen)
    problem = posed("list")
    first = sized(problem, problem.center())
    bounds = Bounds(first, problem.ceiling(first.duals, near=first.mixture))
    assert bounds.certificate.tangent
    assert s.certificate.tangent


class Uphill(kernelopt.Scoring):
    """Sometimes steps back to twice the kernel."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        if after.step != 3:
            return after
        worse = kernelopt.Mixture(tuple(part.scaled(2.0) for part in after.response.mixture.parts))
        return self.init(problem, problem.respond(worse), 0, budget)


class Elsewhere(kernelopt.Scoring):
    """Begins at twice the kernel that it was given."""

    def begin(self, problem, mixture, seed, budget):
        return super().begin(
            problem, kernelopt.Mixture(tuple(part.scaled(2.0) for part in mixture.parts)), seed, budget
        )

    def init(self, problem, start, seed, budget):
        return super().begin(problem, start.mixture, seed, budget)


class Optimistic(kernelopt.Scoring):
    """Claims that its kernel is the best one."""

    def step(self, problem, state, budget):
        after = super().step(problem, state, budget)
        return attrs.evolve(after, ceiling=attrs.evolve(after.ceiling, lower=after.response.upper))


@pytest.mark.parametrize(
    ("broken", "law", "test"),
    [
        (Uphill, "descent", "test_no_step_raises_the_objective_and_its_bounds_hold"),
        (Optimistic, "tangent-bound", "test_no_step_raises_the_objective_and_its_bounds_hold"),
        (Elsewhere, "begin", "test_any_kernel_is_a_beginning"),
    ],
)
def test_the_kit_rejects(broken, law, test):
    class Laws(ConcaveSolverSuite):
        def solver(self):
            return broken()

    (said,) = verdicts(Laws(), [test])
    assert said.law == law


@pytest.mark.parametrize("family", ["dictionary", "tk", "cosine"])
def test_what_forms_no_gram_is_refused_in_words_of_the_evidence(family):
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(kernelopt.Refused, match="working-set forms no n x n matrix, and the evidence needs") as caught:
        kernelopt.solve(X, X[:, 0], family=family, criterion="evidence", solver="working-set")
    assert "active" not in str(caught.value)
    advice = str(caught.value).partition("determinant; ")[2]
    assert advice == "leave solver out, or name a family and another criterion, such as svc or svr"
    for asked in ({}, {"family": "tk", "criterion": "svr", "solver": "working-set"}):
        kernelopt.solve(X, X[:, 0], max_steps=0, **asked)


def test_a_solver_without_prices_is_refused_for_kernels_with_a_prior():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(kernelopt.Refused, match="hyperkernel has prices of its kernels, and smo takes only"):
        kernelopt.solve(X, X[:, 0], family="hyperkernel", criterion="evidence", solver="smo")
