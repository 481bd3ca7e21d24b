"""Noise of Student's t: what its bound promises, when it is taken, and what it predicts."""

import math
import time
from itertools import pairwise

import attrs
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import kernelopt
from kernelopt import Evidence, InvalidOption
from kernelopt._api._build import built, reweighted
from kernelopt._api._choose import chosen
from kernelopt._api._learned import Call, again, learned
from kernelopt._api._progress import Audience
from kernelopt._api._validate import Settings, validated
from kernelopt._api.many_rows._belief import Belief, Student
from kernelopt._api.outliers import _outlier_looks, _outliers
from kernelopt._api.outliers._outlier_looks import believing, first_weighed
from kernelopt._api.outliers._outlier_signs import bent, even, own_weights, surprising
from kernelopt._api.outliers._outliers import _bound, _weighed
from kernelopt._base._interrupts import Gate
from kernelopt._evidence.noise._outliers import far_out
from kernelopt._evidence.noise._student import Residuals, evidence_of, residuals_of, tails_of, term
from kernelopt._prediction._tails import Tails

NUMBERS = Evidence(targets="numbers")
GAUSSIAN = Evidence(targets="numbers", noise="gaussian")
STUDENT = Evidence(targets="numbers", noise="student")


def kernel_of(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return np.exp(-0.5 * np.sum((X[:, None] - X[None]) ** 2, axis=2))


def log_density(Y, K, tau, m):
    """Of all columns of Y (n, c) under K + tau diag(1/m)."""
    whole = K + np.diag(tau / m)
    terms = np.vdot(Y, np.linalg.solve(whole, Y)) + Y.shape[1] * np.linalg.slogdet(2.0 * np.pi * whole)[1]
    return -0.5 * float(terms)


def best_bound(Y, K, tails):
    """The bound at the best tau, and that tau."""
    found = minimize_scalar(
        lambda log: -log_density(Y, K, math.exp(log), tails.weight), bounds=(-9, 9), method="bounded"
    )
    return term(tails) - float(found.fun), math.exp(float(found.x))


def squares(Y, K, tau, m):
    """E (y_i - f_i)^2 under the posterior of f, summed over outputs, by its textbook formulas."""
    inverse = np.linalg.inv(K + np.diag(tau / m))
    return np.sum((Y - K @ inverse @ Y) ** 2, axis=1) + Y.shape[1] * np.diag(K - K @ inverse @ K)


@given(st.integers(0, 10**6), st.sampled_from([1, 2]), st.sampled_from([3.0, 4.0, 8.0, 32.0]), st.floats(0.05, 2.0))
@example(368980, 2, 32.0, 1.0)
@settings(max_examples=10)
def test_the_bound_is_below_the_evidence_of_the_process_with_heavy_noise(seed, c, degrees, tau):
    rng = np.random.default_rng(seed)
    K, Y = kernel_of(2, seed), rng.standard_t(2.0, size=(2, c))
    # The trapezoid rule in log s reaches the small s of a target that is far out, where quantiles have none.
    log_s = np.linspace(-9.0, 3.0, 76)
    mass = stats.gamma(0.5 * degrees, scale=2.0 / degrees).logpdf(np.exp(log_s)) + log_s + math.log(log_s[1] - log_s[0])
    pairs = [(a, b) for a in range(len(log_s)) for b in range(len(log_s)) if mass[a] + mass[b] > -150.0]
    truth = logsumexp([mass[a] + mass[b] + log_density(Y, K, tau, np.exp(log_s[[a, b]])) for a, b in pairs])
    weight = rng.uniform(0.2, 1.8, size=2)
    assert log_density(Y, K, tau, weight) + term(Tails(degrees, weight, c)) <= truth + 0.02


@given(st.integers(0, 10**6), st.sampled_from([1, 3]))
@settings(max_examples=10)
def test_weighing_rows_never_lets_the_bound_fall(seed, c):
    rng = np.random.default_rng(seed)
    K, Y = kernel_of(20, seed), rng.standard_t(2.0, size=(20, c))
    tails = Tails(8.0, np.ones(20), c)
    before, tau = best_bound(Y, K, tails)
    for _ in range(4):
        tails = tails_of(squares(Y, K, tau, tails.weight), c)[0]
        after, tau = best_bound(Y, K, tails)
        assert after >= before - 1e-6
        before = after


def test_the_term_vanishes_where_noise_is_gaussian():
    values = [abs(term(Tails(degrees, np.ones(50), 2))) for degrees in (10.0, 1e2, 1e4, 1e6)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 1e-3


@given(st.integers(0, 10**6), st.floats(-8.0, 8.0), st.sampled_from([1, 4]))
def test_units_do_not_matter_to_tails(seed, log, c):
    e = np.random.default_rng(seed).standard_t(2.0, size=40) ** 2
    (tails, gain), (scaled, again) = tails_of(e, c), tails_of(10.0**log * e, c)
    assert scaled.degrees == tails.degrees
    np.testing.assert_allclose(scaled.weight, tails.weight, rtol=1e-6)
    assert again == pytest.approx(gain, abs=1e-6)
    assert tails.weight.mean() == pytest.approx(1.0)


def test_squares_are_those_of_textbooks_and_of_each_row_left_out(posed_rows, family, rows):
    X, y = rows(30)
    problem = posed_rows(family("list"), X, y)
    response = problem.respond(problem.center())
    found = residuals_of(problem, response, np.ones(30))
    assert found is not None
    noise = response.mixture.parts[-1].mass + 1e-6 * np.mean((y - y.mean()) ** 2)
    K = problem.gram(response.mixture).dense() - response.mixture.parts[-1].mass * np.eye(30)
    Y = (y - y.mean())[:, None]
    np.testing.assert_allclose(found.here, squares(Y, K, noise, np.ones(30)), rtol=1e-5)
    others = np.arange(1, 30)
    k, inverse = K[0, others], np.linalg.inv(K[np.ix_(others, others)] + noise * np.eye(29))
    away = Y[0, 0] - k @ inverse @ Y[others, 0]
    spread = K[0, 0] - k @ inverse @ k
    assert found.left[0] == pytest.approx(away**2 + spread, rel=1e-5)
    assert found.standard[0, 0] == pytest.approx(away / math.sqrt(spread + noise), rel=1e-5)


def bad(rows, factor, n=80):
    X, y = rows(n)
    y[7] *= factor
    return X, y


@pytest.mark.parametrize("name", ["list", "features"])
def test_no_single_target_moves_predictions_far(family, rows, name):
    X, clean = rows(80)
    plain = kernelopt.solve(X, clean, family=family(name), criterion=NUMBERS).predict(X)
    found = [kernelopt.solve(*bad(rows, factor), family=family(name), criterion=NUMBERS) for factor in (1e3, 1e6, 1e12)]
    for s in found:
        assert s.status.converged
        assert s.tails is not None
        assert s.tails.weight.argmin() == 7
        assert np.abs(s.predict(X) - plain).max() < 1.5
    np.testing.assert_allclose(found[1].predict(X), found[2].predict(X), atol=1e-3)
    ruined = kernelopt.solve(*bad(rows, 1e6), family=family(name), criterion=GAUSSIAN)
    assert np.abs(ruined.predict(X) - plain).max() > 10.0


def far_out_in_many_rows(share, seed, side, n=100):
    """X, targets of which a share is a thousand times as far out as all others, new X and the function there."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n + 300, 2))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1]
    y = f + 0.1 * rng.normal(size=n + 300)
    bad = rng.uniform(size=n + 300) < share
    y[bad] += 1000.0 * side(rng.normal(size=np.sum(bad)))
    return X[:n], y[:n], X[n:], f[n:]


@pytest.mark.parametrize(("share", "seed"), [(0.15, 0), (0.15, 2), (0.15, 3), (0.3, 0), (0.3, 1), (0.3, 3)])
def test_many_targets_that_are_anywhere_are_not_believed(share, seed):
    """They do not decide by chance what predicts them better, and do not make noise of all others."""
    X, y, Z, f = far_out_in_many_rows(share, seed, lambda e: e)
    s = kernelopt.solve(X, y, family={"name": "dictionary", "kernels": ["rbf", "linear"]}, criterion=NUMBERS)
    assert s.tails.degrees <= 2.0
    assert np.mean((s.predict(Z) - f) ** 2) < 0.2 * f.var()
    assert s.posterior.degrees > 2.0
    assert np.isfinite(s.predict(Z, return_std=True)[1]).all()


def test_targets_far_from_their_median_are_no_reason_for_fewer_degrees_than_three(monkeypatch):
    """They may be far away without noise, as the prices of all countries are: what a kernel leaves of them says it."""
    begun = []

    def weighed(request, choice, tails, call):
        begun.append(tails.degrees)
        return first_weighed(request, choice, tails, call)

    monkeypatch.setattr(_outliers, "first_weighed", weighed)
    X, y, _, _ = far_out_in_many_rows(0.3, 0, lambda e: e)
    kernels = {"name": "dictionary", "kernels": ["rbf", "linear"]}
    assert kernelopt.solve(X, y, family=kernels, criterion=NUMBERS).tails.degrees < 3.0
    assert begun == [3.0]


def test_new_rows_of_many_have_noise_with_a_variance_too():
    assert Belief(1.0, student=Student(None, np.zeros((1, 1)), 1.0, 1.0)).degrees > 2.0


@pytest.mark.parametrize("seed", range(3))
def test_many_targets_far_on_one_side_are_part_of_the_mean(seed):
    X, y, _, _ = far_out_in_many_rows(0.3, seed, np.abs)
    s = kernelopt.solve(X, y, family={"name": "dictionary", "kernels": ["rbf", "linear"]}, criterion=NUMBERS)
    assert s.tails is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("outputs", [1, 2])
def test_without_outliers_nothing_is_other_than_with_gaussian_noise(family, rows, seed, outputs):
    X, y = rows(60, seed)
    Y = np.column_stack([y, X[:, 1] + 0.1 * np.random.default_rng(seed).normal(size=60)])[:, :outputs]
    asked, plain = (kernelopt.solve(X, Y, family=family("list"), criterion=one) for one in (NUMBERS, GAUSSIAN))
    assert asked.tails is None
    assert asked.notes == plain.notes
    assert asked.certificate == plain.certificate
    for one, other in zip(asked.predict(X, return_std=True), plain.predict(X, return_std=True), strict=True):
        np.testing.assert_array_equal(one, other)


def test_rows_that_others_tell_of_are_believed():
    """Where a part of the rows has large targets that the columns foretell they are rare, and not bad."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = 0.3 * rng.normal(size=300) + (X[:, 0] > 1.2) * rng.exponential(5.0, size=300)
    family = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 0.5, 2.0)])
    assert kernelopt.solve(X, y, family=family, criterion=NUMBERS).tails is None
    heavy = kernelopt.solve(X, y, family=family, criterion=STUDENT)
    assert heavy.tails is not None
    Z = rng.normal(size=(1000, 2))
    mean = 5.0 * (Z[:, 0] > 1.2)
    plain = kernelopt.solve(X, y, family=family, criterion=GAUSSIAN)
    assert np.mean((plain.predict(Z) - mean) ** 2) < np.mean((heavy.predict(Z) - mean) ** 2)


