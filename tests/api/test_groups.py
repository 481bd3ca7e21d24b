"""Groups of rows: the variance that they share is that of a random intercept, and intervals for new rows have it."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import norm

import kernelopt
from kernelopt import Dictionary, Views
from kernelopt._api.data import _groups
from kernelopt._base.tables._row_groups import numbers_of

LINEAR = Dictionary(["linear"], normalize=None)
ASKED = {"family": LINEAR, "criterion": "evidence", "tol": 1e-7, "scale": "paper"}


def measured_again(seed=0, groups=15, each=4, shared=1.0):
    """Rows X (n, 2), numbers that are linear in them but for an effect of each group, and the groups' names."""
    rng = np.random.default_rng(seed)
    number = np.repeat(np.arange(groups), each)
    X = rng.normal(size=(len(number), 2))
    y = X @ [1.0, -0.5] + shared * rng.normal(size=groups)[number] + 0.3 * rng.normal(size=len(number))
    return X, y, np.array([f"patient {k}" for k in number], dtype=object)


def covariance(X, names, variances):
    """Of y under a linear kernel, a level, groups and noise, whose variances are given in this order."""
    equal = (names[:, None] == names).astype(float)
    parts = (X @ X.T, np.ones_like(equal), equal, np.eye(len(X)))
    return sum(v * K for v, K in zip(variances, parts, strict=True))


def test_the_variance_of_groups_is_that_of_a_random_intercept():
    """A likelihood that is written out and maximised by another programme has the same optimum and predictions."""
    X, y, names = measured_again()
    learned = kernelopt.solve(X, y, groups=names, **ASKED)
    r = y - y.mean()

    def loss(logs):
        V = covariance(X, names, np.exp(logs))
        return 0.5 * (np.linalg.slogdet(2.0 * np.pi * V)[1] + r @ np.linalg.solve(V, r))

    best = minimize(loss, np.zeros(4), method="Nelder-Mead", options={"fatol": 1e-9, "xatol": 1e-6, "maxiter": 4000})
    assert learned.certificate.upper == pytest.approx(best.fun, abs=1e-4)
    variances = np.exp(best.x)
    found = dict(zip((leaf.family.name for leaf in learned.kernel.leaves), learned.mixture.parts, strict=True))
    assert found["group"].mass == pytest.approx(variances[2], rel=0.02)
    Z = np.random.default_rng(1).normal(size=(5, 2))
    solved = np.linalg.solve(covariance(X, names, variances), np.column_stack([r, X @ Z.T * variances[0]]))
    mean = y.mean() + (variances[0] * Z @ X.T + variances[1]) @ solved[:, 0]
    values, deviations = learned.predict(Z, return_std=True)
    np.testing.assert_allclose(values, mean, atol=1e-2)
    cross = variances[0] * Z @ X.T + variances[1]
    left = cross @ np.linalg.solve(covariance(X, names, variances), cross.T)
    total = np.diag(variances[0] * Z @ Z.T + variances[1:].sum() - left)
    np.testing.assert_allclose(deviations, np.sqrt(learned.posterior.doubt * total), rtol=1e-2)


def test_the_variance_that_is_described_is_that_between_groups_and_the_rest_is_within_them():
    """Levels of groups that are far apart have a large variance between groups, and next to none within them."""
    X, y, names = measured_again(shared=30.0)
    words = kernelopt.solve(X, y, groups=names, **ASKED).kernel.describe()
    told = re.search(r"variance between groups (\S+)", words)
    assert told is not None
    levels = [(y - X @ [1.0, -0.5])[names == name].mean() for name in np.unique(names)]
    assert float(told[1]) == pytest.approx(np.var(levels), rel=0.2)


