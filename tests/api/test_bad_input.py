"""Whatever a user gets wrong: one clear error that says what was got, what was wanted and what to do."""

import ast
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import kernelopt
from kernelopt._base import _memory

X = np.random.default_rng(0).normal(size=(20, 3))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, 1, -1)
TEXTS = [f"red {k}" for k in range(20)]


def spoiled(row, column, value):
    bad = X.copy()
    bad[row, column] = value
    return bad


def words():
    bad = X.astype(object)
    bad[3, 1] = "red"
    return bad


def things():
    bad = X.astype(object)
    bad[3, 1] = {}
    return bad


MONTHS = np.arange(40).reshape(20, 2).astype("timedelta64[M]")


def masked(values):
    return np.ma.masked_array(values, mask=np.arange(values.size).reshape(values.shape) == 7)


DATA = {
    "infinity": ((spoiled(4, 2, np.inf), Y), r"X has 1 value that is infinite, the first in row 4, column 2; drop"),
    "one class": ((X, np.ones(20)), r"y has one class \(.*1.*\).* wanted two"),
    "short y": ((X, Y[:-1]), r"y has 19 values and X has 20 rows"),
    "y with three dimensions": ((X, np.ones((20, 2, 2))), r"y has shape \(20, 2, 2\), wanted one target per row"),
    "NaN in y": ((X, np.where(np.arange(20) == 3, np.nan, Y)), r"y has 1 value that is NaN or infinite; drop"),
    "None in y": ((X, [None] + ["a", "b"] * 9 + ["a"]), r"y has missing values"),
    "no X": ((None, Y), r"y is given without X"),
    "one row": ((X[:1], Y[:1]), r"got 1 row with weight, wanted at least 2"),
    "no rows": ((X[:0], Y[:0]), r"X has shape \(0, 3\): it is empty"),
    "a generator": (((row for row in X), Y), r"X is of type generator, wanted an array, a table, or a list of rows"),
    "one dimension": ((X[:, 0], Y), r"X has shape \(20,\), wanted two dimensions .*numpy.reshape\(X, \(-1, 1\)\)"),
    "texts": (
        (TEXTS, Y),
        r"got texts, such as 'red 0': make columns of their words with TfidfVectorizer .*precomputed",
    ),
    "texts in a column": (([[text] for text in TEXTS], Y), r"different category in every row.* TfidfVectorizer"),
    "an empty list": (([], Y[:0]), r"X has shape \(0,\), wanted two dimensions \(rows, columns\); reshape one column"),
    "all columns empty": ((np.full((20, 3), np.nan), Y), r"all 3 columns of X are constant or empty, or"),
    "all columns constant": ((np.ones((20, 3)), Y), r"all 3 columns of X are constant"),
    "words among numbers": (
        (words(), Y),
        r"column 1 holds words and numbers, such as 'red' and .*; make numbers of them, .*coerce",
    ),
    "things in X": ((things(), Y), r"column 1 holds values such as \{\} \(dict\), wanted numbers or words"),
    "durations of months in X": ((MONTHS, Y), r"X: 2 columns cannot .* 0 holds durations \(timedelta64\[M\]\)"),
    "numbers as text": (
        (np.arange(20.0).astype(str)[:, None], Y),
        r"the only column of X is constant .* share.*; X: numbers written as text in column 0, .* pandas.to_numeric",
    ),
    "one word": ((np.full((20, 2), "a"), Y), r"all 2 columns of X are constant or empty, or have a different"),
    "names alone": (([[str(k)] for k in range(20)], Y), r"the only column of X .* has a different category"),
    "complex X": ((X.astype(complex), Y), r"X is complex"),
    "ragged X": (
        ([[1, 2], [3, 4], [5]], [0, 1, 1]),
        r"X has rows of different lengths, 2 in row 0 and 1 in row 2",
    ),
    "tables in X": (
        ([(X, Y), (X, Y)], [0, 1]),
        r"X has rows of 2 values, and one of them in row 0 is of the type ndarray, which holds values itself",
    ),
    "a list in X": (([["a", 1], ["b", [2]]], [0, 1]), r"X has rows of 2 values, and one of them in row 1 is .* list,"),
    "a list in y": ((X[:2], [1, [2]]), r"y has a list of values in row 1 and a single value in row 0"),
    "ragged y": ((X[:2], [[1, 2], [3]]), r"y has rows of different lengths, 2 in row 0 and 1 in row 1"),
    "masked X": ((masked(X), Y), r"X is a masked array with 1 masked values, wanted values for all; impute"),
    "masked y": ((X, masked(Y)), r"y is a masked array with 1 masked values"),
    "words and numbers": (
        (X, ["7", 7] * 10),
        r"y has words and other values, such as '7' and 7; make all values of one kind",
    ),
    "NaN among words": ((X, ["a", np.nan] * 10), r"y has missing values"),
    "NA among words": ((X, pd.Series(["a", "b", None, "a"] * 5, dtype="string")), r"y has missing values"),
    "numpy's numbers": (
        (X, np.ones(20, dtype=int)),
        r"y has one class \(1\) .* KernelRegressor, or .* targets=numbers",
    ),
    "missing values in sparse X": (
        (scipy.sparse.coo_array(X * np.nan), Y),
        r"X is sparse and has values that are missing",
    ),
}


