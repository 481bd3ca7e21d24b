"""Short problems of the evidence, and of the odds that two classes are predicted with."""

from typing import Any

import numpy as np
from sklearn.datasets import make_moons

import kernelopt
from kernelopt._evidence.classes import _laplace
from kernelopt.plugin import Dense

from . import _short_problems as short


def _likely(rows: short.Rows, family: Any, tol: float = 1e-4, **options: Any) -> Any:
    criterion = {"name": "evidence", "effort": options.pop("effort", "quick")}
    return short.solved(rows, family, options.pop("solver", "auto"), criterion=criterion, tol=tol, **options)


def evidence_classes() -> Any:
    """Two classes, a streamed list."""
    return _likely(short.rows(700, 10), "auto")


def evidence_numbers() -> Any:
    """Numbers, a streamed list."""
    return _likely(short.numbers(700, 10), "auto")


def evidence_growing() -> Any:
    """Three of twelve columns matter: a list that learned metrics join."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 12))
    y = np.sin(2.0 * X[:, 0] * X[:, 1]) + X[:, 2] ** 2 + 0.1 * rng.normal(size=600)
    return _likely((X, y), "auto", tol=1e-3, effort="normal")


def evidence_ridges() -> Any:
    """Two of ten columns matter, and which of two classes a row has changes along each at another rate."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    y = np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=300) > 0.0, "above", "below")
    return _likely((X, y), "auto", tol=1e-3, effort="normal")


def evidence_digits() -> Any:
    """Ten outputs that share the kernel."""
    return _likely(short.digits(500), short.gaussians())


def evidence_held() -> Any:
    """A list that is held, of many Gaussians that are alike."""
    return _likely(short.numbers(300, 10), short.gaussians(kernels=40))


def evidence_twice() -> Any:
    """Every row twice."""
    return _likely(short.twice(short.numbers(250, 10)), "auto")


def evidence_rows() -> Any:
    """Rows enough that a factorisation may be worth all threads."""
    return _likely(short.numbers(4000, 6), "auto", tol=1e-2)


def evidence_few() -> Any:
    """Thirty rows, over and over."""
    for _ in range(20):
        done = _likely(short.numbers(30, 4), "auto")
    return done


def evidence_tk() -> Any:
    """Matrices, whose atoms are searched for."""
    return _likely(short.numbers(200, 6), "tk")


def evidence_widths() -> Any:
    """Widths that are searched for."""
    return _likely(short.numbers(200, 6), "gaussian")


def evidence_columns() -> Any:
    """A width for every column."""
    return _likely(short.numbers(80, 4), kernelopt.each("gaussian"), tol=1e-2)


def evidence_reweighted() -> Any:
    """By tangents."""
    return _likely(short.numbers(100, 4), "gaussian", solver="reweighted")


def evidence_reweighted_tight() -> Any:
    """By tangents, to a tight tolerance: the widths of an oracle draw near to one another."""
    return _likely(short.numbers(100, 6), "gaussian", solver="reweighted", tol=1e-6)


def evidence_cosine() -> Any:
    """Frequencies that are searched for: what counts is the value."""
    return _likely(short.numbers(80, 4), "cosine", tol=1e-3)


def evidence_norms() -> Any:
    """Two priors with a tip each."""
    prior = {"name": "hyperkernel", "penalty": "norm", "lambda_q": 1.0}
    return _likely(short.numbers(60, 4), [prior, prior | {"lambda_q": 10.0}], tol=1e-6)


def evidence_rough() -> Any:
    """Many rows, a list that is held, and a tolerance that single precision does not harm."""
    return _likely(short.numbers(2000, 6), short.gaussians(kernels=4), tol=1e-3)


def evidence_list_tk() -> Any:
    """A list and matrices."""
    return _likely(short.numbers(150, 6), ["tk", short.gaussians(kernels=6)])


def evidence_many_rows() -> Any:
    """Many rows by features, which need no rehearsal on some of them."""
    return _likely(short.numbers(20_000, 6), kernelopt.sampled("cosine", 150), tol=1e-2)


def evidence_waves() -> Any:
    """Waves so short that they look like noise: what counts is the value."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.0, 1.0, size=(100, 2))
    return _likely((X, np.sin(20.0 * X[:, 0]) + 0.1 * rng.normal(size=100)), "auto", tol=1e-3)


def evidence_hills() -> Any:
    """A hill or a valley somewhere in a row of any size, which few rows do not tell apart: what counts is the value."""
    rng = np.random.default_rng(0)
    up, along = rng.uniform(size=(350, 1)) < 0.5, np.linspace(0.0, 1.0, 30)
    place, size, width = rng.uniform(0.1, 0.9, (350, 1)), 10.0 ** rng.uniform(0, 4, (350, 1)), rng.uniform(0.02, 0.2)
    bump = np.where(up, 0.2, -0.2) * np.exp(-(((along - place) / width) ** 2))
    return _likely((size * (1.0 + bump + 0.02 * rng.normal(size=bump.shape)), up.ravel()), "auto", tol=1e-3)


def _odds(rows: short.Rows) -> None:
    """What predicts two classes with a Gaussian kernel."""
    X, labels = rows
    K = np.exp(-4.0 * ((X[:, None] - X) ** 2).sum(axis=2)) + 0.1 * np.eye(len(X))
    y = np.where(labels == 1, 1.0, -1.0)
    _laplace._found(_laplace.Classes(Dense(K), 0.1, y, np.ones(len(y))), np.random.default_rng(0))  # noqa: SLF001


def laplace_rows() -> None:
    """Classes by their odds, of so many rows that some of them learn the scale."""
    _odds(short.rows(1200, 10))


def laplace_few() -> None:
    """Of so few that all do."""
    _odds(short.rows(300, 10))


def laplace_curve() -> None:
    """Classes that a curve separates."""
    _odds(make_moons(300, noise=0.05, random_state=0))


def laplace_weak() -> None:
    """Classes that nothing tells apart."""
    _odds((short.rows(300, 10)[0], np.random.default_rng(0).integers(0, 2, 300)))
