"""Probabilities of classes beside kernels that have seen the class of each row, such as those of trees."""

import attrs
import numpy as np
import pytest
from scipy.special import expit

import kernelopt
from kernelopt._api import _result, _solve
from kernelopt._api.growth._parts import Parts
from kernelopt._base._budget import Budget
from kernelopt._evidence.classes import _class_machine
from kernelopt._evidence.classes._damped import damped_from
from kernelopt._prediction._odds import Logistic
from kernelopt._prediction._unseen import Unseen


def classes(seed, n):
    """Three classes with noise, by three of eighty columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 80))
    return X, np.argmax(2.0 * X[:, :3] + rng.gumbel(size=(n, 3)), axis=1)


def solved(X, y, **options):
    """A solution, and what its last step was given: the run that was certified, from which others can be made."""
    given = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_solve, "solution", lambda *run: given.append(run) or _result.solution(*run))
        return kernelopt.solve(X, y, **options), given[0]


def by_seen(learned, *more):
    """The solution of the same run where no row was held out to say how sure to be."""
    return _result.solution(attrs.evolve(learned, unseen=Unseen()), *more)


@pytest.fixture(scope="module")
def told():
    """A solution for three classes, and its run."""
    return solved(*classes(0, 60))


def loss(solution):
    """Of new rows, in nats."""
    return -float(np.mean(solution.score_samples(*classes(1, 2000))))


def test_probabilities_are_no_surer_than_rows_that_were_held_out_allow(told):
    s, run = told
    assert any("joined the list" in note for note in s.notes)
    surer = by_seen(*run)
    assert np.array_equal(surer.decision_function(classes(0, 60)[0]), s.decision_function(classes(0, 60)[0]))
    assert loss(s) < loss(surer) - 0.03


def test_a_run_from_a_solution_keeps_how_sure_it_is(told):
    s, _ = told
    again = kernelopt.solve(*classes(0, 60), start=s)
    assert again.odds == s.odds
    weighed = kernelopt.solve(*classes(0, 60), start=s, class_weight="balanced")
    again = kernelopt.solve(*classes(0, 60), start=weighed)
    assert again.odds == s.odds


def apart(seed, n):
    """Two classes that ten columns tell apart together, each of them a little."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2 == 0
    return rng.normal(size=(n, 10)) + 1.5 * y[:, None], y


@pytest.mark.parametrize("number", [2, 3])
def test_where_nothing_joins_leave_one_out_predictions_decide(number, monkeypatch):
    asked = []
    monkeypatch.setattr(Parts, "odds", lambda *_: asked.append(True))
    rng = np.random.default_rng(0)
    kernelopt.solve(rng.normal(size=(60, 3)), rng.integers(0, number, size=60))
    assert not asked


def test_two_classes_beside_which_nothing_joins_are_surer_where_rows_that_were_left_out_say_so(monkeypatch):
    X, y = apart(0, 160)
    Z, z = apart(1, 2000)
    s, run = solved(X, y)
    assert not any("joined the list" in note for note in s.notes)
    assert s.odds.damping > 1.3
    assert s.unseen.odds is None
    again = kernelopt.solve(X, y, start=s)
    assert again.odds.damping == pytest.approx(s.odds.damping, rel=0.02)
    monkeypatch.setattr(_class_machine, "MOST", 0)
    plain = _result.solution(*run)
    assert np.allclose(plain.decision_function(Z) * s.odds.damping, s.decision_function(Z))
    assert np.mean(s.score_samples(Z, z)) > np.mean(plain.score_samples(Z, z)) + 0.005


