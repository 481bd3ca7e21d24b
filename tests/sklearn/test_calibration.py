"""Probabilities on request: scikit-learn's own calibration of decision values, and the same machine as without."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score

import kernelopt
from kernelopt import KernelClassifier

METHODS = ["sigmoid", "isotonic"]
GAUSSIAN = kernelopt.fixed(("rbf", {"gamma": 0.5}))


@pytest.fixture(name="wide", scope="module")
def _wide():
    """Two classes that overlap, of unlike size."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=120) > 0.5, "yes", "no")


def weighted(X):
    return np.arange(len(X)) % 3.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weight", [None, weighted], ids=["plain", "weighted"])
@pytest.mark.parametrize(("data", "family"), [("wide", "gpk"), ("three", GAUSSIAN)], ids=["wide", "three"])
def test_probabilities_are_those_of_scikit_learn_around_the_estimator(request, data, family, method, weight):
    X, y = request.getfixturevalue(data)
    s = None if weight is None else weight(X)
    kept = slice(None) if s is None else s > 0.0
    plain = KernelClassifier(family, criterion="svc", tol=1e-3)
    mine = clone(plain).set_params(calibration=method).fit(X, y, sample_weight=s)
    outer = CalibratedClassifierCV(plain, method=method, ensemble=False)
    outer.fit(X[kept], y[kept], sample_weight=None if s is None else s[kept])
    assert mine.predict_proba(X) == pytest.approx(outer.predict_proba(X), abs=1e-6)
    assert mine.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}], ids=str)
def test_the_machine_is_the_one_without_calibration(wide, options):
    X, y = wide
    plain = KernelClassifier("gpk", criterion="svc", **options).fit(X, y)
    machine = clone(plain).set_params(calibration="sigmoid").fit(X, y)
    assert machine.certificate_ == plain.certificate_
    assert np.array_equal(machine.decision_function(X), plain.decision_function(X))
    assert np.array_equal(machine.predict(X), plain.predict(X))


@pytest.mark.parametrize("criterion", ["svc", "evidence"])
def test_weights_of_classes_belong_to_labels_in_all_folds(three, criterion):
    """Folds see the labels, as the machine does: 1 is no number of a class that is called 2."""
    X, y = three
    code = np.unique(y, return_inverse=True)[1]

    def shares(names):
        machine = KernelClassifier(GAUSSIAN, criterion=criterion, class_weight={names[0]: 20.0}, calibration="sigmoid")
        return machine.fit(X, np.array(names)[code]).predict_proba(X)

    wanted = shares((0, 1, 2))
    for labels in ((1, 2, 3), ("a", "b", "c")):
        assert shares(labels) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("criterion", ["svc", "evidence"])
def test_probabilities_rise_with_decisions_and_are_honest(wide, criterion):
    X, y = wide
    machine = KernelClassifier(GAUSSIAN, criterion=criterion, calibration="sigmoid").fit(X, y)
    shares = machine.predict_proba(X)[:, 1]
    assert (np.diff(shares[np.argsort(machine.decision_function(X))]) >= 0.0).all()
    assert shares.mean() == pytest.approx(np.mean(y == "yes"), abs=0.03)


def test_by_another_criterion_and_without_calibration_there_are_no_probabilities(wide):
    X, y = wide
    machine = KernelClassifier("gpk").fit(X, y)
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        machine.predict_proba(X)
    assert "got KernelClassifier with a criterion that has no probabilities, wanted the" in str(caught.value.__cause__)
    assert not hasattr(KernelClassifier(criterion={"name": "svc", "C": -1.0}), "predict_proba")
    with pytest.raises(sklearn.exceptions.NotFittedError):
        machine.set_params(calibration="sigmoid").predict_proba(X)


