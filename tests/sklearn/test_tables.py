"""Estimators on tables: nothing to prepare, scikit-learn's rules for names, and its own ways of cutting rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.utils import get_tags

import kernelopt
from kernelopt import KernelClassifier, KernelOutlierDetector, KernelRegressor, LearnedKernel

RNG = np.random.default_rng(4)
N = 80
COLOUR = RNG.choice(["red", "blue", "green"], N)
SIZE = np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(size=N))
TABLE = pd.DataFrame({"colour": COLOUR, "size": SIZE, "old": RNG.random(N) < 0.5})
LABELS = np.where((COLOUR == "red") ^ (np.nan_to_num(SIZE) > 0.3), "yes", "no")
QUICK = {"family": "gaussian", "criterion": "svc"}
QUICK_BY = {KernelClassifier: QUICK, KernelRegressor: {"family": "gaussian", "criterion": "ridge"}}


def test_the_default_takes_tables():
    machine = KernelClassifier(effort="quick").fit(TABLE, LABELS)
    assert machine.score(TABLE, LABELS) > 0.9
    numbers = KernelRegressor(effort="quick").fit(TABLE, LABELS == "yes")
    assert numbers.score(TABLE, LABELS == "yes") > 0.7
    assert list(machine.feature_names_in_) == ["colour", "size", "old"]
    assert "colour" in str(kernelopt.directions(machine.solution_, TABLE))


def test_an_estimator_is_solve_on_tables():
    machine = KernelClassifier(**QUICK).fit(TABLE, LABELS)
    plain = kernelopt.solve(TABLE, LABELS, **QUICK)
    assert np.array_equal(machine.decision_function(TABLE), plain.decision_function(TABLE))
    rows = TABLE.astype(object).to_numpy()
    assert np.array_equal(
        KernelClassifier(**QUICK).fit(rows, LABELS).decision_function(rows.tolist()), plain.decision_function(TABLE)
    )


def test_support_vectors_are_codes_of_which_decisions_are_made():
    machine = KernelClassifier(**QUICK).fit(TABLE, LABELS)
    by_hand = machine.kernel_(TABLE, machine.support_vectors_) @ machine.dual_coef_.T + machine.intercept_
    np.testing.assert_allclose(by_hand[:, 0], machine.decision_function(TABLE), atol=1e-10)


@pytest.mark.parametrize(
    "estimator", [KernelClassifier(**QUICK), KernelRegressor(family="gaussian", criterion="ridge")]
)
def test_names_follow_the_rules_of_scikit_learn(estimator):
    estimator.fit(TABLE, LABELS == "yes")
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        estimator.predict(TABLE[["size", "colour", "old"]])
    with pytest.raises(ValueError, match="Feature names unseen at fit time"):
        estimator.predict(TABLE.rename(columns={"size": "height"}))
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        estimator.predict(TABLE[["colour", "size"]])


def test_folds_of_tables_are_cut_by_scikit_learn():
    found = cross_val_predict(KernelClassifier(**QUICK), TABLE, LABELS, cv=3)
    assert np.mean(found == LABELS) > 0.6


def test_calibration_on_tables_tells_nothing_of_gaps_that_a_fold_lacks():
    gap = TABLE.assign(size=np.where(np.arange(N) == 5, np.nan, np.nan_to_num(SIZE)))
    weight = np.where(np.arange(N) < 3, 0.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = KernelClassifier(**QUICK, calibration="sigmoid").fit(gap, LABELS, sample_weight=weight)
    assert machine.predict_proba(gap).shape == (N, 2)


def test_a_learned_kernel_of_a_table_is_one_of_its_codes():
    learned = LearnedKernel(**QUICK, output="gram").fit(TABLE, LABELS)
    np.testing.assert_allclose(learned.transform(TABLE), learned.kernel_(TABLE), atol=1e-12)
    features = LearnedKernel("gpk", criterion="svc").fit(TABLE, LABELS)
    assert len(features.get_feature_names_out()) == features.transform(TABLE).shape[1]


def test_novelty_on_tables():
    machine = KernelOutlierDetector().fit(TABLE)
    assert machine.predict(TABLE.iloc[:1].assign(colour="violet", size=40.0)) == [-1]


def test_gaps_in_arrays():
    X = TABLE[["size", "old"]].to_numpy(dtype=float)
    machine = KernelRegressor(effort="quick").fit(X, np.isnan(SIZE).astype(float))
    assert np.corrcoef(machine.predict(X), np.isnan(SIZE))[0, 1] > 0.9
    with pytest.raises(ValueError, match="infinity"):
        machine.predict(np.where(np.isnan(X), np.inf, X))


@pytest.mark.parametrize("estimator", [KernelClassifier, KernelRegressor, KernelOutlierDetector, LearnedKernel])
def test_tags_say_what_is_taken(estimator):
    tags = get_tags(estimator()).input_tags
    assert tags.allow_nan
    assert tags.string
    assert tags.sparse


@pytest.mark.parametrize(("family", "sparse"), [("auto", True), ("cosine", True), ("tk", False), ("wrong", False)])
def test_tags_say_whether_a_family_takes_sparse_rows(family, sparse):
    assert get_tags(KernelClassifier(family)).input_tags.sparse is sparse


def test_machines_of_scikit_learn_take_numbers_alone():
    machine = KernelClassifier(**QUICK).fit(TABLE, LABELS)
    with pytest.raises(kernelopt.Refused, match="scikit-learn's machines take finite numbers"):
        machine.solution_.to_sklearn()


@pytest.mark.parametrize("estimator", [KernelClassifier, KernelRegressor, KernelOutlierDetector])
def test_two_columns_of_one_name_are_refused_in_a_sentence(estimator):
    twins = pd.DataFrame(RNG.normal(size=(N, 3)), columns=["a", "b", "a"])
    with pytest.raises(kernelopt.InvalidData, match=r"X has 2 columns called 'a'.*rename them"):
        estimator().fit(twins, LABELS == "yes")
    fitted = estimator(**QUICK_BY.get(estimator, {})).fit(twins.to_numpy(), LABELS == "yes")
    with pytest.raises(kernelopt.InvalidData, match="X has 2 columns called 'a'"):
        fitted.predict(twins)


class LazyFrame:
    """As that of polars, which warns where it is asked for its columns."""

    __module__ = "polars.lazyframe.frame"

    @property
    def columns(self):
        warnings.warn("determining the column names is expensive", stacklevel=1)
        return ["a"]


def test_a_query_of_polars_is_to_be_run_first():
    numbers = np.arange(N, dtype=float)
    machine = KernelRegressor("gaussian").fit(numbers[:, None], numbers)
    for asked, name in (
        (lambda: machine.predict(LazyFrame()), "X"),
        (lambda: KernelRegressor("gaussian").fit(LazyFrame(), numbers), "X"),
        (lambda: KernelRegressor("gaussian").fit(numbers[:, None], LazyFrame()), "y"),
    ):
        with pytest.raises(kernelopt.InvalidData, match=rf"pass {name}.collect\(\)"):
            asked()


@pytest.mark.parametrize("rows", [TABLE, TABLE[["size"]].fillna(0.0).to_numpy()])
def test_a_missing_number_to_learn_is_named_as_such(rows):
    numbers = [None, *range(1, N)]
    with pytest.raises(kernelopt.InvalidData, match=r"y has 1 value that is NaN|y has missing values"):
        KernelRegressor().fit(rows, numbers)


def test_several_columns_of_words_are_to_be_learned_one_by_one():
    with pytest.raises(kernelopt.InvalidData, match="learn each column of words by itself"):
        kernelopt.solve(TABLE, pd.DataFrame({"a": LABELS, "b": LABELS}))
