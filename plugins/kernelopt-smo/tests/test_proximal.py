"""A stage's answer, by its definition: w_a = eta_a (Phi_a'v + rho centre_a), with every c_a written out."""

import numpy as np
import pytest
from kernelopt_smo._active_block import gathered
from kernelopt_smo._iterate import Smoothing, weighed
from kernelopt_smo._pooled_kernels import Pool
from kernelopt_smo._proximal import Centre, reached
from kernelopt_smo._stage import climbed

import kernelopt
from kernelopt.plugin import Budget
from kernelopt.testing import make_problem


def first_column(X, Z):
    return np.exp(-3.0 * (X[:, :1] - Z[:, 0]) ** 2)


def second_column(X, Z):
    return np.exp(-3.0 * (X[:, 1:2] - Z[:, 1]) ** 2)


def test_centres_weights_and_gap_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(25, 2)), rng.choice([-1.0, 1.0], size=(25, 1))
    family = kernelopt.Dictionary([first_column, second_column, "rbf"], normalize="variance")
    problem = make_problem((family,), X, y, kernelopt.SVC(1.0))
    (qp,) = problem.outputs
    play = gathered(Pool.of(problem), np.arange(3), np.arange(25))
    K, rho = play.K, 0.3
    alphas = problem.points((rng.uniform(size=25),))[0].alpha
    v, weights = qp.embed(alphas), np.array([0.5, 0.2, 0.3])
    G = K @ v
    centre = Centre.along(weights, G @ v, G[:, None, :])
    c, u, sums = weights[:, None] * v, play.load(problem.outputs, (alphas,)), np.zeros(1)
    for _ in range(3):
        start = centre.point(u, sums, rho)
        end = climbed(play, start, Smoothing.alike(3, rho), 1e-12, Budget())
        last = reached(play, centre, start, end, rho)
        v = play.embed(end.u)[0]
        eta = weighed(end.q, Smoothing.alike(3, rho)).eta
        c_after = eta[:, None] * (v + rho * c)
        image = np.einsum("aij,aj->ai", K, c_after)
        norms = np.sqrt(np.einsum("ai,ai->a", c_after, image))
        assert last.centre.own == pytest.approx(norms**2, rel=1e-9)
        assert last.centre.cross == pytest.approx(image @ v, rel=1e-9)
        assert last.centre.plain == pytest.approx((K @ v) @ v, rel=1e-9)
        assert last.centre.P[:, 0] == pytest.approx(image, rel=1e-8, abs=1e-10)
        assert last.centre.G[:, 0] == pytest.approx(K @ v, rel=1e-8, abs=1e-10)
        assert np.count_nonzero(last.weights) > 1
        assert last.weights == pytest.approx(norms / norms.sum(), rel=1e-9)
        f = image.sum(axis=0)
        primal = min(0.5 * norms.sum() ** 2 + np.maximum(0.0, 1.0 - qp.sign * (f + b)).sum() for b in qp.sign - f)
        dual = qp.h(play.store(problem.outputs, (alphas,), end.u)[0]) - 0.5 * ((K @ v) @ v).max()
        assert last.gap == pytest.approx(primal - dual, abs=1e-7 * primal)
        centre, c, u, sums = last.centre, c_after, end.u, end.sums
