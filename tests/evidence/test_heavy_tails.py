"""New targets lie about what is predicted as Student's t where leave-one-out errors say so."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence
from kernelopt._api.outliers import _heavy_tails
from kernelopt._evidence.noise._heavy_tails import Left, Tail, heavy_degrees, heavy_tail, likeliest_degrees
from kernelopt._prediction._interval import student_reach

AUTO, GAUSSIAN = (Evidence(targets="numbers", effort="quick", noise=noise) for noise in ("auto", "gaussian"))
FAMILY = kernelopt.Dictionary([("rbf", {"gamma": 0.3}), "linear"])


def problem(n, noise, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.2 * noise(rng, n)


def heavy(rng, n):
    return rng.standard_t(3.5, n)


def gaussian(rng, n):
    return rng.normal(size=n)


def solved(X, y, criterion=AUTO, **options):
    return kernelopt.solve(X, y, family=FAMILY, criterion=criterion, **options)


def test_degrees_are_those_that_make_errors_the_most_likely():
    rng = np.random.default_rng(1)
    for degrees in (3.0, 5.0):
        errors = rng.standard_t(degrees, (20_000, 1)) * np.sqrt((degrees - 2.0) / degrees)
        assert likeliest_degrees(errors, np.ones_like(errors), np.ones(len(errors))) == degrees
    errors = rng.normal(size=(20_000, 1))
    assert likeliest_degrees(errors, np.ones_like(errors), np.ones(len(errors))) in (None, 64.0)


def test_gaussian_errors_stay_gaussian():
    """Up to one time in a hundred."""
    rng = np.random.default_rng(2)
    draws = [
        heavy_degrees(rng.normal(size=(100, 1)), np.ones((100, 1)), np.ones(100), np.arange(100)) for _ in range(500)
    ]
    assert sum(degrees is not None for degrees in draws) <= 5


def test_one_row_does_not_decide():
    errors = np.append(np.random.default_rng(3).normal(size=99), 9.0)[:, None]
    one = np.ones(100)
    assert likeliest_degrees(errors, one[:, None], one) is not None
    alike = np.arange(100)
    assert heavy_degrees(errors, one[:, None], one, alike) is None


def test_copies_count_as_one():
    """A row that is far out, and all copies of it, do not decide either."""
    errors = np.append(np.random.default_rng(4).normal(size=270), np.full(30, 5.0))[:, None]
    one = np.ones(300)
    alike = np.minimum(np.arange(300), 270)
    assert heavy_degrees(errors, one[:, None], one, np.arange(300)) is not None
    assert heavy_degrees(errors, one[:, None], one, alike) is None


def test_predictions_and_deviations_stay_and_intervals_hold_their_share():
    X, y = problem(1300, heavy)
    some, new = slice(300), slice(300, None)
    s, plain = solved(X[some], y[some]), solved(X[some], y[some], GAUSSIAN)
    assert s.tails is None
    assert s.posterior.degrees is not None
    assert plain.posterior.degrees is None
    assert s.certificate == plain.certificate
    for one, other in zip(s.predict(X[new], return_std=True), plain.predict(X[new], return_std=True), strict=True):
        assert np.array_equal(one, other)
    assert s.score_samples(X[new], y[new]).mean() > plain.score_samples(X[new], y[new]).mean() + 0.01
    away = []
    for solution in (s, plain):
        lower, upper = solution.predict_interval(X[new], 0.5)
        away.append(abs(np.mean((lower < y[new]) & (y[new] < upper)) - 0.5))
    assert away[0] < 0.5 * away[1]


def test_errors_are_those_of_the_variance_that_held_out_rows_ask_for(monkeypatch):
    """In deviations ten times as large nearly all errors are next to 0, as under Student's t of the heaviest tails."""
    X, y = problem(300, heavy)
    assert solved(X, y).posterior.degrees > 2.5
    monkeypatch.setattr(_heavy_tails, "widened_by", lambda _: 100.0)
    assert solved(X, y).posterior.degrees == 2.5