@pytest.mark.parametrize("case", DATA)
def test_data(case):
    (rows, target), message = DATA[case]
    with pytest.raises(kernelopt.InvalidData, match=message):
        kernelopt.solve(rows, target, family=kernelopt.fixed("rbf"))


TASKS = {
    "labels in two columns": ("svc", np.column_stack([Y, Y]), r"y has shape \(20, 2\), wanted one target per row"),
    "no y to classify": ("svc", None, r"y is missing: svc is a classification criterion"),
    "no y to regress": ("svr", None, r"y is missing: svr is a regression criterion"),
    "dates": (
        None,
        [f"{k % 28 + 1:02}.02.2020" for k in range(20)],
        r"y holds dates .* '01.02.2020'.* make numbers of",
    ),
    "dates to regress": (
        "svr",
        [f"{k + 1:02}.02.2020" for k in range(20)],
        r"y holds '01.02.2020' \(row 0, .*\), wanted",
    ),
    "measures": (None, [f"{k}.5 kg" for k in range(20)], r"y holds numbers with 'kg', such as '0.5 kg'.* alone, for"),
    "years of age": (None, [f"{k} years" for k in range(25)], r"y holds numbers with 'years', such as '0 years'"),
    "words to regress": (
        "svr",
        np.array(["a", "b"] * 10),
        r"y holds 'a' \(row 0, .*\), wanted numbers for svr",
    ),
}


@pytest.mark.parametrize("case", TASKS)
def test_targets_of_another_task(case):
    criterion, target, message = TASKS[case]
    with pytest.raises(kernelopt.InvalidData, match=message):
        kernelopt.solve(X, target, family=kernelopt.fixed("rbf"), criterion=criterion)


def test_class_weights_in_regression_are_refused():
    with pytest.raises(kernelopt.InvalidOption, match="class_weight is for classification only"):
        kernelopt.solve(X, X[:, 0], family=kernelopt.fixed("rbf"), class_weight="balanced")


