"""Short problems for the sequential minimal optimisation of a list, and adverse ones."""

from typing import Any

import numpy as np
from sklearn.datasets import make_moons

import kernelopt

from . import _short_problems as short


def smo_list() -> Any:
    """A long list of Gaussians, most of which get no weight."""
    return short.solved(short.rows(800, 30), short.gaussians(), "smo", tol=1e-4)


def smo_hard() -> Any:
    """A margin that is all but hard."""
    return short.solved(short.rows(400, 10), short.gaussians(), "smo", C=1e4, tol=1e-4)


def smo_few() -> Any:
    """Thirty rows, over and over."""
    for _ in range(20):
        done = short.solved(short.rows(30, 4), short.gaussians(kernels=8), "smo", C=100.0, tol=1e-5)
    return done


def smo_more_rows() -> Any:
    """More rows, and a small gap."""
    return short.solved(short.rows(1500, 10), short.gaussians(kernels=8), "smo", C=10.0, tol=1e-5)


def smo_twice() -> Any:
    """Every row twice."""
    return short.solved(short.twice(short.rows(300, 10)), short.gaussians(), "smo", C=100.0, tol=1e-5)


def smo_moons() -> Any:
    """Classes that a curve separates."""
    return short.solved(make_moons(400, noise=0.05, random_state=0), short.gaussians(), "smo", C=100.0, tol=1e-5)


def smo_noise() -> Any:
    """Classes that overlap so much that most variables are at their bound."""
    return short.solved(make_moons(800, noise=0.6, random_state=0), short.gaussians(), "smo", C=10.0, tol=1e-5)


def smo_tube() -> Any:
    """Regression: two variables to a sample."""
    X, labels = short.rows(400, 10)
    y = np.sin(6.0 * X[:, 0]) + X[:, 1] + 0.1 * labels
    return short.solved((X, y), short.gaussians(), "smo", criterion=kernelopt.SVR(10.0, 0.05), tol=1e-4)


def smo_classes() -> Any:
    """Four classes that share the weights."""
    return short.solved(short.classes(400, 4), short.gaussians(kernels=12), "smo", tol=1e-4)