def test_the_only_row_of_a_category_is_no_bad_one():
    """Targets without noise, of categories of which twelve have one row, and one row with the name of another."""
    rng = np.random.default_rng(3)
    values = rng.permutation(60) * 3.0 + 1.0
    sizes = np.maximum(1, np.round(rng.exponential(330 / 60, size=60))).astype(int)
    sizes[:12] = 1
    category = np.repeat(np.arange(60), sizes)
    rng.shuffle(category)
    y = values[category]
    y[np.flatnonzero(category == sizes.argmax())[0]] = 200.0
    X = {"name": [f"c{c}" for c in category], "x": rng.normal(size=len(y)), "w": rng.integers(1, 6, size=len(y))}
    s = kernelopt.solve(pd.DataFrame(X), y)
    assert s.tails is None
    assert np.abs(s.predict(pd.DataFrame(X)) - y)[category < 12].max() < 5.0


@pytest.mark.parametrize(("y", "wanted"), [(np.arange(40.0), True), (np.r_[np.zeros(30), np.arange(10.0)], False)])
def test_surprise_is_asked_of_targets_that_stretch_no_noise(family, y, wanted):
    X = np.random.default_rng(0).normal(size=(40, 2))
    for far in (False, True):
        y = np.where(far & (np.arange(40) == 39), 1e4, y)
        request = validated(X, y, family("list"), NUMBERS, None, None, Settings())
        assert even(request) == (wanted and not far)


