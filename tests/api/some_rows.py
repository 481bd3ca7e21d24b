"""Rows with numbers, two classes and three, from which tests of many rows learn."""

import attrs
import numpy as np


@attrs.frozen(eq=False)
class Rows:
    """Rows X, a function F of them, and targets by it; new rows Z."""

    X: np.ndarray
    F: np.ndarray
    numbers: np.ndarray
    labels: np.ndarray
    three: np.ndarray
    Z: np.ndarray


def smooth(X):
    """A function of four columns."""
    return np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]


def some_rows(n):
    """So many rows, and 200 new ones."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    F = smooth(X)
    numbers = 3.0 + F + 0.2 * rng.normal(size=n)
    return Rows(X, F, numbers, np.where(F > 0.0, "yes", "no"), np.digitize(F, [-0.5, 0.5]), rng.normal(size=(200, 4)))
