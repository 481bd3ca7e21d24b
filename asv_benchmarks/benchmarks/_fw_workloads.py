"""Short problems for Frank-Wolfe, and adverse ones."""

from typing import Any

from sklearn.datasets import make_friedman1, make_moons

import kernelopt

from . import _problems
from . import _short_problems as short


def fw_rows() -> Any:
    """Overlapping classes."""
    return short.solved(short.rows(400, 20), "tk", "fw", tol=1e-5)


def fw_hard() -> Any:
    """A margin that is all but hard."""
    return short.solved(short.rows(200, 10), "tk", "fw", C=1e4, tol=1e-5)


def fw_twice() -> Any:
    """Every row twice."""
    return short.solved(short.twice(short.rows(200, 10)), "tk", "fw", tol=1e-5)


def fw_degenerate() -> Any:
    """A double top eigenvalue."""
    X, y, family = _problems.rough()
    return short.solved((X, y), family, "fw", C=100.0, tol=1e-6)


def fw_moons() -> Any:
    """Classes that a curve separates."""
    return short.solved(make_moons(400, noise=0.05, random_state=0), "tk", "fw", tol=1e-5)


def fw_gaussian() -> Any:
    """Widths that are searched for."""
    return short.solved(short.rows(200, 10), "gaussian", "fw", C=100.0, tol=1e-5)


def fw_widths() -> Any:
    """A width for every column."""
    return short.solved(short.rows(200, 10), kernelopt.each("gaussian"), "fw", tol=1e-5)


def fw_cosine() -> Any:
    """Frequencies that are searched for."""
    return short.solved(short.rows(150, 4), ["cosine", kernelopt.Delta()], "fw", criterion="margin", tol=1e-2)


def fw_cosine_hard() -> Any:
    """Frequencies, at a large C; the search is a draw of chance."""
    return short.solved(short.rows(150, 4), "cosine", "fw", C=100.0, tol=3e-3, seed=4)


def fw_cosine_many() -> Any:
    """Frequencies, of which the best kernel has many."""
    return short.solved(short.rows(300, 10), "cosine", "fw", C=1.0, tol=1e-3)


def fw_widths_twice() -> Any:
    """A width for every column, every row twice, at a large C."""
    return short.solved(short.twice(short.rows(150, 20)), kernelopt.each("gaussian"), "fw", C=1e3, tol=1e-6)


def fw_large() -> Any:
    """One output of as many rows as would be thinned if outputs did not count."""
    return short.solved(short.rows(1000, 20), "tk", "fw", C=1.0, tol=1e-3)


def fw_digits() -> Any:
    """Ten outputs of many rows."""
    return short.solved(short.digits(1200), short.gaussians(kernels=6), "fw", tol=1e-2)


def fw_tube() -> Any:
    """Targets of many rows, most of which end at a bound."""
    X, y = make_friedman1(1500, noise=1.0, random_state=0)
    tube = kernelopt.SVR(C=1.0, epsilon=0.1)
    return short.solved((X, (y - y.mean()) / y.std()), "gaussian", "fw", criterion=tube, tol=1e-3)


def fw_list() -> Any:
    """A list of Gaussians."""
    return short.solved(short.rows(400, 20), short.gaussians(), "fw", tol=1e-6)


def fw_few_classes() -> Any:
    """Three classes that share one kernel."""
    return short.solved(short.classes(300, 3), "tk", "fw", tol=1e-4)


def fw_classes() -> Any:
    """So many outputs and rows that a sample is worth learning from."""
    return short.solved(short.classes(900, 6), "tk", "fw", C=1.0, tol=1e-2)