def test_rows_that_are_not_believed_must_be_far_from_what_others_say():
    weight = np.ones(40)
    weight[:4] = 1e-4
    standard = np.random.default_rng(0).uniform(-1.0, 1.0, size=(40, 1))
    residuals = Residuals(np.ones(40), np.ones(40), standard, standard, np.ones(40))
    assert not surprising(residuals, Tails(3.0, weight, 1))
    assert surprising(residuals, Tails(3.0, np.ones(40), 1)), "all rows are believed"
    standard[:3] = -6.0
    assert surprising(residuals, Tails(3.0, weight, 1))


def test_a_kernel_has_bent_where_it_predicts_far_worse_than_one_number_for_all(family, rows):
    X, y = bad(rows, 1e4)
    request = validated(X, y, family("list"), NUMBERS, None, None, Settings())
    near, ones = np.delete(y - np.median(y), 7), np.ones(80)

    def leaving(of_near, of_bad):
        away = np.insert(of_near, 7, of_bad)[:, None]
        return Residuals(ones, ones, away, away, ones)

    assert not bent(leaving(2.0 * near, 1e6), request)
    assert bent(leaving(4.0 * near, 0.0), request)
    clean = validated(*rows(80), family("list"), NUMBERS, None, None, Settings())
    assert not bent(leaving(9.0 * near, 0.0), clean), "no target is far out"


