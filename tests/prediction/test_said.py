"""All that a machine says of rows at once: what each method says of them alone."""

import numpy as np
import pytest

import kernelopt
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction import _predicted
from kernelopt._prediction._said import said

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(80, 2)), RNG.normal(size=(ROW_BLOCK + 300, 2))
NUMBERS = X[:, 0] + np.sin(2.0 * X[:, 1])
TARGETS = {
    "numbers": (NUMBERS, "evidence"),
    "several targets": (np.column_stack([NUMBERS, 100.0 * X[:, 0]]), "evidence"),
    "two classes": (NUMBERS > 0.0, "evidence"),
    "three classes": (np.digitize(NUMBERS, [-0.5, 0.5]).astype(str), "evidence"),
    "no probabilities": (NUMBERS > 0.0, "svc"),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_what_is_said_at_once_is_what_each_method_says(kind, monkeypatch):
    monkeypatch.setattr(_predicted, "_AT_ONCE", 500)
    y, criterion = TARGETS[kind]
    s = kernelopt.solve(X, y, family="dictionary", criterion=criterion)
    done = []
    found = said(s.predictor, s.posterior, s.odds, s.kernel.rows(Z), done.append)
    assert np.array_equal(found.prediction, s.predict(Z))
    assert np.array_equal(found.values, s.decision_function(Z))
    if s.odds is None:
        assert found.probabilities is None
    else:
        assert np.array_equal(found.probabilities, s.predict_proba(Z))
    if s.posterior is None:
        assert found.deviation is None
        assert sum(done) == len(Z)
    else:
        monkeypatch.undo()
        assert found.deviation == pytest.approx(s.predict(Z, return_std=True)[1], rel=1e-9)
        assert sum(done) == 2 * len(Z)


def test_where_predictions_are_held_back_they_are_so_at_once_too():
    family = kernelopt.Dictionary([("linear", {}), ("poly", {"degree": 2})])
    s = kernelopt.solve(X, NUMBERS, family=family, criterion="evidence")
    far = 100.0 * Z[:5]
    found = said(s.predictor, s.posterior, s.odds, s.kernel.rows(far))
    assert np.array_equal(found.prediction, s.predict(far))
    assert not np.array_equal(found.prediction, found.values)
