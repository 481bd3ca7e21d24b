"""Weights of classes under the evidence: they change the probabilities of classes, and weigh no row."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelopt
from kernelopt import Evidence
from kernelopt._prediction._odds import Logistic, Shares
from kernelopt._prediction._weighing import Weighing

N = 90


def drawn(classes):
    coin = np.random.default_rng(classes)
    X = coin.normal(size=(N, 3))
    far = np.quantile(X[:, 0], np.linspace(0.6, 0.9, classes - 1))
    return X, np.array(["a", "b", "c", "d"])[np.digitize(X[:, 0] + 0.3 * coin.normal(size=N), far)]


@pytest.mark.parametrize("finish", ["auto", "logistic", "numbers"])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_each_probability_becomes_its_weight_times_what_it_was(classes, finish, tmp_path):
    X, y = drawn(classes)
    criterion = Evidence(targets="labels", effort="quick", finish=finish)
    weights = dict(zip("abcd"[:classes], [0.5, 3.0, 20.0, 1.0][:classes], strict=True))
    plain = kernelopt.solve(X, y, criterion=criterion)
    weighed = kernelopt.solve(X, y, criterion=criterion, class_weight=weights)
    Z = np.random.default_rng(9).normal(size=(200, 3)) * 1.5
    wanted = plain.predict_proba(Z) * np.array(list(weights.values()))
    wanted /= wanted.sum(axis=1, keepdims=True)
    found = weighed.predict_proba(Z)
    assert found == pytest.approx(wanted, abs=1e-10)
    assert weighed.certificate == plain.certificate
    assert np.array_equal(weighed.predict(Z), np.array(list("abcd"))[found.argmax(axis=1)])
    assert not np.array_equal(weighed.predict(Z), plain.predict(Z))
    weighed.save(tmp_path / "weighed.kernelopt")
    again = kernelopt.load(tmp_path / "weighed.kernelopt")
    assert np.array_equal(again.predict_proba(Z), found)
    assert np.array_equal(again.decision_function(Z), weighed.decision_function(Z))


def test_balanced_classes_are_found_as_often_as_each_other():
    """Of classes of 1 to 9 whose rows overlap the rare one is hardly ever predicted without weights."""
    coin = np.random.default_rng(0)
    rare = coin.uniform(size=1000) < 0.1
    X = coin.normal(size=(1000, 2)) + 1.2 * rare[:, None]
    criterion = kernelopt.Evidence(effort="quick")
    fitted = kernelopt.KernelClassifier(criterion=criterion, class_weight="balanced").fit(X[:500], rare[:500])
    right = fitted.predict(X[500:]) == rare[500:]
    unweighed = kernelopt.KernelClassifier(criterion=criterion).fit(X[:500], rare[:500])
    plain = unweighed.predict(X[500:]) == rare[500:]
    assert plain[rare[500:]].mean() < 0.45
    assert right[rare[500:]].mean() > 0.7
    assert right[~rare[500:]].mean() > 0.7


@settings(max_examples=50)
@given(
    st.integers(2, 5),
    st.sampled_from([Logistic(), Shares(0.05, 3.0)]),
    st.lists(st.floats(1e-6, 1e6), min_size=5, max_size=5),
    st.integers(0, 2**32 - 1),
)
def test_decisions_with_weights_are_of_the_weighed_probabilities(classes, odds, weights, seed):
    values = np.random.default_rng(seed).normal(scale=3.0, size=(20, 1 if classes == 2 else classes))
    w = np.array(weights[:classes])
    wanted = odds.probabilities(values) * w
    wanted /= wanted.sum(axis=1, keepdims=True)
    found = Weighing(odds, np.log(w)).of(values)
    assert found.shape == values.shape
    two = 1.0 / (1.0 + np.exp(-found))
    assert np.exp(found) == pytest.approx(wanted, rel=1e-9) if classes > 2 else two == pytest.approx(wanted[:, 1:])


@pytest.mark.parametrize("forged", [np.zeros(2), np.array([0.0, np.nan, 0.0])])
def test_weights_of_a_file_that_fit_no_classes_are_refused(forged, tmp_path):
    X, y = drawn(3)
    model = kernelopt.solve(X, y, criterion=Evidence(effort="quick"), class_weight="balanced").model
    predictor = attrs.evolve(model.predictor, weighing=attrs.evolve(model.predictor.weighing, logarithms=forged))
    with pytest.raises(kernelopt.ModelFileError, match="the weights of classes"):
        attrs.evolve(model, predictor=predictor).save(tmp_path / "forged.kernelopt")


def test_weights_that_change_nothing_are_told_of(monkeypatch):
    """Where rounding leaves nothing of the Gram there are no probabilities that weights could multiply."""
    X, y = drawn(3)
    monkeypatch.setattr("kernelopt._evidence.classes._class_machine.shares_of", lambda *_: None)
    options = {"criterion": Evidence(effort="quick")}
    plain, weighed = (kernelopt.solve(X, y, **options, class_weight=weight) for weight in (None, "balanced"))
    assert np.array_equal(plain.predict(X), weighed.predict(X))
    assert [note for note in weighed.notes if "class_weight changes no prediction" in note]
    assert not [note for note in plain.notes if "class_weight" in note]
