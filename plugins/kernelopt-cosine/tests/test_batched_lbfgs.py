"""The batched minimiser against functions whose minima are known."""

import numpy as np
import pytest
from kernelopt_cosine._batched_lbfgs import descend


def rosenbrock(x):
    a, b = x[:, 0], x[:, 1]
    value = (1.0 - a) ** 2 + 100.0 * (b - a * a) ** 2
    return value, np.stack([-2.0 * (1.0 - a) - 400.0 * a * (b - a * a), 200.0 * (b - a * a)], axis=1)


def test_a_curved_valley_is_followed_from_every_start():
    start = np.random.default_rng(0).uniform(-2.0, 2.0, size=(20, 2))
    before = start.copy()
    reached = descend(rosenbrock, start, -np.inf, steps=500, tolerance=1e-8)
    np.testing.assert_allclose(reached, 1.0, atol=1e-6)
    assert np.array_equal(start, before)


def test_a_badly_conditioned_quadratic():
    rng = np.random.default_rng(1)
    scales = np.geomspace(1.0, 1e3, 12)
    Q, _ = np.linalg.qr(rng.normal(size=(12, 12)))
    H = (Q * scales) @ Q.T
    bottom = rng.normal(size=12)

    def quadratic(x):
        slope = (x - bottom) @ H
        return 0.5 * np.sum((x - bottom) * slope, axis=1), slope

    reached = descend(quadratic, rng.normal(size=(7, 12)), -np.inf, tolerance=1e-7)
    np.testing.assert_allclose(reached, np.tile(bottom, (7, 1)), atol=1e-6)


def test_bounds_are_kept_and_reached():
    """The minimum over x >= 0 of |x - p|^2 is max(p, 0)."""
    aim = np.array([1.5, -2.0, 0.3, -0.1])

    def distance(x):
        return np.sum((x - aim) ** 2 * [1.0, 30.0, 5.0, 2.0], axis=1), 2.0 * (x - aim) * [1.0, 30.0, 5.0, 2.0]

    start = np.random.default_rng(2).uniform(0.0, 3.0, size=(9, 4))
    reached = descend(distance, start, 0.0, tolerance=1e-9)
    np.testing.assert_allclose(reached, np.tile(np.maximum(aim, 0.0), (9, 1)), atol=1e-8)
    assert (reached[:, [1, 3]] == 0.0).all()


def test_a_start_at_a_minimum_stays():
    np.testing.assert_array_equal(descend(rosenbrock, np.ones((1, 2)), -np.inf), np.ones((1, 2)))


@pytest.mark.parametrize("beyond", [-np.inf, np.nan])
def test_trials_without_a_finite_value_are_refused(beyond):
    """|x - 2|^2 ends at 3, and the first trial of a start at 0 with slopes of -4 would lie at 4."""

    def cut_off(x):
        far = (x > 3.0).any(axis=1)
        overflow = np.exp(np.where(far, 1e4, 0.0))
        value = np.where(far, (overflow - overflow) if np.isnan(beyond) else -overflow, np.sum((x - 2.0) ** 2, axis=1))
        return value, 2.0 * (x - 2.0)

    reached = descend(cut_off, np.array([[0.0, 0.0], [2.5, 1.0]]), -np.inf, reach=8.0, tolerance=1e-8)
    np.testing.assert_allclose(reached, 2.0, atol=1e-7)


@pytest.mark.parametrize("steps", [0, 3])
def test_the_step_limit_holds_and_nothing_gets_worse(steps):
    start = np.random.default_rng(3).uniform(-2.0, 2.0, size=(5, 2))
    reached = descend(rosenbrock, start, -np.inf, steps=steps)
    assert (rosenbrock(reached)[0] <= rosenbrock(start)[0]).all()
    assert np.array_equal(reached, start) == (steps == 0)
