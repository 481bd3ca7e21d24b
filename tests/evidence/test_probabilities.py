"""Probabilities of classes: those of the logistic mode for two, of shares by rows that were left out for more."""

import ast
import re

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.metrics.pairwise import rbf_kernel

import kernelopt
from kernelopt import Evidence, InvalidOption
from kernelopt._evidence.classes._damped import damped_from
from kernelopt._evidence.classes._laplace import Classes
from kernelopt._evidence.classes._shares import Counted, left_out, shares_from, shares_of_some
from kernelopt._evidence.noise._repeated import copied
from kernelopt._linalg._gram import Dense, LowRank
from kernelopt._prediction._odds import Logistic, Shares


def drawn(classes, n=150, seed=0, sharp=3.0):
    """Rows, the probability of each class there, and classes drawn by it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    angles = 2.0 * np.pi * np.arange(classes) / classes
    scores = sharp * X @ np.array([np.cos(angles), np.sin(angles)])
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return X, p, (p.cumsum(axis=1) > rng.uniform(size=(n, 1))).argmax(axis=1)


def learned(X, y, finish="auto", **options):
    return kernelopt.solve(X, y, family="auto", criterion=Evidence(targets="labels", finish=finish), **options)


ASKED = [(2, "logistic"), (2, "numbers"), (4, "numbers"), (4, "logistic")]


@pytest.fixture(name="fit", scope="module")
def _fit():
    known = {}

    def fit(classes, finish):
        if (classes, finish) not in known:
            X, _, y = drawn(classes)
            known[classes, finish] = learned(X, y, finish)
        return known[classes, finish]

    return fit


@pytest.mark.parametrize(("classes", "finish"), ASKED)
def test_the_predicted_class_is_the_likeliest_and_all_sum_to_1(fit, classes, finish):
    s, Z = fit(classes, finish), drawn(classes, 300, seed=1)[0]
    p = s.predict_proba(Z)
    assert p.shape == (300, classes)
    assert p.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(s.classes[p.argmax(axis=1)], s.predict(Z))


@pytest.mark.parametrize(("classes", "finish"), ASKED)
def test_they_are_near_those_that_classes_were_drawn_by(fit, classes, finish):
    Z, p, z = drawn(classes, 2000, seed=2)
    found = fit(classes, finish).predict_proba(Z)
    loss, least = (-np.log(q[np.arange(len(z)), z]).mean() for q in (found, p))
    assert loss < least + 0.15
    sure = found.max(axis=1)
    assert np.mean(found.argmax(axis=1) == z) == pytest.approx(sure.mean(), abs=0.08)


@pytest.mark.parametrize(("classes", "finish"), ASKED)
def test_other_names_for_classes_move_columns(fit, classes, finish):
    X, _, y = drawn(classes)
    Z = drawn(classes, 50, seed=1)[0]
    turned = learned(X, np.array(list("dcba"[4 - classes :]))[y], finish)
    assert turned.classes.tolist() == sorted("dcba"[4 - classes :])
    assert turned.predict_proba(Z)[:, ::-1] == pytest.approx(fit(classes, finish).predict_proba(Z), abs=2e-3)


@pytest.mark.parametrize("finish", ["logistic", "numbers"])
def test_far_from_all_rows_only_the_level_speaks(finish):
    X, _, y = drawn(2)
    family = kernelopt.Dictionary([("rbf", {"gamma": 1.0})])
    s = kernelopt.solve(X, y, family=family, criterion=Evidence(targets="labels", finish=finish))
    far = s.predict_proba(1e3 * np.array([[1.0, 0.0], [-1.0, 2.0], [0.0, -3.0]]))
    assert far == pytest.approx(np.tile(far[0], (3, 1)))
    assert far[0] == pytest.approx([0.5, 0.5], abs=0.1)


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_two_classes_have_the_odds_of_scikit_learns_mode(scale, monkeypatch):
    """Not its probabilities, which are averages over a Gaussian around that mode: docs/evidence.md says why."""
    monkeypatch.setattr("kernelopt._evidence.classes._newton._SETTLED", 1e-14)
    X, _, y = drawn(2, 60)
    theirs = GaussianProcessClassifier(ConstantKernel(scale) * RBF(1.0), optimizer=None).fit(X, y)
    K, base = rbf_kernel(X, gamma=0.5), theirs.base_estimator_
    mode = Classes(Dense(K), 0.0, 2.0 * y - 1.0, np.ones(60)).mode(scale)
    cross = scale * rbf_kernel(drawn(2, 40, seed=1)[0], X, gamma=0.5)
    p = Logistic().probabilities((cross @ mode.a)[:, None])[:, 1]
    assert p == pytest.approx(expit(cross @ (y - base.pi_)), abs=1e-4)


@pytest.mark.parametrize("features", [False, True], ids=["gram", "features"])
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_row_that_is_left_out_is_predicted_by_all_others(features, outputs):
    rng = np.random.default_rng(0)
    F, Y, noise = rng.normal(size=(25, 4)), np.sign(rng.normal(size=(25, outputs))), 0.3
    gram = LowRank(F, 0.2) if features else Dense(F @ F.T + 0.2 * np.eye(25))
    values = left_out(gram, noise, Y, Counted.of(F, Y, np.ones(25), 0.5))
    for i in range(25):
        rest = np.arange(25) != i
        K = F[rest] @ F[rest].T + (0.2 + noise) * np.eye(24)
        assert values[i] == pytest.approx(F[i] @ F[rest].T @ np.linalg.solve(K, Y[rest]), abs=1e-8)


@pytest.mark.parametrize("floor", [1e-9, 0.5])
def test_a_row_is_left_out_with_all_of_its_copies(floor):
    """Rows of weights, and copies of them, are predicted by the rows that are no copies."""
    rng = np.random.default_rng(0)
    F, s = rng.normal(size=(25, 4)), rng.integers(1, 4, 25).astype(float)
    every = np.append(np.repeat(np.arange(25), s.astype(int)), [3, 3, 7])
    weight = np.append(np.ones(len(every) - 3), [0.5, 2.0, 1.0])
    Y = np.sign(rng.normal(size=(25, 3)))[every]
    copies = left_out(Dense(F[every] @ F[every].T), floor / weight, Y, Counted.of(F[every], Y, weight, floor))
    for i, row in enumerate(every):
        rest = every != row
        K = F[every[rest]] @ F[every[rest]].T + np.diag(floor / weight[rest])
        wanted = F[row] @ F[every[rest]].T @ np.linalg.solve(K, Y[rest])
        assert copies[i] == pytest.approx(wanted, abs=1e-9 if floor == 0.5 else 1e-3)


@pytest.mark.parametrize("repeated", [True, False], ids=["repeated", "weights"])
def test_of_measurements_at_equal_rows_one_is_left_out(repeated):
    """Two columns of two values have four rows, which are all met more than once, and one of them with two classes."""
    cells, counts = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]]), np.array([3, 2, 4, 1, 2])
    signs = np.where(np.array([0, 1, 2, 0, 1])[:, None] == np.arange(3), 1.0, -1.0)
    every = np.repeat(np.arange(5), counts)
    rows, weight = (every, np.ones(12)) if repeated else (np.arange(5), counts.astype(float))
    X, Y = cells[rows].astype(float), signs[rows]
    found = left_out(Dense(X @ X.T + 1.0), 0.5 / weight, Y, Counted.of(X, Y, weight, 0.5))
    for i, row in enumerate(rows):
        rest = np.delete(every, np.flatnonzero(every == row)[0])
        K = cells[rest] @ cells[rest].T + 1.0 + 0.5 * np.eye(11)
        wanted = (cells[row] @ cells[rest].T + 1.0) @ np.linalg.solve(K, signs[rest])
        assert found[i] == pytest.approx(wanted, abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(2, 4))
@settings(max_examples=50)
def test_copies_are_told_from_measurements_at_equal_rows(seed, width, times):
    """Columns of measurements repeat only with copies; columns of two values, and two classes, without them."""
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(40, width)), np.where(rng.integers(0, 3, 40)[:, None] == np.arange(3), 1.0, -1.0)
    again = np.repeat(np.arange(40), times)
    assert copied(X[again], Y[again], np.ones(40 * times)).all()
    assert copied(X, Y, np.full(40, float(times))).all()
    other = Y[again].copy()
    other[0] = np.roll(other[0], 1)
    assert np.array_equal(copied(X[again], other, np.ones(40 * times)), again > 0)
    few = np.where(X[again] > 0.0, 1.0, 0.0)
    assert not copied(few, Y[again], np.ones(40 * times)).any()
    assert not copied(X[again][:, :1].round() * 0.0, Y[again], np.ones(40 * times)).any()


@pytest.mark.parametrize("weights", [False, True], ids=["repeated", "weights"])
def test_classes_of_few_values_are_as_probable_as_they_were_met(weights):
    """One column of two values: where all rows of a value were left out, the log-loss was 2 in place of 0.8."""
    shares = np.array([[0.8, 0.1, 0.1], [0.1, 0.2, 0.7]])
    counts = np.round(100 * shares).astype(int).ravel()
    X, y = np.repeat([[0.0], [1.0]], 3, axis=0), np.tile(np.arange(3), 2)
    rows = np.arange(6) if weights else np.repeat(np.arange(6), counts)
    criterion = Evidence(targets="labels", effort="quick")
    found = kernelopt.solve(
        X[rows], y[rows], criterion=criterion, sample_weight=counts.astype(float) if weights else None
    )
    assert found.predict_proba(np.array([[0.0], [1.0]])) == pytest.approx(shares, abs=0.06)


def test_probabilities_with_weights_are_those_with_copies():
    rng = np.random.default_rng(0)
    F, Y, s = rng.normal(size=(25, 4)), np.sign(rng.normal(size=(25, 3))), rng.integers(1, 4, 25).astype(float)
    every, first = np.repeat(np.arange(25), s.astype(int)), np.append(0, np.cumsum(s)[:-1]).astype(int)
    values = left_out(Dense(F @ F.T), 0.5 / s, Y, Counted.of(F, Y, s, 0.5))
    counted = Counted.of(F[every], Y[every], np.ones(len(every)), 0.5)
    copies = left_out(Dense(F[every] @ F[every].T), 0.5, Y[every], counted)
    assert values == pytest.approx(copies[first], abs=1e-10)
    mine, theirs = shares_from(values, Y, s), shares_from(copies, Y[every], np.ones(len(every)))
    assert (mine.width, mine.power) == pytest.approx((theirs.width, theirs.power))


@pytest.mark.parametrize("repeated", [True, False], ids=["repeated", "weights"])
def test_rows_that_count_twice_do_not_make_classes_sure(repeated):
    """Three classes that overlap: where each row had its copy to tell its class, errors cost 14 nats a row."""
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(150, 3)), rng.normal(size=(1000, 3))
    y, z = (np.digitize(R[:, 0] + 0.7 * rng.normal(size=len(R)), [-0.5, 0.5]) for R in (X, Z))
    rows = np.repeat(np.arange(150), 2) if repeated else np.arange(150)
    criterion = Evidence(targets="labels", effort="quick")
    twice = None if repeated else np.full(150, 2.0)
    found = kernelopt.solve(X[rows], y[rows], criterion=criterion, sample_weight=twice)
    assert -np.log(found.predict_proba(Z)[np.arange(1000), z]).mean() < 1.1


def test_inverses_of_many_rows_in_single_precision_leave_out_the_same(monkeypatch):
    X, _, y = drawn(3, 550)
    K, Y = rbf_kernel(X) + 0.1 * np.eye(550), np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    single = left_out(Dense(K.copy()), 1e-6, Y, Counted.of(X, Y, np.ones(550), 0.1))
    monkeypatch.setattr("kernelopt._evidence.classes._shares._FEW", 1000)
    double = left_out(Dense(K.copy()), 1e-6, Y, Counted.of(X, Y, np.ones(550), 0.1))
    assert not np.array_equal(single, double)
    assert single == pytest.approx(double, abs=1e-4)


@pytest.mark.parametrize("power", [0.5, 2.0])
def test_shares_learn_how_sure_values_are(power):
    """Values whose probabilities are those of known odds, with classes drawn by these."""
    rng = np.random.default_rng(5)
    values = 2.0 * rng.dirichlet(np.ones(3), size=4000) - 1.0
    p = Shares(0.05, power).probabilities(values)
    truth = (p.cumsum(axis=1) > rng.uniform(size=(4000, 1))).argmax(axis=1)
    found = shares_from(values, np.where(truth[:, None] == np.arange(3), 1.0, -1.0), np.ones(4000))
    loss, least = (
        -np.log(one.probabilities(values)[np.arange(4000), truth]).mean() for one in (found, Shares(0.05, power))
    )
    assert loss < least + 0.01


def test_values_that_say_nothing_are_believed_in_nothing():
    rng = np.random.default_rng(6)
    values, truth = rng.normal(size=(2000, 3)), rng.integers(3, size=2000)
    found = shares_from(values, np.where(truth[:, None] == np.arange(3), 1.0, -1.0), np.ones(2000))
    assert found.probabilities(values) == pytest.approx(np.full((2000, 3), 1.0 / 3.0), abs=0.1)


def test_some_rows_say_nearly_what_all_say():
    X, _, y = drawn(4, 700)
    s = learned(X, y)
    Y = np.where(y[:, None] == np.arange(4), 1.0, -1.0)
    noise = s.mixture.parts[-1].mass + 1e-6
    few = shares_of_some(s.kernel, X, Y, Counted.of(X, Y, np.ones(len(X)), noise), 0)
    Z = drawn(4, 300, seed=1)[0]
    values = s.decision_function(Z)
    assert few.probabilities(values) == pytest.approx(s.predict_proba(Z), abs=0.1)


def test_where_time_is_up_there_are_probabilities_of_numbers():
    X, _, y = drawn(2)
    s = learned(X, y, max_seconds=1e-3)
    assert isinstance(s.odds, Shares)
    assert np.array_equal(s.classes[s.predict_proba(X).argmax(axis=1)], s.predict(X))


@pytest.mark.parametrize(("classes", "finish"), ASKED)
def test_a_model_in_a_file_has_them(fit, classes, finish, tmp_path):
    s, Z = fit(classes, finish), drawn(classes, 50, seed=1)[0]
    s.save(tmp_path / "model")
    assert np.array_equal(kernelopt.load(tmp_path / "model").predict_proba(Z), s.predict_proba(Z))


@pytest.mark.parametrize("odds", [Shares(0.0, 1.0), Shares(float("nan"), 1.0), Shares(1.0, -1.0)])
def test_a_file_that_lies_about_them_is_refused(fit, odds, tmp_path):
    with pytest.raises(kernelopt.ModelFileError, match="the odds"):
        attrs.evolve(fit(4, "numbers").model, odds=odds).save(tmp_path / "model")


def test_who_has_none_says_so(data, family, tmp_path):
    X, y = data
    for target, criterion in ((y, "evidence"), (y > 2.0, "svc")):
        s = kernelopt.solve(X, target, family=family("list"), criterion=criterion)
        for machine in (s, s.model):
            with pytest.raises(
                InvalidOption, match="got a machine without probabilities, wanted classes learned with the evid"
            ):
                machine.predict_proba(X)
    numbers = kernelopt.solve(X, y, family=family("list"), criterion="evidence").model
    with pytest.raises(kernelopt.ModelFileError, match="the odds"):
        attrs.evolve(numbers, odds=Logistic()).save(tmp_path / "model")


@pytest.mark.parametrize("kind", [int, float])
def test_numbers_have_probabilities_as_the_error_says(kind, family):
    """25 numbers are learned as numbers until the criterion that the error names is taken."""
    y = np.arange(100).astype(kind) % 25
    X = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.raises(InvalidOption) as refused:
        kernelopt.solve(X, y, family=family("list"), criterion="evidence").predict_proba(X)
    advised = ast.literal_eval(re.search(r"criterion=(\{.*?\})", str(refused.value))[1])
    shares = kernelopt.solve(X, y, family=family("list"), criterion=advised).predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(np.ones(100))
    assert shares.shape == (100, 25)


@pytest.mark.parametrize(("n", "chance"), [(6, 1.0 / 7.0), (30, 1.0 / 31.0), (102, 0.0)])
def test_few_rows_that_are_told_right_leave_the_chance_of_one_more_row(n, chance):
    """The likeliest power says of the true class what one row more of any of three classes allows."""
    Y = np.where(np.eye(3)[np.arange(n) % 3] > 0.0, 1.0, -1.0)
    sure = shares_from(Y, Y, np.ones(n)).probabilities(Y).max(axis=1)
    np.testing.assert_allclose(1.0 - sure, 2.0 / 3.0 * chance, rtol=1e-3, atol=1e-9)


def test_few_rows_that_are_told_right_leave_the_odds_less_sure_than_many_do():
    def factor(n):
        Y = np.where(np.arange(n)[:, None] % 2, 1.0, -1.0)
        return damped_from(4.0 * Y, Y, np.ones(n)).damping

    assert factor(10) < 1.0 < factor(200)
