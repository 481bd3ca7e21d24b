"""Estimators learn from views, and scikit-learn splits, clones, searches and pickles them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import kernelopt
from kernelopt import KernelClassifier, KernelOutlierDetector, KernelRegressor, Views, by_view

LIST = kernelopt.Dictionary((("rbf", {"gamma": 0.3}), "linear"), rescale="standard")


@pytest.fixture(name="views", scope="module")
def _views(two):
    X, y = two
    rng = np.random.default_rng(0)
    return Views({"signal": X, "noise": rng.normal(size=(len(X), 2))}), y


@pytest.fixture(name="grams", scope="module")
def _grams(views):
    signal, noise = views[0].blocks["signal"], views[0].blocks["noise"]
    return Views([signal @ signal.T, np.exp(-((noise[:, None] - noise[None]) ** 2).sum(-1))]), views[1]


def test_lists_mappings_and_views_are_the_same_rows(views):
    X, y = views
    machine = KernelClassifier(LIST).fit(X, y)
    for same in (dict(X.blocks), list(X.blocks.values())):
        np.testing.assert_array_equal(machine.predict(same), machine.predict(X))
        again = clone(machine).fit(same, y)
        np.testing.assert_array_equal(again.decision_function(same), machine.decision_function(X))
    assert machine.n_features_in_ == X.shape[1]
    assert machine.views() == machine.solution_.views()
    assert machine.score(X, y) == np.mean(machine.predict(X) == y)


def test_a_pickled_machine_predicts_the_same(views):
    X, y = views
    machine = KernelClassifier(by_view(kernels=LIST)).fit(X, y)
    same = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(same.decision_function(X), machine.decision_function(X))


@pytest.mark.parametrize("kind", ["views", "grams"])
def test_folds_of_views_are_folds_of_their_rows(kind, request):
    X, y = request.getfixturevalue(kind)
    machine = KernelClassifier("precomputed" if kind == "grams" else LIST)
    folds = KFold(3)
    predicted = cross_val_predict(machine, X, y, cv=folds)
    for old, new in folds.split(np.zeros(len(X))):
        np.testing.assert_array_equal(predicted[new], clone(machine).fit(X[old], y[old]).predict(X[new]))


def test_folds_of_grams_are_folds_of_rows_and_columns(grams):
    X, y = grams
    old, new = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    K = list(X.blocks.values())
    folded = KernelClassifier("precomputed").fit(X[old], y[old])
    cut = KernelClassifier("precomputed").fit([one[np.ix_(old, old)] for one in K], y[old])
    np.testing.assert_allclose(
        folded.decision_function(X[new]), cut.decision_function([one[np.ix_(new, old)] for one in K]), atol=1e-9
    )


def test_one_gram_is_fitted_as_it_is(grams):
    X, y = grams
    K = X.blocks["view0"]
    machine = KernelClassifier("precomputed").fit(K[:20, :20], y[:20])
    same = KernelClassifier("precomputed").fit([K[:20, :20]], y[:20])
    np.testing.assert_array_equal(machine.predict(K[20:, :20]), same.predict([K[20:, :20]]))


@pytest.mark.parametrize("kind", ["views", "grams"])
def test_machines_of_scikit_learn_take_the_same_views(kind, request):
    X, y = request.getfixturevalue(kind)
    family = "precomputed" if kind == "grams" else LIST
    learned = kernelopt.solve(X, y, family=family, criterion="svc")
    np.testing.assert_allclose(
        learned.to_sklearn().decision_function(X), learned.decision_function(X), atol=1e-9, rtol=1e-9
    )
    with pytest.raises(kernelopt.Refused, match="KernelRidge takes one matrix of numbers"):
        kernelopt.solve(X, y == y[0], family=family, criterion="ridge").to_sklearn()


def test_a_learned_kernel_takes_views_of_any_form(views):
    X, y = views
    learned = kernelopt.solve(X, y, family=LIST, criterion="svc")
    wanted = learned.kernel(np.hstack(list(X.blocks.values())))
    for same in (X, dict(X.blocks), list(X.blocks.values())):
        np.testing.assert_array_equal(learned.kernel(same, same), wanted)
    fitted = SVR(kernel=learned.kernel).fit(X, y == y[0])
    np.testing.assert_allclose(fitted.predict(X), SVR(kernel="precomputed").fit(wanted, y == y[0]).predict(wanted))


def test_groups_of_columns_stand_in_pipelines_and_searches(views):
    X, y = views
    both = np.hstack(list(X.blocks.values()))
    groups = {"signal": slice(both.shape[1] - 2), "noise": [both.shape[1] - 2, both.shape[1] - 1]}
    pipeline = make_pipeline(StandardScaler(), KernelClassifier(by_view(groups, LIST), criterion="svc"))
    search = GridSearchCV(pipeline, {"kernelclassifier__criterion__C": [0.1, 10.0]}, cv=3).fit(both, y)
    assert search.best_estimator_[-1].views()["signal"] > search.best_estimator_[-1].views()["noise"]
    frame = pd.DataFrame(both).add_prefix("c")
    columns = make_column_transformer(
        (StandardScaler(), ["c0"]), remainder="passthrough", verbose_feature_names_out=False
    )
    named = by_view({"one": ["c0"], "rest": list(frame.columns[1:])}, LIST)
    tables = make_pipeline(columns.set_output(transform="pandas"), KernelClassifier(named))
    assert cross_val_score(tables, frame, y, cv=3).shape == (3,)


def test_numbers_and_novelties_have_views_too(views, numbers):
    X, y = numbers
    halves = Views([X[:, :1], X[:, 1:]])
    machine = KernelRegressor().fit(halves[::2], y[::2])
    values, deviations = machine.predict(halves[1::2], return_std=True)
    assert values.shape == deviations.shape == (len(halves[1::2]),)
    assert set(machine.views()) == {"view0", "view1"}
    rows, _ = views
    assert set(KernelOutlierDetector(LIST).fit(rows).predict(rows)) <= {-1, 1}


def test_weights_and_calibration_take_rows_of_views(views):
    X, y = views
    weight = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    machine = KernelClassifier(LIST, calibration="sigmoid").fit(X, y, weight)
    assert machine.predict_proba(X).shape == (len(y), 2)


def test_a_plain_gram_in_folds_is_refused_with_the_way_out(grams):
    X, y = grams
    with pytest.raises(kernelopt.InvalidData, match=r"wanted a square Gram .* kernelopt.Views"):
        KernelClassifier("precomputed").fit(X.blocks["view0"][:20], y[:20])


def test_no_views_is_said_in_one_sentence(two):
    X, y = two
    with pytest.raises(kernelopt.InvalidOption, match="learned from one matrix without views"):
        KernelClassifier("tk").fit(X, y).views()


@pytest.mark.parametrize("several", [False, True])
def test_a_learned_kernel_of_grams_is_that_of_the_rows_however_they_were_passed(grams, several):
    K, y = grams
    K = K if several else Views([K.blocks["view0"]])
    old, new = np.arange(30), np.arange(30, len(y))
    blocks = list(K.blocks.values())
    train, test = [block[np.ix_(old, old)] for block in blocks], [block[np.ix_(new, old)] for block in blocks]
    learner = kernelopt.LearnedKernel("precomputed", criterion="svc")
    wanted = clone(learner).fit(K[old], y[old])
    passed = clone(learner).fit(train if several else train[0], y[old])
    np.testing.assert_allclose(passed.transform(test if several else test[0]), wanted.transform(K[new]))
    itself = passed.transform(train if several else train[0])
    np.testing.assert_allclose(itself, wanted.transform(K[old]))
    np.testing.assert_allclose(itself, clone(learner).fit_transform(train if several else train[0], y[old]))
    np.testing.assert_allclose(itself, itself.T)
