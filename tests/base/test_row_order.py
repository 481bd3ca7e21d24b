"""The order of rows is a law of the rows themselves: however they are given, they come out in the same order."""

import numpy as np
import pytest

from kernelopt._base._row_order import row_order

N = 60


def tables():
    rng = np.random.default_rng(0)
    holes = rng.normal(size=(N, 4))
    holes[rng.uniform(size=holes.shape) < 0.3] = np.nan
    yield "numbers", rng.normal(size=(N, 3)), rng.normal(size=(N, 1)), ()
    yield "missing", holes, rng.normal(size=(N, 2)), ()
    yield "bits", rng.integers(0, 2, (N, 12)).astype(float), rng.normal(size=(N, 1)), ()
    yield "classes", rng.normal(size=(N, 3)), np.where(rng.integers(0, 3, (N, 1)) == np.arange(3), 1.0, -1.0), ()
    named = np.column_stack([rng.integers(0, 9, (N, 2)), rng.normal(size=N)])
    yield "categories", named, rng.normal(size=(N, 1)), (0, 1)


CASES = {name: rest for name, *rest in tables()}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def ordered(X, T, categories):
    order = row_order(X, T, categories)
    np.testing.assert_array_equal(np.sort(order), np.arange(len(X)))
    return X[order], T[order]


def test_the_order_in_which_rows_are_given_does_not_matter(case):
    X, T, categories = case
    p = np.random.default_rng(1).permutation(N)
    for one, other in zip(ordered(X, T, categories), ordered(X[p], T[p], categories), strict=True):
        np.testing.assert_array_equal(one, other)


def test_neither_units_nor_the_order_of_columns_matter(case):
    X, T, categories = case
    p = np.random.default_rng(2).permutation(X.shape[1])
    moved = [int(np.flatnonzero(p == j)[0]) for j in categories]
    np.testing.assert_array_equal(row_order(3.0 * X[:, p] + 1.0, T, moved), row_order(X, T, categories))


def test_what_categories_are_called_does_not_matter():
    X, T, categories = CASES["categories"]
    called = X.copy()
    called[:, :2] = np.random.default_rng(3).permutation(9)[X[:, :2].astype(int)]
    np.testing.assert_array_equal(row_order(called, T, categories), row_order(X, T, categories))
    assert not np.array_equal(row_order(called, T), row_order(X, T))


@pytest.mark.parametrize("classes", [2, 3])
def test_what_classes_are_called_does_not_matter(classes):
    rng = np.random.default_rng(5)
    X, codes = rng.normal(size=(N, 3)), rng.integers(0, classes, N)
    X[:, 2] = codes

    def order(names, **options):
        T = np.where(names[codes][:, None] == np.arange(classes), 1.0, -1.0)
        return row_order(X, T[:, :1] if classes == 2 else T, (2,), **options)

    names = np.arange(classes)
    np.testing.assert_array_equal(order(names[::-1], classes=True), order(names, classes=True))
    assert not np.array_equal(order(names[::-1]), order(names))


def test_a_constant_target_and_copies_leave_an_order():
    X = np.array([[2.0, 1.0], [1.0, 3.0], [2.0, 1.0]])
    np.testing.assert_array_equal(np.sort(row_order(X, np.zeros((3, 1)))), np.arange(3))


def test_neighbours_are_not_alike():
    X = np.sort(np.random.default_rng(4).normal(size=(2000, 1)), axis=0)
    for T in (X, np.zeros((2000, 1))):
        place = row_order(X, T)
        assert abs(np.corrcoef(place[1:], place[:-1])[0, 1]) < 0.1
        assert abs(np.corrcoef(place, np.arange(2000))[0, 1]) < 0.1


def permutations(n):
    return (np.random.default_rng(seed).permutation(n) for seed in range(20))


def test_rows_with_the_same_sum_of_ranks_are_told_apart_by_their_squares():
    X, T = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]), np.zeros((3, 1))
    first = np.abs(X[row_order(X, T)] - 1.0)
    for p in permutations(3):
        np.testing.assert_array_equal(np.abs(X[p][row_order(X[p], T)] - 1.0), first)


def test_categories_of_as_many_rows_are_told_apart_by_their_targets():
    X, T = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([[5.0], [1.0], [5.0], [2.0]])
    first = ordered(X, T, [0])
    for p in permutations(4):
        for one, other in zip(first, ordered(X[p], T[p], [0]), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(8))
def test_what_categories_are_called_does_not_matter_beside_classes(seed):
    rng = np.random.default_rng(seed)
    T = np.where(np.arange(N) % 2, 1.0, -1.0)[:, None]
    X = np.column_stack([rng.integers(0, 2, N), rng.integers(0, 9, N)]).astype(float)
    called = np.column_stack([X[:, 0], rng.permutation(9)[X[:, 1].astype(int)]])
    np.testing.assert_array_equal(row_order(called, T, [1], classes=True), row_order(X, T, [1], classes=True))


@pytest.mark.parametrize("classes", [False, True])
def test_copies_follow_each_other_and_move_no_other_row(classes):
    rng = np.random.default_rng(8)
    X, T = rng.normal(size=(30, 2)), rng.integers(0, 3, size=(30, 1)).astype(float)
    copied = np.repeat(np.arange(30), rng.integers(1, 4, 30))
    order, alone = row_order(X[copied], T[copied], classes=classes), row_order(X, T, classes=classes)
    found = copied[order]
    np.testing.assert_array_equal(found[np.sort(np.unique(found, return_index=True)[1])], alone)
    assert np.count_nonzero(np.diff(found)) == 29
