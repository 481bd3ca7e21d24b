"""Whether a forest knows something of the targets that a learned function does not: a look that costs little, before
kernels of trees are tried.
"""

import numpy as np

from kernelopt._api._validate import Request
from kernelopt._api.growth._fits import Fitted
from kernelopt._api.growth._steps import grows
from kernelopt._base._copies import copies_of
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary.growth._telling_columns import telling_columns

_TREES = 30
"""As many as a forest needs to be better than each of them."""
_COLUMNS, _SHARE = 32, 1 / 3
"""Each split looks at so many columns, or at this share of more than 96: a look at hundreds takes too long."""
_COPIES = 10_000
"""Weights that count more copies than this weigh rows that are drawn once each: a guard, for time."""
_SMALL = 50_000
"""And at all where there are no more numbers than these: where few of many columns matter, other splits are wasted."""


def losses(request: Request, values: FloatArray, rows: IntArray) -> FloatArray:
    """What some training rows (n',) lose where these values, shape (n', c), are predicted of them, shape (n',)."""
    training = request.training
    targets = training.y[rows] + training.level
    return request.objective.losses(values + training.level, targets, training.weight[rows, 0])


def advice(request: Request, fit: Fitted, rows: IntArray) -> float:
    """How much less rows that were held out lose, in the mean, by the mean of a function and of a forest that has
    learned from the same rows, than by the function; 0 where no kernels of trees may join a family.
    """
    if not any(grows(leaf) for leaf in fit.leaves):
        return 0.0
    from sklearn.ensemble import RandomForestRegressor  # it is imported where it is needed

    training, learned = request.training, request.training.in_place(fit.rows)
    y, weight = training.y[learned], training.weight[learned, 0]
    X, Z = _in_unit_range(_seen(fit, training.X[learned]), _seen(fit, training.X[rows]))
    columns = telling_columns(X, y, weight)
    X, Z = X[:, columns], Z[:, columns]
    looked_at = X.shape[1] if X.size <= _SMALL else min(X.shape[1], max(_COLUMNS, int(_SHARE * X.shape[1])))
    forest = RandomForestRegressor(_TREES, max_features=looked_at, random_state=0)
    copies = copies_of(weight, _COPIES)
    if copies is not None:
        X, y, weight = X[copies], y[copies], np.ones(len(copies))
    forest.fit(X, y if y.shape[1] > 1 else y[:, 0], sample_weight=weight)
    advised = forest.predict(Z).reshape(len(rows), -1)
    values = fit.values(training, rows)
    gain = losses(request, values, rows) - losses(request, 0.5 * (values + advised), rows)
    return float(np.average(gain, weights=training.weight[rows, 0]))


def _seen(fit: Fitted, X: FloatArray) -> FloatArray:
    """Rows X (n, d) as the families see them that kernels may join, shape (n, d')."""
    return np.hstack([leaf.indicated(X) for leaf in fit.leaves if grows(leaf)])


def _in_unit_range(X: FloatArray, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rows X (n, d) and Z (n', d) with every column of X in [0, 1]: trees of scikit-learn see columns in single
    precision, in which numbers above 1e38 are infinite, and large ones that differ by little are one. No split lies
    outside [0, 1], so Z is cut off there.
    """
    size = np.abs(X).max(axis=0)
    size[size == 0.0] = 1.0
    least = (X / size).min(axis=0)
    reach = (X / size).max(axis=0) - least
    reach[reach == 0.0] = 1.0
    first, second = ((rows / size - least) / reach for rows in (X, Z))
    return first, np.clip(second, 0.0, 1.0)
