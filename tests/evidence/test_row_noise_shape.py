"""What says that the noise differs between rows, and by how much: beside the same computed row by row."""

from types import SimpleNamespace

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence
from kernelopt._api.outliers import _heavy_tails, _outliers, _row_noise
from kernelopt._base._errors import ModelFileError
from kernelopt._evidence.noise import _heavy_tails as tails
from kernelopt._evidence.noise import _row_noise as noise_of_rows
from kernelopt._evidence.noise._own_noise import Likelihood
from kernelopt._evidence.noise._row_noise import shaped
from kernelopt._evidence.noise._student import Residuals
from kernelopt._io._model_checks import check
from kernelopt._linalg._gram import Dense
from kernelopt._prediction._likelihood import density
from kernelopt._prediction._uneven import Uneven
from kernelopt._saddle._held_out import error_of_mean

FAMILY = kernelopt.Dictionary([("rbf", {"gamma": 0.1}), ("rbf", {"gamma": 1.0}), "linear"])


def funnel(n, seed=0):
    """A linear function of the first of two columns, and noise whose logarithm is linear in the other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + 0.3 * np.exp(X[:, 1]) * rng.normal(size=n)


def learned(X, y, **options):
    return kernelopt.solve(X, y, family=FAMILY, criterion=Evidence(targets="numbers"), **options)


def gaussian(X, y):
    return kernelopt.solve(X, y, family=FAMILY, criterion=Evidence(targets="numbers", noise="gaussian"))


def left_out(K, noise, y):
    """How far each target is from what all others predict, and the variance of the function there, (n,) each."""
    away, variance = np.empty(len(y)), np.empty(len(y))
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        told = np.linalg.solve(K[np.ix_(rest, rest)] + np.diag(noise[rest]), K[rest, i])
        away[i], variance[i] = y[i] - told @ y[rest], K[i, i] - told @ K[rest, i]
    return away[:, None], variance


def test_a_shape_is_what_rows_say_that_are_left_out_one_at_a_time():
    rng = np.random.default_rng(0)
    X, own, alike = rng.normal(size=(40, 2)), rng.uniform(0.5, 1.5, size=40), np.arange(40) // 2
    here, left = rng.normal(size=(2, 40))
    y, K, D, widened = X[:, 0] + rng.standard_t(3.0, size=40), np.exp(-((X[:, None] - X) ** 2).sum(2)), 0.4 / own, 1.3
    away, variance = left_out(K, D, y)
    standard = away / np.sqrt(variance + D)[:, None]
    residuals = Residuals(own, own, away, standard, variance + D)
    shape = shaped(Likelihood(Dense(K.copy()), D, y[:, None], 40.0, 0.0), residuals, here, left, widened, own, alike)
    size = np.mean(standard[:, 0] ** 2 / np.exp(left))
    assert shape.factor == pytest.approx(0.98 * size)
    assert shape.least == pytest.approx(0.02 * size * np.mean(np.exp(left)))
    np.testing.assert_allclose(shape.ratio, shape.least + shape.factor * np.exp(here))
    np.testing.assert_allclose((K + np.diag(D * shape.ratio)) @ shape.V[:, 0], y)
    knowing, function = left_out(K, D * shape.ratio, y)
    deviation = np.sqrt(function + widened * D * (shape.least + shape.factor * np.exp(left)))[:, None]
    np.testing.assert_allclose(shape.standard, knowing / deviation)
    found = []
    for far, wide in ((knowing, deviation), (away, np.sqrt(variance + widened * D)[:, None])):
        tried = [density(far, wide, degrees) for degrees in tails._DEGREES]
        found.append(max(tried, key=lambda one: own @ one))
    gain = found[0] - found[1]
    assert shape.gain == pytest.approx(np.average(gain, weights=own))
    assert shape.error == pytest.approx(error_of_mean(gain, alike, own))


def test_of_many_columns_one_tells_more_by_chance():
    rng = np.random.default_rng(0)
    column = rng.normal(size=(80, 1))
    logs = 0.7 * column[:, 0] + rng.normal(size=80)
    one = noise_of_rows._by_ranks(logs, column)
    assert 0.0 < one < 0.1
    assert noise_of_rows._by_ranks(logs, np.tile(column, 5)) == pytest.approx(5.0 * one)


@pytest.mark.parametrize(("chance", "found"), [(4e-4, True), (6e-4, False)])
def test_of_two_looks_one_finds_more_by_chance(chance, found, monkeypatch):
    for of_ranks, of_kernel in ((chance, 1.0), (1.0, chance)):
        monkeypatch.setattr(noise_of_rows, "_by_ranks", lambda *_, p=of_ranks: p)
        monkeypatch.setattr(noise_of_rows, "_by_kernel", lambda *_, p=of_kernel: p)
        assert noise_of_rows.depends(np.zeros(5), np.zeros((5, 1)), Dense(np.eye(5))) == found


def test_a_kernel_tells_what_ranks_do_not():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3.0, 3.0, size=(600, 1))
    logs = 1.5 * np.sin(6.0 * x[:, 0]) + np.log(rng.normal(size=600) ** 2)
    assert noise_of_rows._by_ranks(logs, x) > 0.01
    assert noise_of_rows._by_kernel(logs, Dense(np.exp(-10.0 * (x - x.T) ** 2))) < 1e-6


def spied(monkeypatch, module, name):
    """The arguments of each call of a function."""
    seen, function = [], getattr(module, name)

    def spy(*options):
        seen.append(options)
        return function(*options)

    monkeypatch.setattr(module, name, spy)
    return seen


def test_rows_are_asked_where_they_can_say_something(monkeypatch):
    seen = spied(monkeypatch, _row_noise, "depends")
    X, y = funnel(40)
    learned(X[:39], y[:39])
    learned(X, X[:, 0] + 2.0 * X[:, 1])
    learned(X, y, groups=np.arange(40) // 2)
    learned(X, np.column_stack([y, y[::-1]]))
    assert not seen
    learned(X, y)
    assert len(seen) == 1


def test_rows_are_asked_by_their_columns_and_by_what_is_predicted(monkeypatch):
    seen = spied(monkeypatch, _row_noise, "depends")
    X, y = funnel(60)
    monkeypatch.setattr(_row_noise, "_logarithms_learned", lambda *_: pytest.fail("nothing is found"))
    monkeypatch.setattr(noise_of_rows, "_CALM", 0.0)
    rows = np.column_stack([X, np.ones(60)])
    learned(rows, y)
    (_, columns, _) = seen[0]
    np.testing.assert_array_equal(columns[:, :2], X)
    assert np.ptp(columns[:, 2] - gaussian(rows, y).predict(rows)) < 1e-6


def test_copies_of_a_row_are_one_when_a_gain_is_judged(monkeypatch):
    seen = spied(monkeypatch, _row_noise, "shaped")
    X, y = funnel(120)
    X[1] = X[0]
    learned(X, y)
    alike = seen[0][-1]
    assert alike[0] == alike[1]
    assert len(np.unique(alike)) == 119


def test_noise_that_held_out_rows_ask_for_is_that_of_each_row(monkeypatch):
    X, y = funnel(120)
    one = learned(X, y).posterior.rows
    monkeypatch.setattr(_row_noise, "widened_by", lambda _: 2.0)
    two = learned(X, y).posterior.rows
    np.testing.assert_allclose(two.ratios(X), 2.0 * one.ratios(X))


@pytest.mark.parametrize(("asked", "times"), [(None, 1.0), (0.1, 1.0), (1.0, 2.0)])
def test_held_out_rows_never_ask_for_less_noise(asked, times, monkeypatch):
    monkeypatch.setattr(_heavy_tails, "whole_noise", lambda *_: 0.5)
    bounds = SimpleNamespace(response=SimpleNamespace(mixture=None))
    unseen, done = SimpleNamespace(noise=asked), SimpleNamespace(bounds=bounds)
    found = SimpleNamespace(unseen=unseen, problem=None, done=done, tails=None)
    assert _heavy_tails.widened_by(found) == times


def test_where_some_rows_were_left_out_their_noise_is_of_one_size(monkeypatch):
    seen = spied(monkeypatch, _outliers, "_better")
    learned(*funnel(60))
    asked = spied(monkeypatch, _outliers, "by_row")
    found, *rest, n = seen[0]
    _outliers._better(found, *rest, n + 1)
    assert not asked
    _outliers._better(found, *rest, n)
    assert asked


def test_ctrl_c_while_rows_are_asked_keeps_what_was_learned(monkeypatch):
    X, y = funnel(120)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_outliers, "by_row", interrupted)
    np.testing.assert_array_equal(learned(X, y).coefficients, gaussian(X, y).coefficients)


def test_a_posterior_knows_function_and_noise_apart_and_the_tails():
    X, _ = funnel(200)
    rng = np.random.default_rng(1)
    s = learned(X, X[:, 0] + 0.3 * np.exp(X[:, 1]) * rng.standard_t(5.0, size=200))
    assert isinstance(s.posterior, Uneven)
    assert s.posterior.degrees is not None
    assert s.posterior.degrees == s.posterior.rows.degrees
    Z = funnel(30, seed=1)[0]
    deviation = s.predict(Z, return_std=True)[1]
    noise = s.posterior.noise * s.posterior.rows.ratios(Z)
    np.testing.assert_allclose(s.posterior.unknown(s.predictor, Z), deviation**2 - noise, rtol=1e-6)
    lower, upper = s.predict_interval(Z, 0.8)
    np.testing.assert_allclose(upper - lower, 2.0 * s.posterior.reach(0.8) * deviation)


def test_models_whose_parts_do_not_fit_together_are_refused():
    X, y = funnel(120)
    model, wide = learned(X, y).model, learned(np.column_stack([X, X]), y)
    one, several = model.posterior, learned(X, np.column_stack([y, X[:, 0], X[:, 1] ** 2])).model
    assert several.predictor.multiples is not None
    wrong = (
        attrs.evolve(one, function=one),
        attrs.evolve(one, function=attrs.evolve(one.function, noise=-1.0)),
        attrs.evolve(one, rows=attrs.evolve(one.rows, predictor=wide.predictor)),
        attrs.evolve(one, rows=attrs.evolve(one.rows, predictor=several.predictor)),
    )
    for posterior in wrong:
        with pytest.raises(ModelFileError):
            check(attrs.evolve(model, posterior=posterior))
    fewer = attrs.evolve(several.predictor, multiples=several.predictor.multiples[:-1])
    with pytest.raises(ModelFileError, match="weights of the targets"):
        check(attrs.evolve(several, predictor=fewer))
    assert check(model) is model
    assert check(several) is several
