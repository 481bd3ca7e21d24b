"""Short problems for the constants of single solvers, of solvers around solvers and of searches."""

from typing import Any

import numpy as np
from sklearn.datasets import make_moons

import kernelopt

from . import _short_problems as short


def _worst(solutions: list[Any]) -> Any:
    """The solution that is farthest from what it was asked for."""
    return max(solutions, key=lambda one: (not one.status.converged, one.certificate.relative_gap))


def _cones(rows: Any, kernels: int = 12, **options: Any) -> Any:
    """By cones, with so small a sample and so narrow a band that both matter for few rows."""
    return short.solved(rows, short.gaussians(kernels=kernels), {"name": "qcqp", "band": 40, "rough": 50}, **options)


def qcqp_list() -> Any:
    """A long list of Gaussians, most of which get no weight."""
    return _cones(short.rows(250, 10), kernels=60, tol=1e-4)


def qcqp_tight() -> Any:
    """A tight tolerance."""
    return _cones(short.rows(200, 10), C=1.0, tol=1e-8)


def qcqp_short() -> Any:
    """A short list of Gaussians, of which one has weight."""
    return short.solved(short.rows(200, 10), short.gaussians(), "qcqp", C=1.0, tol=1e-6)


def qcqp_steep() -> Any:
    """The same with a large C, where several have weight."""
    return short.solved(short.rows(200, 10), short.gaussians(), "qcqp", C=100.0, tol=1e-6)


def qcqp_twice() -> Any:
    """Every row twice."""
    return _cones(short.twice(short.rows(120, 10)), C=100.0, tol=1e-5)


def _sets(rows: Any, solver: str = "ipm", band: int = 200, **options: Any) -> Any:
    return short.solved(rows, "tk", {"name": "working-set", "solver": solver, "band": band}, **options)


def sets_rows() -> Any:
    """Overlapping classes, a set of some of their rows."""
    return _sets(short.rows(600, 6), band=80, C=1.0, tol=1e-3)


def sets_moons() -> Any:
    """Classes that a curve separates: few rows matter."""
    return _sets(make_moons(1000, noise=0.1, random_state=0), band=50, C=10.0, tol=1e-4)


def sets_hard() -> Any:
    """A margin that is all but hard."""
    return _sets(short.rows(300, 10), band=60, C=1e4, tol=1e-4)


def exchange_frequencies() -> Any:
    """Frequencies that an exchange finds for an interior point."""
    return short.solved(short.rows(150, 4), "cosine", "ipm", C=10.0, tol=1e-3)


def exchange_widths() -> Any:
    """A width for every column, by an exchange, to a tight tolerance."""
    return short.solved(short.rows(150, 6), kernelopt.each("gaussian"), "ipm", C=10.0, tol=1e-6)


def qcqp_columns() -> Any:
    """Some hundred kernels, of single columns and of all."""
    return short.solved(short.rows(300, 60), "auto", {"name": "qcqp", "band": 40, "rough": 50}, tol=1e-4)


def qcqp_last() -> Any:
    """Numbers that a squared loss fits all but exactly, to a tight tolerance."""
    X, _ = make_moons(160, noise=0.1, random_state=0)
    y = np.sin(6.0 * X[:, 0]) + X[:, 1] + 0.1 * np.random.default_rng(0).normal(size=160)
    solver = {"name": "qcqp", "band": 8, "rough": 20, "add": 2}
    return _worst(
        [
            short.solved((X, y), short.gaussians(kernels=8), solver, criterion=criterion, tol=1e-9)
            for criterion in (kernelopt.SVR(100.0, 0.01), "ridge")
        ]
    )


def qcqp_few() -> Any:
    """Fewer rows than twice the sample; with a squared loss every dual variable moves."""
    solver = {"name": "qcqp", "band": 50, "rough": 100}
    return short.solved(short.numbers(150, 6), short.gaussians(), solver, criterion="ridge", tol=1e-5)


def _plane(seed: int = 5) -> Any:
    """Few rows in the plane, numbers that they explain but for noise, and the classes of large and small ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=24)
    return X, signal, np.where(signal > np.median(signal), 1, -1)


def exchange_kinks() -> Any:
    """Kernels of two features, and a solver whose dual variables are then not unique."""
    X, _, y = _plane()
    return short.solved((X, y), ["cosine", "delta"], "simplemkl", criterion="nu-svc", tol=1e-4, seed=1)


def exchange_creeping() -> Any:
    """Quadratic forms of so few rows that the dual variables are hardly ever unique, to a tight tolerance."""
    return short.solved(short.numbers(20, 4), "gpk", "simplemkl", criterion="svr", tol=1e-5, max_seconds=60)


def exchange_forms() -> Any:
    """Quadratic forms that an exchange finds for a solver of lists."""
    X, _, y = _plane()
    return short.solved((X, y), "gpk", "simplemkl", criterion="svc", tol=1e-4, seed=1)


def fw_still() -> Any:
    """A tight tolerance, where a rough master moves nothing."""
    X, y, _ = _plane()
    return short.solved((X, y), ["tk", "dictionary"], "fw", criterion="ridge", tol=1e-8, seed=1)


def turned_forms() -> Any:
    """Quadratic forms in features, their atoms as a list."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=20)
    return short.solved((X, y), "gpk", "qcqp", criterion="svr", tol=1e-5)


def frequencies() -> Any:
    """Frequencies for thousands of rows, of which few are near the margin."""
    return short.solved(make_moons(12000, noise=0.1, random_state=0), "cosine", "fw", C=10.0, tol=1e-3)


def frequencies_apart() -> Any:
    """The same, in four columns."""
    y = np.where(np.arange(6000) % 2, 1, -1)
    X = np.random.default_rng(0).normal(size=(6000, 4)) + 1.2 * y[:, None]
    return short.solved((X, y), "cosine", "fw", C=1.0, tol=1e-2)
