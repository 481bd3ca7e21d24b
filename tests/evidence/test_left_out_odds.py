"""How sure two classes are where no kernel has seen them: as rows say that are left out, each in turn."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics.pairwise import rbf_kernel

import kernelopt
from kernelopt._evidence.classes import _left_out_odds
from kernelopt._evidence.classes._laplace import Classes
from kernelopt._evidence.classes._left_out_odds import as_left_out, left_out
from kernelopt._evidence.classes._shares import Counted
from kernelopt._linalg._gram import Dense


def two(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] ** 2 - 0.5 + 0.6 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def classes_of(X, y, weight=None, ridge=0.0):
    gram = Dense(rbf_kernel(X, gamma=0.5) + ridge * np.eye(len(y)))
    return Classes(gram, ridge, y, np.ones(len(y)) if weight is None else weight)


def alone(n, weight=None):
    """Rows that are all measured, and of which no two are equal."""
    weight = np.ones(n) if weight is None else weight
    return Counted(weight, 1.0, np.arange(n), np.zeros(n, dtype=bool))


@pytest.fixture(autouse=True)
def _settled(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence.classes._newton._SETTLED", 1e-12)


@pytest.mark.parametrize("ridge", [0.0, 0.4])
@pytest.mark.parametrize("scale", [0.3, 10.0])
def test_each_row_has_the_odds_that_the_others_give_it(scale, ridge):
    X, y = two()
    classes, K = classes_of(X, y, ridge=ridge), rbf_kernel(X, gamma=0.5)
    mode, n = classes.mode(scale), len(y)
    by_others = np.empty(n)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        by_others[i] = scale * K[i, others] @ classes.only(others).mode(scale).a
    found = left_out(classes, mode, alone(n))
    error = np.abs(found - by_others)
    assert error.max() < 0.06 * np.abs(mode.f - by_others).max()


def test_copies_are_left_out_together_as_one_row_of_their_weight_is():
    X, y = two(40)
    once, twice = classes_of(X, y, np.full(40, 2.0)), classes_of(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    one = Counted(np.full(40, 2.0), 1.0, np.arange(40), np.ones(40, dtype=bool))
    both = Counted(np.ones(80), 1.0, np.repeat(np.arange(40), 2), np.ones(80, dtype=bool))
    first = left_out(once, once.mode(5.0), one)
    assert left_out(twice, twice.mode(5.0), both)[::2] == pytest.approx(first, abs=1e-6)
    apart = left_out(twice, twice.mode(5.0), alone(80))[::2]
    assert np.abs(apart - first).max() > 0.1


def test_of_a_row_that_was_measured_twice_one_measurement_is_left_out():
    X, y = two(40)
    once, twice = classes_of(X, y, np.full(40, 2.0)), classes_of(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    first = left_out(once, once.mode(5.0), alone(40, np.full(40, 2.0)))
    assert left_out(twice, twice.mode(5.0), alone(80))[::2] == pytest.approx(first, abs=1e-6)


def test_odds_of_rows_that_all_kernels_tell_apart_are_surer_and_those_of_noise_are_not():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    clear, noise = np.sign(X[:, 0]), rng.choice([-1.0, 1.0], size=80)
    dampings = []
    for y in (clear, noise):
        classes = classes_of(X, y)
        dampings.append(as_left_out(((classes, classes.mode(5.0)),), alone(80)).damping)
    assert dampings[1] < 0.8 < 1.2 < dampings[0]


def test_a_class_that_is_certain_is_left_out_without_a_warning():
    """Where a class is certain the loss has no curvature, and the row says nothing."""
    X, y = two()
    classes = classes_of(1e-3 * X, np.sign(X[:, 0]))
    mode = classes.mode(1e9)
    assert np.isfinite(left_out(classes, mode, alone(len(y)))).all()


LIST = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.05, 0.2, 1.0)], normalize="trace")


def test_values_are_multiplied_by_the_factor_for_lists_of_up_to_a_thousand_rows(monkeypatch):
    X, y = two(120)
    X[:, 0] += 3.0 * y
    s = kernelopt.solve(X, y, family=LIST, criterion="evidence")
    assert s.odds.damping > 1.1
    assert s.predict_proba(X)[:, 1] == pytest.approx(expit(s.decision_function(X)))
    monkeypatch.setattr("kernelopt._evidence.classes._class_machine.MOST", 119)
    plain = kernelopt.solve(X, y, family=LIST, criterion="evidence")
    assert plain.odds.damping == 1.0
    assert s.decision_function(X) == pytest.approx(s.odds.damping * plain.decision_function(X))


def test_kernels_that_were_searched_with_all_classes_say_nothing_of_rows_left_out(monkeypatch):
    monkeypatch.setattr(_left_out_odds, "damped_from", None)
    X, y = two()
    assert kernelopt.solve(X, y, family="tk", criterion="evidence").odds.damping == 1.0
