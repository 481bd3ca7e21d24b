"""Noise that differs between rows: each row has its own, in the machine and in the intervals of new rows."""

import json
import time

import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence
from kernelopt._api.many_rows import _begun
from kernelopt._api.outliers import _row_noise
from kernelopt._base._errors import ModelFileError
from kernelopt._evidence.noise._row_noise import Shape, depends
from kernelopt._io._container import Content, read, write
from kernelopt._linalg._gram import Dense
from kernelopt._prediction._posterior import Thin, Whole
from kernelopt._prediction._row_noise import at_rows
from kernelopt._prediction._uneven import Uneven

LISTS = {
    "rows": kernelopt.Dictionary([("rbf", {"gamma": 0.1}), ("rbf", {"gamma": 1.0}), "linear"]),
    "features": kernelopt.sampled("cosine", 20),
}


def funnel(n, seed=0, power=1.0):
    """A linear function of the first of two columns, and noise whose logarithm is linear in the other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    deviation = 0.3 * np.exp(power * X[:, 1])
    return X, X[:, 0] + deviation * rng.normal(size=n), deviation


def learned(X, y, family="rows", noise="auto", **options):
    return kernelopt.solve(X, y, family=LISTS[family], criterion=Evidence(targets="numbers", noise=noise), **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("family", LISTS)
def test_v_and_deviations_are_those_of_a_gaussian_process_with_the_noise_of_each_row(family, weighted):
    X, y, _ = funnel(120)
    trust = np.random.default_rng(2).uniform(0.5, 1.5, size=120) if weighted else None
    s = learned(X, y, family, sample_weight=trust)
    Z = funnel(30, seed=1)[0]
    assert isinstance(s.posterior, Uneven)
    assert isinstance(s.posterior.function, Thin if family == "features" else Whole)
    own = np.ones(120) if trust is None else trust / trust.mean()
    noise = s.posterior.noise * s.posterior.rows.ratios(X) / own
    assert noise.max() > 10.0 * noise.min()
    A, C = s.kernel(X) + np.diag(noise), s.kernel(Z, X)
    left = y - s.predictor.intercept[0]
    np.testing.assert_allclose(A @ s.coefficients[:, 0], left, atol=1e-6)
    mean, deviation = s.predict(Z, return_std=True)
    np.testing.assert_allclose(mean, s.predictor.intercept[0] + C @ np.linalg.solve(A, left), atol=1e-6)
    function = s.kernel.diag(Z) - np.einsum("ij,ji->i", C, np.linalg.solve(A, C.T))
    np.testing.assert_allclose(deviation, np.sqrt(function + s.posterior.noise * s.posterior.rows.ratios(Z)), rtol=1e-5)


def test_intervals_hold_new_targets_where_noise_is_small_and_where_it_is_large():
    X, y, _ = funnel(300)
    Z, z, deviation = funnel(4000, seed=1)
    one, each = learned(X, y, noise="gaussian"), learned(X, y)
    small = deviation < np.median(deviation)

    def inside(s):
        lower, upper = s.predict_interval(Z)
        held = (lower < z) & (z < upper)
        return held[small].mean(), held[~small].mean()

    assert inside(one)[0] > 0.99 > 0.93 > inside(one)[1]
    assert all(0.92 < share < 0.99 for share in inside(each))
    assert each.score_samples(Z, z).mean() > one.score_samples(Z, z).mean() + 0.2
    assert np.mean((each.predict(Z) - Z[:, 0]) ** 2) < 0.5 * np.mean((one.predict(Z) - Z[:, 0]) ** 2)
    learned_deviation = each.predict(Z, return_std=True)[1]
    assert np.corrcoef(np.log(learned_deviation), np.log(deviation))[0, 1] > 0.95
    assert any(note.startswith("noise: it differs between rows") for note in each.notes)
    assert each.certificate != one.certificate, "the kernel was learned with the noise of each row"


def waved(n, seed=0):
    """Rows, numbers whose noise grows with the third column to twenty times the usual, and the function behind them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1]
    return X, f + 0.3 * np.exp(X[:, 2]) * rng.normal(size=n), f


