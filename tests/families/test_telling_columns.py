"""Which columns trees see where there are many more than rows: those that tell, alone or beside another."""

import re

import numpy as np
import pytest

import kernelopt
from kernelopt._families.dictionary.growth import _telling_columns
from kernelopt._families.dictionary.growth._boosted_trees import boosted_trees
from kernelopt._families.dictionary.growth._telling_columns import _Sorted, _Splits, telling_columns
from kernelopt._families.dictionary.growth._tree_kernels import LEAVES, TREES, tree_kernels

N, D, KEPT = 120, 900, 120
X = np.random.default_rng(0).normal(size=(N, D))
ONE = np.ones(N)


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(_telling_columns, "_LEAST", 1)


def kept(f, weight=ONE):
    return telling_columns(X, f[:, None], weight)


def test_all_columns_are_seen_where_there_are_hardly_more_than_rows():
    np.testing.assert_array_equal(np.sort(telling_columns(X[:, : 2 * N], X[:, :1], ONE)), np.arange(2 * N))


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a + b,
        lambda a, b: a**2 + b**2,
        lambda a, b: np.abs(a) * (b > 0),
        lambda a, b: np.where(a > 0, 4.0, np.sign(b)),
    ],
)
def test_columns_that_tell_are_kept(function):
    found = kept(function(X[:, 700], X[:, 300]))
    assert len(found) == KEPT
    assert {300, 700} <= set(found.tolist())
    assert len(set(found.tolist())) == KEPT


def found_beside_another():
    """Of ten columns how many are kept, each of them where it tells only on both sides of a split by another."""
    side = np.sign(X[:, 700])
    return sum(column in kept(side * (4.0 + np.sign(X[:, column]))) for column in range(300, 310))


def test_a_column_that_tells_only_beside_another_is_found_by_that(monkeypatch):
    assert found_beside_another() == 10
    monkeypatch.setattr(_telling_columns, "_PARENTS", 0)
    assert found_beside_another() < 5


def test_what_a_row_says_counts_by_its_weight():
    half = np.arange(N) < N // 2
    f = np.where(half, X[:, 5], 10.0 * X[:, 6])
    assert 5 not in kept(f)
    assert 5 in kept(f, np.where(half, 1.0, 1e-9))


def test_one_target_far_out_weighs_less_than_many_rows(monkeypatch):
    columns, f = np.column_stack([np.arange(N) == 7, np.arange(N) % 2]).astype(float), np.zeros(N)
    f[7] = 12.0
    f += np.arange(N) % 2 - 0.5 * (np.arange(N) % 2 == 0)
    alone, many = _Splits.of(columns).best(f[:, None], ONE)[0]
    assert alone < many
    monkeypatch.setattr(_telling_columns, "_SHRINK", 0.0)
    alone, many = _Splits.of(columns).best(f[:, None], ONE)[0]
    assert alone > many


@pytest.mark.parametrize("c", [1, 3])
def test_columns_of_two_values_are_split_as_any_other(c):
    rng = np.random.default_rng(0)
    columns = np.where(rng.uniform(size=(N, 30)) < rng.uniform(size=30), 2.0, -1.0)
    columns[:, :10], columns[:, 10] = X[:, :10], 5.0
    T, w = rng.normal(size=(N, c)), rng.uniform(0.0, 2.0, N)
    w[:9] = 0.0
    splits, alone = _Splits.of(columns), _Sorted.of(columns)
    assert len(splits.others) == 10
    gain, place = splits.best(T, w)
    wanted, at = alone.best_splits(w[:, None] * (T - np.average(T, axis=0, weights=w)), w)
    np.testing.assert_allclose(gain, wanted, rtol=1e-10, atol=1e-12)
    for j in np.flatnonzero(np.arange(30) != 10):
        np.testing.assert_array_equal(splits.left(j, place[j]), alone.left(j, at[j]))


def test_blocks_of_columns_change_nothing(monkeypatch):
    f = X[:, 5] + X[:, 6] * X[:, 7]
    found = kept(f)
    monkeypatch.setattr(_telling_columns, "_ENTRIES", 7 * N)
    np.testing.assert_array_equal(kept(f), found)


def test_every_output_has_a_say():
    T = np.column_stack([X[:, 5], X[:, 6]])
    assert {5, 6} <= set(telling_columns(X, T, ONE).tolist())


def test_no_split_stands_between_equal_values():
    steps = np.where(X[:, :1] > 0, X, 0.0)
    steps[:, 5] = 0.0  # constant: in the order of the rows it would tell of them
    assert 5 not in telling_columns(steps, np.arange(N, dtype=float)[:, None], ONE)


def test_trees_that_saw_some_columns_are_of_all():
    f = X[:, 700] + X[:, 300] ** 2
    leaves = tree_kernels(X, f[:, None], ONE)[0].place
    columns = kept(f)
    grown = boosted_trees(X[:, columns], f[:, None], ONE, trees=TREES, leaves=LEAVES)
    np.testing.assert_array_equal(leaves.of(X), grown.of(X[:, columns]))
    assert leaves.shares.shape == (D,)
    assert set(np.argsort(-leaves.shares)[:2].tolist()) == {300, 700}


def test_steps_are_found_in_a_wide_table():
    rows = X[:100, :210]
    s = kernelopt.solve(rows, np.sign(rows[:, 105]) + np.sign(rows[:, 20]))
    assert any("kernels of trees joined the list" in note for note in s.notes)
    assert re.search(r"leaves of 100 trees \(x(105 .*x20|20 .*x105) ", str(s))


@pytest.mark.parametrize("width", [4, 2 * N, X.shape[1]])
def test_trees_do_not_depend_on_the_order_of_columns(width):
    """Of few rows many splits are equally good, and the first of them would be the one of the first column."""
    rows = np.hstack([X[:12, :width], X[:12, :1] > 0.0])
    f, ones = (rows[:, :1] > 0.0) + 0.1 * np.sign(rows[:, 1:2]), np.ones(12)
    order = np.random.default_rng(0).permutation(width + 1)
    first = rows[:, telling_columns(rows, f, ones)]
    np.testing.assert_array_equal(rows[:, order][:, telling_columns(rows[:, order], f, ones)], first)
    one, other = tree_kernels(rows, f, ones)[0].place, tree_kernels(rows[:, order], f, ones)[0].place
    np.testing.assert_array_equal(one.of(rows), other.of(rows[:, order]))