def test_some_of_many_rows_say_that_others_tell_of_far_ones_and_never_that_bad_ones_are_good(monkeypatch):
    asked, believing = [], _outlier_looks._looks

    def counted(request, *others):
        asked.append(len(request.training.X))
        return believing(request, *others)

    monkeypatch.setattr(_outliers, "by_row", lambda *_: None)
    monkeypatch.setattr(_outlier_looks, "_FEW", 250)
    monkeypatch.setattr(_outlier_looks, "_looks", counted)
    family = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 0.5, 2.0)])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    curved = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=600)
    foretold = 0.3 * rng.normal(size=600) + (X[:, 0] > 1.2) * rng.exponential(5.0, size=600)
    assert kernelopt.solve(X, foretold, family=family, criterion=NUMBERS).tails is None
    assert set(asked) == {250}
    asked.clear()
    bad_ones = 20.0 * (rng.uniform(size=600) < 0.02) * rng.normal(size=600)
    assert kernelopt.solve(X, curved + bad_ones, family=family, criterion=NUMBERS).tails is not None
    assert set(asked) == {250}


def test_units_and_a_level_change_nothing_else(family, rows):
    X, y = bad(rows, 100.0)
    both = (y, 1024.0 * y - 300.0)
    s, t = (kernelopt.solve(X, Y, family=family("list"), criterion=NUMBERS, tol=1e-6) for Y in both)
    assert s.tails is not None
    assert t.tails is not None
    assert s.tails.degrees == t.tails.degrees
    np.testing.assert_allclose(t.tails.weight, s.tails.weight, rtol=1e-3, atol=1e-9)
    (mean, deviation), (other, wider) = (one.predict(X, return_std=True) for one in (s, t))
    np.testing.assert_allclose(other, 1024.0 * mean - 300.0, atol=1.0)
    np.testing.assert_allclose(wider, 1024.0 * deviation, rtol=1e-3)


def first_learned(family, rows):
    """A request with a bad target, what is learned by weights that targets alone give, and the call."""
    X, y = bad(rows, 10.0)
    request = validated(X, y, family("list"), STUDENT, None, None, Settings())
    choice, call = chosen(request, family("list"), "auto"), Call(Audience(), Gate())
    tails = tails_of((y - np.median(y)) ** 2, 1)[0]
    found = attrs.evolve(learned(believing(request, tails), choice, call), tails=tails)
    return request, found, call


def test_learning_again_with_the_weights_lets_the_bound_rise(family, rows):
    request, found, call = first_learned(family, rows)
    bounds = [_bound(found)]
    for _ in range(3):
        known = residuals_of(found.problem, found.done.bounds.response, own_weights(request))
        assert known is not None
        tails = tails_of(known.here, 1)[0]
        found = attrs.evolve(again(found, believing(request, tails), call), tails=tails)
        bounds.append(_bound(found))
    assert all(later >= earlier - found.done.atol for earlier, later in pairwise(bounds))
    assert bounds[-1] > bounds[0] + 1.0


