"""Groups in scikit-learn: folds of whole groups, and groups that are routed to fit."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelopt
from kernelopt import KernelRegressor, Views

LINEAR = kernelopt.Dictionary(["linear"], normalize=None)


@pytest.fixture(name="measured", scope="module")
def _measured():
    rng = np.random.default_rng(0)
    number = np.repeat(np.arange(12), 4)
    X = rng.normal(size=(48, 2))
    return X, X[:, 0] + rng.normal(size=12)[number] + 0.2 * rng.normal(size=48), number


def machine():
    return KernelRegressor(LINEAR, criterion="evidence")


def test_groups_reach_fit_by_metadata_routing(measured):
    X, y, groups = measured
    with config_context(enable_metadata_routing=True):
        routed = machine().set_fit_request(groups=True)
        found = cross_val_predict(routed, X, y, params={"groups": groups}, cv=GroupKFold(3))
        piped = make_pipeline(StandardScaler(), machine().set_fit_request(groups=True))
        assert len(cross_val_score(piped, X, y, params={"groups": groups}, cv=GroupKFold(3))) == 3
        search = GridSearchCV(routed, {"tol": [1e-3, 1e-2]}, cv=GroupKFold(3)).fit(X, y, groups=groups)
    wanted = np.empty_like(y)
    for train, test in GroupKFold(3).split(X, y, groups):
        wanted[test] = machine().fit(X[train], y[train], groups=groups[train]).predict(X[test])
    np.testing.assert_array_equal(found, wanted)
    assert "groups" in search.best_estimator_.kernel_.describe()


@pytest.mark.parametrize("kind", ["blocks", "grams"])
def test_views_have_groups_in_a_cross_validation(measured, kind):
    X, y, groups = measured
    grams = kind == "grams"
    views = Views([X[:, :1] @ X[:, :1].T, X[:, 1:] @ X[:, 1:].T] if grams else [X[:, :1], X[:, 1:]])
    learner = KernelRegressor("precomputed" if grams else LINEAR, criterion="evidence", scale="paper", tol=1e-6)
    with config_context(enable_metadata_routing=True):
        learner.set_fit_request(groups=True)
        found = cross_val_predict(learner, views, y, params={"groups": groups}, cv=GroupKFold(3))
    wanted = np.empty_like(y)
    for train, test in GroupKFold(3).split(X, y, groups):
        pairs = [kernelopt.on(LINEAR, [0]), kernelopt.on(LINEAR, [1])]
        plain = KernelRegressor(pairs, criterion="evidence", scale="paper", tol=1e-6)
        wanted[test] = plain.fit(X[train], y[train], groups=groups[train]).predict(X[test])
    np.testing.assert_allclose(found, wanted, atol=1e-3)


def test_a_pickled_machine_knows_no_groups_of_new_rows(measured):
    X, y, groups = measured
    fitted = machine().fit(X, y, groups=groups)
    again = pickle.loads(pickle.dumps(fitted))
    for got, wanted in zip(again.predict(X, return_std=True), fitted.predict(X, return_std=True), strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert fitted.n_features_in_ == 2
    assert fitted.support_vectors_.shape[1] == 2


def test_targets_of_their_own_have_no_groups(measured):
    X, y, groups = measured
    with pytest.raises(kernelopt.InvalidOption, match='got groups with targets="own"'):
        KernelRegressor(targets="own").fit(X, np.column_stack([y, y]), groups=groups)
