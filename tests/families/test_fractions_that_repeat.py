"""Columns of fractions that may be names: auto offers to compare them, and rows that were held out decide."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families.dictionary.columns._category_groups import Same
from kernelopt._families.dictionary.seen._coded_columns import Coded

FORTY = np.random.default_rng(99).uniform(20.0, 80.0, 40)
"""Pressures of forty hours."""


def hours(n, seed=0, worth=1.0):
    """A pressure, which tells the hour, and a number; what an hour is worth has nothing to do with its pressure."""
    rng = np.random.default_rng(seed)
    hour = rng.integers(0, 40, n)
    noise = 0.1 * rng.normal(size=n)
    X = np.column_stack([FORTY[hour], rng.normal(size=n)])
    return X, worth * np.random.default_rng(98).normal(size=40)[hour] + np.sin(2.0 * X[:, 1]) + noise


def prepared(X):
    return kernelopt.Dictionary("auto").prepare(X, np.ones(len(X)))


def compared(family):
    return [kernel for kernel in family.listed if isinstance(getattr(kernel, "place", None), Same)]


def test_they_are_learned():
    X, y = hours(150)
    Z, z = hours(500, 1)
    quick = kernelopt.solve(X, y, family="auto", criterion=kernelopt.Evidence(targets="numbers", effort="quick"))
    s = kernelopt.solve(X, y)
    assert any("numbers that may be names joined the list" in note for note in s.notes)
    assert "the values of x0" in s.kernel.describe()
    assert np.mean((s.predict(Z) - z) ** 2) < 0.5 * np.mean((quick.predict(Z) - z) ** 2)


def test_they_do_not_join_where_hours_are_worth_nothing():
    X, y = hours(400, worth=0.0)
    s = kernelopt.solve(X, y)
    assert not any("may be names" in note for note in s.notes)
    assert not compared(s.kernel.leaves[0].family)


@pytest.mark.parametrize(
    ("X", "offered"),
    [
        (hours(300)[0], 1),
        (hours(59)[0], 0),  # fewer than thirty rows for each column
        (np.round(hours(300)[0]), 0),  # whole numbers are compared from the beginning
        (np.random.default_rng(0).normal(size=(300, 2)), 0),  # nothing stands twice
        (hours(300)[0][:, :1], 1),  # a column alone
    ],
)
def test_which_columns_are_offered(X, offered):
    family = prepared(X)
    found = family.offered(X, np.ones(len(X)))
    assert (0 if found is None else len(found.listed) - len(family.listed)) == offered


def test_kernels_of_the_list_are_the_same_and_two_rows_are_compared():
    X, _ = hours(300)
    family = prepared(X)
    family, part = family.grown(family.center(), X, np.random.default_rng(1).normal(size=(300, 1)))
    larger = family.offered(X, np.ones(300))
    Z = np.vstack([X[:5], [[50.12345, 0.0]]])
    assert isinstance(larger._preprocessing.rows(Z), Coded)
    np.testing.assert_allclose(larger.cross(part, Z, X), family.cross(part, Z, X), rtol=1e-10)
    (new,) = compared(larger)
    last = kernelopt.plugin.Part(np.array([[len(larger.listed) - 1.0]]), np.ones(1))
    assert larger.listed[-1] is new
    np.testing.assert_allclose(larger.cross(last, Z, X), Z[:, :1] == X[:, 0], atol=1e-12)
    np.testing.assert_allclose(larger.diag(last, X), 1.0)


def test_what_was_offered_is_offered_once():
    X, _ = hours(300)
    assert prepared(X).offered(X, np.ones(300)).offered(X, np.ones(300)) is None


def test_rows_that_do_not_count_offer_nothing():
    X, _ = hours(300)
    weight = (np.arange(300) < 100).astype(float)  # forty hours in a hundred rows
    assert prepared(X).offered(X, weight) is None


def test_a_list_that_nothing_may_join_offers_nothing():
    X, _ = hours(300)
    family = kernelopt.Dictionary(["linear"]).prepare(X, np.ones(300))
    assert family.offered(X, np.ones(300)) is None
    assert family.adapted(X, X[:, :1], np.ones(300)) is None