@pytest.mark.parametrize(
    "options",
    [{"criterion": GAUSSIAN}, {"groups": np.arange(300) // 3}],
    ids=["asked", "groups"],
)
def test_where_intervals_stay_gaussian(options):
    X, y = problem(300, heavy)
    assert solved(X, y).posterior.degrees is not None
    assert solved(X, y, **options).posterior.degrees is None


def test_several_targets_stay_gaussian():
    X, y = problem(300, heavy)
    other = problem(300, lambda _, n: heavy(np.random.default_rng(9), n))[1]
    assert solved(X, other).posterior.degrees is not None
    assert solved(X, np.column_stack([y, other])).posterior.degrees is None


def test_gaussian_noise_has_gaussian_intervals():
    X, y = problem(300, gaussian)
    assert solved(X, y).posterior.degrees is None


def test_a_model_keeps_them(tmp_path):
    X, y = problem(300, heavy)
    s = solved(X, y)
    s.save(tmp_path / "model")
    model = kernelopt.load(tmp_path / "model")
    assert np.array_equal(model.predict_interval(X, 0.8), s.predict_interval(X, 0.8))
    without = attrs.evolve(s, posterior=attrs.evolve(s.posterior, degrees=None))
    assert not np.array_equal(without.predict_interval(X, 0.8), s.predict_interval(X, 0.8))


def left(away, noise):
    n = len(away)
    return Left(away[:, None], np.zeros(n), np.full(n, noise), np.ones(n), np.arange(n))


def test_rows_far_out_do_not_widen_what_holds_half_of_the_others():
    rng = np.random.default_rng(4)
    errors = rng.normal(size=1000) * np.where(rng.uniform(size=1000) < 0.03, 100.0, 1.0)
    tail = heavy_tail(left(errors, float(np.mean(errors**2))), narrower=True)
    wide = np.sqrt(tail.times * np.mean(errors**2))
    assert np.mean(np.abs(errors) < student_reach(tail.degrees, 0.5) * wide) == pytest.approx(0.5, abs=0.05)
    assert np.mean(np.abs(errors) < student_reach(tail.degrees, 0.95) * wide) > 0.94


def inside(errors, tail, variance, share):
    wide = np.sqrt(tail.times * variance)
    return np.mean(np.abs(errors) < student_reach(tail.degrees, share) * wide)


def with_far(rng, share, times):
    return rng.normal(size=1000) * np.where(rng.uniform(size=1000) < share, times, 1.0)


def test_noise_is_no_less_than_holds_nineteen_of_twenty():
    errors = with_far(np.random.default_rng(5), 0.05, 30.0)
    variance = float(np.mean(errors**2))
    assert inside(errors, heavy_tail(left(errors, variance), narrower=True), variance, 0.95) > 0.94


def test_intervals_are_no_wider_than_a_tenth_of_a_nat_allows():
    """Where a tenth of all targets is anywhere, what holds 95 % of them says nothing of where the others are."""
    errors = with_far(np.random.default_rng(5), 0.1, 30.0)
    variance = float(np.mean(errors**2))
    tail = heavy_tail(left(errors, variance), narrower=True)
    assert inside(errors, tail, variance, 0.5) < 0.75
    assert 0.9 < inside(errors, tail, variance, 0.95) < 0.94


@pytest.mark.parametrize("degrees", [1.5, 2.0])
def test_noise_that_was_learned_is_widened_where_targets_are_farther_out(degrees):
    """As with noise of Student's t that has a variance, of targets whose noise has none."""
    errors = np.random.default_rng(7).standard_t(degrees, 1000)
    begun = Tail(3.0)
    rows = left(errors, 3.0)
    tail = heavy_tail(rows, begun.degrees)
    assert not begun.holds(rows)
    assert tail.holds(rows)
    assert tail.likely(rows) > begun.likely(rows) - 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_intervals_of_nineteen_of_twenty_become_no_narrower_by_few_rows(seed):
    """Of a few rows that lie close by chance, left-out rows would make the intervals narrower."""
    rng = np.random.default_rng(seed)
    errors = rng.standard_t(2.5, 60) * 0.4
    begun = Tail(3.0)
    close = left(errors, 3.0)
    assert heavy_tail(close, begun.degrees).reach >= begun.reach
    assert heavy_tail(close, begun.degrees, narrower=True).reach < begun.reach


def test_noise_that_was_learned_stays_where_it_holds_its_share():
    errors = np.random.default_rng(7).standard_t(3.0, 1000)
    tail = heavy_tail(left(errors, 3.0), 3.0)
    assert (tail.degrees, tail.times) == (3.0, 1.0)


def test_gaussian_numbers_keep_their_noise():
    tail = heavy_tail(left(2.0 * np.random.default_rng(6).normal(size=1000), 4.0))
    assert (tail.degrees, tail.times) == (None, 1.0)


@pytest.mark.parametrize("noise", ["auto", "student"])
def test_intervals_about_noise_without_variance_hold_nineteen_of_twenty(noise, tmp_path):
    X, y = problem(2600, lambda rng, n: rng.standard_t(1.5, n))
    some, new = slice(600), slice(600, None)
    s = solved(X[some], y[some], Evidence(targets="numbers", effort="quick", noise=noise))
    plain = attrs.evolve(s, posterior=attrs.evolve(s.posterior, degrees=s.tails.degrees, excess=0.0))
    shares = []
    for one in (s, plain):
        lower, upper = one.predict_interval(X[new])
        shares.append(np.mean((lower < y[new]) & (y[new] < upper)))
    assert shares[0] == pytest.approx(0.95, abs=0.015)
    assert shares[1] < 0.93
    s.save(tmp_path / "model")
    assert np.array_equal(kernelopt.load(tmp_path / "model").predict_interval(X[new]), s.predict_interval(X[new]))


def test_deviations_are_those_that_rows_tell_where_the_variance_is_of_targets_never_seen():
    rng = np.random.default_rng(4)
    errors = rng.normal(size=1000) * rng.choice([0.02, 0.05, 0.5, 2.0], size=1000)
    variance = float(np.mean(errors**2))
    tail = heavy_tail(left(errors, variance), narrower=True)
    assert tail.spread < 0.7
    told = np.sort(errors**2)
    error = np.std(told) / np.sqrt(len(told))
    assert tail.spread * tail.times * variance == pytest.approx(variance + error)


def test_gaussian_variances_spread_as_they_were_learned():
    """Only the shape is of Student's t."""
    rng = np.random.default_rng(7)
    errors = rng.uniform(0.1, 0.3, 400) * rng.standard_t(4.0, 400)
    tail = heavy_tail(left(errors, 1.3 * float(np.mean(errors**2))))
    assert (tail.degrees is not None, tail.times, tail.spread) == (True, 1.0, 1.0)


@pytest.mark.parametrize("noise", ["auto", "student"])
def test_deviations_of_heavy_tails_are_those_of_new_targets(noise, tmp_path):
    """Where nine of ten rows are met closely, Student's t of 2.1 degrees has several times the variance of new targets;
    intervals and densities are as they were.
    """
    X, y = problem(4600, lambda rng, n: rng.normal(size=n) * rng.choice([0.02, 0.05, 0.5, 2.0], size=n))
    some, new = slice(600), slice(600, None)
    s = solved(X[some], y[some], Evidence(targets="numbers", effort="quick", noise=noise))
    formal = attrs.evolve(s, posterior=attrs.evolve(s.posterior, spread=1.0))
    sizes = []
    for one in (s, formal):
        mean, deviation = one.predict(X[new], return_std=True)
        sizes.append(np.sqrt(np.mean(((y[new] - mean) / deviation) ** 2)))
    assert sizes[0] == pytest.approx(1.0, abs=0.15)
    assert sizes[1] < 0.75
    np.testing.assert_allclose(s.predict_interval(X[new]), formal.predict_interval(X[new]))
    np.testing.assert_allclose(s.score_samples(X[new], y[new]), formal.score_samples(X[new], y[new]))
    s.save(tmp_path / "model")
    again = kernelopt.load(tmp_path / "model").predict(X[new], return_std=True)
    assert np.array_equal(again[1], s.predict(X[new], return_std=True)[1])