def test_the_kernel_is_learned_with_the_noise_of_each_row(monkeypatch):
    """With noise of one size it takes the noise of the rows that have the most for the function."""
    (X, y, _), (Z, z, f) = waved(300, seed=3), waved(2000, seed=99)

    def quick(noise="auto"):
        return kernelopt.solve(X, y, criterion=Evidence(targets="numbers", effort="quick", noise=noise))

    again = quick()
    monkeypatch.setattr(_row_noise, "_again", lambda *_: None)
    first = quick()
    assert first.certificate == quick("gaussian").certificate
    assert again.baseline < first.baseline, "the centre kernel is judged with the noise of each row too"
    away = [np.mean((s.predict(Z) - f) ** 2) for s in (first, again)]
    assert away[1] < 0.1 * away[0]
    assert again.score_samples(Z, z).mean() > first.score_samples(Z, z).mean() + 0.05
    lower, upper = again.predict_interval(Z)
    assert np.mean((lower < z) & (z < upper)) == pytest.approx(0.95, abs=0.03)


def test_the_kernel_stays_where_rows_are_no_more_likely_by_another(monkeypatch):
    X, y, _ = funnel(300)
    monkeypatch.setattr(Shape, "likelier", lambda *_: False)
    assert learned(X, y).certificate == learned(X, y, noise="gaussian").certificate


def with_gaps(X):
    gone = np.random.default_rng(2).random(X.shape) < 0.05
    return np.where(gone, np.nan, X)


def grams(X):
    distance = np.sum((X[:, None] - X) ** 2, axis=2)
    return {"linear": X @ X.T, "narrow": np.exp(-distance), "wide": np.exp(-0.1 * distance)}


KINDS = {"rows": (lambda X: X, LISTS["rows"]), "gaps": (with_gaps, "auto"), "grams": (grams, "precomputed")}


@pytest.mark.parametrize("kind", KINDS)
def test_where_rows_are_many_a_sample_tells_the_noise_of_each(kind, monkeypatch):
    """A row outside the sample is seen as all others see it: nothing was learned from it."""
    made, family = KINDS[kind]
    X, y, deviation = funnel(600)
    seen, at = [], _row_noise._at_rows

    def watched(spread, request):
        seen.append((spread, request.training.X, *at(spread, request)))
        return seen[-1][2:]

    monkeypatch.setattr(_row_noise, "_at_rows", watched)
    monkeypatch.setattr(Evidence, "sample", lambda *_: 200)
    s = kernelopt.solve(made(X), y, family=family, criterion=Evidence(targets="numbers", effort="quick"))
    assert isinstance(s.posterior, Uneven)
    for spread, rows, here, left in seen:
        inside = np.isin(np.arange(600), spread.rows)
        assert inside.sum() == len(spread.learned.request.training.X) == 200
        np.testing.assert_allclose(here, at_rows(_row_noise._predictor(spread.learned), rows), atol=1e-8)
        assert np.array_equal(left[~inside], here[~inside])
        assert np.all(left[inside] != here[inside])
        assert np.corrcoef(here[~inside], np.log(deviation[~inside]))[0, 1] > 0.85


def test_a_sample_tells_new_rows_nearly_as_much_as_all_rows_do(monkeypatch):
    (X, y, _), (Z, z, _) = funnel(600), funnel(2000, seed=1)
    every = learned(X, y).score_samples(Z, z).mean()
    monkeypatch.setattr(Evidence, "sample", lambda *_: 200)
    assert learned(X, y).score_samples(Z, z).mean() > every - 0.05