def two(seed, n):
    """Two classes, by a rule on two of twenty columns, which three of four rows follow or more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20))
    odds = np.where((X[:, 0] > 0.3) & (X[:, 1] < 0.5), 3.0, -2.0)
    return X, np.where(rng.random(n) < expit(odds), "yes", "no")


@pytest.fixture(scope="module")
def told_of_two():
    """A solution for two classes, and its run."""
    return solved(*two(2, 120))


def test_two_classes_are_no_surer_than_rows_that_were_held_out_allow(told_of_two):
    s, run = told_of_two
    X, y = two(2, 120)
    Z, z = two(1, 2000)
    assert any("joined the list" in note for note in s.notes)
    assert s.odds.damping < 0.7
    assert np.allclose(np.log(s.predict_proba(Z) / (1.0 - s.predict_proba(Z)))[:, 1], s.decision_function(Z))
    again = kernelopt.solve(X, y, start=s)
    assert again.odds == s.odds
    assert np.allclose(again.decision_function(Z), s.decision_function(Z), atol=0.1)
    surer = by_seen(*run)
    untold = kernelopt.solve(X, y, start=surer)
    assert untold.odds.damping == 1.0  # its kernels have seen the rows, so that leaving one out says nothing
    assert np.allclose(surer.decision_function(Z) * s.odds.damping, s.decision_function(Z))
    assert np.mean(s.score_samples(Z, z)) > np.mean(surer.score_samples(Z, z)) + 0.1


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("factor", [0.1, 0.6, 1.0, 3.0])
def test_the_damping_is_that_of_values_which_are_too_sure(classes, factor):
    rng = np.random.default_rng(classes)
    values = rng.normal(scale=2.0, size=(4000, classes if classes > 2 else 1))
    p = np.cumsum(Logistic().probabilities(values), axis=1)
    truth = (rng.random((4000, 1)) > p).sum(axis=1)
    y = np.sign(truth - 0.5)[:, None] if classes == 2 else 2.0 * np.eye(classes)[truth] - 1.0
    damping = damped_from(values / factor, y, np.ones(4000)).damping
    assert damping == pytest.approx(factor, rel=0.1)


def test_few_rows_that_are_all_told_apart_make_odds_surer_by_little():
    """Any factor would be larger still by the rows alone, and the more of them there are the larger it is."""
    y = np.tile([[-1.0], [1.0]], (10, 1))
    few, more = (damped_from(y[:n], y[:n], np.ones(n)).damping for n in (2, 20))
    assert 1.0 < few < 1.3 < 2.0 < more < 3.0


def test_rows_of_weight_two_are_rows_twice():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(30, 1))
    y = np.where(rng.random((30, 1)) < expit(3.0 * values), 1.0, -1.0)
    twice = damped_from(np.vstack([values, values]), np.vstack([y, y]), np.ones(60)).damping
    assert damped_from(values, y, np.full(30, 2.0)).damping == pytest.approx(twice)
    assert damped_from(values, y, np.ones(30)).damping != pytest.approx(twice)


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_rows_that_are_a_share_of_all_damp_less(share):
    """The logarithm of the damping falls with the inverse of the number of rows."""
    rng = np.random.default_rng(0)
    values = rng.normal(scale=2.0, size=(500, 1))
    y = np.where(rng.random((500, 1)) < expit(values), 1.0, -1.0)
    every, some = (damped_from(4.0 * values, y, np.ones(500), one).damping for one in (1.0, share))
    assert every < 0.4
    assert np.log(some) == pytest.approx(share * np.log(every))


def test_with_more_rows_than_are_held_out_two_classes_are_damped_and_several_are_not():
    criterion = kernelopt.Evidence(targets="labels")
    values, weight = np.random.default_rng(0).normal(size=(60, 3)), np.ones(60)
    y = 2.0 * np.eye(3)[np.arange(60) % 3] - 1.0
    assert criterion.odds_of(values[:, :1], y[:, :1], weight, 0.5).damping < 1.0
    assert criterion.odds_of(values, y, weight, 0.5) is None
    assert criterion.odds_of(values, y, weight, 1.0) is not None


def in_a_hurry(learned, kernel, gate):
    """What predicts where no time is left for another machine than the certified one."""
    request, response = learned.request, learned.done.bounds.response
    return request.objective.machine(learned.problem, response, kernel, request.training.X, Budget(0.0), 0)


def goes_on(monkeypatch, whole, run, **options):
    """The same run, ended without time for the machine that usually predicts, is as sure where it goes on."""
    X, y = two(2, 120)
    Z, _ = two(1, 200)
    with monkeypatch.context() as patched:
        patched.setattr(_result, "_predicting", in_a_hurry)
        ended = _result.solution(*run)
    again = kernelopt.solve(X, y, start=ended, **options)
    assert any("no time was left" in note for note in ended.notes)
    assert np.allclose(again.decision_function(Z), whole.decision_function(Z), atol=0.1)
    assert whole.unseen == ended.unseen == again.unseen


def test_a_run_that_goes_on_is_no_surer_though_the_one_before_had_no_time_for_its_machine(monkeypatch, told_of_two):
    goes_on(monkeypatch, *told_of_two)


def test_with_weights_of_classes_rows_that_were_held_out_say_the_same_and_so_where_a_run_goes_on(
    monkeypatch, told_of_two
):
    weighed, run = solved(*two(2, 120), class_weight="balanced")
    assert weighed.unseen == told_of_two[0].unseen
    goes_on(monkeypatch, weighed, run, class_weight="balanced")


@pytest.mark.parametrize("factor", [2.0**-30, 2.0**30])
def test_a_factor_of_relative_weights_changes_no_odds(factor):
    rng = np.random.default_rng(0)
    values = rng.normal(scale=2.0, size=(40, 1))
    y = np.where(rng.random((40, 1)) < expit(values), 1.0, -1.0)
    weight = 10.0 ** rng.uniform(-1.0, 1.0, size=40)
    criterion = kernelopt.Evidence(targets="labels", weights="relative")
    odds = criterion.odds_of(4.0 * values, y, weight, 0.7)
    assert odds.damping < 0.9
    assert criterion.odds_of(4.0 * values, y, factor * weight, 0.7) == odds
