"""A mixture of dual points proves what none of them proves alone."""

import numpy as np
import pytest

import kernelopt
from kernelopt._solvers._dual_mixture import mixed
from kernelopt.plugin import Mixture, Part, Query
from kernelopt.testing import every_criterion, make_problem, small_task, three_classes

WIDTHS = (0.01, 0.1, 1.0, 10.0)
CRITERIA = {name: one for name, one in every_criterion().items() if name != "alignment"}


def gaussians():
    return kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in WIDTHS], normalize=None)


def answers(problem):
    """The dual variables of every kernel of the list alone: extreme points, each blind to the other kernels."""
    atoms = problem.leaves[0].family.dictionary().atoms
    alone = (Mixture((Part(atom[None], np.ones(1)),)) for atom in atoms)
    return tuple(tuple(dual.alpha for dual in problem.respond(one).duals) for one in alone)


def bound(problem, alphas):
    return problem.ceiling(problem.points(alphas), Query()).lower


@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=list(CRITERIA))
def test_two_points_are_mixed_as_a_search_over_all_shares_mixes_them(criterion):
    X, y = small_task(criterion.task)
    Y = np.zeros((len(X), 1)) if y is None else y[:, None]
    problem = make_problem((gaussians(),), X, Y, criterion)
    points = answers(problem)[1::2]
    shares = np.linspace(0.0, 1.0, 201)
    best = max(bound(problem, tuple((1 - t) * a + t * b for a, b in zip(*points, strict=True))) for t in shares)
    found = bound(problem, mixed(problem, points))
    assert found >= best - 1e-7 * abs(best)
    assert found <= best + 1e-3 * abs(best)


def test_outputs_share_the_shares():
    problem = make_problem((gaussians(),), *three_classes(), kernelopt.SVC(C=5.0))
    points = answers(problem)
    best = max(bound(problem, one) for one in points)
    assert bound(problem, mixed(problem, points)) >= best * (1.0 - 1e-9)


def test_one_point_and_twins_come_back():
    X, y = small_task("classification")
    problem = make_problem((gaussians(),), X, y[:, None], kernelopt.SVC(C=5.0))
    point = answers(problem)[1]
    for points in ((point,), (point, point)):
        assert np.allclose(mixed(problem, points)[0], point[0], rtol=1e-12, atol=1e-12)


def test_an_exchange_closes_where_alpha_is_not_unique():
    """Kernels of two features: reduced gradients answer with one alpha of many, and no single one closes the gap."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(24, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=24)
    y = np.where(signal > np.median(signal), 1, -1)
    s = kernelopt.solve(X, y, family="cosine", solver="simplemkl", criterion="nu-svc", tol=1e-4, seed=1)
    assert s.status is kernelopt.Status.CONVERGED, s.certificate