def test_the_sample_is_the_same_whatever_the_order_of_the_rows(monkeypatch):
    X, y, _ = funnel(600)
    order, at, sampled = np.random.default_rng(3).permutation(600), _row_noise._at_rows, []

    def watched(spread, request):
        sampled.append(spread.learned.request.training.X)
        return at(spread, request)

    monkeypatch.setattr(_row_noise, "_at_rows", watched)
    monkeypatch.setattr(Evidence, "sample", lambda *_: 200)
    learned(X, y)
    first = sampled[0]
    sampled.clear()
    learned(X[order], y[order])
    assert np.array_equal(np.unique(first, axis=0), np.unique(sampled[0], axis=0))


def test_a_run_that_is_interrupted_keeps_the_noise_that_was_found_first(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    X, y, _ = funnel(300)
    monkeypatch.setattr(_row_noise, "_weighed", interrupted)
    s = learned(X, y)
    assert isinstance(s.posterior, Uneven)
    assert s.certificate == learned(X, y, noise="gaussian").certificate


def test_a_gain_of_three_standard_errors_is_far_more_than_chance():
    ones, noise = np.ones(400), np.random.default_rng(0).normal(size=400)

    def shape(likely):
        return Shape(ones[:, None], ones, 1.0, 0.1, None, 0.1, 0.0, ones[:, None], likely, ones, np.arange(400))

    noise -= noise.mean()
    assert shape(0.2 + noise).likelier(shape(0.0 * ones))
    assert not shape(0.1 + noise).likelier(shape(0.0 * ones))


@pytest.mark.parametrize("tails", [False, True])
def test_noise_of_one_size_stays_one(tails):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * (rng.standard_t(4.0, size=150) if tails else rng.normal(size=150))
    s, gaussian = learned(X, y), learned(X, y, noise="gaussian")
    assert not isinstance(s.posterior, Uneven)
    np.testing.assert_array_equal(s.coefficients, gaussian.coefficients)


def test_chance_seldom_looks_like_noise_that_depends_on_the_row():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[:, 3] = rng.integers(0, 2, size=80)
    gram = Dense(X @ X.T + np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2)))
    found = [depends(np.log(rng.normal(size=80) ** 2), X, gram) for _ in range(2000)]
    assert np.mean(found) <= 0.004
    for shift in (3.0 * np.abs(X[:, 0]), 2.0 * X[:, 1], 3.0 * X[:, 3], 3.0 * np.sin(X[:, 2])):
        shares = [depends(shift + np.log(rng.normal(size=80) ** 2), X, gram) for _ in range(100)]
        assert np.mean(shares) > 0.5


def test_gaps_and_columns_of_one_value_say_nothing():
    rng = np.random.default_rng(0)
    X, logs = rng.normal(size=(80, 2)), np.log(rng.normal(size=80) ** 2)
    gram = Dense(np.eye(80))
    assert depends(logs + 4.0 * X[:, 0], X, gram)
    gaps = X.copy()
    gaps[::3, 0] = np.nan
    assert depends(logs + 4.0 * X[:, 0], gaps, gram)
    for nothing in (np.full((80, 1), np.nan), np.ones((80, 1)), np.zeros((80, 0))):
        assert not depends(logs, nothing, gram)


def test_no_new_row_has_more_noise_than_the_training_rows_or_hardly_any():
    X, y, _ = funnel(120)
    s = learned(X, y)
    far = np.array([[0.0, 60.0], [0.0, -60.0]])
    most, least = s.posterior.rows.ratios(far)
    inside = s.posterior.rows.ratios(X)
    assert most == pytest.approx(inside.max(), rel=1e-6)
    assert s.posterior.rows.least <= least < inside.min()


def test_units_of_the_targets_do_not_matter():
    X, y, _ = funnel(120)
    (mean, deviation), (other, wide) = (
        learned(X, targets).predict(X, return_std=True) for targets in (y, 1e-14 * y + 3e-14)
    )
    np.testing.assert_allclose(1e14 * other - 3.0, mean, atol=1e-4)
    np.testing.assert_allclose(1e14 * wide, deviation, rtol=1e-3)


