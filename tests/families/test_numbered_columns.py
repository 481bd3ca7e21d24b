"""Columns of whole numbers that may be names: auto also compares whether two rows have the same."""

import numpy as np
import pytest

import kernelopt
import kernelopt.plugin
from kernelopt._families.dictionary.columns._category_groups import Same
from kernelopt._families.dictionary.columns._further_columns import Numbered, counted
from kernelopt._families.dictionary.seen._coded_columns import Coded, written_out
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Metric


def shops(n, seed=0):
    """A shop's number, of forty, and a number; what a shop is worth has nothing to do with its number."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([1000.0 + 7.0 * rng.integers(0, 40, n), rng.normal(size=n)])
    worth = np.random.default_rng(99).normal(size=40)
    return X, worth[((X[:, 0] - 1000.0) / 7.0).astype(int)] + np.sin(2.0 * X[:, 1]) + 0.1 * rng.normal(size=n)


def prepared(X):
    return kernelopt.Dictionary("auto").prepare(X, np.ones(len(X)))


def numbered(X):
    return [kernel for kernel in prepared(X).listed if isinstance(getattr(kernel, "place", None), Same)]


def test_a_new_value_is_like_none_and_others_have_their_place():
    column = Numbered(1, np.array([-1.0, 0.5, 2.0]))
    X = np.column_stack([np.zeros(5), [0.5, 2.0, 1.0, -9.0, 9.0]])
    np.testing.assert_array_equal(column.codes(X), [1, 2, 3, 3, 3])


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        (np.arange(300) % 40, 1),
        (np.arange(300) % 100, 1),
        (np.arange(300) % 101, 0),  # fewer than three rows for each
        (np.arange(300) % 12, 0),  # categories of few values
        (np.arange(300) % 40 + 0.25, 0),  # no whole numbers
        (np.where(np.arange(300) < 5, 7.31, np.arange(300) % 40), 1),  # a mean stands for missing numbers
    ],
)
def test_which_columns_are_compared(column, wanted):
    X = np.column_stack([column.astype(float), np.random.default_rng(0).normal(size=300)])
    assert len(numbered(X)) == wanted


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_do_not_count_change_no_place(seed):
    """The means of a frame differ in their last digits with the rows that are summed."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(1000, 1040, 300), 7.3 * rng.integers(0, 5, 300) // 1, rng.normal(size=300)])
    weight = np.where(rng.uniform(size=300) < 0.2, 0.0, rng.uniform(0.1, 2.0, 300))
    family = kernelopt.Dictionary("auto").prepare(X, weight)
    seen, (own,) = family.seen(X[weight > 0.0]), family._further.numbered
    few = list(family._further.indicators(3)[1])
    assert seen[:, few].any(axis=1).all()
    assert (own.codes(X[weight > 0.0]) < len(own.values)).all()


def test_few_rows_for_a_column_are_too_few():
    X = np.column_stack(
        [np.arange(80.0) % 20, np.random.default_rng(0).normal(size=(80, 2)).T[0], np.arange(80) ** 1.5]
    )
    assert not numbered(X)


def test_a_column_alone_is_compared_too():
    assert len(numbered(np.arange(300.0)[:, None] % 40)) == 1


def test_rows_are_seen_with_codes_and_as_columns():
    X, _ = shops(300)
    family = prepared(X)
    rows = family._preprocessing.rows(X)
    assert isinstance(rows, Coded)
    seen = family.seen(X)
    np.testing.assert_array_equal(seen, written_out(rows))
    own = seen[:, list(numbered(X)[0].place.numbers)]
    same = X[:, 0, None] == X[:, 0]
    np.testing.assert_array_equal(own @ own.T > 0.0, same)


def test_names_that_are_numbers_are_learned():
    X, y = shops(300)
    Z, z = shops(500, 1)
    s = kernelopt.solve(X, y)
    assert "the values of x0" in s.kernel.describe()
    assert np.mean((s.predict(Z) - z) ** 2) < 0.2 * np.var(z)
    known, new = s.predict(Z[:1], return_std=True), s.predict([[1003.0, Z[0, 1]]], return_std=True)
    assert new[1][0] > 2.0 * known[1][0], "of a shop that nobody knows nothing is known"


