"""The estimators say what `kernelopt.solve` says, and live among scikit-learn's tools."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

import kernelopt
from kernelopt import KernelClassifier, KernelOutlierDetector, KernelRegressor, LearnedKernel

RBF = kernelopt.fixed("rbf")
COSINE = {"name": "cosine", "beta": 1.0}
ALL = [KernelClassifier, KernelRegressor, KernelOutlierDetector, LearnedKernel]


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (KernelClassifier("tk", criterion={"name": "svc", "C": 2.0}), {"criterion": kernelopt.SVC(2.0)}),
        (KernelClassifier("tk", class_weight="balanced"), {"criterion": "svc", "class_weight": "balanced"}),
        (KernelRegressor("gpk", criterion="ridge", scale="atom"), {"criterion": "ridge", "scale": "atom"}),
        (KernelRegressor("gaussian", solver="fw", tol=1e-2), {"solver": "fw", "tol": 1e-2}),
    ],
    ids=str,
)
def test_estimators_say_what_solve_says(two, numbers, estimator, options):
    X, y = two if isinstance(estimator, KernelClassifier) else numbers
    weight = np.arange(len(X)) % 3.0
    s = kernelopt.solve(X, y, family=estimator.family, sample_weight=weight, **options)
    estimator = clone(estimator).fit(X, y, sample_weight=weight)
    assert estimator.certificate_ == s.certificate
    assert np.array_equal(estimator.predict(X), s.predict(X))
    assert np.array_equal(estimator.support_, s.support)
    assert np.array_equal(estimator.support_vectors_, X[s.support])
    expansion = estimator.kernel_(X, estimator.support_vectors_) @ estimator.dual_coef_.T + estimator.intercept_
    wanted = s.decision_function(X)
    assert expansion[:, 0] == pytest.approx(wanted, abs=1e-10 * np.abs(wanted).max())


def test_several_classes_share_one_kernel(three):
    X, y = three
    machine = KernelClassifier("tk").fit(X, y)
    assert machine.classes_.tolist() == [0, 1, 2]
    assert machine.decision_function(X).shape == (len(X), 3)
    assert machine.dual_coef_.shape == (3, len(machine.support_))
    assert machine.intercept_.shape == (3,)
    assert machine.score(X, y) > 0.9


def test_many_numbers_for_labels_are_still_classes():
    """`solve` would take them for targets of a regression."""
    X = np.arange(50.0)[:, None]
    machine = KernelClassifier(RBF).fit(X, np.repeat(np.arange(25), 2))
    assert len(machine.classes_) == 25


def test_two_numbers_for_targets_are_still_numbers(two):
    """`solve` would take them for labels."""
    X, y = two
    machine = KernelRegressor(RBF).fit(X, y == "yes")
    assert machine.solution_.criterion.name == "svr"
    assert machine.predict(X).dtype == np.float64


@pytest.mark.parametrize("weight", [None, np.arange(40) % 3.0])
def test_a_regressor_without_criterion_knows_no_units(numbers, weight):
    X, y = numbers
    plain, large = (KernelRegressor(RBF, tol=1e-9).fit(X, t, sample_weight=weight) for t in (y, 1e6 * y + 3e6))
    assert large.predict(X) == pytest.approx(1e6 * plain.predict(X) + 3e6, rel=1e-6)


def test_several_targets_share_one_kernel(numbers):
    X, y = numbers
    targets = np.column_stack([y, X[:, 0]])
    machine = KernelRegressor("gpk").fit(X, targets)
    assert machine.predict(X).shape == targets.shape
    alone = MultiOutputRegressor(KernelRegressor("gpk")).fit(X, targets)
    assert len({id(part.kernel_) for part in alone.estimators_}) == 2


@pytest.mark.parametrize(("targets", "other"), [("shared", "own"), ("own", "shared")])
def test_what_was_learned_is_there_whatever_is_set_since(numbers, targets, other):
    X, y = numbers
    machine = KernelRegressor(targets=targets, tol=1e-2).fit(X, np.column_stack([y, X[:, 0]]))
    values, intercept = machine.predict(X), machine.intercept_
    machine.set_params(targets=other)
    assert np.array_equal(machine.predict(X), values)
    assert np.array_equal(machine.intercept_, intercept)


def test_a_detector_finds_what_is_far_away():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    detector = KernelOutlierDetector(criterion={"name": "one-class", "nu": 0.3})
    said = detector.fit_predict(X)
    assert 0.7 <= np.mean(said == 1) < 1.0
    assert detector.predict([[9.0, 9.0]]).tolist() == [-1]
    assert detector.score_samples(X) - detector.offset_ == pytest.approx(detector.decision_function(X))


def test_the_edge_of_a_one_class_machine_is_inside():
    """Margin support vectors decide 0 up to rounding: none of them is an outlier."""
    X = np.random.default_rng(1).normal(size=(30, 2))
    s = kernelopt.solve(X, family=RBF, criterion={"name": "one-class", "nu": 0.3}, tol=1e-10)
    on_edge = np.abs(s.decision_function(X)) < 1e-9
    assert on_edge.sum() >= 2
    assert (s.predict(X)[on_edge] == 1).all()


SPELLINGS = ["svc", {"name": "svc"}, {"name": "svc", "C": 3.0}, kernelopt.SVC(3.0), None]


@pytest.mark.parametrize("criterion", SPELLINGS, ids=str)
def test_options_within_a_spec_are_parameters(criterion):
    before = repr(criterion)
    machine = KernelClassifier(criterion=criterion)
    assert machine.get_params().get("criterion__C", 1.0) in (1.0, 3.0)
    assert ("criterion__C" in machine.get_params()) == (criterion is not None)
    copy = KernelClassifier(criterion=criterion).set_params(criterion__C=10)
    assert copy.get_params()["criterion__C"] == 10
    assert repr(criterion) == before
    assert kernelopt.solve(*two_rows(), family=RBF, criterion=copy.criterion).criterion == kernelopt.SVC(10)


def two_rows():
    return np.array([[0.0], [1.0]]), [0, 1]


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"family": "tk"},
        {"family": {"name": "tk", "degree": 0}},
        {"family": kernelopt.Dictionary(["linear", ("rbf", {"gamma": 0.5})])},
        {"family": ["tk", "gpk"]},
        {"criterion": "evidence"},
        {"criterion": kernelopt.SVC(3.0)},
        {"solver": "fw"},
        {"solver": {"name": "chain", "first": "fw"}},
    ],
    ids=str,
)
def test_to_set_all_parameters_as_they_are_changes_nothing(make, options):
    machine = make(**options)
    before = machine.get_params(deep=False)
    after = machine.set_params(**machine.get_params()).get_params(deep=False)
    assert all(after[name] is value for name, value in before.items())


def test_an_option_of_a_default_is_set_even_to_the_value_that_it_would_have():
    """So that each value of a grid is of one machine: with 1.0 as with 10.0 it is a support vector machine."""
    assert KernelClassifier().set_params(criterion__C=1.0).criterion == {"name": "svc", "C": 1.0}
    assert KernelRegressor().set_params(criterion__C=1.0).criterion == {"name": "svr", "C": 1.0}


def test_options_of_families_and_solvers_are_parameters():
    machine = KernelClassifier("tk", solver={"name": "chain", "first": "fw"})
    assert machine.set_params(solver__then="apd").solver == {"name": "chain", "first": "fw", "then": "apd"}
    machine.set_params(family__degree=2)
    assert machine.family == {"name": "tk", "degree": 2}
    assert machine.set_params(family="gpk", family__degree=3).family == {"name": "gpk", "degree": 3}
    assert "family__degree" not in KernelClassifier(["tk", "delta"]).get_params()
    assert "criterion__C" not in KernelClassifier(criterion="no such").get_params()


@pytest.mark.parametrize(
    ("estimator", "option", "value", "spec"),
    [
        (KernelRegressor("tk", solver="fw+apd"), "solver__first", "smo", {"first": "smo", "then": "apd"}),
        (KernelRegressor({"name": "priced", "family": "gaussian", "price": 0.1}), "family__price", 1.0, {"price": 1.0}),
        (KernelRegressor({"name": "sampled", "family": "gpk", "k": 5}), "family__k", 7, {"k": 7}),
    ],
    ids=["a chain", "a price", "a sample"],
)
def test_every_option_that_is_listed_can_be_set(estimator, option, value, spec):
    estimator = clone(estimator)
    assert option in estimator.get_params()
    changed = estimator.set_params(**{option: value})
    kind = option.partition("__")[0]
    assert getattr(changed, kind).items() >= spec.items()
    with pytest.raises(kernelopt.InvalidOption, match="has no option 'none_such', but "):
        estimator.set_params(**{f"{kind}__none_such": 1})


@pytest.mark.parametrize(
    ("estimator", "option", "message"),
    [
        (KernelClassifier(), "criterion__nu", "svc has no option 'nu', but C"),
        (KernelClassifier(criterion=kernelopt.SVC()), "criterion__nu", "SVC has no option 'nu', but C"),
        (KernelClassifier(), "solver__rounds", "auto has no option 'rounds', and no other; leave it out"),
        (KernelClassifier(["tk", "delta"]), "family__degree", "set family as a whole"),
        (KernelClassifier(), "family__degree", "set family as a whole"),
        (KernelClassifier(), "familie", "Invalid parameter 'familie'"),
    ],
    ids=str,
)
def test_unknown_options_are_refused(estimator, option, message):
    with pytest.raises(ValueError, match=message):
        estimator.set_params(**{option: -1})


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
@pytest.mark.parametrize("criterion", ["svc", {"name": "svc", "C": 2.0}, kernelopt.SVC(C=2.0)])
def test_a_value_out_of_its_range_is_refused_by_fit(criterion, two):
    """So that a search goes on with its other candidates."""
    machine = KernelClassifier(RBF, criterion=criterion)
    wrong = clone(machine).set_params(criterion__C=-1)
    assert wrong.get_params(deep=False)["criterion"] == {"name": "svc", "C": -1}
    with pytest.raises(kernelopt.InvalidOption, match="C must be a positive finite number"):
        wrong.fit(*two)
    assert wrong.set_params(criterion__C=1.0).fit(*two).solution_.criterion.C == 1.0
    search = GridSearchCV(machine.set_params(tol=1e-2), {"criterion__C": [-1, 1.0]}, cv=2)
    with pytest.warns(FitFailedWarning):
        assert search.fit(*two).best_params_ == {"criterion__C": 1.0}


def test_a_fit_that_ends_short_of_its_tolerance_warns(two):
    with pytest.warns(ConvergenceWarning, match="MAX_STEPS before its tolerance 1e-09"):
        machine = KernelClassifier("tk", criterion="svc", tol=1e-9, max_steps=1).fit(*two)
    assert machine.n_iter_ == 1


def test_a_grid_over_options_and_families(two):
    X, y = two
    grid = {"criterion__C": [0.1, 10.0], "family": [RBF, "gpk", ["gaussian", "delta"]]}
    search = GridSearchCV(KernelClassifier(criterion="svc", tol=1e-2), grid, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    assert search.best_params_["criterion__C"] == search.best_estimator_.solution_.criterion.C


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("copy", [lambda x: pickle.loads(pickle.dumps(x)), "joblib"], ids=["pickle", "joblib"])
def test_fitted_estimators_are_stored(tmp_path, two, numbers, make, copy):
    X, y = numbers if make is KernelRegressor else two
    machine = make("tk" if make is not KernelOutlierDetector else None).fit(X, y)
    if copy == "joblib":
        joblib.dump(machine, tmp_path / "one")
        found = joblib.load(tmp_path / "one")
    else:
        found = copy(machine)
    check_is_fitted(found)
    told = [(one.transform if make is LearnedKernel else one.predict)(X) for one in (machine, found)]
    assert np.array_equal(*told)


def test_tables_of_pandas_with_words(two):
    """Words become columns in a `ColumnTransformer`, and the names of columns are remembered."""
    X, y = two
    table = pd.DataFrame({"width": X[:, 0], "height": X[:, 1], "colour": np.where(X[:, 0] > 0, "red", "blue")})
    numbers = ("numbers", StandardScaler(), ["width", "height"])
    columns = ColumnTransformer([numbers, ("words", OneHotEncoder(), ["colour"])])
    pipeline = make_pipeline(columns, KernelClassifier("tk")).fit(table, pd.Series(y))
    assert pipeline.score(table, y) > 0.7
    machine = KernelClassifier(RBF).fit(table[["width", "height"]], pd.Series(y))
    assert machine.feature_names_in_.tolist() == ["width", "height"]
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(table[["height", "width"]])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("family", "output", "width"), [("tk", "auto", 40), ("gpk", "auto", 6), ("gpk", "gram", 40)])
def test_a_learned_kernel_is_a_step_of_a_pipeline(two, family, output, width):
    X, y = two
    step = LearnedKernel(family, output=output, criterion="svc", max_steps=5).set_output(transform="pandas")
    frame = step.fit_transform(X, y)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns[0] == "learnedkernel0"
    assert frame.shape == (40, width)
    gram = step.kernel_(X, X)
    mine = frame.to_numpy()
    assert (mine if step.X_fit_ is not None else mine @ mine.T) == pytest.approx(gram, abs=1e-9 * np.abs(gram).max())


def test_a_pipeline_on_the_gram_is_the_machine_on_the_kernel(two):
    X, y = two
    pipeline = make_pipeline(LearnedKernel("tk", criterion="svc"), SVC(kernel="precomputed")).fit(X, y)
    machine = KernelClassifier("tk", criterion="svc").fit(X, y)
    assert pipeline.decision_function(X) == pytest.approx(machine.decision_function(X), abs=0.05)
    features = make_pipeline(LearnedKernel("gpk", criterion="svc"), LogisticRegression())
    assert cross_val_score(features, X, y).mean() > 0.7


def test_features_are_refused_where_there_are_none(two):
    with pytest.raises(kernelopt.Refused, match="tk has no finite features"):
        LearnedKernel("tk", output="features").fit(*two)
    with pytest.raises(kernelopt.InvalidOption, match="output must be one of"):
        LearnedKernel("tk", output="both").fit(*two)


def test_a_warm_start_goes_on_from_the_last_solution(two):
    X, y = two
    machine = KernelClassifier("tk", solver="fw", tol=1e-4, warm_start=True).fit(X, y)
    cold = machine.solution_.steps
    machine.fit(X, y)
    assert machine.solution_.steps < cold
    assert machine.set_params(criterion__C=1.1).fit(X, y).solution_.status.converged
    fewer = machine.fit(X[:30], y[:30]).solution_
    assert fewer.status.converged
    assert fewer.certificate.relative_gap <= 1e-4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"family": "gpk"},
            "it is a solution over tk, the problem is over gpk; begin anew, with start=None, or warm_sta",
        ),
        ({"family": ["tk", "delta"]}, r"over tk, the problem is over tk \+ delta"),
        ({"family__degree": 2}, "start: the options of its tk differ from those of the problem; begin anew"),
    ],
    ids=str,
)
def test_a_warm_start_of_other_families_is_refused(two, change, message):
    X, y = two
    machine = KernelClassifier("tk", criterion="svc", warm_start=True).fit(X, y).set_params(**change)
    with pytest.raises(kernelopt.InvalidOption, match=message):
        machine.fit(X, y)
    assert machine.set_params(warm_start=False).fit(X, y).solution_.status.converged


def test_a_warm_start_on_other_columns_is_refused(two):
    X, y = two
    machine = KernelClassifier(COSINE, criterion="svc", warm_start=True, max_steps=2).fit(X, y)
    with pytest.raises(kernelopt.InvalidOption, match="see other columns of X"):
        machine.fit(X * [1.0, 0.0], y)


def test_a_warm_start_from_kernels_that_are_not_listed_is_refused(two):
    X, y = two
    machine = KernelClassifier(kernelopt.Dictionary(["linear", "rbf"]), criterion="svc", warm_start=True).fit(X, y)
    assert 1.0 in machine.solution_.mixture.parts[0].kept().atoms
    with pytest.raises(kernelopt.InvalidOption, match="gives weight to kernels of its dictionary"):
        machine.set_params(family=kernelopt.Dictionary(["linear"])).fit(X, y)


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_states_are_numbers_or_generators_of_either_kind(two, make):
    X, y = two
    for seed in [3, None, make(3)]:
        KernelClassifier(COSINE, random_state=seed, max_steps=2, criterion="svc").fit(X, y)
    one, same, other = (KernelClassifier(random_state=make(seed))._seed() for seed in (3, 3, 4))
    assert one == same != other
    generator = make(3)
    assert KernelClassifier(random_state=generator)._seed() != KernelClassifier(random_state=generator)._seed()


@pytest.mark.parametrize("seed", [-1, np.int64(-1), 0.5, "a"], ids=repr)
def test_random_states_that_are_none_are_refused(two, seed):
    with pytest.raises(kernelopt.InvalidOption, match=r"random_state must be None, an integer >= 0 or a gen.*, got "):
        KernelClassifier(RBF, random_state=seed).fit(*two)


@pytest.mark.parametrize("make", ALL)
def test_estimators_show_themselves(make, two):
    X, y = two
    machine = make(RBF, tol=1e-2)
    assert repr(machine).startswith(make.__name__)
    fitted = machine.fit(X, y == "yes")
    assert make.__name__ in fitted._repr_html_()
    assert len(repr(fitted.kernel_)) < 200


def test_a_regressor_by_the_evidence_says_how_sure_it_is(numbers):
    X, y = numbers
    machine = KernelRegressor("gaussian", criterion="evidence").fit(X, y)
    near, far = (machine.predict(rows, return_std=True) for rows in (X, X + 50.0))
    assert np.array_equal(near[0], machine.predict(X))
    assert near[1].shape == y.shape
    assert (near[1].max() < far[1]).all()
    inside = np.abs(y - near[0]) < 2.0 * near[1]
    assert inside.mean() > 0.8
    with pytest.raises(kernelopt.InvalidOption, match="return_std"):
        KernelRegressor(RBF).fit(X, y).predict(X, return_std=True)


@pytest.mark.parametrize(
    ("estimator", "wanted"),
    [
        (KernelClassifier(criterion="svr"), "KernelClassifier: wanted a criterion of classification, got svr"),
        (KernelRegressor(criterion="svc"), "KernelRegressor: wanted a criterion of regression, got svc"),
        (KernelOutlierDetector(criterion="ridge"), "KernelOutlierDetector: wanted a criterion of novelty, got ridge"),
    ],
    ids=str,
)
def test_criteria_of_another_task_are_refused(two, estimator, wanted):
    with pytest.raises(kernelopt.InvalidOption, match=wanted):
        estimator.fit(two[0], two[0][:, 0] > 0.0)


def test_a_criterion_of_several_tasks_follows_the_estimator(two):
    """Two values are labels for a classifier and numbers for a regressor."""
    X, y = two
    y = (y == "yes").astype(float)
    classifier, regressor = (
        make("gpk", criterion="evidence").fit(X, y) for make in (KernelClassifier, KernelRegressor)
    )
    assert classifier.classes_.tolist() == [0.0, 1.0]
    assert set(classifier.predict(X)) == {0.0, 1.0}
    assert len(set(regressor.predict(X))) > 2


def test_what_is_wrong_is_said_as_solve_says_it(two):
    X, y = two
    with pytest.raises(kernelopt.UnknownName, match="no family is called 'kt'"):
        KernelClassifier("kt").fit(X, y)
    with pytest.raises(kernelopt.InvalidOption, match="tol must be"):
        KernelClassifier(tol=2.0).fit(X, y)
    with pytest.raises(kernelopt.InvalidData, match="one class"):
        KernelClassifier(RBF).fit(X, np.ones(len(X)))


@pytest.mark.parametrize("make", ALL)
def test_what_has_no_rows_and_columns_is_refused_in_the_librarys_words(two, make):
    X, y = two
    machine = make(RBF, tol=1e-2).fit(X, y == "yes")
    again = machine.transform if make is LearnedKernel else machine.predict
    for called in (lambda rows: make(RBF).fit(rows, y == "yes"), again):
        for rows in (None, (row for row in X), set(y)):
            with pytest.raises(kernelopt.InvalidData, match=f"X is of type {type(rows).__name__}, wanted an array"):
                called(rows)
        with pytest.raises(kernelopt.InvalidData, match=r"X has shape \(40,\), .* numpy.reshape\(X, \(-1, 1\)\)"):
            called(list(y))


@pytest.mark.parametrize(
    ("odd", "message"), [(None, "y has missing values"), (1, "y has words and other values, such as 'no' and 1")]
)
def test_labels_that_are_no_words_among_words_are_named(two, odd, message):
    X, y = two
    labels = y.astype(object)
    labels[3] = odd
    with pytest.raises(kernelopt.InvalidData, match=message):
        KernelClassifier().fit(X, labels)


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (
            "low",
            r"y holds 'low' \(row 3, counted from 0\), wanted numbers for KernelRegressor; .* with KernelClassifier",
        ),
        ("1,5", "y holds numbers written as text, such as '1,5', wanted numbers for KernelRegressor; convert them"),
    ],
)
def test_words_are_no_targets_of_a_regression(numbers, odd, message):
    X, t = numbers
    words = t.astype(str).astype(object)
    words[3] = odd
    for y in (words, words.astype(str), words.tolist()):
        with pytest.raises(kernelopt.InvalidData, match=message):
            KernelRegressor(RBF).fit(X, y)


def test_words_that_are_numbers_are_targets_of_a_regression(numbers):
    X, t = numbers
    read = KernelRegressor(RBF).fit(X, t.astype(str))
    assert np.array_equal(read.predict(X), KernelRegressor(RBF).fit(X, t).predict(X))


@pytest.mark.parametrize("make", ALL)
def test_whole_numbers_that_double_precision_does_not_tell_apart_are_no_rows(two, make):
    X, y = two
    rows = 2**62 + np.arange(len(X))[:, None]
    for given in (rows, rows.tolist(), np.hstack([rows, rows]).astype(np.uint64)):
        with pytest.raises(kernelopt.InvalidData, match=r"column.* 0.* whole numbers such as 4611686018427387904"):
            make(RBF).fit(given, y == "yes")


def test_with_nothing_said_the_evidence_learns(two, numbers):
    X, y = two
    plain = KernelClassifier().fit(X, y)
    assert plain.solution_.criterion.name == "evidence"
    assert plain.solution_.status is kernelopt.Status.STATIONARY
    assert "auto" in plain.kernel_.describe() or "dictionary" in plain.kernel_.describe()
    weights = np.where(np.arange(len(X)) % 2 == 0, 1.0, 2.0)
    assert KernelClassifier("gpk").fit(X, y).solution_.criterion.name == "svc"
    X, t = numbers
    mean, deviation = KernelRegressor().fit(X, t).predict(X, return_std=True)
    assert mean.shape == deviation.shape == t.shape
    assert KernelRegressor("gpk").fit(X, t, sample_weight=weights).solution_.criterion.name == "svr"


def test_with_weights_the_evidence_learns_too(two, numbers):
    X, y = two
    weights = 1.0 + np.arange(len(X)) % 2
    every = np.repeat(np.arange(len(X)), weights.astype(int))
    quick = KernelClassifier(effort="quick", tol=1e-4)
    assert quick.fit(X, y, sample_weight=np.ones(len(X))).solution_.criterion.name == "evidence"
    plain = quick.certificate_
    machine, copies = clone(quick).fit(X, y, sample_weight=weights), clone(quick).fit(X[every], y[every])
    assert machine.predict_proba(X) == pytest.approx(copies.predict_proba(X), abs=1e-3)
    assert machine.solution_.criterion.name == "evidence"
    balanced = clone(quick).set_params(class_weight="balanced").fit(X, y)
    assert balanced.solution_.criterion.name == "evidence"
    assert balanced.certificate_ == plain
    regressor = KernelRegressor(effort="quick").fit(X, numbers[1], sample_weight=weights)
    assert regressor.solution_.criterion.name == "evidence"
    assert (regressor.predict(X, return_std=True)[1] > 0.0).all()


def test_weights_of_zero_leave_rows_to_the_evidence(two):
    X, y = two
    left = np.arange(len(X)) % 5 > 0
    some = KernelClassifier().fit(X, y, sample_weight=left.astype(float)).solution_
    assert some.criterion.name == "evidence"
    assert some.objective == pytest.approx(KernelClassifier().fit(X[left], y[left]).solution_.objective, rel=1e-9)


@pytest.mark.parametrize("make", ALL)
def test_masked_values_are_not_read(make, two):
    X, y = two
    hidden = np.ma.masked_array(X, mask=np.arange(X.size).reshape(X.shape) == 3)
    with pytest.raises(kernelopt.InvalidData, match="X is a masked array with 1 masked values"):
        make(RBF).fit(hidden, y == "yes")
    learned = make(RBF).fit(X, y == "yes")
    with pytest.raises(kernelopt.InvalidData, match="X is a masked array"):
        learned.transform(hidden) if make is LearnedKernel else learned.predict(hidden)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ("balanced", "sample_weight is 'balanced', wanted a number for each of the 40 rows"),
        (["a"] * 40, "sample_weight has values that are not numbers, such as 'a'"),
        (np.full(40, 1j), "sample_weight is complex, wanted real numbers"),
        (np.ma.masked_array(np.ones(40), mask=np.arange(40) == 2), "sample_weight is a masked array"),
        (-np.ones(40), "39 more are negative, NaN or infinite"),
    ],
    ids=["word", "words", "complex", "masked", "negative"],
)
@pytest.mark.parametrize("make", ALL)
def test_weights_that_are_none_are_refused_in_the_librarys_words(make, weight, words, two):
    X, y = two
    with pytest.raises(kernelopt.InvalidData, match=words):
        make(RBF).fit(X, y == "yes", sample_weight=weight)


def test_verbose_shows_a_live_line_and_is_a_number(capsys):
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    kernelopt.KernelClassifier(family="tk").fit(X, y)
    assert capsys.readouterr().err == ""
    kernelopt.KernelClassifier(family="tk", verbose=1).fit(X, y)
    assert "step" in capsys.readouterr().err
    with pytest.raises(kernelopt.InvalidOption, match="verbose must be a whole number >= 0, got 'yes'"):
        kernelopt.KernelClassifier(family="tk", verbose="yes").fit(X, y)


def test_a_kernel_is_learned_without_what_takes_seconds_to_import(loaded):
    assert not {"sklearn", "scipy.stats", "pandas"} & loaded
