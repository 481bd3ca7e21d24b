"""Sparse rows: what is learned from them is what is learned from the same rows as a dense array, never made here."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import kernelopt
from kernelopt import Dictionary, KernelClassifier, KernelRegressor, Views, by_view
from kernelopt._api import _sparse_in_time
from kernelopt._api._sparse_in_time import Given
from kernelopt._families.dictionary.kernels._base_kernels import diagonal, function_of
from kernelopt.plot import FeaturesDisplay

RNG = np.random.default_rng(0)
N, M, D = 60, 20, 300
X = sparse.random(N + M, D, density=0.03, random_state=0, format="csr")
SHOWN = X.toarray()
NOISE = RNG.normal(size=(N + M, 2))
VALUES = SHOWN[:, :40].sum(axis=1) + 0.05 * RNG.normal(size=N + M)
LABELS = np.where(np.median(VALUES) < VALUES, "high", "low")
LISTED = Dictionary(("linear", "rbf", ("rbf", {"gamma": 0.5}), ("poly", {"degree": 2}), "exponential", "cosine"))
CRITERIA = ["evidence", {"name": "svc", "C": 10.0}, {"name": "ridge", "lam": 0.1}]


def targets(criterion):
    return LABELS if isinstance(criterion, dict) and criterion["name"] == "svc" else VALUES


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix, sparse.lil_array])
def test_sparse_matrices_of_any_kind_are_the_same_rows(kind):
    one = kernelopt.solve(X[:N], VALUES[:N], family=LISTED, criterion="ridge")
    other = kernelopt.solve(kind(X[:N]), VALUES[:N], family=LISTED, criterion="ridge")
    np.testing.assert_array_equal(one.predict(X[N:]), other.predict(kind(X[N:])))


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
def test_lists_learn_what_they_learn_from_a_dense_array(criterion):
    y, asked = targets(criterion), {"family": LISTED, "criterion": criterion, "tol": 1e-6}
    thin = kernelopt.solve(X[:N], y[:N], **asked)
    dense = kernelopt.solve(SHOWN[:N], y[:N], **asked)
    assert thin.certificate.upper == pytest.approx(dense.certificate.upper, rel=1e-9)
    assert thin.certificate.lower == pytest.approx(dense.certificate.lower, rel=1e-9)
    wanted = dense.decision_function(SHOWN[N:])
    np.testing.assert_allclose(thin.decision_function(X[N:]), wanted, atol=1e-8)
    np.testing.assert_allclose(thin.decision_function(SHOWN[N:]), wanted, atol=1e-8)
    np.testing.assert_allclose(thin.kernel(X[N:], X[:N]), dense.kernel(SHOWN[N:], SHOWN[:N]), atol=1e-8)
    np.testing.assert_allclose(thin.kernel.diag(X[N:]), dense.kernel.diag(SHOWN[N:]), atol=1e-8)


def test_deviations_and_probabilities_are_those_of_a_dense_array():
    for y, ask in ((VALUES, lambda s, Z: s.predict(Z, return_std=True)[1]), (LABELS, lambda s, Z: s.predict_proba(Z))):
        asked = {"family": LISTED, "criterion": "evidence"}
        found = ask(kernelopt.solve(X[:N], y[:N], **asked), X[N:])
        np.testing.assert_allclose(found, ask(kernelopt.solve(SHOWN[:N], y[:N], **asked), SHOWN[N:]), rtol=1e-6)


def test_cosine_features_see_the_same_rows():
    """A frequency outside the span of the rows does nothing to them, so a search in the span finds one as good."""
    few = sparse.csr_matrix(np.where(RNG.random((20, 4)) < 0.5, RNG.normal(size=(20, 4)), 0.0))
    y = np.where(few.toarray()[:, 0] > 0.1, 1, -1)
    asked = {"family": {"name": "cosine", "rescale": None}, "criterion": "svc", "tol": 1e-3, "scale": "paper"}
    thin, dense = (kernelopt.solve(rows, y, **asked) for rows in (few, few.toarray()))
    assert thin.certificate.upper == pytest.approx(dense.certificate.upper, rel=2e-3)
    assert thin.kernel.explicit


@pytest.mark.parametrize("criterion", [None, "svc", "ridge"])
def test_the_list_for_sparse_rows_is_taken_where_none_is_named(criterion):
    y = targets({"name": criterion})
    learned = kernelopt.solve(X[:N], y[:N], criterion=criterion)
    named = kernelopt.solve(X[:N], y[:N], family="auto", criterion=learned.criterion)
    assert any("X is sparse and no family was named" in note for note in learned.notes)
    np.testing.assert_allclose(learned.decision_function(X[N:]), named.decision_function(X[N:]), atol=1e-10)
    assert "3 of 3 columns" not in learned.kernel.describe()
    assert f"{np.count_nonzero(abs(X[:N]).sum(axis=0))} of {D} sparse columns" in learned.kernel.describe()


def test_no_dense_array_of_the_columns_is_made():
    places = np.random.default_rng(1).integers(1_000_000, size=(80, 20))
    wide = sparse.csr_matrix((np.ones(1600), places.ravel(), np.arange(0, 1601, 20)), shape=(80, 1_000_000))
    y = np.arange(80.0)
    machine = KernelRegressor(Dictionary(["linear", ("rbf", {"gamma": 1.0})]), criterion="ridge")
    machine.fit(wide[:60], y[:60]).predict(wide[60:])  # what is compiled and imported once
    tracemalloc.start()
    machine.fit(wide[:60], y[:60]).predict(wide[60:])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * 60 * 1_000_000


@pytest.mark.parametrize("criterion", ["evidence", "svc"])
def test_a_sparse_view_stands_beside_others(criterion):
    views = Views({"words": X, "noise": NOISE})
    shown = Views({"words": SHOWN, "noise": NOISE})
    y = targets({"name": criterion})
    family = by_view(kernels={"words": LISTED, "noise": Dictionary(["linear"])})
    thin = kernelopt.solve(views[:N], y[:N], family=family, criterion=criterion, tol=1e-6)
    dense = kernelopt.solve(shown[:N], y[:N], family=family, criterion=criterion, tol=1e-6)
    assert thin.certificate.upper == pytest.approx(dense.certificate.upper, rel=1e-9)
    np.testing.assert_allclose(thin.decision_function(views[N:]), dense.decision_function(shown[N:]), atol=1e-7)
    assert thin.views() == pytest.approx(dense.views(), abs=1e-6)
    left_open = kernelopt.solve(views[:N], y[:N], criterion=criterion)
    assert left_open.views()["words"] > 0.5


def test_groups_of_sparse_rows():
    groups = np.arange(N) // 3
    asked = {"groups": groups, "family": LISTED, "criterion": "evidence"}
    thin, dense = (kernelopt.solve(rows[:N], VALUES[:N], **asked) for rows in (X, SHOWN))
    np.testing.assert_allclose(thin.predict(X[N:]), dense.predict(SHOWN[N:]), atol=1e-7)


def test_targets_of_their_own_from_sparse_views():
    Y = np.column_stack([VALUES, NOISE[:, 0]])
    thin, dense = (kernelopt.solve_targets([rows[:N], NOISE[:N]], Y[:N], tol=1e-7) for rows in (X, SHOWN))
    np.testing.assert_allclose(thin.weights, dense.weights, atol=1e-6)
    np.testing.assert_allclose(thin.predict([X[N:], NOISE[N:]]), dense.predict([SHOWN[N:], NOISE[N:]]), atol=1e-6)


def test_targets_of_their_own_from_one_sparse_matrix():
    Y = np.column_stack([VALUES, NOISE[:, 0]])
    linear = kernelopt.Dictionary(["linear"])
    thin = kernelopt.solve_targets(X[:N], Y[:N], tol=1e-7)
    dense = kernelopt.solve_targets(SHOWN[:N], Y[:N], family=linear, tol=1e-7)
    np.testing.assert_allclose(thin.weights, dense.weights, atol=1e-6)
    np.testing.assert_allclose(thin.predict(X[N:]), dense.predict(SHOWN[N:]), atol=1e-6)
    machine = KernelRegressor(targets="own", tol=1e-7).fit(X[:N], Y[:N])
    np.testing.assert_allclose(machine.predict(X[N:]), thin.predict(X[N:]), atol=1e-8)


@pytest.mark.parametrize("views", [False, True])
def test_a_saved_model_reads_sparse_rows(tmp_path, views):
    old, new = (Views([X[rows], NOISE[rows]]) if views else X[rows] for rows in (slice(N), slice(N, None)))
    learned = kernelopt.solve(old, LABELS[:N], criterion="svc")
    learned.save(tmp_path / "model.kernelopt")
    model = kernelopt.load(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(model.decision_function(new), learned.decision_function(new))


def test_as_many_coordinates_as_columns_are_told_from_rows():
    """Three directions and what is beyond them are four numbers, and so are the columns of X."""
    rows = sparse.csr_matrix(RNG.normal(size=(3, 4)))
    learned = kernelopt.solve(rows, np.array([0.0, 1.0, 3.0]), family="auto", criterion="ridge")
    assert learned.kernel.rows(rows).shape == (3, 5)
    np.testing.assert_array_equal(learned.predict(learned.kernel.rows(rows)), learned.predict(rows.toarray()))


def test_certificates_of_sparse_rows():
    learned = kernelopt.solve(X[:N], VALUES[:N], family=LISTED, criterion="ridge", solver="smo")
    again = kernelopt.certify(X[:N], VALUES[:N], family=LISTED, criterion="ridge", mixture=learned.mixture)
    assert again.upper == pytest.approx(learned.certificate.upper, rel=1e-6)


@pytest.mark.parametrize(
    ("rows", "asked", "message"),
    [
        (
            X[:N],
            {"family": "tk"},
            r"got sparse rows, and tk does not say \(by its method `turned`\) that it can learn from them, wanted",
        ),
        (X[:N], {"family": Dictionary(["laplacian"])}, "got sparse rows, and dictionary does not say"),
        (X[:N], {"family": Dictionary(["rbf"], rescale="standard")}, "got sparse rows, and dictionary does not say"),
        (X[:N], {"family": kernelopt.on("auto", [0, 1])}, "dictionary was put on some columns of sparse rows"),
        (X[:N] * np.nan, {}, "X is sparse and has values that are missing or infinite"),
        (X[:N] * 1j, {}, "X is sparse with values of dtype complex128"),
        (X[:N] * 0.0, {}, rf"all {X.shape[1]} columns of X are constant"),
        (sparse.csr_matrix((10_001, 5)), {}, "X is sparse and has 10001 rows, wanted 10000 at most"),
    ],
)
def test_what_cannot_be_learned_from_sparse_rows_is_refused(rows, asked, message):
    with pytest.raises(kernelopt.KerneloptError, match=message):
        kernelopt.solve(rows, np.resize(LABELS, rows.shape[0]), **asked)


def test_rows_of_another_width_are_refused():
    learned = kernelopt.solve(X[:N], VALUES[:N], criterion="ridge")
    with pytest.raises(kernelopt.InvalidData, match=f"has 7 columns, wanted {D}, as in training"):
        learned.predict(sparse.csr_matrix(np.ones((2, 7))))
    with pytest.raises(kernelopt.Refused, match="sparse rows are held as coordinates"):
        learned.to_sklearn()
    dense = kernelopt.solve(SHOWN[:N], VALUES[:N], criterion="ridge", family=LISTED)
    with pytest.raises(kernelopt.InvalidData, match="is sparse"):
        dense.predict(X[N:])


@pytest.mark.parametrize(
    "ask",
    [
        kernelopt.directions,
        lambda s: s.named([f"word {j}" for j in range(D)]),
        lambda s: FeaturesDisplay.from_solution(s, X[:N]),
    ],
)
def test_nothing_is_said_of_single_columns_of_sparse_rows(ask):
    learned = kernelopt.solve(X[:N], VALUES[:N], criterion="ridge")
    with pytest.raises(kernelopt.InvalidOption, match="learned from sparse rows, which are held as coordinates"):
        ask(learned)


def test_an_estimator_may_be_given_either():
    machine = KernelClassifier(LISTED).fit(X[:N], LABELS[:N])
    assert machine.n_features_in_ == D
    np.testing.assert_allclose(machine.decision_function(X[N:]), machine.decision_function(SHOWN[N:]), atol=1e-10)


def test_a_short_limit_reads_some_of_many_rows_and_each_label_keeps_its_share(monkeypatch):
    """The trial of the time is replaced: reading takes a second for a thousand rows, and 8 for two thousand."""
    monkeypatch.setattr(_sparse_in_time, "_taken", lambda X: 1.0)
    rows = sparse.random(3000, 50, density=0.1, random_state=0, format="csr")
    labels = np.repeat(["a", "b", "c"], [1999, 1000, 1])
    seconds = 8.0 / _sparse_in_time._SHARE
    for y in (labels, labels.tolist(), pd.Series(labels, index=np.arange(3000)[::-1])):
        given = Given(rows, y, np.arange(3000)).in_time(None, seconds, seed=0)
        kept = np.asarray(given.sample_weight)
        assert 1999 <= len(kept) <= 2003
        np.testing.assert_array_equal(np.asarray(given.y), labels[kept])
        np.testing.assert_array_equal(given.X.toarray(), rows[kept].toarray())
        counts = dict(zip(*np.unique(np.asarray(given.y), return_counts=True), strict=True))
        assert counts["c"] == 1
        assert abs(counts["a"] - 1333) < 3
        assert f"learned from {len(kept)} rows" in given.notes[0]


@pytest.mark.parametrize(
    ("X", "y", "family", "seconds"),
    [
        (sparse.eye_array(3000, format="csr"), None, None, None),
        (sparse.eye_array(3000, format="csr"), None, "precomputed", 1.0),
        (sparse.eye_array(1000, format="csr"), None, None, 1e-9),
        (sparse.eye_array(3000, format="csr"), np.zeros(2999), None, 1.0),
        (np.zeros((3000, 2)), None, None, 1.0),
    ],
    ids=["no limit", "a Gram", "few rows", "targets of other rows", "a dense array"],
)
def test_all_rows_are_passed_on_where_none_may_be_left_out(X, y, family, seconds):
    given = Given(X, y)
    assert given.in_time(family, seconds, seed=0) is given


def test_cosines_of_rows_with_themselves_are_one_but_for_rows_of_zeros():
    rows = np.vstack([RNG.normal(size=(4, 3)), np.zeros(3)])
    np.testing.assert_allclose(diagonal("cosine", rows), np.diagonal(function_of("cosine")(rows, rows)), atol=1e-15)
