"""What the workloads of the tuned constants are made of: rows, a list of kernels, and a call that takes a second."""

from functools import cache
from typing import Any, Literal

import numpy as np
from sklearn.datasets import load_digits, make_classification

import kernelopt
from kernelopt import SVC
from kernelopt.plugin import FloatArray

from . import _problems

Rows = tuple[FloatArray, Any]


@cache
def rows(n: int, d: int) -> Rows:
    return _problems.rows((n, d))


@cache
def classes(n: int, classes: int) -> Rows:
    """Rows (n, 8) of so many classes that overlap."""
    X, y = make_classification(n, 8, n_informative=6, n_redundant=0, n_classes=classes, random_state=0)
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low), y


def twice(rows: Rows) -> Rows:
    """Every row twice: each kernel matrix is singular."""
    X, y = rows
    return np.vstack([X, X]), np.concatenate([y, y])


def gaussians(normalize: Literal["trace", "diagonal"] = "trace", kernels: int = 24) -> kernelopt.Dictionary:
    """A long list of Gaussians, most of which get no weight."""
    return kernelopt.Dictionary(
        [("rbf", {"gamma": gamma}) for gamma in np.geomspace(1e-3, 1e2, kernels)], normalize=normalize
    )


def solved(rows: Rows, family: Any, solver: Any, C: float = 10.0, tol: float = 1e-4, **options: Any) -> Any:
    X, y = rows
    criterion = options.pop("criterion", SVC(C))
    return kernelopt.solve(X, y, family=family, solver=solver, criterion=criterion, tol=tol, **options)


def digits(n: int) -> Rows:
    X, y = load_digits(return_X_y=True)
    return X[:n], y[:n]


def numbers(n: int, d: int, noise: float = 0.3) -> Rows:
    """Numbers that some of the columns explain."""
    X = rows(n, d)[0]
    y = np.sin(6.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, y + noise * np.random.default_rng(0).normal(size=n)
