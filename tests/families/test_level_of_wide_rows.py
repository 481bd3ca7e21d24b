"""Rows with many columns: the linear kernel of the default list has a level where targets have lost their mean.

Without it the direction of equal rows has noise alone, and rows are the more likely the less noise there is.
"""

import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence


def kernels_of(X, y):
    """The names of the kernels on all columns in the list that was chosen, and their degrees."""
    learned = kernelopt.solve(X, y, criterion=Evidence(effort="quick"), max_steps=1)
    listed = (kernel for leaf in learned.kernel.leaves for kernel in getattr(leaf.family, "kernels", ()))
    return {kernel[0] + str(kernel[1].get("degree", "")) for kernel in listed if isinstance(kernel, tuple)}


@pytest.mark.parametrize(("n", "d", "level"), [(40, 60, True), (40, 20, True), (60, 20, False), (200, 20, False)])
def test_the_linear_kernel_has_a_level_where_columns_are_many_for_numbers(n, d, level):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = X[:, 0] + rng.normal(size=n)
    assert ({"poly1", "linear"} & kernels_of(X, y)) == ({"poly1"} if level else {"linear"})
    assert ({"poly1", "linear"} & kernels_of(X, np.where(y > 0.0, "above", "below"))) == {"linear"}


def test_targets_whose_mean_is_nothing_have_the_list_of_any_others():
    X = np.random.default_rng(0).normal(size=(40, 60))
    y = np.tile([-2.5, 2.5, 0.25, -0.25], 10)
    assert y.mean() == 0.0
    assert kernels_of(X, y) == kernels_of(X, y + 3.0)


def test_intervals_of_wide_rows_hold_what_they_say():
    held = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(530, 200))
        y = X[:, :5].sum(axis=1) + rng.normal(size=530)
        learned = kernelopt.solve(X[:30], y[:30], criterion=Evidence(effort="quick"))
        low, high = learned.predict_interval(X[30:], 0.95)
        held.append(np.mean((low <= y[30:]) & (y[30:] <= high)))
    assert np.mean(held) > 0.9, held