@pytest.mark.parametrize(
    ("data", "asked"),
    [
        ("wide", {"effort": "quick"}),
        ("three", {"effort": "quick"}),
        ("wide", {"family": "gpk", "criterion": "evidence"}),
    ],
    ids=str,
)
def test_the_evidence_has_probabilities_of_its_own(request, data, asked):
    X, y = request.getfixturevalue(data)
    plain = KernelClassifier(**asked, tol=1e-2)
    assert hasattr(plain, "predict_proba")
    machine = clone(plain).fit(X, y)
    p = machine.predict_proba(X)
    assert p.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(machine.classes_[p.argmax(axis=1)], machine.predict(X))
    assert np.array_equal(p, machine.solution_.predict_proba(X))
    assert np.array_equal(pickle.loads(pickle.dumps(machine)).predict_proba(X), p)
    calibrated = clone(plain).set_params(calibration="sigmoid").fit(X, y)
    assert np.array_equal(calibrated.solution_.predict_proba(X), p)
    assert not np.allclose(calibrated.predict_proba(X), p)


@pytest.mark.parametrize("criterion", ["evidence", "svc"])
def test_probabilities_are_those_of_the_last_fit_whatever_is_set_since(wide, criterion):
    X, y = wide
    plain = KernelClassifier(GAUSSIAN, criterion=criterion, tol=1e-2).fit(X, y)
    machine = clone(plain).set_params(calibration="sigmoid").fit(X, y)
    learned = machine.predict_proba(X)
    assert np.array_equal(machine.set_params(calibration=None).predict_proba(X), learned)
    machine.fit(X, y)
    assert not hasattr(machine, "calibrator_")
    machine.set_params(calibration="sigmoid")
    if hasattr(plain, "predict_proba"):
        assert np.array_equal(machine.predict_proba(X), plain.predict_proba(X))
    else:
        with pytest.raises(sklearn.exceptions.NotFittedError):
            machine.predict_proba(X)


def test_the_default_is_scored_by_its_probabilities(wide):
    X, y = wide
    scores = cross_val_score(KernelClassifier(tol=1e-2), X, y, cv=3, scoring="neg_log_loss")
    assert (scores > -np.log(2.0)).all()


def test_too_few_rows_of_a_class_are_refused_before_any_work(wide, monkeypatch):
    X, y = wide
    y = y.astype("<U4")
    y[0] = "rare"
    monkeypatch.setattr(KernelClassifier, "_learn", lambda *_: pytest.fail("learned"))
    machine = KernelClassifier("gpk", calibration="sigmoid")
    with pytest.raises(kernelopt.InvalidData, match="class 'rare' has 1 row with weight, wanted at least 2"):
        machine.fit(X, y)
    y[:2] = "rare"
    with pytest.raises(kernelopt.InvalidData, match="class 'rare' has 1 row with weight"):
        machine.fit(X, y, sample_weight=np.arange(len(X)) > 0)
    with pytest.raises(kernelopt.InvalidOption, match="calibration: got 'platt', wanted None or one of sigmoid, iso"):
        machine.set_params(calibration="platt").fit(X, y)


def test_a_class_of_few_rows_has_fewer_folds(wide):
    X, y = wide
    y = np.where(np.arange(len(X)) < 3, "rare", y)
    shares = KernelClassifier("gpk", calibration="sigmoid").fit(X, y).predict_proba(X)
    assert shares.shape == (len(X), 3)


def test_calibrated_classifiers_are_stored_and_searched(wide):
    X, y = wide
    grid = {"calibration": METHODS, "criterion__C": [1.0, 10.0]}
    search = GridSearchCV(KernelClassifier(GAUSSIAN, criterion="svc"), grid, cv=2, scoring="neg_log_loss").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict_proba(X), search.predict_proba(X))


def test_weights_arrive_whatever_scikit_learn_does_with_metadata(wide):
    X, y = wide
    machine = KernelClassifier("gpk", calibration="sigmoid")
    wanted = clone(machine).fit(X, y, sample_weight=weighted(X)).predict_proba(X)
    with sklearn.config_context(enable_metadata_routing=True):
        assert np.array_equal(clone(machine).fit(X, y, sample_weight=weighted(X)).predict_proba(X), wanted)


def test_a_warm_start_serves_the_calibrated_machine_too(wide):
    X, y = wide
    machine = KernelClassifier("tk", solver="fw", tol=1e-4, warm_start=True, calibration="sigmoid").fit(X, y)
    cold = machine.solution_.steps
    assert machine.fit(X, y).solution_.steps < cold
