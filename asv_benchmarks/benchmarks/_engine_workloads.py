"""One kernel that is answered over and over, without a solver around the engine; and the interior point by itself."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

import kernelopt
from kernelopt import SVC, Margin, NuSVC
from kernelopt._linalg._gram import LowRank
from kernelopt.dual import Engine, maximise, maximise_thin
from kernelopt.plugin import Problem

from . import _problems
from . import _short_problems as short


def _gaussian(rows: short.Rows, gamma: float, C: float) -> Problem:
    X, labels = rows
    y = np.where(labels == labels.max(), 1.0, -1.0)
    return _problems.bound(kernelopt.Dictionary([("rbf", {"gamma": gamma})], normalize=None), X, y, SVC(C))


def _answered(rows: short.Rows, gamma: float, C: float) -> None:
    """The best dual variables for one Gaussian kernel, ten times."""
    problem = _gaussian(rows, gamma, C)
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


def dual_interior() -> None:
    """By the engine's interior point alone."""
    problem = _gaussian(short.rows(1500, 10), 0.5, 100.0)
    gram, (qp,) = problem.gram(problem.center()), problem.outputs
    primal = partial(problem.criterion.primal, qp, gram)
    maximise(qp, gram, primal, accuracy=1e-8, options=Engine(patience=0.0))


def dual_factors() -> None:
    """By the interior point, for two hundred features of thousands of rows and a ridge, which are a margin's."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2400, 20))
    y = np.sign(X[:, 0] + X[:, 1] * X[:, 2])
    phase = X @ rng.normal(size=(20, 100)) * 0.3
    gram = LowRank(np.hstack([np.cos(phase), np.sin(phase)]) * 0.1, 0.03)
    problem = _problems.bound(kernelopt.Dictionary([("linear", {})], normalize=None), X, y, Margin())
    (qp,) = problem.outputs
    maximise_thin(qp, gram, partial(problem.criterion.primal, qp, gram), accuracy=1e-6)


def dual_wide() -> None:
    """A wide Gaussian that few columns span, where classes all but cover each other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 5))
    y = np.sign(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=1500))
    family = kernelopt.Dictionary([("rbf", {"gamma": 0.002})], normalize=None)
    problem = _problems.bound(family, X, y, NuSVC(nu=0.4))
    problem.respond(problem.center())


def ipm_list() -> Any:
    """A list by the structured interior point."""
    return short.solved(short.rows(300, 10), short.gaussians(), "ipm", tol=1e-6)


def ipm_moons() -> Any:
    """Classes that a curve separates, by matrices."""
    return short.solved(make_moons(300, noise=0.05, random_state=0), "tk", "ipm", C=1e3, tol=1e-6)
