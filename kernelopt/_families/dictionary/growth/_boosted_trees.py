"""Trees that are grown one after the other, each to what those before it leave of the targets."""

import numpy as np

from kernelopt._base._copies import copies_of
from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.seen._leaves import Leaves, leaves_of

STEP = 0.03
"""The share of a tree that is taken off the targets before the next one is grown; with 0 they are those of a random
forest, and with .1 they fit the noise of few rows. Worth: `trees_table.py`."""
_COPIES = 1_000_000
"""Weights that count more copies than this weigh rows that are drawn once each: a guard, for time."""


def boosted_trees(X: FloatArray, T: FloatArray, weight: FloatArray, *, trees: int, leaves: int) -> Leaves:
    """The leaves of the trees of gradient boosting with squared errors, each on rows drawn with replacement (Friedman
    2001; Breiman 1996).

    Every split is the best of all columns for all targets together. Rows are drawn by their places; a row of weight k
    is drawn like k copies of it that follow each other.

    Args:
        X: rows, shape (n, d).
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0.
        trees: how many.
        leaves: of each tree, at most.
    """
    from sklearn import config_context  # they are imported where they are needed
    from sklearn.tree import DecisionTreeRegressor

    rng, seen = np.random.default_rng(0), np.ascontiguousarray(X, dtype=np.float32)  # as trees see them
    copies = copies_of(weight, _COPIES)
    places, each = (np.arange(len(X)), weight) if copies is None else (copies, np.ones(len(X)))
    left, grown = T - np.average(T, axis=0, weights=weight), []
    coin = np.random.RandomState(0)  # seeded anew, which takes a fiftieth of the time of a new one
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for seed in range(trees):
            drawn = np.bincount(places[rng.integers(len(places), size=len(places))], minlength=len(X))
            coin.seed(seed)
            tree = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=coin)
            tree.fit(seen, left, sample_weight=drawn * each, check_input=False)
            left = left - STEP * tree.tree_.predict(seen).reshape(left.shape)
            grown.append(tree.tree_)
    explained = np.sum([tree.compute_feature_importances(normalize=False) for tree in grown], axis=0)
    return leaves_of(grown, explained / (explained.sum() or 1.0))
