"""Columns that are constant on the training rows: what a user says of a column is said of that column, always."""

from functools import cache

import numpy as np
import pytest
from kernelopt_hyperkernel import Hyperkernel
from kernelopt_tk import TK

import kernelopt
from kernelopt import Dictionary, default_dictionary, each, fixed, on, sampled
from kernelopt.plugin import InvalidData, InvalidOption

RNG = np.random.default_rng(3)
X = RNG.normal(size=(50, 3))
Y = np.where(np.sin(2.0 * X[:, 1]) + 0.4 * X[:, 2] > 0.0, 1, -1)
NEW = RNG.normal(size=(20, 3))
PLACES = [0, 1, 3]
"""Where a constant column is put among the three."""


def widened(rows, place):
    return np.insert(rows, place, 3.0, axis=1)


def with_one_more(numbers, place, number):
    return tuple(np.insert(np.asarray(numbers, dtype=float), place, number))


def solved(rows, family):
    return kernelopt.solve(rows, Y, family=family, criterion="svc", tol=1e-2, max_steps=12)


def third(A, B):
    """A user's kernel that reads the third column of the user's rows, and no other."""
    return np.exp(-((A[:, 2:3] - B[:, 2:3].T) ** 2))


SIGMA, LOW, HIGH = (0.3, 1.0, 2.0), (-4.0, -5.0, -6.0), (4.0, 5.0, 6.0)
FAMILIES = {
    "tk": lambda place: TK(),
    "tk bounds": lambda place: TK(
        rescale=None, bounds=(with_one_more(LOW, place, 2.0), with_one_more(HIGH, place, 9.0))
    ),
    "gpk": lambda place: "gpk",
    "cosine": lambda place: "cosine",
    "gaussian": lambda place: "gaussian",
    "hyperkernel": lambda place: Hyperkernel(sigma=with_one_more(SIGMA, place, 70.0), pivots=30),
    "hyperkernel sum": lambda place: Hyperkernel(kind="sum", kernels=[("rbf", {"gamma": 1.0})], pivots=30),
    "list": lambda place: Dictionary(["rbf", ("poly", {"degree": 2})]),
    "default list": lambda place: Dictionary(),
    "auto": lambda place: "auto",
    "sampled": lambda place: sampled(
        TK(rescale=None, bounds=(with_one_more(LOW, place, 2.0), with_one_more(HIGH, place, 9.0))), 3
    ),
}
PLAIN = {
    "tk bounds": TK(rescale=None, bounds=(LOW, HIGH)),
    "hyperkernel": Hyperkernel(sigma=SIGMA, pivots=30),
    "sampled": sampled(TK(rescale=None, bounds=(LOW, HIGH)), 3),
}


@pytest.fixture(scope="module")
def without():
    """The answer without a constant column: once for each family."""
    return cache(lambda name: solved(X, PLAIN.get(name, FAMILIES[name](0))))


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("place", PLACES)
def test_a_constant_column_anywhere_changes_nothing(name, place, without):
    wide, plain = solved(widened(X, place), FAMILIES[name](place)), without(name)
    assert wide.objective == pytest.approx(plain.objective, rel=1e-10)
    np.testing.assert_allclose(wide.decision_function(widened(NEW, place)), plain.decision_function(NEW), atol=1e-9)


def test_a_function_of_the_users_sees_every_column_in_its_place():
    rows = widened(X, 0)  # the third column of these is the second of X, which decides
    s = solved(rows, Dictionary([third]))
    assert [leaf.columns.tolist() for leaf in s.kernel.leaves] == [[0, 1, 2, 3]]
    assert s.objective == solved(X[:, [0, 0, 1]] + [0.0, 1.0, 0.0], Dictionary([third])).objective
    assert s.score(rows, Y) > 0.85
    mixed = solved(rows, Dictionary(["rbf", third]))
    assert mixed.score(rows, Y) > 0.85


def test_so_does_one_in_a_hyperkernel():
    s = solved(widened(X, 0), Hyperkernel(kind="sum", kernels=[third], pivots=20))
    other = solved(X[:, [0, 0, 1]] + [0.0, 1.0, 0.0], Hyperkernel(kind="sum", kernels=[third], pivots=20))
    assert s.objective == pytest.approx(other.objective, rel=1e-9)


def test_views_keep_the_order_in_which_columns_are_named():
    def first(A, B):
        return A[:, :1] @ B[:, :1].T

    s = solved(X, on(Dictionary([first]), [2, 0]))
    t = solved(X, on(Dictionary([first]), [2]))
    assert s.objective == pytest.approx(t.objective, rel=1e-6)
    wide, narrow = (
        solved(X, on(Hyperkernel(sigma=sigma, pivots=20), c)) for sigma, c in (((2, 5), [2, 0]), ((5, 2), [0, 2]))
    )
    assert wide.objective == pytest.approx(narrow.objective, rel=1e-6)
    assert list(wide.kernel.views()) == [(0, 2)]


def test_a_number_for_each_column_is_one_for_each_of_the_users():
    rows = widened(X, 1)
    for family in (Hyperkernel(sigma=SIGMA), TK(bounds=(LOW, HIGH), rescale=None)):
        with pytest.raises(InvalidOption, match=r"3 entries for 4 columns"):
            solved(rows, family)


def test_kernels_speak_of_columns_by_the_users_numbers():
    rows = widened(X, 0)
    assert {"x1", "x2", "x3"} >= {word for word in str(solved(rows, "dictionary")).split() if word.startswith("x")}
    assert "of x0" not in solved(rows, "dictionary").kernel.describe()
    told = solved(rows, on("cosine", [0, 2])).kernel.describe()
    assert "x2" in told
    assert "x0" not in told


def test_the_default_list_of_rows_is_that_of_their_columns():
    rows = widened(X, 1)
    one, two = solved(rows, default_dictionary(rows)), solved(rows, Dictionary())
    assert one.objective == two.objective
    assert one.kernel.describe() == two.kernel.describe()


def test_a_list_for_a_column_that_is_constant_says_so():
    with pytest.raises(InvalidData, match=r"of x1 was listed, and that column is constant on these rows"):
        solved(X * [1.0, 0.0, 1.0], default_dictionary(X))


def test_sets_of_columns_have_no_constant_one():
    s = solved(widened(X, 1), each(fixed("rbf")))
    assert [leaf.columns.tolist() for leaf in s.kernel.leaves] == [[0], [2], [3]]