@pytest.mark.parametrize("even", [False, True], ids=["weights", "no weights"])
def test_other_weights_make_the_problem_that_is_built_with_them(family, rows, even):
    X, y = bad(rows, 10.0)
    request = validated(X, y, family("list"), STUDENT, None, None, Settings())
    choice = chosen(request, family("list"), "auto")
    first, second = (tails_of(squares, 1)[0] for squares in ((y - np.median(y)) ** 2, np.linspace(1.0, 9.0, len(y))))
    second = Tails(4.0, np.ones(len(y)), 1) if even else second
    problem, _ = built(believing(request, first), choice)
    weighted = believing(request, second)
    (mine, own), (theirs, limits) = reweighted(problem, weighted, choice), built(weighted, choice)
    assert own == limits
    assert mine.data[0] is problem.data[0], "nothing is bound again"
    at = problem.center()
    np.testing.assert_array_equal(mine.gram(at).dense(), theirs.gram(at).dense())
    assert mine.respond(at).upper == theirs.respond(at).upper


def test_weighing_by_a_kernel_lets_the_bound_rise_to_what_it_says(family, rows):
    request, found, call = first_learned(family, rows)
    weighed, bound = _weighed(request, found, 1.0, call)
    assert bound > _bound(found) + 1.0
    problem, _ = built(believing(request, weighed), found.choice)
    response = problem.respond(found.done.bounds.response.mixture)
    assert evidence_of(problem, response) + term(weighed) == pytest.approx(bound, abs=1e-8)


def test_weights_leave_as_much_time_as_learning_took(family, rows, monkeypatch):
    request, found, call = first_learned(family, rows)
    asked = []
    monkeypatch.setattr(_outliers, "residuals_of", lambda *one: asked.append(one) or residuals_of(*one))
    _weighed(request, found, 1.0, call)
    assert len(asked) > 2
    asked.clear()
    settings = attrs.evolve(request.settings, max_seconds=60.0)
    hurried = attrs.evolve(request, began=time.monotonic(), settings=settings)
    tails, bound = _weighed(hurried, found, 100.0, call)
    assert len(asked) == 1
    assert bound > _bound(found)
    assert tails is not found.tails


def test_the_question_ends_where_rows_are_predicted_worse_with_the_first_weights(family, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = 0.3 * rng.normal(size=300) + (X[:, 0] > 1.2) * rng.exponential(5.0, size=300)
    firsts, first = [], _outliers._first

    def kept(*asked):
        firsts.append(first(*asked))
        return firsts[-1]

    def risen(*_):
        raise AssertionError("rows are weighed again")

    monkeypatch.setattr(_outliers, "by_row", lambda *_: None)
    monkeypatch.setattr(_outliers, "telling", lambda *_: False)
    monkeypatch.setattr(_outliers, "_first", kept)
    monkeypatch.setattr(_outliers, "_risen", risen)
    s = kernelopt.solve(X, y, family=family("list"), criterion=NUMBERS)
    assert s.tails is None
    assert len(firsts) == 1


def test_of_many_rows_some_say_how_far_all_are_believed_at_first(monkeypatch):
    family = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 0.5, 2.0)])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    y = 50.0 + np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=900)
    y[::50] += 20.0
    request = validated(X, y, family, STUDENT, None, None, Settings())
    choice, call = chosen(request, family, "auto"), Call(Audience(), Gate())
    tails = tails_of((y - np.median(y)) ** 2, 1)[0]
    squares, found = [], _outlier_looks._squares

    def kept(*looked):
        squares.append(found(*looked))
        return squares[-1]

    monkeypatch.setattr(_outlier_looks, "_squares", kept)
    for few in (400, 1500):
        monkeypatch.setattr(_outlier_looks, "_FEW", few)
        weight = first_weighed(request, choice, tails, call).weight
        assert weight.shape == (900,)
        bad_ones = np.arange(900) % 50 == 0
        assert np.median(squares[-1][~bad_ones]) < 0.05
        assert squares[-1][bad_ones].min() > 100.0
        assert weight[bad_ones].max() < 0.05
        assert np.median(weight[~bad_ones]) > 0.9


def test_the_certificate_is_about_the_kernel_at_the_weights_that_are_stated(rows):
    X, y = bad(rows, 100.0)
    own = np.random.default_rng(0).uniform(0.5, 2.0, size=80)
    relative, family = Evidence(targets="numbers", weights="relative"), kernelopt.Dictionary([("rbf", {"gamma": 0.5})])
    s = kernelopt.solve(X, y, family=family, criterion=relative, sample_weight=own)
    assert s.criterion == relative
    assert s.tails is not None
    weight = own * s.tails.weight
    known = kernelopt.certify(X, y, family=family, criterion=relative, mixture=s.mixture, sample_weight=weight)
    assert known.upper == pytest.approx(s.objective, abs=1e-6)
    assert known.gap <= s.certificate.gap + 1e-3


