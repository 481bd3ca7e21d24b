"""From values to probabilities: laws of every kind of odds, and digits where values are extreme."""

import numpy as np
import pytest
from scipy.special import expit

from kernelopt._prediction._odds import Logistic, Shares

KINDS = [Logistic(), Shares(0.1, 2.0), Shares(1e-8, 0.02), Shares(3.0, 400.0)]
EXTREME = np.array([-1e6, -800.0, -40.0, -1.0, -1e-9, 0.0, 1e-9, 0.3, 1.0, 40.0, 800.0, 1e6])


@pytest.mark.parametrize("odds", KINDS, ids=str)
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_rows_sum_to_1_and_the_largest_value_is_the_likeliest(odds, classes):
    values = np.random.default_rng(0).normal(size=(200, 1 if classes == 2 else classes))
    p = odds.probabilities(values)
    assert p.shape == (200, classes)
    assert p.sum(axis=1) == pytest.approx(1.0)
    wanted = (values[:, 0] > 0.0).astype(int) if classes == 2 else values.argmax(axis=1)
    best = p.max(axis=1)
    assert np.array_equal(p[np.arange(200), wanted], best)


@pytest.mark.parametrize("odds", KINDS, ids=str)
def test_extreme_values_are_finite_and_in_order(odds):
    p = odds.probabilities(EXTREME[:, None])
    assert np.isfinite(p).all()
    assert (np.diff(p[:, 1]) >= 0.0).all()
    assert p[5] == pytest.approx([0.5, 0.5])
    assert odds.probabilities(-EXTREME[:, None])[:, ::-1] == pytest.approx(p)
    many = odds.probabilities(np.add.outer(EXTREME, [0.0, 0.5, -1.0]))
    assert np.isfinite(many).all()


@pytest.mark.parametrize("odds", KINDS, ids=str)
def test_classes_may_be_named_in_any_order(odds):
    values, order = np.random.default_rng(1).normal(size=(50, 4)), [2, 0, 3, 1]
    assert odds.probabilities(values[:, order]) == pytest.approx(odds.probabilities(values)[:, order])


def test_logistic_odds_of_two_classes_are_what_they_say():
    assert Logistic().probabilities(EXTREME[:, None])[:, 1] == pytest.approx(expit(EXTREME), abs=1e-12)


def test_logistic_odds_of_several_classes_are_shares_of_their_odds_against_the_rest():
    values = np.random.default_rng(2).normal(size=(50, 3))
    each = expit(values)
    assert Logistic().probabilities(values) == pytest.approx(each / each.sum(axis=1, keepdims=True))


def test_narrow_shares_of_power_1_are_probabilities_already():
    p = np.random.default_rng(3).dirichlet(np.ones(4), size=100)
    assert Shares(1e-6, 1.0).probabilities(2.0 * p - 1.0) == pytest.approx(p, abs=1e-5)


def test_wide_shares_are_a_softmax_of_values():
    values = np.random.default_rng(4).normal(size=(50, 3))
    raised = np.exp(2.0 * values)
    wide = Shares(1e4, 2.0 * 1e4 * 4.0 * np.log(2.0))
    assert wide.probabilities(values) == pytest.approx(raised / raised.sum(axis=1, keepdims=True), rel=1e-3)
