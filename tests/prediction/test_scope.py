"""Means at rows beyond all training rows: what is determined is believed, and what is not stays among the targets."""

import json

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

import kernelopt
from kernelopt import Dictionary, Evidence
from kernelopt._io._container import read, write
from kernelopt._prediction._scope import Scope

GAUSSIAN = Evidence(targets="numbers", noise="gaussian", effort="quick")
POLYNOMIALS = ["linear", ("poly", {"degree": 2, "gamma": 1.0, "coef0": 0.0})]
SMOOTH = [("rbf", {"gamma": 0.5}), ("laplacian", {"gamma": 1.0})]


def crooked(seed=0, n=40):
    """A few rows of skewed columns whose targets a polynomial fits by chance."""
    rng = np.random.default_rng(seed)
    X = np.exp(rng.normal(size=(n, 3)))
    return X, np.log(X[:, 0]) + 0.3 * rng.normal(size=n)


def solved(X, y, kernels):
    return kernelopt.solve(X, y, family=Dictionary(kernels), criterion=GAUSSIAN)


@pytest.mark.parametrize("kernels", [POLYNOMIALS, SMOOTH, POLYNOMIALS + SMOOTH])
def test_among_training_rows_nothing_is_held_back(kernels):
    X, y = crooked()
    s = solved(X, y, kernels)
    np.testing.assert_array_equal(s.predict(X), s.decision_function(X))
    for Z in (0.5 * (X[:-1] + X[1:]), 1.3 * X):
        np.testing.assert_array_equal(s.predict(Z), s.decision_function(Z))


def test_where_a_kernel_is_nowhere_larger_nothing_is_held_back():
    X, y = crooked()
    s = solved(X, y, SMOOTH)
    np.testing.assert_array_equal(s.predict(100.0 * X), s.decision_function(100.0 * X))


@pytest.mark.parametrize("kernels", [["linear"], POLYNOMIALS])
def test_what_training_rows_determine_is_believed_wherever_it_goes(kernels):
    X = np.random.default_rng(1).normal(size=(60, 3))
    weights = np.array([1.0, -2.0, 0.5])
    s = solved(X, X @ weights + 3.0, kernels)
    far = 5.0 * X
    assert np.linalg.norm(s.predict(far) - (far @ weights + 3.0)) < 0.02 * np.linalg.norm(far @ weights)


@pytest.mark.parametrize("seed", range(5))
def test_what_they_do_not_determine_stays_among_the_targets(seed):
    X, y = crooked(seed)
    s = solved(X, y, POLYNOMIALS)
    far = X[X.argmax(axis=0)] * 100.0
    raw, held = (np.abs(value - y.mean()).max() / y.std() for value in (s.decision_function(far), s.predict(far)))
    assert raw > 1000.0
    assert held < 40.0


def test_the_mean_is_that_of_the_product_of_two_opinions():
    X, y = crooked()
    s = solved(X, y, POLYNOMIALS + SMOOTH)
    Z = 10.0 * X[X.argmax(axis=0)]
    deviation = s.predict(Z, return_std=True)[1]
    m, s2 = s.decision_function(Z) - y.mean(), deviation**2 / s.posterior.doubt - s.posterior.noise
    rho = np.sqrt(4.0 * s.kernel.diag(X).max() / s.kernel.diag(Z))
    assert (rho < 0.9).all()
    width = 4.0 * y.var()
    np.testing.assert_allclose(s.predict(Z), y.mean() + rho * m + (1.0 - rho) * m * width / (width + s2), rtol=1e-8)


@given(st.integers(0, 10**6), st.floats(0.0, 1e6), st.sampled_from([1, 2]))
@settings(max_examples=20)
def test_a_value_is_never_moved_past_the_level_nor_away_from_it(seed, times, outputs):
    X, y = crooked(seed % 100)
    Y = np.column_stack([y, y[::-1]])[:, :outputs]
    s = solved(X, Y[:, 0] if outputs == 1 else Y, POLYNOMIALS)
    Z = times * X
    raw, held = (np.reshape(value, (len(Z), -1)) - Y.mean(axis=0) for value in (s.decision_function(Z), s.predict(Z)))
    assert (np.abs(held) <= np.abs(raw) * (1.0 + 1e-9)).all()
    assert (held * raw >= 0.0).all()


def test_units_change_nothing():
    X, y = crooked()
    Z = 50.0 * X
    plain, scaled = solved(X, y, POLYNOMIALS).predict(Z), solved(X, 1024.0 * y + 7.0, POLYNOMIALS).predict(Z)
    np.testing.assert_allclose(scaled, 1024.0 * plain + 7.0, rtol=1e-4)