def test_what_grows_does_not_look_at_them(tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 25, 200), rng.normal(size=(200, 4))])
    y = np.random.default_rng(5).normal(size=25)[X[:, 0].astype(int)] + 2.0 * np.sin(X[:, 1] + X[:, 2] - X[:, 3])
    s = kernelopt.solve(X, y + 0.1 * rng.normal(size=200))
    assert any("joined the list" in note for note in s.notes)
    assert "the values of x0" in s.kernel.describe()
    first = s.kernel.leaves[0].family
    for _ in range(2):  # and what has grown grows again
        part = first.center()
        first, _ = first.grown(part, X, rng.normal(size=(200, 1)))
        first = first.parted(X, rng.normal(size=(200, 1)), np.ones(200)) or first
    s.save(tmp_path / "model")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model").predict(X), s.predict(X))


@pytest.mark.parametrize("compared", [True, False])
def test_what_predicts_holds_them_only_where_a_kernel_compares_them(compared):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 25, 400), rng.normal(size=(400, 4))])
    family = prepared(X)
    family, _ = family.grown(family.center(), X, rng.normal(size=(400, 2)))
    family = family.parted(X, np.sign(X[:, 1:2]), np.ones(400))
    same = [isinstance(getattr(kernel, "place", None), Same) for kernel in family.listed]
    part = family.dictionary()
    part = kernelopt.plugin.Part(part.atoms, np.where(same, float(compared), 1.0))
    fewer, own = family.compact(part)
    assert bool(fewer._further.numbered) == compared
    assert fewer.codes_rows == compared
    np.testing.assert_allclose(fewer.cross(own, X[:7], X), family.cross(part, X[:7], X), rtol=1e-10)
    names = tuple("abcde")
    assert fewer.named(names).describe(own) == family.named(names).describe(part)


def places(family, kind):
    """How many places of this kind there are, and how many kernels see rows from one."""
    found = [kernel.place for kernel in family.listed if isinstance(getattr(kernel, "place", None), kind)]
    return len(set(found)), len(found)


def test_kernels_of_one_metric_and_of_one_forest_stay_together():
    """What they see of rows, and distances, are then computed once for all of them."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 25, 400), rng.normal(size=(400, 4))])
    family = prepared(X)
    assert family._further.numbered  # rows have more columns than metrics and trees look at
    family, _ = family.grown(family.center(), X, rng.normal(size=(400, 2)))
    metrics, kernels = places(family, Metric)
    assert metrics == 2 < kernels
    family = family.parted(X, np.sign(X[:, 1:2]), np.ones(400))
    forests, kernels = places(family, Leaves)
    assert forests == 1 < kernels
    family = family.adapted(X, np.sign(X[:, 1:2]) + X[:, 2:3], np.ones(400))
    assert places(family, Metric)[0] <= 4
    part = family.dictionary()
    same = [isinstance(getattr(kernel, "place", None), Same) for kernel in family.listed]
    fewer, _ = family.compact(kernelopt.plugin.Part(part.atoms, np.where(same, 0.0, 1.0)))
    assert not fewer._further.numbered
    assert (places(fewer, Metric), places(fewer, Leaves)) == (places(family, Metric), places(family, Leaves))


def test_a_column_that_counts_is_no_name():
    """The evidence gives such a kernel no weight where the number itself says more."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 60, 400).astype(float)
    y = np.sin(age / 8.0) + 0.1 * rng.normal(size=400)
    s = kernelopt.solve(np.column_stack([age, rng.normal(size=400)]), y)
    assert numbered(np.column_stack([age, rng.normal(size=400)]))
    assert "the values of x0" not in s.kernel.describe()


@pytest.mark.parametrize("most", [1, 2, 12])
@pytest.mark.parametrize("values", [1, 2, 3, 12, 13, 40])
def test_different_numbers_are_counted_up_to_the_most_that_is_asked_about(most, values):
    """Also where the first rows have the same number: only there are all rows looked at."""
    drawn = np.random.default_rng(0).integers(0, values, size=300).astype(float)
    for x in (drawn, np.sort(drawn), drawn[:5]):
        found, true = counted(x, most), len(np.unique(x))
        assert found == true or true >= found > most


def test_what_the_first_rows_show_saves_a_look_at_all(monkeypatch):
    looked, unique = [], np.unique
    monkeypatch.setattr(np, "unique", lambda x: looked.append(len(x)) or unique(x))
    assert counted(np.arange(1000.0), 12) > 12
    assert sum(looked) < 100
