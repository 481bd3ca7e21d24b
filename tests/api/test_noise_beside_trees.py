"""Noise beside kernels of trees, which have seen the targets: rows that they have not seen say how much there is."""

import numpy as np
import pytest

import kernelopt
from kernelopt._saddle._held_out import noise_held_out


def steps(seed, n):
    """Steps, with noise of deviation 0.1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    steps = (X[:, 0] > 0.0) + 2.0 * ((X[:, 1] > 0.5) & (X[:, 2] > 0.0))
    return X, steps + 0.1 * rng.normal(size=n)


@pytest.fixture(scope="module")
def learned():
    X, y = steps(2, 100)
    return kernelopt.solve(X, y)


def test_intervals_hold_new_targets_where_trees_joined(learned):
    assert any("kernels of trees joined" in note for note in learned.notes)
    Z, new = steps(3, 2000)
    mean, deviation = learned.predict(Z, return_std=True)
    assert np.mean(np.abs(new - mean) <= 1.96 * deviation) > 0.88
    assert np.mean(learned.score_samples(Z, new)) > -1.0


def test_a_note_tells_the_least_noise_and_the_criterion_has_it(learned):
    assert any(f"at least {learned.criterion.floor:.2g} of that of the targets" in note for note in learned.notes)
    assert learned.posterior.noise >= 0.999 * learned.criterion.floor * np.var(steps(2, 100)[1])


def test_a_run_from_a_solution_keeps_its_least_noise(learned):
    again = kernelopt.solve(*steps(2, 100), start=learned)
    assert again.criterion.floor == learned.criterion.floor
    assert again.objective <= learned.objective + 1e-6 * abs(learned.objective)


@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_held_out_rows_ask_for_the_noise_that_they_have(noise):
    rng = np.random.default_rng(0)
    unknown, believed, weight = rng.uniform(0.0, 0.1, size=2000), np.full(2000, 1e-6), np.ones(2000)
    left = np.sqrt(unknown + noise)[:, None] * rng.normal(size=(2000, 1))
    asked = noise_held_out(left, unknown, believed, 1.0, weight)
    assert asked == pytest.approx(noise, rel=0.3)
    left[7] = 1e6  # one outlier says nothing of the others
    assert noise_held_out(left, unknown, believed, 1.0, weight) == pytest.approx(asked, rel=0.2)


def test_noise_that_is_known_is_left_as_it_is():
    rng = np.random.default_rng(0)
    left = np.sqrt(0.2) * rng.normal(size=(2000, 1))
    assert noise_held_out(left, np.zeros(2000), np.full(2000, 0.4), 1.0, np.ones(2000)) is None
    assert noise_held_out(left, np.zeros(2000), np.full(2000, 0.4), 0.1, np.ones(2000)) is None
