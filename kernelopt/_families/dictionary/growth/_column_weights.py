"""How much each of many columns says of the targets, by itself or in a linear function of few columns."""

import warnings

import numpy as np

from kernelopt._base._typing import FloatArray

_OUTPUTS, _ENTRIES, _ROWS = 4, 400_000, 20
"""A sparse function is sought for so many outputs and entries of the rows at most: a guard, for time. With fewer rows
than the last number too few are held out to say how sparse it is."""
_PRICES, _LEAST, _PARTS, _PASSES, _CLOSE = 30, 1e-2, 3, 500, 1e-3
"""Of the sparse function: how many prices of a slope are tried, the least beside the largest, in how many parts rows
are held out in turn, how many passes over the columns there are at most, and how close to its minimum it is. Guards,
for time."""


def variances(X: FloatArray, weight: FloatArray) -> FloatArray:
    """Of the columns of X (n, d) with weights (n,), shape (d,)."""
    return np.asarray(np.average(np.square(X - np.average(X, axis=0, weights=weight)), axis=0, weights=weight))


def correlations(X: FloatArray, T: FloatArray, weight: FloatArray) -> FloatArray:
    """Of each column of X (n, d) with targets T (n, c), their root mean square over these, shape (d,); 0 of a column
    that does not vary.
    """
    w = (weight / weight.sum())[:, None]
    X, T = X - (w * X).sum(axis=0), T - (w * T).sum(axis=0)
    sizes = np.outer((w * X**2).sum(axis=0), (w * T**2).sum(axis=0))
    squares = np.divide((X.T @ (w * T)) ** 2, sizes, out=np.zeros_like(sizes), where=sizes > 0.0)
    return np.asarray(np.sqrt(squares.mean(axis=1)))


def sparse_slopes(X: FloatArray, T: FloatArray, weight: FloatArray) -> FloatArray:
    """Absolute slopes of sparse linear functions of the columns of X (n, d) in standard units, summed over the targets
    T (n, c), shape (d,); parts of the rows that are held out say how sparse they are. All are 0 where it would take too
    long, and where rows are too few.
    """
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import KFold

    total = np.zeros(X.shape[1])
    if T.shape[1] > _OUTPUTS or X.size > _ENTRIES or len(X) < _ROWS:
        return total
    deviation, sizes = np.sqrt(variances(X, weight)), np.sqrt(variances(T, weight))
    varies = deviation > 0.0
    standard = (X[:, varies] - np.average(X[:, varies], axis=0, weights=weight)) / deviation[varies]
    parts = KFold(_PARTS, shuffle=True, random_state=0)  # rows may be sorted by their targets
    options = {"alphas": _PRICES, "eps": _LEAST, "max_iter": _PASSES, "tol": _CLOSE, "cv": parts, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a function that is not quite the sparsest serves as well
        for t, size in zip(T.T, sizes, strict=True):
            if size > 0.0:
                total[varies] += np.abs(LassoCV(**options).fit(standard, t, sample_weight=weight).coef_) / size
    return total