OPTIONS = {
    "C = 0": ({"criterion": {"name": "svc", "C": 0}}, r"SVC: C must be a positive finite number, got 0"),
    "C < 0": ({"criterion": {"name": "svc", "C": -1.0}}, r"got -1.0"),
    "C = NaN": ({"criterion": {"name": "svc", "C": np.nan}}, r"got nan"),
    "C = True": ({"criterion": {"name": "svc", "C": True}}, r"got True"),
    "C = '1'": ({"criterion": {"name": "svc", "C": "1"}}, r"got '1'"),
    "tol = 0": ({"tol": 0}, r"tol must be a number between 0 and 1, got 0"),
    "tol < 0": ({"tol": -1e-3}, r"tol must be"),
    "tol = 'small'": ({"tol": "small"}, r"got 'small'"),
    "atol < 0": ({"atol": -1.0}, r"atol must be None or a number >= 0"),
    "max_steps = 1.5": ({"max_steps": 1.5}, r"max_steps must be None or an integer"),
    "max_seconds = 0": ({"max_seconds": 0}, r"max_seconds must be None or a positive number"),
    "scale = 'units'": (
        {"scale": "units"},
        r'scale must be "auto", "unit", "atom", "variance", "paper" or a positive finite number, got \'units\'',
    ),
    "scale < 0": ({"scale": -2.0}, r"scale must be"),
    "unknown option": ({"criterion": {"name": "svc", "c": 1}}, r"no option is called 'c'; .*C"),
    "mapping without a name": ({"criterion": {"C": 1}}, r'needs a "name", got the keys \[\'C\'\]'),
    "a class": ({"criterion": kernelopt.SVC}, r"got the class SVC, wanted an object: SVC\(\)"),
    "a number": ({"family": 3}, r"family: got int, wanted a name"),
    "an empty union": ({"family": []}, r"got an empty list"),
    "an empty dictionary": ({"family": {"name": "dictionary", "kernels": []}}, r"the list of kernels is empty"),
    "an unknown kernel": ({"family": {"name": "dictionary", "kernels": ["rbg"]}}, r"scikit-learn has no kernel 'rbg'"),
    "class_weight of no class": ({"class_weight": {7: 1.0}}, r"class_weight names 7, which is no class of y"),
    "class_weight < 0": ({"class_weight": {1: -1.0}}, r"class_weight\[1\] must be a positive finite number"),
    "class_weight = 'even'": ({"class_weight": "even"}, r'class_weight must be None, "balanced" or a mapping'),
    "class_weight = 'a'": ({"class_weight": {1: "a"}}, r"class_weight\[1\] must be a positive finite number, got 'a'"),
    "class_weight of numpy's": ({"class_weight": {np.int64(7): 1.0}}, r"class_weight names 7, which"),
    "seed = -1": ({"seed": -1}, r"seed must be an integer >= 0, got -1"),
    "seed = 'a'": ({"seed": "a"}, r"seed must be an integer >= 0, got 'a'"),
    "seed = 1.5": ({"seed": 1.5}, r"seed must be an integer >= 0, got 1\.5"),
    "max_steps = True": ({"max_steps": True}, r"max_steps must be None or an integer >= 0, got True"),
    "callback = 'a'": ({"callback": "a"}, r"callback must be None or a function that takes a Record, got 'a'"),
    "C = 1e300": ({"criterion": {"name": "svc", "C": 1e300}}, r"SVC: C must be at most 1e\+100, got 1e\+300"),
    "C = 1e-300": (
        {"criterion": {"name": "l2-svc", "C": 1e-300}},
        r"L2SVC: C must be at least 1e-100, got 1e-300",
    ),
    "C of numpy's": ({"criterion": {"name": "svc", "C": np.int64(-1)}}, r"SVC: C must be .*, got -1$"),
    "columns that are words": (
        {"family": {"name": "on", "family": "tk", "columns": ["a"]}},
        r"on: columns must be a list",
    ),
    "start = 3": ({"start": 3}, r"start: got int, wanted a Solution, a Mixture or .means."),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options(case):
    options, message = OPTIONS[case]
    with pytest.raises(kernelopt.InvalidOption, match=message):
        kernelopt.solve(X, Y, **({"family": kernelopt.fixed("rbf")} | options))


WEIGHTS = {
    "wrong shape": (np.ones(3), r"sample_weight has shape \(3,\), wanted \(20,\)"),
    "negative": (
        -np.ones(20),
        r"is -1 in row 0 .*, and 19 more are negative, NaN or infinite, wanted finite numbers >= 0",
    ),
    "infinite": (np.append(np.ones(19), np.inf), r"is inf in row 19 \(counted from 0\), wanted finite numbers >= 0"),
    "one that hides all others": (
        np.append(1e200, np.ones(19)),
        r"1e\+200 in row 0 .*; give this row a smaller weight",
    ),
    "a word": (
        "balanced",
        r"sample_weight is 'balanced', wanted a number for each of the 20 rows; classes are",
    ),
    "words": (
        ["a"] * 20,
        r"sample_weight has values that are not numbers, such as 'a' .*; give each row a number",
    ),
    "complex": (np.ones(20) + 1j, r"sample_weight is complex, wanted real numbers"),
    "masked": (masked(np.ones(20)), r"sample_weight is a masked array with 1 masked values"),
    "all zero": (np.zeros(20), r"got 0 rows with weight"),
    "one class left": (np.where(Y > 0, 1.0, 0.0), r"y has one class .* on the rows with weight"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_sample_weight(case):
    weight, message = WEIGHTS[case]
    with pytest.raises(kernelopt.InvalidData, match=message):
        kernelopt.solve(X, Y, family=kernelopt.fixed("rbf"), sample_weight=weight)


@pytest.mark.parametrize(
    ("option", "got", "nearest"),
    [("family", "dictionery", "dictionary"), ("solver", "fv", "fw"), ("criterion", "scv", "svc")],
)
def test_unknown_names_suggest_the_nearest(option, got, nearest):
    message = rf"no {option} is called '{got}'; did you mean '{nearest}'\? there are: "
    with pytest.raises(kernelopt.UnknownName, match=message):
        kernelopt.solve(X, Y, **({"family": kernelopt.fixed("rbf")} | {option: got}))


DAYS = pd.Series(pd.date_range("2020", periods=len(X)))


@pytest.mark.parametrize(
    "learn",
    [
        kernelopt.solve,
        kernelopt.solve_targets,
        lambda X, y: kernelopt.KernelRegressor().fit(X, y),
        lambda X, y: kernelopt.KernelRegressor(targets="own").fit(X, y),
    ],
    ids=["solve", "solve_targets", "shared", "own"],
)
@pytest.mark.parametrize("y", [DAYS, DAYS.to_numpy(), DAYS - DAYS[0]], ids=["dates", "of numpy", "durations"])
def test_targets_that_are_times_are_refused_with_advice_that_makes_numbers(learn, y):
    with pytest.raises(kernelopt.InvalidData, match="y holds dates or times") as told:
        learn(X, y)
    (advice,) = re.findall(r" with (.*)$", str(told.value))
    days, length = np.arange(len(X)), 86400.0 if "'s'" in advice else 1.0
    np.testing.assert_array_equal(eval(advice, {"numpy": np}, {"y": y}), days * length)


@pytest.mark.parametrize(
    ("call", "caller"),
    [
        (lambda: kernelopt.solve_targets(X, X[:, 0], effort="thorough"), "solve_targets: effort"),
        (lambda: kernelopt.variance_components([X @ X.T], X[:, 0], method="rml"), "variance_components: method"),
        (lambda: kernelopt.sampled("gpk", k=0), "sampled: k"),
        (lambda: kernelopt.sampled("tk", k=0), "sampled: k"),
    ],
)
def test_a_message_names_the_function_that_was_called(call, caller):
    with pytest.raises(kernelopt.InvalidOption, match=f"^{caller} must be"):
        call()


@pytest.mark.parametrize(
    ("option", "spelled"),
    [
        ("family", "dictionary+delta"),
        ("family", "delta + dictionary:normalize=trace"),
        ("criterion", "svc:C=10"),
        ("solver", "fw:patience=3"),
    ],
)
def test_the_spelling_of_the_command_line_is_told_in_python(option, spelled):
    with pytest.raises(kernelopt.UnknownName, match=f"in Python write {option}=") as told:
        kernelopt.solve(X, Y, **({"family": kernelopt.fixed("rbf")} | {option: spelled}))
    advice = ast.literal_eval(re.search(rf"{option}=(.+?); there are", str(told.value))[1])
    if option != "solver":  # fw has no such option, which is another error
        assert kernelopt.solve(X, Y, **({"criterion": "svc"} | {option: advice})).status.converged


@pytest.mark.parametrize("name", ["rbf", "linear", "poly", "RBF", "exponential"])
def test_the_name_of_a_kernel_is_told_as_a_family(name):
    with pytest.raises(kernelopt.UnknownName, match=f"no family is called '{name}'; it is a kernel, so write") as told:
        kernelopt.solve(X, Y, family=name)
    one, many = re.search(r"family=(.+?), or a list of kernels as (.+?); there are", str(told.value)).groups()
    for family in (ast.literal_eval(one), eval(many, {"kernelopt": kernelopt})):
        assert kernelopt.solve(X, Y, family=family, criterion="svc").status.converged


def test_a_sum_of_other_things_than_families_has_no_spelling():
    with pytest.raises(kernelopt.UnknownName, match=r"'svc.ridge'; (did you mean '[a-z0-9-]+'. )?there are"):
        kernelopt.solve(X, Y, criterion="svc+ridge")


def test_more_memory_than_there_is(monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1000)
    monkeypatch.setattr(_memory, "LITTLE", 0)
    with pytest.raises(
        kernelopt.NotEnoughMemory, match=r"20 rows would take 0.0 MiB, and 0.0 MiB are available; solve on fewer"
    ):
        kernelopt.solve(X, Y, family=kernelopt.fixed("rbf"), solver="smo")


def test_categories_that_take_more_memory_than_there_is_are_refused_before_they_are_told_apart(monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 20 * 8 * 12 - 1)
    monkeypatch.setattr(_memory, "LITTLE", 0)
    table = pd.DataFrame({"name": [f"n{k % 11}" for k in range(20)], "x": np.arange(20.0)})
    with pytest.raises(kernelopt.NotEnoughMemory, match="12 indicators of categories on 20 rows"):
        kernelopt.solve(table, np.arange(20.0), family="gpk", criterion="svr")
    monkeypatch.setattr(_memory, "available_bytes", lambda: 20 * 8 * 2 - 1)
    with pytest.raises(kernelopt.NotEnoughMemory, match=r"^2 columns on 20 rows would take"):
        kernelopt.solve(table, np.arange(20.0))


def test_grams_that_do_not_fit_are_refused_with_what_there_is(monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1000)
    monkeypatch.setattr(_memory, "LITTLE", 0)
    with pytest.raises(
        kernelopt.NotEnoughMemory, match=r"and 0\.0 MiB are available; solve on fewer rows .* more memory$"
    ):
        kernelopt.solve(X, Y, family="auto", criterion="evidence")


def test_available_memory_is_known_here_or_not_claimed():
    have = _memory.available_bytes()
    assert have is None or have > 0


def test_duplicated_rows_with_opposite_labels_are_learned():
    rows, target = np.vstack([X, X]), np.concatenate([Y, -Y])
    s = kernelopt.solve(rows, target, family=kernelopt.fixed("rbf"))
    assert s.status.converged
    assert s.certificate.lower <= s.certificate.upper * (1.0 + 1e-12)


def copied(target):
    rows, targets = np.vstack([X, X[4]]), np.append(X[:, 0], target)
    return rows, targets


def test_many_numbers_that_are_not_whole_are_no_classes_until_a_few_are_made_of_them():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    with pytest.raises(kernelopt.InvalidData, match=r"y holds 60 different numbers, such as .* a class of svc") as told:
        kernelopt.solve(X, y, criterion="svc")
    few = eval(str(told.value).rpartition("such as with ")[2], {"pandas": pd, "y": y})
    assert len(kernelopt.solve(X, few, family=kernelopt.fixed("rbf"), criterion="svc").classes) == 3
    options = {"criterion": {"name": "evidence", "targets": "labels"}, "family": kernelopt.fixed("rbf")}
    with pytest.raises(kernelopt.InvalidData, match="y holds 60 different numbers"):
        kernelopt.solve(kernelopt.row_blocks(X, y), **options)
    assert len(kernelopt.solve(kernelopt.row_blocks(X, few), **options).classes) == 3


def test_equal_rows_with_different_targets_are_refused_where_the_function_passes_through_all():
    rows, targets = copied(X[4, 0] + 1.0)
    weight = np.ones(21)
    weight[0] = 0.0  # a row that is left out moves the numbers of none
    with pytest.raises(kernelopt.InvalidData, match="alignment: rows 4 and 20 of X are equal and their targets differ"):
        kernelopt.solve(rows, targets, family="dictionary", criterion="alignment", sample_weight=weight)


@pytest.mark.parametrize(
    ("family", "criterion", "more"),
    [(["dictionary", "delta"], "alignment", 1.0), ("dictionary", "alignment", 0.0), ("dictionary", "ridge", 1.0)],
)
def test_they_are_learned_where_something_tells_them_apart(family, criterion, more):
    rows, targets = copied(X[4, 0] + more)
    solution = kernelopt.solve(rows, targets, family=family, criterion=criterion, max_steps=2)
    assert np.isfinite(solution.certificate.lower)


def test_constant_columns_are_dropped_with_a_note():
    rows = np.column_stack([X, np.full(20, 3.0)])
    s = kernelopt.solve(rows, Y, family="tk", max_steps=3)
    assert any("1 of 4 columns are constant" in note for note in s.notes)
    without = kernelopt.solve(X, Y, family="tk", max_steps=3)
    assert np.array_equal(s.decision_function(rows), without.decision_function(X))


@pytest.mark.parametrize("factor", [1e12, 1e-12])
def test_scaled_columns_give_the_same_machine(factor):
    scaled = X * np.array([factor, 1.0, 1.0])
    s, t = (kernelopt.solve(rows, Y, family="tk", max_steps=5) for rows in (X, scaled))
    assert t.certificate.upper == pytest.approx(s.certificate.upper, rel=1e-6)
    assert np.array_equal(s.predict(X), t.predict(scaled))


@pytest.mark.parametrize(
    "spelling", [lambda y: y.astype(str), lambda y: y > 0, lambda y: y.tolist(), lambda y: y[:, None]]
)
def test_labels_come_back_as_they_went_in(spelling):
    target = spelling(Y)
    s = kernelopt.solve(X, target, family=kernelopt.fixed("rbf"))
    assert set(s.predict(X).tolist()) <= set(np.ravel(target).tolist())


def test_integers_objects_and_lists_are_numbers():
    whole = np.round(X * 10).astype(int)
    wanted = kernelopt.solve(whole.astype(float), Y, family=kernelopt.fixed("rbf")).decision_function(whole)
    for rows in (whole, whole.astype(object), whole.tolist()):
        got = kernelopt.solve(rows, Y, family=kernelopt.fixed("rbf")).decision_function(rows)
        assert np.array_equal(got, wanted)


def test_rows_to_predict_are_checked():
    s = kernelopt.solve(X, Y, family=kernelopt.fixed("rbf"))
    with pytest.raises(kernelopt.InvalidData, match="Z has 2 columns, wanted 3 as in training"):
        s.predict(X[:, :2])
    with pytest.raises(kernelopt.InvalidData, match="Z has 1 value that is infinite"):
        s.predict(spoiled(0, 0, np.inf))
    with pytest.raises(kernelopt.InvalidData, match=re.escape("Z has shape (3,), wanted two dimensions")):
        s.predict(X[0])


@pytest.mark.parametrize("path", [3, b"run.ckpt", ""])
def test_what_names_no_file_is_no_checkpoint(path):
    with pytest.raises(kernelopt.InvalidOption, match=rf"checkpoint: got {path!r}, wanted the name of a file"):
        kernelopt.solve(X, Y, family=kernelopt.fixed("rbf"), checkpoint=path)


def test_a_foreign_checkpoint_is_refused(tmp_path):
    path = tmp_path / "run.ckpt"
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(kernelopt.ModelFileError, match="is no file of kernelopt's"):
        kernelopt.solve(X, Y, family=kernelopt.fixed("rbf"), checkpoint=path)


def test_rows_outside_the_bounds_are_counted_in_one_warning():
    s = kernelopt.solve(X, Y, family={"name": "tk", "margin": 0.1}, max_steps=1)
    rows = np.vstack([np.tile(X, (60, 1)), np.full((3, 3), 99.0)])
    with pytest.warns(kernelopt.OutsideBounds, match="3 of 1203 rows lie outside the bounds") as caught:
        values = s.decision_function(rows)
    assert len(caught) == 1
    assert values[:20] == pytest.approx(s.decision_function(X))
    with pytest.warns(kernelopt.OutsideBounds, match="3 of 1203 rows"):
        s.kernel(rows, X)


def test_integers_beyond_all_numbers_are_refused_like_others():
    with pytest.raises(kernelopt.InvalidOption, match="C must be a positive finite number"):
        kernelopt.SVC(C=10**400)


@pytest.mark.parametrize("criterion", [None, "ridge", "svr", "evidence"])
@pytest.mark.parametrize("family", [kernelopt.fixed("rbf"), None], ids=["fixed", "default"])
@pytest.mark.parametrize(
    "learn",
    [kernelopt.solve, lambda X, y, family, criterion: kernelopt.KernelRegressor(family, criterion=criterion).fit(X, y)],
    ids=["solve", "estimator"],
)
def test_targets_whose_squares_are_no_numbers_are_refused(learn, family, criterion):
    y = 1e200 * X[:, 0]
    with pytest.raises(kernelopt.InvalidData, match=r"y has values up to .*e\+200 in size, wanted 1e\+90 at most"):
        learn(X, y, family=family, criterion=criterion)


def test_scalars_of_numpy_are_numbers():
    """Such as those that a grid of numpy's has."""
    plain = kernelopt.solve(X, Y, family="tk", tol=1e-2, atol=0.0, scale=2.0, max_steps=7, max_seconds=60, seed=3)
    for number, whole in ((np.float64, np.int64), (np.array, np.array)):
        options = {"tol": number(1e-2), "atol": number(0.0), "scale": whole(2), "max_steps": whole(7), "seed": whole(3)}
        s = kernelopt.solve(X, Y, family="tk", max_seconds=number(60), **options)
        assert s.objective == plain.objective
        assert s.steps == plain.steps


@pytest.mark.parametrize("path", [None, "", 3])
def test_a_model_goes_into_a_file_with_a_name(path):
    s = kernelopt.solve(X, Y, family=kernelopt.fixed("rbf"))
    for save in (s.save, s.model.save):
        with pytest.raises(kernelopt.InvalidOption, match=re.escape(f"save: got {path!r}, wanted the name of a file")):
            save(path)
    with pytest.raises(kernelopt.InvalidOption, match="load: got"):
        kernelopt.load(path)


def test_certify_speaks_of_its_own_argument():
    with pytest.raises(kernelopt.InvalidOption, match=r"^mixture: got int, wanted a Mixture"):
        kernelopt.certify(X, Y, family="tk", mixture=3)


def test_rows_to_predict_may_not_be_masked():
    s = kernelopt.solve(X, Y, family=kernelopt.fixed("rbf"))
    with pytest.raises(kernelopt.InvalidData, match="Z is a masked array"):
        s.predict(masked(X))
    assert np.array_equal(s.predict(np.ma.masked_array(X)), s.predict(X))  # a mask that hides nothing does not matter


def test_a_kernel_does_not_tell_the_weights_of_students_t():
    criterion = kernelopt.Evidence(targets="numbers", noise="student")
    X = np.random.default_rng(0).normal(size=(20, 2))
    s = kernelopt.solve(X, X[:, 0], family="dictionary", criterion=criterion)
    with pytest.raises(kernelopt.InvalidOption, match="does not tell these; take criterion=Evidence"):
        kernelopt.certify(X, X[:, 0], family="dictionary", criterion=criterion, mixture=s.mixture)


@pytest.mark.parametrize("kind", ["date", "Interval"])
def test_targets_of_another_kind_are_shown(kind):
    y = [pd.Timestamp("2020-01-01").date()] * 20 if kind == "date" else pd.cut(X[:, 0], 3)
    with pytest.raises(kernelopt.InvalidData, match=rf"^y holds values such as .*\({kind}\), wanted numbers"):
        kernelopt.solve(X, y)


@pytest.mark.parametrize("width", [0, 5])
def test_classes_that_differ_only_in_blanks_are_told_of(width):
    """Rows of a database that pads words beside others."""
    y = np.where(Y > 0, "yes", "no").astype(object)
    y[::2] = [word.ljust(width) for word in y[::2]]
    notes = kernelopt.solve(X, y, family="dictionary", criterion="svc").notes
    told = [note for note in notes if "differ only in blanks" in note]
    assert told == [note for note in notes if note.startswith("y: the classes 'no' and 'no   ' differ")]
    assert bool(told) == bool(width)


def test_classes_that_differ_only_in_capitals_are_told_of():
    y = np.where(Y > 0, "yes", "no").astype(object)
    y[:5] = [word.upper() for word in y[:5]]
    notes = kernelopt.solve(X, y, family="dictionary", criterion="svc").notes
    assert any(
        note.startswith("y: the classes 'NO' and 'no' differ only in small and capital letters") for note in notes
    )
    assert not any("differ only" in note for note in kernelopt.solve(X, Y, family="dictionary", criterion="svc").notes)
