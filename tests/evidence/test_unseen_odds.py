"""Probabilities of several classes beside kernels that have seen the class of each row, such as those of trees."""

import numpy as np
import pytest

import kernelopt
from kernelopt._api.growth._parts import Parts


def classes(seed, n):
    """Three classes with noise, by three of eighty columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 80))
    return X, np.argmax(2.0 * X[:, :3] + rng.gumbel(size=(n, 3)), axis=1)


@pytest.fixture(scope="module")
def learned():
    return kernelopt.solve(*classes(0, 60))


def loss(solution):
    """Of new rows, in nats."""
    return -float(np.mean(solution.score_samples(*classes(1, 2000))))


def test_probabilities_are_no_surer_than_rows_that_were_held_out_allow(learned, monkeypatch):
    assert any("joined the list" in note for note in learned.notes)
    monkeypatch.setattr(Parts, "odds", lambda *_: None)
    by_seen = kernelopt.solve(*classes(0, 60))
    assert np.array_equal(by_seen.decision_function(classes(0, 60)[0]), learned.decision_function(classes(0, 60)[0]))
    assert loss(learned) < loss(by_seen) - 0.03


def test_a_run_from_a_solution_keeps_how_sure_it_is(learned):
    again = kernelopt.solve(*classes(0, 60), start=learned)
    assert again.odds == learned.odds
    weighed = kernelopt.solve(*classes(0, 60), class_weight="balanced")
    again = kernelopt.solve(*classes(0, 60), start=weighed)
    assert again.odds == learned.odds


def test_where_nothing_joins_leave_one_out_predictions_decide(monkeypatch):
    asked = []
    monkeypatch.setattr(Parts, "odds", lambda *_: asked.append(True))
    rng = np.random.default_rng(0)
    kernelopt.solve(rng.normal(size=(60, 3)), rng.integers(0, 3, size=60))
    assert not asked