def test_a_note_names_the_rows_in_the_users_count_and_the_way_out(family, rows):
    X, y = bad(rows, 1000.0)
    weight = np.ones(80)
    weight[3] = 0.0
    s = kernelopt.solve(X, y, family=family("list"), criterion=NUMBERS, sample_weight=weight)
    taken = "noise: Student's t with 3 degrees of freedom was taken"
    (note,) = (note for note in s.notes if note.startswith(f"{taken}, for it makes the targets at least "))
    assert "least: 7," in note
    assert 'Evidence(noise="gaussian")' in note
    assert not any(note.startswith("y:") for note in s.notes)
    asked = kernelopt.solve(X, y, family=family("list"), criterion=STUDENT)
    assert any(note.startswith(f"{taken}; ") for note in asked.notes)


def test_deviations_are_those_of_new_targets_and_a_file_keeps_them(family, rows, tmp_path):
    X, y = rows(300)
    rng = np.random.default_rng(5)
    y = y + 0.3 * rng.standard_t(3.0, size=300)
    for name in ("list", "features"):
        s = kernelopt.solve(X, y, family=family(name), criterion=STUDENT)
        assert s.posterior is not None
        mean, deviation = s.predict(X, return_std=True)
        degrees = s.posterior.degrees
        assert degrees is not None
        scaled = (y - mean) / (deviation * math.sqrt((degrees - 2.0) / degrees))
        assert 0.92 <= np.mean(np.abs(scaled) <= stats.t(degrees).ppf(0.975)) <= 0.99
        s.save(tmp_path / "model.npz")
        kept = kernelopt.load(tmp_path / "model.npz")
        assert kept.posterior is not None
        assert kept.posterior.degrees == degrees
        np.testing.assert_array_equal(kept.predict(X, return_std=True)[1], deviation)


def test_deviations_are_those_of_textbooks(rows):
    X, y = bad(rows, 100.0)
    family = kernelopt.Dictionary([("rbf", {"gamma": 0.5})])
    s = kernelopt.solve(X, y, family=family, criterion=STUDENT)
    assert s.tails is not None
    m, degrees = s.tails.weight, s.tails.degrees
    (tau,) = s.mixture.parts[-1].weights
    tau += 1e-6 * np.average((y - np.average(y, weights=m)) ** 2, weights=m)
    Z = np.random.default_rng(1).normal(size=(20, 2))
    k, inverse = s.kernel(X, Z), np.linalg.inv(s.kernel(X) + np.diag(tau / m))
    variance = s.kernel.diag(Z) - np.sum(k * (inverse @ k), axis=0) + tau * degrees / (degrees - 2.0)
    np.testing.assert_allclose(s.predict(Z, return_std=True)[1] ** 2, variance, rtol=1e-6)


@pytest.mark.parametrize("end", [KeyboardInterrupt, MemoryError])
def test_what_ends_the_second_run_leaves_the_first_answer(family, rows, monkeypatch, end):
    X, y = bad(rows, 1000.0)

    def ended(*_):
        raise end

    monkeypatch.setattr(_outliers, "_first", ended)
    s = kernelopt.solve(X, y, family=family("list"), criterion=NUMBERS)
    plain = kernelopt.solve(X, y, family=family("list"), criterion=GAUSSIAN)
    assert s.tails is None
    np.testing.assert_array_equal(s.predict(X), plain.predict(X))


def test_labels_and_copies_have_gaussian_noise(family, rows):
    with pytest.raises(InvalidOption, match='noise="student" is for numbers'):
        Evidence(targets="labels", noise="student")
    X, y = bad(rows, 100.0)
    with pytest.raises(InvalidOption, match='noise="student" is for numbers'):
        kernelopt.solve(X, y > 2.0, family=family("list"), criterion=Evidence(noise="student"))
    for criterion in (NUMBERS, STUDENT):
        s = kernelopt.solve(X, y, family=family("list"), criterion=criterion, sample_weight=np.full(80, 2.0))
        assert s.tails is None
        assert any(note.startswith("noise: weights that count copies") for note in s.notes) == (criterion is STUDENT)


