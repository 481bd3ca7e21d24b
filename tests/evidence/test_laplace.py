"""Classes by the logistic likelihood on a learned kernel: scikit-learn's Laplace approximation, slope and scale."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.metrics.pairwise import rbf_kernel

import kernelopt
from kernelopt import Evidence
from kernelopt._evidence.classes import _newton
from kernelopt._evidence.classes._laplace import Classes
from kernelopt._linalg._gram import Dense, LowRank


def two(n=60, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] ** 2 - 0.5 + noise * rng.normal(size=n) > 0.0, 1.0, -1.0)


def counted(gram, ridge, y, weight=None):
    return Classes(gram, ridge, y, np.ones(len(y)) if weight is None else weight)


def classes(n=60, ridge=0.0, **options):
    X, y = two(n, **options)
    return counted(Dense(rbf_kernel(X, gamma=0.5) + ridge * np.eye(n)), ridge, y)


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0, 3000.0])
def test_mode_and_evidence_are_those_of_scikit_learn(scale):
    X, y = two()
    mode = classes().mode(scale)
    theirs = GaussianProcessClassifier(ConstantKernel(scale) * RBF(1.0), optimizer=None).fit(X, y)
    assert classes().evidence(mode)[0] == pytest.approx(-theirs.log_marginal_likelihood_value_, rel=1e-4, abs=1e-3)
    assert mode.a == pytest.approx(y * expit(-y * mode.f), abs=2e-2)
    assert mode.f == pytest.approx(scale * rbf_kernel(X, gamma=0.5) @ mode.a)


@pytest.mark.parametrize("scale", [0.1, 3.0, 100.0])
def test_the_slope_is_that_of_finite_differences(scale, monkeypatch):
    monkeypatch.setattr("kernelopt._evidence.classes._newton._SETTLED", 1e-14)
    one, step = classes(), 1e-3
    up, down = (one.evidence(one.mode(scale * np.exp(s * step)))[0] for s in (1.0, -1.0))
    assert one.evidence(one.mode(scale))[1] == pytest.approx((up - down) / (2.0 * step), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("noise", [0.0, 0.3, 2.0])
def test_the_scale_has_the_largest_evidence(noise):
    one = classes(noise=noise)
    best = minimize_scalar(lambda log: one.evidence(one.mode(np.exp(log)))[0], bounds=(-3.0, 12.0), method="bounded")
    assert one.evidence(one.scaled())[0] <= best.fun + 0.01


def test_a_kernel_of_another_size_gets_another_scale():
    one = classes()
    larger = counted(Dense(16.0 * one.gram.dense()), 0.0, one.y)
    assert larger.scaled().scale * 16.0 == pytest.approx(one.scaled().scale, rel=0.2)


@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_noise_on_the_diagonal_is_no_part_of_the_function(scale):
    X, y = two()
    F = np.column_stack([X, X**2, np.ones(len(X))])
    plain = counted(Dense(F @ F.T), 0.0, y)
    for gram in (Dense(F @ F.T + 0.7 * np.eye(len(y))), LowRank(F, 0.7)):
        noisy = counted(gram, 0.7, y)
        assert noisy.mode(scale).f == pytest.approx(plain.mode(scale).f, rel=1e-5, abs=1e-6)
        assert noisy.evidence(noisy.mode(scale)) == pytest.approx(plain.evidence(plain.mode(scale)), rel=1e-5, abs=1e-6)


def test_some_rows_of_features_are_features(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence.classes._newton._SETTLED", 1e-14)
    X, y = two()
    one = counted(LowRank(np.column_stack([X, np.ones(len(X))]), 0.5), 0.5, y)
    some = np.arange(0, len(y), 3)
    few, dense = one.only(some), counted(Dense(one.gram.dense()), 0.5, y).only(some)
    assert isinstance(few.gram, LowRank)
    assert few.scaled().f == pytest.approx(dense.scaled().f, rel=1e-5)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_steps_on_many_rows_in_single_precision_find_the_same(scale, monkeypatch):
    monkeypatch.setattr("kernelopt._evidence.classes._newton._SETTLED", 1e-9)
    many = classes(550, ridge=0.2)
    assert many._inner(scale, np.ones(550)).lower.dtype == np.float32
    rough = many.mode(scale)
    monkeypatch.setattr("kernelopt._evidence.classes._laplace._ROWS", 600)
    assert many._inner(scale, np.ones(550)).lower.dtype == np.float64
    assert rough.value == pytest.approx(many.mode(scale).value, abs=1e-9)
    assert rough.f == pytest.approx(many.mode(scale).f, abs=1e-4)


def test_newton_descends_where_whole_steps_would_climb():
    one = classes(200, noise=0.0)
    start = 40.0 * np.sign(np.random.default_rng(1).normal(size=200))
    found, usual = one.mode(100.0, start), one.mode(100.0)
    assert found.value == pytest.approx(usual.value, abs=0.05)


@pytest.mark.parametrize("features", [False, True], ids=["gram", "features"])
def test_a_row_of_weight_k_is_k_rows(features, monkeypatch):
    monkeypatch.setattr("kernelopt._evidence.classes._newton._SETTLED", 1e-14)
    X, y = two(40)
    s = np.random.default_rng(3).integers(1, 4, len(y)).astype(float)
    every, first = np.repeat(np.arange(40), s.astype(int)), np.append(0, np.cumsum(s)[:-1]).astype(int)
    F = np.column_stack([X, X**2, np.ones(len(X))])
    one = counted(LowRank(F, 0.5 / s) if features else Dense(F @ F.T + np.diag(0.5 / s)), 0.5 / s, y, s)
    copies = counted(Dense(F[every] @ F[every].T + 0.5 * np.eye(len(every))), 0.5, y[every])
    for scale in (1.0, 50.0):
        mine, theirs = one.mode(scale), copies.mode(scale)
        assert mine.f == pytest.approx(theirs.f[first], abs=1e-6)
        assert mine.a == pytest.approx(s * theirs.a[first], abs=1e-6)
        assert one.evidence(mine) == pytest.approx(copies.evidence(theirs), rel=1e-6, abs=1e-8)
    assert one.scaled().scale == pytest.approx(copies.scaled().scale, rel=1e-6)


def test_the_decision_is_the_logarithm_of_the_odds():
    """The coefficients are in proportion to what the odds leave of each label; so many of new rows have them."""
    X, y = two(150)
    s = kernelopt.solve(X, y, family="auto", criterion="evidence")
    left = 0.5 * (y + 1.0) - expit(s.decision_function(X))
    coefficients = s.predictor.dual_coef[:, 0]
    assert coefficients == pytest.approx((coefficients @ left) / (left @ left) * left, abs=0.05 * coefficients.max())
    Z, z = two(3000, seed=5)
    odds = expit(s.decision_function(Z))
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.0)):
        chosen = (odds >= low) & (odds <= high)
        assert np.mean(z[chosen] > 0.0) == pytest.approx(odds[chosen].mean(), abs=0.15)


def test_classes_by_numbers_are_what_is_asked_for_and_what_many_classes_get():
    X, y = two(150)
    certified = kernelopt.solve(X, y, family="auto", criterion=Evidence(finish="numbers"))
    assert certified.predictor.dual_coef == pytest.approx(certified.response.V)
    logistic = kernelopt.solve(X, y, family="auto", criterion="evidence")
    assert logistic.certificate == certified.certificate
    assert not np.allclose(logistic.decision_function(X), certified.decision_function(X))
    three = kernelopt.solve(X, np.digitize(X[:, 0], [-0.5, 0.5]), family="auto", criterion="evidence")
    assert three.predictor.dual_coef == pytest.approx(three.response.V)
    asked = kernelopt.solve(X, np.digitize(X[:, 0], [-0.5, 0.5]), family="auto", criterion=Evidence(finish="logistic"))
    assert asked.score(X, np.digitize(X[:, 0], [-0.5, 0.5])) > 0.95


def test_many_rows_take_the_scale_of_some(monkeypatch):
    X, y = two(400)
    family = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 0.5, 2.0)])
    whole = kernelopt.solve(X, y, family=family, criterion="evidence")
    monkeypatch.setattr("kernelopt._evidence.classes._laplace._ROWS", 150)
    some = kernelopt.solve(X, y, family=family, criterion="evidence")
    assert np.mean(some.predict(X) == whole.predict(X)) > 0.95
    assert np.corrcoef(some.decision_function(X), whole.decision_function(X))[0, 1] > 0.95


def test_where_time_is_up_classes_are_predicted_by_numbers():
    X, y = two(150)
    s = kernelopt.solve(X, y, family="auto", criterion="evidence", max_seconds=1e-3)
    assert s.predictor.dual_coef == pytest.approx(s.response.V)
    assert any("no time was left" in note for note in s.notes)


def test_an_interruption_at_the_end_loses_nothing(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("kernelopt._evidence.classes._class_machine.modes", interrupted)
    X, y = two(150)
    s = kernelopt.solve(X, y, criterion=kernelopt.Evidence(effort="quick"))  # no rows are held out before the end
    assert s.status is kernelopt.Status.STATIONARY
    assert s.predictor.dual_coef == pytest.approx(s.response.V)
    assert any("no time was left" in note for note in s.notes)


def test_who_interrupts_the_final_look_does_not_wait_for_odds(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    fitted = []
    monkeypatch.setattr("kernelopt._evidence.classes._class_machine.modes", lambda *_: fitted.append(1))
    monkeypatch.setattr(kernelopt.Evidence, "bounds", interrupted)
    X, y = two(150)
    s = kernelopt.solve(X, y, criterion=kernelopt.Evidence(effort="quick"))
    assert s.status is kernelopt.Status.INTERRUPTED
    assert not fitted
    assert s.predictor.dual_coef == pytest.approx(s.response.V)


def test_labels_without_any_pattern_are_taken():
    rng = np.random.default_rng(0)
    s = kernelopt.solve(rng.normal(size=(80, 3)), np.where(rng.normal(size=80) > 0.0, 1, -1), criterion="evidence")
    assert np.isfinite(s.decision_function(rng.normal(size=(20, 3)))).all()


def test_features_predict_without_the_rows(rows):
    X, y = rows(1200)
    labels = np.where(y > np.median(y), "high", "low")
    s = kernelopt.solve(X, labels, family=kernelopt.sampled("cosine", 40), criterion="evidence")
    assert len(s.predictor.support_vectors) == 0
    Z, z = rows(500, seed=1)
    assert s.score(Z, np.where(z > np.median(y), "high", "low")) > 0.7


def test_a_start_that_is_far_off_is_left_for_zero(monkeypatch):
    """Odds of thousands leave no curvature to go by, and a step from there leads nowhere."""
    rng = np.random.default_rng(4)
    task = Classes(Dense(np.eye(80) + 1.0), 0.0, np.sign(rng.normal(size=80)), np.ones(80), bool)
    far = 1e4 * rng.normal(size=80)
    assert task.mode(20.0, far).value == pytest.approx(task.mode(20.0).value, rel=1e-3)
    near = task.mode(20.0).a
    monkeypatch.setattr(_newton, "_NEWTON", 0)
    assert task.mode(20.0, far).value == pytest.approx(80 * np.log(2.0))
    assert task.mode(20.0, near).value < 80 * np.log(2.0)


def test_a_step_that_promises_much_and_gains_nothing_does_not_settle(monkeypatch):
    rng = np.random.default_rng(5)
    K = np.eye(40) + 1.0
    task = Classes(Dense(K), 0.0, np.sign(rng.normal(size=40)), np.ones(40), bool)
    assert task.mode(3.0).settled
    monkeypatch.setattr(Classes, "_descended", lambda self, at, da, df: at)
    assert not task.mode(3.0).settled
