"""The oracle on a line: its bounds hold, its ceiling is met, and no width beats it."""

import math

import numpy as np
import pytest
from kernelopt_gaussian import Gaussian
from kernelopt_gaussian._curve import Curve
from kernelopt_gaussian._oracle import ask
from scipy.spatial.distance import cdist

from kernelopt.plugin import Query

NONE = np.zeros(0)


def curve_of(n=20, d=2, c=1, *, eta=0.1, seed=0, balanced=True):
    rng = np.random.default_rng(seed)
    X, V = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, size=d), rng.normal(size=(n, c))
    return Curve.of(cdist(X, X, "sqeuclidean"), V - balanced * V.mean(axis=0), eta)


def values(curve, omega):
    return curve.derivatives(curve.nodes(np.asarray(omega)))[0]


@pytest.mark.parametrize("eta", [0.0, 1e-4, 0.1, 10.0])
@pytest.mark.parametrize("c", [1, 3])
def test_the_value_and_its_derivatives(eta, c):
    rng = np.random.default_rng(2)
    X, V = rng.normal(size=(9, 2)), rng.normal(size=(9, c))
    curve = Curve.of(cdist(X, X, "sqeuclidean"), V, eta)
    omega, step = np.array([0.0, 0.3, 2.0]), 1e-5
    for one, value in zip(omega, values(curve, omega), strict=True):
        K = np.array([[math.exp(-one * math.dist(x, z) ** 2 - eta * one**2) for z in X] for x in X])
        assert value == pytest.approx(float(np.vdot(V, K @ V)), rel=1e-12)
    _, slope, bend = curve.derivatives(curve.nodes(omega))
    low, high = (curve.derivatives(curve.nodes(omega + s)) for s in (-step, step))
    np.testing.assert_allclose(slope, (high[0] - low[0]) / (2 * step), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(bend, (high[1] - low[1]) / (2 * step), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("eta", [0.0, 1e-3, 1.0])
def test_no_width_between_two_nodes_exceeds_their_bound(seed, eta):
    curve = curve_of(c=1 + seed % 2, eta=eta, seed=seed)
    nodes = curve.nodes(np.concatenate([[0.0], np.geomspace(1e-4, 30.0, 40)]))
    bounds = curve.bounds(nodes)
    for share in np.linspace(0.0, 1.0, 41):
        between = (1 - share) * nodes.omega[:-1] + share * nodes.omega[1:]
        assert (values(curve, between) <= bounds + 1e-12 * curve.total).all()


def test_bounds_sharpen_with_the_third_power_of_the_interval():
    curve = curve_of()
    top = float(ask(curve, NONE, 0.0, math.inf, 1).omega[0])
    slack = []
    for h in (0.04, 0.02, 0.01):
        nodes = curve.nodes(np.array([top, top * (1 + h)]))
        slack.append(float(curve.bounds(nodes)[0] - values(curve, [top])[0]))
    assert slack[0] / slack[1] == pytest.approx(8.0, rel=0.2)
    assert slack[1] / slack[2] == pytest.approx(8.0, rel=0.2)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("eta", "limit"), [(1e-4, math.inf), (0.1, math.inf), (0.0, 3.0), (1e-2, 0.5)])
def test_the_ceiling_is_that_of_a_dense_grid(seed, eta, limit):
    curve = curve_of(eta=eta, seed=seed, c=1 + seed % 3, balanced=seed % 2 == 0)
    answer = ask(curve, NONE, 0.0, limit, 3)
    top = min(limit, 300.0)
    grid = np.concatenate([[0.0], np.geomspace(1e-6, top, 20000)])
    largest = float(values(curve, grid).max())
    assert largest <= answer.ceiling
    assert answer.values[0] == pytest.approx(largest, rel=1e-4)
    assert answer.ceiling <= answer.values[0] * (1 + 2e-9)
    assert (answer.omega <= limit).all()
    assert (answer.omega >= 0.0).all()
    np.testing.assert_allclose(answer.values, values(curve, answer.omega), rtol=1e-12)


def test_local_maxima_come_best_first():
    """A sum that rises, falls and rises again before its price wins."""
    curve = Curve(np.array([0.0, 0.01, 1.0, 100.0]), np.array([10.0, -3.0, 5.0, -8.0]), 1e-6)
    answer = ask(curve, NONE, 0.0, math.inf, 5)
    assert len(answer.omega) == 2
    assert answer.values[0] > answer.values[1]
    assert answer.omega[0] < 1.0 < 100.0 < answer.omega[1]
    np.testing.assert_allclose(curve.derivatives(curve.nodes(answer.omega))[1], 0.0, atol=1e-9)
    assert len(ask(curve, NONE, 0.0, math.inf, 1).omega) == 1


def test_widths_that_are_near_do_not_change_the_answer():
    curve = curve_of()
    plain, near = ask(curve, NONE, 0.0, math.inf, 2), ask(curve, np.array([1e-3, 0.4, 1e9]), 0.0, math.inf, 2)
    np.testing.assert_allclose(plain.values, near.values, rtol=1e-9)


def test_above_bounds_what_is_of_no_interest():
    curve = curve_of()
    best = ask(curve, NONE, 0.0, math.inf, 1)
    quick = ask(curve, NONE, 3.0 * best.ceiling, math.inf, 1)
    assert quick.evaluations < best.evaluations
    assert best.ceiling * (1 - 1e-9) <= quick.ceiling <= 3.0 * best.ceiling * (1 + 1e-8)


@pytest.mark.parametrize("copies", [1, 5])
def test_one_support_row_has_the_widest_kernel(copies):
    X = np.repeat([[1.0, 2.0]], copies, axis=0)
    family = Gaussian().prepare(X, np.ones(copies))
    best = family.best_atoms(family.bind(X), np.ones((copies, 1)), Query(k=3))
    assert best.atoms[0, 0] == pytest.approx(0.0, abs=1e-6)
    assert best.values[0] == pytest.approx(copies**2)


def test_copies_of_a_row_in_both_classes_add_nothing():
    x = np.array([[0.0], [0.0], [1.0], [3.0]])
    v = np.array([[1.0], [-1.0], [0.5], [-0.5]])
    both = Curve.of(cdist(x, x, "sqeuclidean"), v, 0.1)
    rest = Curve.of(cdist(x[2:], x[2:], "sqeuclidean"), v[2:], 0.1)
    omega = np.linspace(0.0, 5.0, 20)
    np.testing.assert_allclose(values(both, omega), values(rest, omega), atol=1e-12)
    assert ask(both, NONE, 0.0, math.inf, 1).ceiling == pytest.approx(ask(rest, NONE, 0.0, math.inf, 1).ceiling)