def test_where_a_noise_of_each_row_is_not_learned():
    X, y, _ = funnel(120)
    without = {
        "few rows": learned(X[:39], y[:39]),
        "several targets": learned(X, np.column_stack([y, y[::-1]])),
        "groups": learned(X, y, groups=np.arange(120) % 30),
        "copies": learned(X, y, sample_weight=1.0 + np.arange(120) % 2),
        "no time": learned(X, y, max_seconds=1e-3),
        "Gaussian": learned(X, y, noise="gaussian"),
    }
    assert not [why for why, s in without.items() if isinstance(s.posterior, Uneven)]


@pytest.mark.parametrize(("before", "within"), [(600.0, 0.0), (0.0, 1000.0)])
def test_a_note_says_that_no_time_was_left(before, within, monkeypatch):
    """Where half of the time is over before g is learned, and where all of it is over while g is learned."""
    X, y, _ = funnel(120)
    clock, asked, learn, ahead = time.monotonic, _row_noise.depends, _row_noise.learned, []

    def late(*options):
        ahead.append(before)
        return asked(*options)

    def slow(*options):
        ahead.append(within)
        return learn(*options)

    monkeypatch.setattr(_row_noise, "depends", late)
    monkeypatch.setattr(_row_noise, "learned", slow)
    monkeypatch.setattr(time, "monotonic", lambda: clock() + sum(ahead))
    s = learned(X, y, max_seconds=1000.0)
    assert len(ahead) == 1 + (within > 0.0)
    assert not isinstance(s.posterior, Uneven)
    assert sum("no time was left to learn a noise of each row" in note for note in s.notes) == 1
    np.testing.assert_array_equal(s.coefficients, learned(X, y, noise="gaussian").coefficients)


def test_rows_that_are_summed_up_have_a_noise_of_each_row(monkeypatch):
    monkeypatch.setattr(_begun, "MANY", 100)
    X, y, _ = funnel(120)
    s = learned(X, y)
    assert isinstance(s.posterior, Uneven)
    assert isinstance(s.posterior.function, Thin)
    assert any("differs between rows" in note for note in s.notes)


def test_a_saved_model_predicts_the_same_and_a_broken_one_is_refused(tmp_path):
    X, y, _ = funnel(120)
    s, path = learned(X, y), tmp_path / "model"
    s.save(path)
    kept = kernelopt.load(path)
    for new, old in zip(kept.predict_interval(X), s.predict_interval(X), strict=True):
        np.testing.assert_array_equal(new, old)
    np.testing.assert_array_equal(kept.score_samples(X, y), s.score_samples(X, y))
    content = read(path)
    for name, wrong in (("factor", -1.0), ("least", 0.0), ("degrees", 2.0), ("most", None)):
        model = json.loads(content.words["model"])
        model["posterior"]["fields"]["rows"]["fields"][name] = wrong
        write(path, Content({**content.words, "model": json.dumps(model)}, content.arrays))
        with pytest.raises(ModelFileError):
            kernelopt.load(path)


def test_a_gain_is_believed_that_is_neither_small_nor_by_chance_nor_of_few_rows_nor_of_outliers():
    rng = np.random.default_rng(0)

    def believed(gain, error=0.001, n=400, standard=None):
        ones = np.ones(n)
        standard = rng.normal(size=n) if standard is None else standard
        rest = (np.zeros(n), ones, np.arange(n))
        return Shape(ones[:, None], ones, 1.0, 0.1, None, gain, error, standard[:, None], *rest).believed

    assert believed(0.06)
    assert not believed(0.04), "small"
    assert not believed(0.06, error=0.03), "by chance"
    assert not believed(0.06, n=100), "of few rows"
    assert not believed(0.06, standard=np.append(rng.normal(size=399), 1e3)), "an outlier is left"