def test_values_beyond_all_numbers_are_told_as_before():
    X, y = crooked()
    with pytest.raises(kernelopt.InvalidData, match="no finite number"):
        solved(X, y, POLYNOMIALS).predict(np.full((1, 3), 1e200))


def test_scores_and_densities_are_those_of_what_is_predicted(tmp_path):
    X, y = crooked()
    s, Z = solved(X, y, POLYNOMIALS), 100.0 * X
    s.save(tmp_path / "model")
    for machine in (s, kernelopt.load(tmp_path / "model")):
        mean, deviation = machine.predict(Z, return_std=True)
        np.testing.assert_array_equal(mean, s.predict(Z))
        assert machine.score(Z, y) == pytest.approx(1.0 - np.sum((y - mean) ** 2) / np.sum((y - y.mean()) ** 2))
        degrees = machine.posterior.degrees
        wanted = t(degrees, mean, deviation * np.sqrt((degrees - 2.0) / degrees)).logpdf(y)
        np.testing.assert_allclose(machine.score_samples(Z, y), wanted)


def test_a_file_of_version_3_predicts_what_it_predicted(tmp_path):
    X, y = crooked()
    s = solved(X, y, POLYNOMIALS)
    s.save(tmp_path / "now")
    content = read(tmp_path / "now")
    told = json.loads(content.words["model"])
    del told["posterior"]["fields"]["scope"]
    words = {**content.words, "version": "3", "model": json.dumps(told)}
    write(tmp_path / "then", attrs.evolve(content, words=words))
    old = kernelopt.load(tmp_path / "then")
    np.testing.assert_array_equal(old.predict(100.0 * X), s.decision_function(100.0 * X))


def test_many_training_rows_are_asked_by_the_farthest_of_them(monkeypatch):
    from kernelopt._prediction import _posterior

    X, y = crooked(n=200)
    s, Z = solved(X, y, POLYNOMIALS + SMOOTH), 20.0 * crooked(1)[0]
    every = s.predict(Z)
    monkeypatch.setattr(_posterior, "_FAR", 60)
    some = s.predict(Z)
    assert not np.array_equal(some, every)
    assert (np.abs(some - y.mean()) <= np.abs(every - y.mean()) + 1e-9).all(), "fewer rows determine less"
    assert np.abs(some - every).max() < 0.5 * y.std()


@pytest.mark.parametrize(
    ("family", "grows"),
    [
        (Dictionary(SMOOTH), False),
        (Dictionary([*SMOOTH, "linear"]), True),
        (Dictionary([*SMOOTH, "linear"], normalize="diagonal"), False),
        (Dictionary([*SMOOTH, "linear", lambda X, Z: X @ Z.T]), None),
        (kernelopt.on(Dictionary(POLYNOMIALS), [1]), True),
        ([Dictionary(POLYNOMIALS), "gaussian"], True),
        ("gpk", True),
        ("tk", True),
        ({"name": "tk", "degree": 0}, False),
    ],
)
def test_families_know_whether_they_grow(family, grows):
    X, y = crooked()
    s = kernelopt.solve(X, y, family=family, criterion=GAUSSIAN, max_steps=0)
    assert (s.posterior.scope is not None) == (grows is True)
    found = {leaf.family.boundless(leaf.family.center()) for leaf in s.kernel.leaves}
    assert grows in found
    far = [1e3 * X, 1e6 * X]
    if grows is False:
        assert s.kernel.diag(far[0]) == pytest.approx(s.kernel.diag(far[1]))
    else:
        assert (s.kernel.diag(far[1]) > 10.0 * s.kernel.diag(far[0])).all()


def test_where_nothing_is_known_of_a_kernel_nothing_is_held_back_and_it_is_not_asked():
    X, y = crooked()
    s = solved(X, y, ["linear", lambda X, Z: X @ Z.T])
    np.testing.assert_array_equal(s.predict(100.0 * X), s.decision_function(100.0 * X))


def test_training_rows_say_what_they_span():
    kernel, (X, y) = solved(*crooked(), POLYNOMIALS).kernel, crooked()
    scope = Scope.of(kernel, X, (y - y.mean())[:, None], np.ones(40))
    assert scope is not None
    assert scope.largest == pytest.approx(np.diagonal(kernel(X)).max())
    assert scope.spread == pytest.approx([y.std()])
