"""The oracle on a line: its bounds hold, its ceiling is met, and no width beats it."""

import math

import numpy as np
import pytest
from kernelopt_gaussian import Gaussian
from kernelopt_gaussian._bernstein_cells import Pieces, bernstein, undecided
from kernelopt_gaussian._branch_and_bound import ask
from kernelopt_gaussian._width_objective import DEGREE, Curve
from scipy.spatial.distance import cdist

from kernelopt.plugin import Query

NONE = np.zeros(0)


def curve_of(n=20, d=2, c=1, *, eta=0.1, seed=0, balanced=True):
    rng = np.random.default_rng(seed)
    X, V = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 1, size=d), rng.normal(size=(n, c))
    D = cdist(X, X, "sqeuclidean")
    return Curve.normalised(D / D.max(), V - balanced * V.mean(axis=0), eta)[0]


def values(curve, omega):
    return curve.derivatives(curve.nodes(np.asarray(omega)))[0]


@pytest.mark.parametrize("eta", [0.0, 1e-4, 0.1, 10.0])
@pytest.mark.parametrize("c", [1, 3])
def test_the_value_and_its_derivatives(eta, c):
    rng = np.random.default_rng(2)
    X, V = rng.normal(size=(9, 2)), rng.normal(size=(9, c))
    curve, unit = Curve.normalised(cdist(X, X, "sqeuclidean"), V, eta)
    omega, step = np.array([0.0, 0.3, 2.0]), 1e-5
    for one, value in zip(omega, values(curve, unit * omega), strict=True):
        K = np.array([[math.exp(-one * math.dist(x, z) ** 2 - eta * one**2) for z in X] for x in X])
        assert value == pytest.approx(float(np.vdot(V, K @ V)), rel=1e-12)
    _, slope, bend = curve.derivatives(curve.nodes(omega))
    low, high = (curve.derivatives(curve.nodes(omega + s)) for s in (-step, step))
    np.testing.assert_allclose(slope, (high[0] - low[0]) / (2 * step), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(bend, (high[1] - low[1]) / (2 * step), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("eta", [0.0, 1e-3, 1.0])
def test_the_excess_over_a_target_is_bounded_to_the_right_of_each_node(seed, eta):
    """(g(a + t) - target) exp(eta (a + t)^2 - eta a^2) is at most p(t) + r t^(DEGREE + 1), and close to it."""
    curve = curve_of(c=1 + seed % 2, eta=eta, seed=seed)
    nodes, target = curve.nodes(np.concatenate([[0.0], np.geomspace(1e-2, 30.0, 60)])), 0.3 * curve.total
    polynomials, rest = curve.excess(nodes, target)
    for share in (1e-3, 0.1, 0.5, 1.0):
        t = share * (0.3 + 0.2 * nodes.omega)
        there = nodes.omega + t
        growth = np.exp(curve.eta * (there**2 - nodes.omega**2))
        wanted = (values(curve, there) - target) * growth
        bound = np.sum(polynomials * t[:, None] ** np.arange(DEGREE + 1), axis=1) + rest * t ** (DEGREE + 1)
        assert (wanted <= bound + 1e-12 * curve.total).all()
        if eta == 0.0 or share < 0.01:
            assert (bound <= wanted + 2.0 * rest * t ** (DEGREE + 1) + 1e-9 * curve.total).all()


def test_polynomials_that_could_be_positive_are_found():
    rng = np.random.default_rng(0)
    polynomials = rng.normal(size=(400, 6)) * [1.0, 3.0, 9.0, 9.0, 9.0, 9.0]
    polynomials[:, 0] -= rng.uniform(0.0, 4.0, size=400)
    h, rest = rng.uniform(0.3, 1.5, size=400), rng.uniform(0.0, 0.01, size=400)
    found = undecided(polynomials, rest, h)
    grid = np.linspace(0.0, 1.0, 4001) * h[:, None]
    whole = np.sum(polynomials[:, None] * grid[..., None] ** np.arange(6), axis=2) + rest[:, None] * grid**6
    highest = whole.max(axis=1)
    assert np.isfinite(found[highest > 0.0]).all()
    # Halving a piece keeps the larger remainder: what is nearly positive may be left in doubt.
    assert np.isnan(found[highest < -0.1]).all()
    assert 50 < np.count_nonzero(np.isnan(found)) < 350
    sure = found[np.isfinite(found)]
    assert ((sure >= 0.0) & (sure <= h[np.isfinite(found)])).all()


def test_bernstein_coefficients_bound_a_polynomial_and_halve_with_it():
    rng = np.random.default_rng(1)
    p, h = rng.normal(size=(30, 8)), rng.uniform(0.5, 2.0, size=30)
    whole = Pieces(np.arange(30), np.zeros(30), np.ones(30), bernstein(p, h))
    halves = whole.halved()
    for pieces in (whole, halves, halves.halved()):
        for share in np.linspace(0.0, 1.0, 11):
            t = h[pieces.owner] * ((1 - share) * pieces.start + share * pieces.end)
            value = np.sum(p[pieces.owner] * t[:, None] ** np.arange(8), axis=1)
            assert (value <= pieces.coefficients.max(axis=1) + 1e-12).all()
            if share in (0.0, 1.0):
                np.testing.assert_allclose(value, pieces.coefficients[:, int(-share)], atol=1e-11)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("eta", "limit"), [(1e-4, math.inf), (0.1, math.inf), (0.0, 3.0), (1e-2, 0.5), (1e-7, math.inf)]
)
def test_the_ceiling_is_that_of_a_dense_grid(seed, eta, limit):
    curve = curve_of(eta=eta, seed=seed, c=1 + seed % 3, balanced=seed % 2 == 0)
    answer = ask(curve, NONE, 0.0, limit, 3)
    top = min(limit, 3e4)
    grid = np.concatenate([[0.0], np.geomspace(1e-3, top, 20000)])
    largest = float(values(curve, grid).max())
    assert largest <= answer.ceiling
    assert answer.values[0] == pytest.approx(largest, rel=1e-4)
    assert answer.ceiling <= answer.values[0] * (1 + 2e-9) + 1e-13 * curve.total
    assert (answer.omega <= limit).all()
    assert (answer.omega >= 0.0).all()
    np.testing.assert_allclose(answer.values, values(curve, answer.omega), rtol=1e-12)


def test_local_maxima_come_best_first():
    """A sum that rises, falls and rises again before its price wins."""
    curve = Curve(np.array([0.0, 1e-4, 0.01, 1.0]), np.array([10.0, -3.0, 5.0, -8.0]), 1e-10)
    answer = ask(curve, NONE, 0.0, math.inf, 5)
    assert len(answer.omega) == 2
    assert answer.values[0] > answer.values[1]
    assert answer.omega[0] < 100.0 < 1e4 < answer.omega[1]
    np.testing.assert_allclose(curve.derivatives(curve.nodes(answer.omega))[1], 0.0, atol=1e-10)
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
    (both, unit), (rest, other) = (
        Curve.normalised(cdist(x[some], x[some], "sqeuclidean"), v[some], 0.1) for some in (slice(0, 4), slice(2, 4))
    )
    omega = np.linspace(0.0, 5.0, 20)
    np.testing.assert_allclose(values(both, unit * omega), values(rest, other * omega), atol=1e-12)
    assert ask(both, NONE, 0.0, math.inf, 1).ceiling == pytest.approx(ask(rest, NONE, 0.0, math.inf, 1).ceiling)
