"""Many rows with several targets: each target has the noise and the size that its own rows ask for."""

import numpy as np
import pytest
from some_rows import smooth, some_rows

import kernelopt
from kernelopt._api import _choose
from kernelopt._api.many_rows import _begun

N, NOISES = 600, np.array([0.05, 0.3, 1.0])
ROWS = some_rows(N)
X, Z = ROWS.X, some_rows(2000).X[N:]
Y = smooth(X)[:, None] + NOISES * np.random.default_rng(4).normal(size=(N, 3))
NEW = smooth(Z)[:, None] + NOISES * np.random.default_rng(5).normal(size=(len(Z), 3))
LISTS = {
    "landmarks": kernelopt.Dictionary([("rbf", {"gamma": 0.3}), "linear"]),
    "the whole kernel": kernelopt.Dictionary([("laplacian", {"gamma": 1.0})]),
}
CRITERION = kernelopt.Evidence(targets="numbers", effort="quick")
pytestmark = pytest.mark.usefixtures("few_are_many")


def learned(family, Y=Y, criterion=CRITERION, **options):
    return kernelopt.solve(X, Y, family=LISTS[family], criterion=criterion, **options)


@pytest.fixture(scope="module")
def plain():
    """What landmarks learn of all rows."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_begun, "MANY", 400)
        patched.setattr(_choose, "MANY", 400)
        return learned("landmarks")


def exactly(family, monkeypatch, **options):
    """With Gram matrices of all rows."""
    with monkeypatch.context() as patched:
        patched.setattr(_begun, "MANY", 10**6)
        patched.setattr(_choose, "MANY", 10**6)
        return learned(family, **options)


@pytest.mark.parametrize("times", [None, np.random.default_rng(6).integers(1, 4, size=N)], ids=["once", "often"])
def test_landmarks_predict_each_target_as_whole_grams_do_and_as_surely(times, plain, monkeypatch):
    s = plain if times is None else learned("landmarks", sample_weight=times)
    whole = exactly("landmarks", monkeypatch, sample_weight=times)
    (mean, deviation), (other, sure) = (one.predict(Z, return_std=True) for one in (s, whole))
    assert np.all(np.mean((mean - other) ** 2, axis=0) < 0.01 * np.var(other, axis=0))
    np.testing.assert_allclose(deviation.mean(axis=0), sure.mean(axis=0), rtol=0.25)


@pytest.mark.parametrize("family", LISTS)
def test_intervals_hold_of_each_target_what_they_say(family, monkeypatch, tmp_path):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30, "quick": 300})
    rough = family == "the whole kernel"
    s = learned(family, criterion=kernelopt.Evidence(targets="numbers", effort="normal" if rough else "quick"))
    assert any("the whole kernel predicts" in note for note in s.notes) == rough
    lower, upper = s.predict_interval(Z, share=0.95)
    np.testing.assert_allclose(((lower < NEW) & (upper > NEW)).mean(axis=0), 0.95, atol=0.045)
    s.save(tmp_path / "model")
    read = kernelopt.load(tmp_path / "model")
    np.testing.assert_array_equal(read.predict(Z, return_std=True)[1], s.predict(Z, return_std=True)[1])


def test_the_machine_is_a_sum_over_all_rows(plain):
    by_rows = plain.kernel(Z, X) @ plain.coefficients + plain.predictor.intercept
    np.testing.assert_allclose(plain.decision_function(Z), by_rows, atol=1e-6)


def test_targets_in_other_units_and_a_constant_one_change_nothing(plain):
    factors = np.array([1e3, 1.0, 1e-4])
    (mean, deviation), (other, wide) = (s.predict(Z, True) for s in (plain, learned("landmarks", Y * factors)))
    np.testing.assert_allclose(other, mean * factors, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(wide, deviation * factors, rtol=1e-5)
    beside, sure = learned("landmarks", np.column_stack([Y[:, 0], np.ones(N), Y[:, 1:]])).predict(Z, True)
    np.testing.assert_allclose(beside, np.column_stack([mean[:, 0], np.ones(len(Z)), mean[:, 1:]]), rtol=1e-6)
    np.testing.assert_allclose(sure, np.column_stack([deviation[:, 0], np.zeros(len(Z)), deviation[:, 1:]]))


def test_the_order_of_the_targets_does_not_matter(plain):
    other = learned("landmarks", Y[:, ::-1])
    for first, second in zip(plain.predict(Z, return_std=True), other.predict(Z, return_std=True), strict=True):
        np.testing.assert_allclose(second[:, ::-1], first, rtol=1e-3, atol=1e-3)
