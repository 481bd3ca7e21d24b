"""Short problems for the other solvers: gradient steps, planes, and the interior point along a path."""

from typing import Any

import numpy as np

import kernelopt

from . import _short_problems as short


def apd_rows() -> Any:
    """Overlapping classes, by gradient steps."""
    return short.solved(short.rows(200, 10), "tk", "apd", C=1.0, tol=1e-4)


def apd_hard() -> Any:
    """The same, at a larger C."""
    return short.solved(short.rows(200, 10), "tk", "apd", C=30.0, tol=1e-3)


def apd_list() -> Any:
    """The weights of a list, by gradient steps."""
    return short.solved(short.rows(200, 10), short.gaussians(kernels=6), "apd", C=10.0, tol=1e-4)


def apd_twice() -> Any:
    """Every row twice, by gradient steps."""
    return short.solved(short.twice(short.rows(100, 6)), "tk", "apd", C=10.0, tol=1e-3)


def apd_classes() -> Any:
    """Three classes that share a kernel, by gradient steps."""
    return short.solved(short.classes(300, 3), "tk", "apd", C=1.0, tol=1e-2)


def apd_tight() -> Any:
    """A tight tolerance."""
    return short.solved(short.rows(200, 10), "tk", "apd", C=100.0, tol=1e-5)


def path() -> Any:
    """The same rows at growing C, each from the answer before."""
    last = None
    for C in (1.0, 1.2, 1.4, 1.6, 1.8, 2.0):
        last = short.solved(short.rows(400, 20), "tk", "ipm", C=C, tol=1e-4, start=last)
    return last


def path_far() -> Any:
    """The same rows at much larger C each time: the answer before is far away."""
    last = None
    for C in (0.1, 1.0, 10.0, 100.0, 1e4):
        last = short.solved(short.rows(300, 10), "tk", "ipm", C=C, tol=1e-4, start=last)
    return last


def path_twice() -> Any:
    """The same, every row twice."""
    last = None
    for C in (0.1, 1.0, 100.0, 1.0):
        last = short.solved(short.twice(short.rows(150, 10)), "tk", "ipm", C=C, tol=1e-5, start=last)
    return last


def _kinked(seed: int) -> short.Rows:
    """Few rows in the plane: with kernels of one feature the best dual variables are not unique."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=24)
    return X, np.where(signal > np.median(signal), 1, -1)


def simple_kinks() -> Any:
    """A list of kernels of two features each: the value has kinks."""
    kernels = kernelopt.sampled("cosine", 60)
    return short.solved(_kinked(0), kernels, "simplemkl", criterion="nu-svc", tol=1e-6, seed=1)


def simple_kinks_svc() -> Any:
    """The same for a soft margin."""
    return short.solved(_kinked(0), kernelopt.sampled("cosine", 60), "simplemkl", criterion="svc", tol=1e-6, seed=1)
