"""Intervals for new targets: where they lie, how many targets they hold, and who has them."""

import ast
import re

import numpy as np
import pytest
from scipy.stats import norm, t

import kernelopt
from kernelopt import Dictionary, Evidence, InvalidOption, KernelClassifier, KernelRegressor

RNG = np.random.default_rng(0)
X, Z = RNG.uniform(-3.0, 3.0, (120, 1)), RNG.uniform(-3.0, 3.0, (2000, 1))
Y = np.sin(2.0 * X[:, 0]) + 0.2 * RNG.normal(size=120)
FAMILY = Dictionary([("rbf", {"gamma": 1.0})])


def learned(y, noise="gaussian"):
    return kernelopt.solve(X, y, family=FAMILY, criterion=Evidence(targets="numbers", noise=noise))


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_intervals_hold_the_share_of_new_targets_that_is_asked_for(share):
    lower, upper = learned(Y).predict_interval(Z, share)
    new = np.sin(2.0 * Z[:, 0]) + 0.2 * np.random.default_rng(1).normal(size=len(Z))
    assert np.mean((lower <= new) & (new <= upper)) == pytest.approx(share, abs=0.04)


def test_ends_lie_at_quantiles_of_the_noise_that_was_learned():
    bad = np.where(np.arange(120) % 30 == 3, 50.0, Y)
    for y, noise in ((Y, "gaussian"), (bad, "auto")):
        s = learned(y, noise)
        mean, deviation = s.predict(Z, return_std=True)
        degrees = s.posterior.degrees
        assert (degrees is None) == (noise == "gaussian")
        unit = norm() if degrees is None else t(degrees, scale=np.sqrt((degrees - 2.0) / degrees))
        lower, upper = s.predict_interval(Z, 0.8)
        assert lower == pytest.approx(mean + unit.ppf(0.1) * deviation)
        assert upper == pytest.approx(mean + unit.ppf(0.9) * deviation)


def nothing_learned(n):
    """Rows of one column of which the targets, less their mean, tell nothing: noise is all that is learned."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    x -= x.mean()
    return x[:, None], y - y @ x / (x @ x) * x


@pytest.mark.parametrize("n", [2, 3, 4, 12, 99, 100])
@pytest.mark.parametrize("solve", [kernelopt.solve, kernelopt.solve_targets])
def test_few_rows_have_the_quantiles_of_students_t(solve, n):
    """Of n - 1 degrees of freedom, times the sample standard deviation; of many rows those of a Gaussian."""
    x, y = nothing_learned(n)
    options = {"criterion": Evidence(targets="numbers", noise="gaussian")} if solve is kernelopt.solve else {}
    s = solve(x, y, family=Dictionary(["linear"], rescale=None), tol=1e-7, **options)
    lower, upper = s.predict_interval(np.zeros((1, 1)), 0.9)
    several = solve is kernelopt.solve_targets  # which is of the restricted likelihood
    spread = y.std(ddof=1) if n < 100 or several else y.std()
    away = spread * (t(max(n - 1.0, 2.1)) if n < 100 else norm()).ppf(0.95)
    assert 0.5 * (upper[0] - lower[0]) == pytest.approx(away, rel=2e-3)


def test_few_rows_have_longer_intervals_of_every_kind():
    x, y = nothing_learned(12)
    s = kernelopt.solve(x, y, family=FAMILY, criterion=Evidence(targets="numbers", noise="gaussian"))
    assert s.posterior.degrees == 11.0
    assert s.posterior.doubt == pytest.approx(12.0 / 9.0)
    mean, deviation = s.predict(x, return_std=True)
    wanted = t(11.0, mean, deviation / np.sqrt(11.0 / 9.0)).logpdf(y)
    np.testing.assert_allclose(s.score_samples(x, y), wanted)


def test_an_interval_of_any_share_below_1_is_finite():
    """The next number below 1, of which half is not to be lost beside 1."""
    bad = np.where(np.arange(120) % 30 == 3, 50.0, Y)
    for s in (learned(Y), learned(bad, "student")):
        lower, upper = s.predict_interval(Z[:3], np.nextafter(1.0, 0.0))
        assert np.isfinite(upper - lower).all()


def test_who_predicts_numbers_has_intervals_and_all_agree():
    two = np.column_stack([Y, 1000.0 * Y])
    s = learned(two)
    wanted = s.predict_interval(Z)
    assert wanted[0].shape == (len(Z), 2)
    assert np.array_equal(s.model.predict_interval(Z), wanted)
    machine = KernelRegressor(family=FAMILY, criterion=Evidence()).fit(X, two)
    assert np.array_equal(machine.predict_interval(Z), machine.solution_.predict_interval(Z))
    own = kernelopt.solve_targets(X, Y, family=FAMILY)
    mean, deviation = own.predict(Z, return_std=True)
    assert own.predict_interval(Z)[1] == pytest.approx(mean + norm.ppf(0.975) * deviation)


def test_who_has_none_says_so():
    labels = kernelopt.solve(X, Y > 0.0, family=FAMILY, criterion="evidence")
    with pytest.raises(InvalidOption, match="predict_interval: only a regression with the evidence"):
        labels.predict_interval(Z)
    for wrong in (0.0, 1.0, 95, "0.9", None):
        with pytest.raises(InvalidOption, match="share must be a number between 0 and 1"):
            learned(Y).predict_interval(Z, wrong)


@pytest.mark.parametrize("few", [(0.3, 1.7), (0, 1, 2)])
def test_few_values_that_were_taken_for_classes_have_intervals_with_the_criterion_that_the_error_names(few):
    y = np.resize(few, len(X))
    labels = kernelopt.solve(X, y, family=FAMILY, criterion="evidence")
    with pytest.raises(InvalidOption) as error:
        labels.predict_interval(Z)
    advised = re.search(r"take criterion=({.*})", str(error.value))
    assert advised is not None
    numbers = kernelopt.solve(X, y, family=FAMILY, criterion=ast.literal_eval(advised[1]))
    lower, upper = numbers.predict_interval(Z)
    assert (lower < upper).all()


def test_logarithms_of_probabilities_are_there_where_probabilities_are():
    machine = KernelClassifier().fit(X, Y > 0.0)
    assert machine.predict_log_proba(Z) == pytest.approx(np.log(machine.predict_proba(Z)))
    assert not hasattr(KernelClassifier("tk"), "predict_log_proba")


def test_the_logarithm_of_a_probability_of_0_is_no_warning(monkeypatch):
    machine = KernelClassifier().fit(X, Y > 0.0)
    monkeypatch.setattr(KernelClassifier, "predict_proba", lambda *_: np.array([[0.0, 1.0]]))
    assert machine.predict_log_proba(Z[:1]).tolist() == [[-np.inf, 0.0]]
