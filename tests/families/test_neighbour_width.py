"""How far a row is from its nearest: a slow count, copies and weights, and more rows than are looked at."""

import numpy as np
import pytest

from kernelopt._families.dictionary._neighbour_width import LOOKED_AT, neighbour_distance

RNG = np.random.default_rng(0)
LATTICE = RNG.integers(0, 3, (40, 3)).astype(float)
"""Of 27 places, so that many rows are copies of others."""


def distance(X, weight=None, **options):
    return neighbour_distance(X, np.ones(len(X)) if weight is None else weight, **options)


def counted(X):
    """By its definition: copies are equal rows, and of two medians the smaller."""
    nearest = [min(np.abs(x - z).sum() for z in X if (z != x).any()) for x in X]
    return sorted(nearest)[(len(X) - 1) // 2]


@pytest.mark.parametrize("X", [RNG.normal(size=(31, 4)), RNG.normal(size=(30, 1)), LATTICE * [1.0, 2.5, 7.0]])
def test_it_is_what_the_definition_says(X):
    assert distance(X)[0] == pytest.approx(counted(X), rel=1e-12)


@pytest.mark.parametrize("n", [30, 2 * LOOKED_AT + 7])
def test_a_weight_is_so_many_copies_wherever_they_stand(n):
    X, counts = RNG.normal(size=(n, 2)) ** 3, RNG.integers(1, 5, n)
    beside = np.repeat(X, counts, axis=0)
    behind = np.vstack([X, *(X[counts > k] for k in range(1, 5))])
    wanted = distance(X, counts.astype(float))
    assert distance(beside) == wanted
    assert distance(behind) == wanted
    assert wanted[0] != distance(X)[0]


def test_copies_up_to_rounding_are_copies():
    X = RNG.normal(size=(20, 3))
    blurred = np.vstack([X, X * (1.0 + 1e-14), X * (1.0 - 1e-14)])
    assert distance(blurred)[0] == pytest.approx(distance(X)[0], rel=1e-9)


def test_most_rows_at_one_place_have_a_nearest_elsewhere():
    X = np.vstack([np.zeros((50, 2)), [[3.0, 4.0]], [[-0.0, 0.0]]])
    assert distance(X) == (7.0, 2)


def test_two_rows_are_enough_and_columns_may_be_many():
    assert distance(np.array([[0.0], [2.5]])) == (2.5, 2)
    X = RNG.normal(size=(4, 5000))
    assert distance(X)[0] == pytest.approx(counted(X), rel=1e-12)


def test_the_order_of_rows_matters_only_where_not_all_are_looked_at():
    X = RNG.normal(size=(LOOKED_AT, 3))
    assert distance(RNG.permutation(X)) == distance(X)


def test_of_more_rows_some_are_looked_at_evenly_and_always_the_same():
    X = RNG.normal(size=(1000, 3))
    wanted = distance(X[np.linspace(0, 999, 40).round().astype(int)])
    assert distance(X, most=40) == wanted == (wanted[0], 40)
    assert distance(X)[1] == LOOKED_AT


def test_more_rows_do_not_make_the_kernel_ever_narrower():
    X = RNG.normal(size=(20000, 2))
    assert distance(X)[0] > 0.8 * distance(X[:300])[0]
