"""An answer has as few kernels as its margin needs: no more than rows there and one, and it proves no less for it."""

import attrs
import numpy as np
import pytest
from kernelopt_cosine import Cosine

import kernelopt
from kernelopt._saddle._pruned import pruned
from kernelopt.plugin import Budget, Mixture, Part
from kernelopt.testing import make_problem

CRITERIA = [
    pytest.param(kernelopt.SVC(C=1.0), id="svc"),
    pytest.param(kernelopt.NuSVC(nu=0.3), id="nu-svc"),
    pytest.param(kernelopt.L2SVC(C=1.0), id="l2-svc"),
    pytest.param(kernelopt.Margin(), id="margin"),
]


def answered(criterion, extra=(), atoms=200, n=80):
    """The problem of many random cosines, and the answer to their mean."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 0.7, 1.0, -1.0)
    problem = attrs.evolve(make_problem((Cosine(beta=0.3), *extra), X, y[:, None], criterion), accuracy=1e-9)
    share = 1.0 / (atoms + len(extra))
    parts = [Part(rng.normal(size=(atoms, 3)), np.full(atoms, share))]
    parts += [Part(np.zeros((1, 0)), np.array([share])) for _ in extra]
    return problem, problem.respond(Mixture(tuple(parts)))


def after(problem, response):
    return pruned(problem, response, problem.gram(response.mixture), Budget())


@pytest.mark.parametrize("extra", [(), (kernelopt.Delta(),)], ids=["alone", "delta"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_at_most_one_kernel_more_than_support_vectors(criterion, extra):
    problem, response = answered(criterion, extra)
    found = after(problem, response)
    assert len(found.mixture.parts[0]) <= len(response.support) + 1 < len(response.mixture.parts[0])
    assert found.upper <= response.upper + 1e-9 * abs(response.upper)
    assert found.mixture.mass == pytest.approx(response.mixture.mass, rel=1e-12)
    assert len(found.mixture.parts) == len(response.mixture.parts)


def test_kernels_are_counted_against_the_machine_that_is_left():
    """The machine of the first vertex has fewer rows at the margin than that before it, so some kernels more may go."""
    problem, response = answered(kernelopt.SVC(C=100.0))
    found = after(problem, response)
    (alpha,) = [dual.alpha for dual in found.duals]
    inside = np.count_nonzero((alpha > 0.0) & (alpha < 100.0))
    assert inside > 5
    assert len(found.mixture.parts[0]) <= inside + 1
    assert found.upper <= response.upper + 1e-9 * abs(response.upper)


def test_the_machine_is_the_same_or_better_on_the_kernel_that_is_kept():
    problem, response = answered(kernelopt.SVC(C=1.0))
    found = after(problem, response)
    again = problem.respond(found.mixture)
    assert again.upper == pytest.approx(found.upper, rel=1e-8)
    known = {atom.tobytes() for atom in response.mixture.parts[0].atoms}
    assert {atom.tobytes() for atom in found.mixture.parts[0].atoms} <= known


def test_few_kernels_stay_as_they_are():
    problem, response = answered(kernelopt.SVC(C=1.0), atoms=3)
    assert after(problem, response) is response


def test_weights_of_a_list_stay_as_they_are():
    """The kernels of a list are what somebody named; only those that a search brought are reduced."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 2))
    y = np.sign(X[:, 0])
    family = kernelopt.Dictionary([("rbf", {"gamma": g}) for g in np.geomspace(0.01, 10.0, 40)])
    problem = make_problem((family,), X, y[:, None], kernelopt.SVC(C=1.0))
    response = problem.respond(problem.center())
    assert after(problem, response) is response


def test_a_solution_is_pruned():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 4))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0.0, 1, -1)
    found = kernelopt.solve(X, y, family=Cosine(beta=0.1), criterion="svc", tol=1e-3)
    margin = np.abs(found.decision_function(X)) <= 1.0 + 1e-3
    support = np.isin(np.arange(40), found.support)
    assert len(found.response.mixture) <= np.count_nonzero(margin | support) + 1 < 40


def test_targets_of_a_billion_without_support_vectors_are_pruned_in_silence():
    """All are within epsilon: K v is 0 for every kernel, which is no unit to measure slopes in."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), 1e9 * rng.normal(size=20)
    svr = {"name": "svr", "C": 1e9, "epsilon": 1e10}
    s = kernelopt.solve(X, y, family={"name": "cosine", "starts": 16}, criterion=svr, solver="fw", max_steps=5)
    assert s.certificate.upper == 0.0
    assert len(s.support) == 0
