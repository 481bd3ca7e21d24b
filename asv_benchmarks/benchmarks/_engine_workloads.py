"""One kernel that is answered over and over, so that the solver around the engine counts for nothing."""

import numpy as np
from sklearn.datasets import make_moons

import kernelopt
from kernelopt import SVC

from . import _problems
from . import _short_problems as short


def _answered(rows: short.Rows, gamma: float, C: float) -> None:
    """The best dual variables for one Gaussian kernel, ten times."""
    X, labels = rows
    y = np.where(labels == labels.max(), 1.0, -1.0)
    problem = _problems.bound(kernelopt.Dictionary([("rbf", {"gamma": gamma})], normalize=None), X, y, SVC(C))
    for _ in range(10):
        problem.respond(problem.center())


def dual_narrow() -> None:
    """A narrow Gaussian."""
    _answered(short.rows(1500, 10), 10.0, 10.0)


def dual_hard() -> None:
    """A margin that is all but hard."""
    _answered(short.rows(800, 10), 1.0, 1e4)


def dual_moons() -> None:
    """Classes that a curve separates."""
    _answered(make_moons(1500, noise=0.1, random_state=0), 5.0, 1e3)
