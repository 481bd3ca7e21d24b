"""What held-out rows lose by a prediction does not depend on the size of its error bars, nor of its odds."""

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from kernelopt._saddle._held_out import losses_of_classes, losses_of_numbers


def test_numbers_lose_half_the_logarithm_of_their_mean_square():
    rng = np.random.default_rng(0)
    y, noise = rng.normal(size=(2000, 1)), rng.normal(size=(2000, 1))
    for size in (1e-3, 0.1, 5.0):
        mean = np.mean((size * noise) ** 2)
        assert losses_of_numbers(y + size * noise, y, np.ones(len(y))).mean() == pytest.approx(
            0.5 + 0.5 * np.log(mean), rel=1e-9
        )
    assert np.isfinite(losses_of_numbers(y, y, np.ones(len(y)))).all()


@pytest.mark.parametrize("classes", [2, 4])
def test_classes_lose_what_the_best_factor_leaves(classes):
    rng = np.random.default_rng(1)
    odds = rng.normal(size=(4000, classes))
    odds -= odds.mean(axis=1, keepdims=True)
    probabilities = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    truth = (probabilities.cumsum(axis=1) > rng.uniform(size=(4000, 1))).argmax(axis=1)
    values, y = odds, np.where(truth[:, None] == np.arange(classes), 1.0, -1.0)
    if classes == 2:
        values, y = odds[:, 1:] - odds[:, :1], y[:, 1:]
    entropy = -np.mean(np.log(probabilities[np.arange(4000), truth]))
    for factor in (0.05, 1.0, 20.0):
        assert losses_of_classes(factor * values, y, np.ones(len(y))).mean() == pytest.approx(entropy, abs=2e-3)
    assert losses_of_classes(0.0 * values, y, np.ones(len(y))).mean() == pytest.approx(np.log(classes))
    assert losses_of_classes(rng.permutation(values), y, np.ones(len(y))).mean() > entropy + 0.05


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_losses_of_classes_are_minus_the_logarithms_of_probabilities(size):
    rng = np.random.default_rng(2)
    values, truth = size * rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    found = losses_of_classes(values, np.where(truth[:, None] == np.arange(3), 1.0, -1.0), np.ones(50))

    def losses(factor):
        odds = factor * values
        return logsumexp(odds, axis=1) - odds[np.arange(50), truth]

    factors = np.exp(np.linspace(-5.0, 5.0, 4001))
    np.testing.assert_allclose(found.mean(), min(losses(factor).mean() for factor in factors), rtol=1e-5)


def test_losses_of_two_classes_are_those_of_the_odds_between_them():
    rng = np.random.default_rng(3)
    y = np.where(rng.uniform(size=(40, 1)) < 0.5, 1.0, -1.0)
    values = y + 2.0 * rng.normal(size=(40, 1))
    found = losses_of_classes(values, y, np.ones(40))
    factor = float(np.mean(np.log(np.expm1(found[y[:, 0] * values[:, 0] < 0.0])) / -(y * values)[y * values < 0.0]))
    np.testing.assert_allclose(found, -np.log(expit(factor * (y * values)[:, 0])), rtol=1e-9)