def test_copies_that_are_a_group_say_what_one_row_says():
    """Without groups copies are taken for measurements that agree, and intervals are too narrow."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(230, 20))
    y = 0.5 * X.sum(axis=1) + rng.normal(size=230)
    copies, new = np.tile(np.arange(30), 3), np.arange(30, 230)

    def learned(rows, groups=None):
        found = kernelopt.solve(X[rows], y[rows], family=LINEAR, criterion="evidence", groups=groups)
        mean, deviation = found.predict(X[new], return_std=True)
        return found, mean, deviation, np.mean(np.abs(y[new] - mean) < norm.ppf(0.975) * deviation)

    _, mean, deviation, inside = learned(np.arange(30))
    one, as_once, wide, right = learned(copies, copies)
    other, _, narrow, wrong = learned(copies)
    np.testing.assert_allclose(as_once, mean, atol=0.05 * deviation.mean())
    np.testing.assert_allclose(wide, deviation, rtol=0.05)
    assert right == pytest.approx(inside, abs=0.03)
    assert wrong < inside - 0.2
    assert narrow.mean() < 0.7 * wide.mean()
    assert any("90 rows are of 30 groups" in note for note in one.notes)
    assert any("60 of 90 rows are copies of others" in note for note in other.notes)


def test_copies_among_more_rows_than_groups_are_learned_of_are_told_with_other_advice(monkeypatch):
    monkeypatch.setattr(_groups, "MANY", 80)
    X, y, _ = measured_again(groups=30, each=1)
    told = kernelopt.solve(np.repeat(X, 3, axis=0), np.repeat(y, 3), family=LINEAR, criterion="evidence").notes
    assert any("60 of 90 rows are copies of others" in note and "drop_duplicates()" in note for note in told)


def test_groups_of_one_row_and_missing_labels_change_little():
    """An effect of a group of one row is noise: both together have the variance that noise has alone."""
    X, y, _ = measured_again()
    alone = kernelopt.solve(X, y, groups=np.arange(len(y)), **ASKED)
    missing = kernelopt.solve(X, y, groups=[None] * len(y), **ASKED)
    plain = kernelopt.solve(X, y, **ASKED)
    for one in (alone, missing):
        assert one.certificate.upper == pytest.approx(plain.certificate.upper, abs=1e-3)
        for got, wanted in zip(one.predict(X, return_std=True), plain.predict(X, return_std=True), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("labels", [np.array(["a", "a", None, None], dtype=object), [1.0, 1.0, np.nan, np.nan]])
def test_a_missing_label_is_one_in_every_form_of_pandas(labels):
    plain = numbers_of(np.asarray(labels))
    np.testing.assert_array_equal(plain, [0.0, 0.0, 1.0, 2.0])
    for dtype in ("string", "category") if isinstance(labels, np.ndarray) else ("Int64", "Float64"):
        np.testing.assert_array_equal(numbers_of(np.asarray(pd.array(labels, dtype=dtype))), plain)


def test_names_of_groups_are_names_alone():
    X, y, names = measured_again()
    numbers = np.unique(names, return_inverse=True)[1]
    words = kernelopt.solve(X, y, groups=names, **ASKED)
    for same in (numbers * 7 - 3, pd.Series(names), list(names)):
        np.testing.assert_array_equal(kernelopt.solve(X, y, groups=same, **ASKED).predict(X), words.predict(X))


@pytest.mark.parametrize("kind", ["matrix", "table", "views", "gram", "grams"])
def test_rows_of_any_kind_have_groups_and_go_into_files(kind, tmp_path):
    X, y, names = measured_again()
    every, asked = rows_of(kind, X), {**ASKED, "family": family_of(kind)}
    old, new = np.arange(40), np.arange(40, 60)
    learned = kernelopt.solve(taken(every, old), y[old], groups=names[old], **asked)
    same = LINEAR if kind != "views" else [kernelopt.on(LINEAR, [0]), kernelopt.on(LINEAR, [1])]
    plain = kernelopt.solve(X[old], y[old], groups=names[old], **{**ASKED, "family": same})
    values = learned.predict(taken(every, new, old))
    np.testing.assert_allclose(values, plain.predict(X[new]), atol=1e-4)
    learned.save(tmp_path / "model.kernelopt")
    model = kernelopt.load(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(model.predict(taken(every, new, old)), values)
    assert "groups" in learned.kernel.describe()
    if kind not in ("matrix", "table"):
        assert "groups" not in learned.views()


def rows_of(kind, X):
    if kind == "table":
        return pd.DataFrame(X, columns=["a", "b"])
    return {"matrix": X, "views": Views([X[:, :1], X[:, 1:]]), "gram": X @ X.T, "grams": Views([X @ X.T])}[kind]


def family_of(kind):
    return "precomputed" if kind.startswith("gram") else kernelopt.Dictionary(["linear"], normalize=None)


def taken(rows, some, columns=None):
    if isinstance(rows, pd.DataFrame):
        return rows.iloc[some]
    if isinstance(rows, np.ndarray) and len(rows) == rows.shape[1]:
        return rows[np.ix_(some, some if columns is None else columns)]
    return rows[some]


def test_the_kernel_of_rows_whose_groups_nobody_knows():
    """Two new rows share no group, whatever they are; each has the variance of its own group in its diagonal."""
    X, y, names = measured_again()
    learned = kernelopt.solve(X, y, groups=names, **ASKED)
    masses = {
        leaf.family.name: part.mass for leaf, part in zip(learned.kernel.leaves, learned.mixture.parts, strict=True)
    }
    linear = masses["dictionary"] * X @ X.T + masses["constant"]
    np.testing.assert_allclose(learned.kernel(X), linear, atol=1e-9)
    np.testing.assert_allclose(learned.kernel.diag(X), np.diag(linear) + masses["group"], atol=1e-9)


def test_a_column_of_groups_predicts_rows_of_known_groups():
    """The family itself, on a column, says what a known group adds; an unknown one adds nothing but variance."""
    X, y, names = measured_again(shared=3.0)
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "patient": names})
    family = [kernelopt.on(LINEAR, [0, 1]), kernelopt.on("group", [2])]
    learned = kernelopt.solve(table, y, family=family, criterion="evidence")
    known, narrow = learned.predict(table, return_std=True)
    unknown, wide = learned.predict(table.assign(patient="somebody"), return_std=True)
    assert np.mean((y - known) ** 2) < 0.2 * np.mean((y - unknown) ** 2)
    assert (wide > 2.0 * narrow).all()


@pytest.mark.parametrize("scale", ["auto", 3.0])
def test_the_variances_that_are_told_are_those_of_the_kernel_whatever_its_scale(scale, tmp_path):
    X, y, names = measured_again()
    rows = np.column_stack([X, np.unique(names, return_inverse=True)[1]])
    family = [kernelopt.on(LINEAR, [0, 1]), kernelopt.on("group", [2])]
    learned = kernelopt.solve(rows, y, family=family, criterion="evidence", scale=scale)
    learned.save(tmp_path / "model")
    shares = zip(learned.kernel.leaves, learned.mixture.parts, strict=True)
    own = {leaf.family.name: leaf.factor * part.mass for leaf, part in shares}
    assert own["group"] > 0.1
    for words in (repr(learned.kernel), repr(kernelopt.load(tmp_path / "model").kernel)):
        assert f"variance between groups {own['group']:.3g}" in words
        assert f"tau = {own['delta']:.3g}" in words


def test_new_metrics_are_judged_by_whole_groups(monkeypatch):
    from kernelopt._api.growth import _parts

    seen = []
    held_out = _parts.held_out
    monkeypatch.setattr(_parts, "held_out", lambda *a: seen.append(held_out(*a)) or seen[-1])
    X, y, names = measured_again(groups=20, each=3)
    kernelopt.solve(X, y, groups=names)
    assert seen
    for folds in seen:
        owners = [set(names[rows]) for rows in folds]
        assert not any(a & b for k, a in enumerate(owners) for b in owners[:k])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"groups": [1, 2]}, r"groups: got an array of shape \(2,\), wanted a label for each of the 60 rows"),
        ({"groups": np.zeros(60)}, "groups: all 60 rows are of one group"),
        ({"criterion": "svr"}, 'wanted numbers and the evidence, .* take criterion="evidence"'),
        ({"y": np.arange(60) % 2}, "groups: got evidence for classification, wanted numbers and the evidence"),
        ({"X": {"groups": np.eye(60)}}, "groups: X has a view of the name 'groups'"),
    ],
)
def test_groups_that_cannot_be_learned_are_refused(changed, message):
    X, y, names = measured_again()
    asked = {"X": X, "y": y, "groups": names, "criterion": "evidence", **changed}
    with pytest.raises(kernelopt.KerneloptError, match=message):
        kernelopt.solve(**asked)


def test_rows_in_blocks_have_no_groups(tmp_path):
    X, y, names = measured_again()
    pd.DataFrame({"a": X[:, 0], "y": y}).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(
        kernelopt.InvalidOption, match="groups: got rows that are read in blocks, wanted rows in memory"
    ):
        kernelopt.solve(kernelopt.row_blocks(tmp_path / "rows.csv", target="y"), groups=names)


def test_rows_with_words_in_a_list_are_read_as_without_groups():
    """Numbers beside words stay numbers: as words, each row had a category of its own, and the column said nothing."""
    X, y, names = measured_again()
    rows = [[float(row[0]), "up" if row[1] > 0.0 else "down"] for row in X]
    table = pd.DataFrame(rows)
    options = {"family": kernelopt.fixed("rbf"), "criterion": "evidence"}
    listed, framed = (kernelopt.solve(what, y, groups=names, **options) for what in (rows, table))
    assert np.array_equal(listed.predict(rows), framed.predict(table))
    listed, framed = (kernelopt.solve({"one": what, "two": X}, y, **options) for what in (rows, table))
    assert np.array_equal(listed.predict({"one": rows, "two": X}), framed.predict({"one": table, "two": X}))


@pytest.mark.parametrize("groups", [True, False])
@pytest.mark.parametrize("kind", ["one table", "views"])
def test_codes_of_words_and_of_dates_stand_for_rows_beside_groups_too(kind, groups, tmp_path):
    """What a solution keeps of its rows is an array of codes, by which a model file is tried when it is written."""
    X, y, names = measured_again()
    days = pd.date_range("2020-01-01", periods=len(X)).strftime("%Y-%m-%d")
    table = pd.DataFrame({"word": np.where(X[:, 0] > 0.0, "up", "down"), "day": days, "size": X[:, 1]})
    rows = table if kind == "one table" else {"words": table[["word", "day"]], "sizes": table[["size"]]}
    options = {"family": kernelopt.fixed("rbf"), "criterion": "evidence", "groups": names if groups else None}
    learned = kernelopt.solve(rows, y, **options)
    values = learned.predict(rows)
    learned.save(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model.kernelopt").predict(rows), values)
    if kind == "one table":
        np.testing.assert_array_equal(learned.predict(learned.support_vectors), values)


def test_a_model_in_which_nothing_but_noise_was_found_goes_into_a_file_with_its_groups(tmp_path):
    """It has features, none of them, and is asked for these of rows as the user passes them."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    names = np.repeat(np.arange(12), 5)
    centred = y - np.array([y[names == k].mean() for k in range(12)])[names]
    learned = kernelopt.solve(X, centred, groups=names, **ASKED)
    assert learned.kernel.explicit
    learned.save(tmp_path / "model.kernelopt")
    model = kernelopt.load(tmp_path / "model.kernelopt")
    for got, wanted in zip(model.predict(X, return_std=True), learned.predict(X, return_std=True), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_sparse_rows_that_have_groups_go_into_files_too(tmp_path):
    """Their coordinates stand for them, as codes do for words, with as many numbers whether there are groups or not."""
    X, y, names = measured_again()
    rows = sparse.csr_matrix(np.where(np.abs(X) > 0.3, X, 0.0))
    learned = kernelopt.solve(rows, y, groups=names, **ASKED)
    values = learned.predict(rows)
    learned.save(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model.kernelopt").predict(rows), values)
    np.testing.assert_allclose(learned.predict(learned.support_vectors), values, rtol=1e-9)
    np.testing.assert_allclose(learned.predict(rows.toarray()), values, rtol=1e-9)
    with pytest.raises(kernelopt.InvalidData, match="Z has 5 columns, wanted 2, as in training"):
        learned.predict(np.zeros((1, 5)))


FAULTY = {
    "one row alone": lambda X: X[0],
    "no rows": lambda X: X[:0],
    "nothing": lambda X: None,
    "infinity": lambda X: np.where(X > 1.0, np.inf, X),
    "bytes": lambda X: pd.DataFrame({"x": [b"x"] * len(X), "z": 0.0}),
}


@pytest.mark.parametrize("spoil", FAULTY.values(), ids=FAULTY)
def test_rows_that_cannot_be_used_are_refused_as_without_groups(spoil):
    """Beside their groups, rows are held as a view, of which the user knows nothing."""
    X, y, names = measured_again()
    told = []
    for groups in (None, names):
        learned = kernelopt.solve(X, y, groups=groups, **ASKED)
        with pytest.raises(kernelopt.InvalidData) as predicted:
            learned.predict(spoil(X))
        told.append(str(predicted.value))
        if spoil(X) is not None and len(spoil(X)) == len(X):
            with pytest.raises(kernelopt.InvalidData) as trained:
                kernelopt.solve(spoil(X), y, groups=groups, **ASKED)
            told[-1] += str(trained.value)
    assert told[0] == told[1]
