"""How wide a Gaussian is for rows to be so alike: its definition, copies and weights, more rows than are looked at."""

import numpy as np
import pytest

from kernelopt._families.dictionary.growth._rows_width import ALIKE, LOOKED_AT, rows_width

RNG = np.random.default_rng(0)
LATTICE = RNG.integers(0, 5, (90, 3)).astype(float)
"""Of 125 places, so that many rows are copies of others."""


def width(X, weight=None, **options):
    return rows_width(X, np.ones(len(X)) if weight is None else weight, **options)


def mean_kernel(X, w):
    """Over pairs of rows that differ, each as often as it occurs."""
    return np.mean([np.exp(-((x - z) ** 2).sum() / w) for x in X for z in X if (x != z).any()])


@pytest.mark.parametrize("X", [RNG.normal(size=(71, 4)), RNG.normal(size=(60, 1)) ** 3, LATTICE * [1.0, 2.5, 7.0]])
@pytest.mark.parametrize("alike", [1.0, ALIKE])
def test_it_is_what_the_definition_says(X, alike):
    w, said, looked_at = width(X, alike=alike)
    different = len(np.unique(X, axis=0))
    assert said == pytest.approx(alike / np.sqrt(different), rel=1e-12)
    assert mean_kernel(X, w) == pytest.approx(said, rel=1e-9)
    assert looked_at == different


@pytest.mark.parametrize("n", [30, 2 * LOOKED_AT + 7])
def test_a_weight_is_so_many_copies_wherever_they_stand(n):
    X, counts = RNG.normal(size=(n, 2)) ** 3, RNG.integers(1, 5, n)
    beside = np.repeat(X, counts, axis=0)
    behind = np.vstack([X, *(X[counts > k] for k in range(1, 5))])
    wanted = width(X, counts.astype(float))
    assert width(beside) == wanted
    assert width(behind) == wanted
    assert wanted[0] != width(X)[0]


def test_the_size_of_all_weights_does_not_matter():
    X, weight = RNG.normal(size=(50, 2)), RNG.uniform(0.5, 2.0, 50)
    assert width(X, 1e-4 * weight)[:2] == pytest.approx(width(X, weight)[:2], rel=1e-9)


def test_copies_up_to_rounding_are_copies():
    X = RNG.normal(size=(80, 3))
    blurred = np.vstack([X, X * (1.0 + 1e-14), X * (1.0 - 1e-14)])
    assert width(blurred)[:2] == pytest.approx(width(X)[:2], rel=1e-9)


def test_most_rows_at_one_place_have_others_elsewhere():
    X = np.vstack([np.zeros((50, 2)), [[3.0, 4.0]], [[-0.0, 0.0]]])
    assert width(X) == (pytest.approx(25.0 / np.log(2.0)), 0.5, 2)


def test_two_rows_are_enough_and_columns_may_be_many():
    assert width(np.array([[0.0], [2.5]])) == (pytest.approx(6.25 / np.log(2.0)), 0.5, 2)
    X = RNG.normal(size=(4, 5000))
    assert mean_kernel(X, width(X)[0]) == pytest.approx(0.5, rel=1e-9)


def test_distances_of_very_different_sizes_are_no_reason_to_fail():
    X = np.concatenate([np.geomspace(1e-1, 1e8, 60), [0.0]])[:, None]
    w, said, _ = width(X)
    assert mean_kernel(X, w) == pytest.approx(said, rel=1e-9)


def test_units_and_the_order_of_rows_matter_only_where_not_all_are_looked_at():
    X = RNG.normal(size=(LOOKED_AT, 3))
    assert width(RNG.permutation(X) * 1e-3)[0] == pytest.approx(1e-6 * width(X)[0], rel=1e-9)


def test_of_more_rows_some_are_looked_at_evenly_and_always_the_same():
    X = RNG.normal(size=(1000, 3))
    w, said, looked_at = width(X, most=40)
    assert (w, said, looked_at) == width(X, most=40)
    assert mean_kernel(X[np.linspace(0, 999, 40).round().astype(int)], w) == pytest.approx(said, rel=1e-9)
    assert (said, looked_at) == (ALIKE / np.sqrt(1000), 40)
    assert width(X)[2] == LOOKED_AT