def test_targets_that_are_all_the_same_have_no_tails(family, rows):
    X, _ = rows(40)
    s = kernelopt.solve(X, np.full(40, 3.0), family=family("list"), criterion=STUDENT)
    assert s.tails is None
    np.testing.assert_allclose(s.predict(X), 3.0)


def test_targets_of_which_most_are_the_same_leave_noise_that_can_be_computed_with(family, rows):
    X, y = rows(40)
    y[:34] = 0.0
    s = kernelopt.solve(X, y, family=family("list"), criterion=STUDENT)
    assert s.tails.weight.min() > 1e-30
    assert np.isfinite(s.predict(X)).all()


def test_skewed_noise_that_its_rows_explain_is_no_sign_of_bad_targets():
    """Many targets are far from the median, and Student's t would leave out what they add to the mean."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 3))
    y = rng.gamma(0.5, 2.0 * np.exp(X[:, 0]))
    assert len(far_out(y[:, None])) > 20
    Z = rng.normal(size=(4000, 3))
    z = rng.gamma(0.5, 2.0 * np.exp(Z[:, 0]))
    s = kernelopt.solve(X, y, criterion=Evidence(effort="quick"))
    assert any("differs between rows" in note for note in s.notes)
    assert s.tails is None
    assert s.score(Z, z) > 0.05


@pytest.mark.parametrize(
    ("n", "factor", "effort"), [(50, 1e4, "normal"), (80, 1e2, "quick"), (80, 1e4, "normal"), (331, 1e2, "normal")]
)
def test_one_bad_target_of_real_data_costs_nothing_though_metrics_bend_to_it(n, factor, effort):
    """Nor where the noise of the others differs between rows, as it does in all 331 rows; nor of 50 rows, where the
    bent kernel throws another row far out.
    """
    rows, targets = load_diabetes(return_X_y=True)
    A, Z, a, z = train_test_split(rows, targets, test_size=111, random_state=0)
    a[7] *= factor
    s = kernelopt.solve(A[:n], a[:n], criterion=Evidence(targets="numbers", effort=effort))
    assert s.tails.weight[7] == s.tails.weight.min()
    assert s.score(Z, z) > 0.3


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_note_says_on_which_side_the_doubted_targets_lie(side):
    """Skewed noise: predictions are the middle of the targets, which is not their mean; bad targets on both sides give
    no such note.
    """
    coin = np.random.default_rng(0)
    X = coin.normal(size=(150, 3))
    criterion = Evidence(targets="numbers", noise="student", effort="quick")
    skewed = side * coin.gamma(0.5, 2.0 * np.exp(X[:, 0]))
    even = X[:, 0] + 0.3 * coin.standard_t(1.5, size=150)
    found, plain = (kernelopt.solve(X, y, criterion=criterion) for y in (skewed, even))
    doubted = found.tails.weight < 0.5
    left = side * (skewed - found.predict(X))[doubted]
    (note,) = (note for note in found.notes if "have targets" in note)
    assert np.mean(left > 0.0) > 0.9
    assert ("lower than the mean" if side > 0.0 else "higher than the mean") in note
    assert str(np.sum(left > 0.0)) in note
    assert skewed.mean() * side > found.predict(X).mean() * side
    assert not any("have targets" in note for note in plain.notes)


def test_noise_that_is_much_larger_in_half_of_the_rows_is_students_t():
    """Rows far out make up less than half of the squares of what Gaussian noise leaves."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(800, 5))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1]
    y = f + np.where(X[:, 2] > 0.0, 1.0, 0.05) * rng.normal(size=800)
    some, new = slice(300), slice(300, None)
    errors = []
    for noise in ("auto", "gaussian"):
        s = kernelopt.solve(X[some], y[some], criterion=Evidence(targets="numbers", noise=noise, effort="quick"))
        assert (s.posterior.degrees is None) == (noise == "gaussian")
        errors.append(np.mean((s.predict(X[new]) - f[new]) ** 2))
    assert errors[0] < 0.25 * errors[1]


@pytest.mark.parametrize("seed", [0, 1])
def test_targets_of_two_values_have_no_outliers(seed):
    """Even where one of the values is rare, so that its rows are far from all others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > np.quantile(X[:, 0], 0.99) + 0.5).astype(float)
    assert 2 < y.sum() < 15
    s = kernelopt.solve(X, y, criterion=kernelopt.Evidence(targets="numbers", effort="quick"))
    assert s.tails is None
