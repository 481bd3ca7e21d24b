"""Short problems that the tuned constants were made for, and adverse ones: each takes a second or two."""

from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification, make_moons

import kernelopt
from kernelopt import SVC
from kernelopt._evidence import _laplace
from kernelopt.plugin import Dense, FloatArray

from . import _problems

Rows = tuple[FloatArray, Any]


@cache
def _rows(n: int, d: int) -> Rows:
    return _problems.rows((n, d))


@cache
def _classes(n: int, classes: int) -> Rows:
    """Rows (n, 8) of so many classes that overlap."""
    X, y = make_classification(n, 8, n_informative=6, n_redundant=0, n_classes=classes, random_state=0)
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low), y


def _twice(rows: Rows) -> Rows:
    """Every row twice: each kernel matrix is singular."""
    X, y = rows
    return np.vstack([X, X]), np.concatenate([y, y])


def _list(normalize: str = "trace", kernels: int = 24) -> kernelopt.Dictionary:
    """A long list of Gaussians, most of which get no weight."""
    return kernelopt.Dictionary(
        [("rbf", {"gamma": gamma}) for gamma in np.geomspace(1e-3, 1e2, kernels)], normalize=normalize
    )


def _solved(rows: Rows, family: Any, solver: Any, C: float = 10.0, tol: float = 1e-4, **options: Any) -> Any:
    X, y = rows
    criterion = options.pop("criterion", SVC(C))
    return kernelopt.solve(X, y, family=family, solver=solver, criterion=criterion, tol=tol, **options)


def fw_rows() -> Any:
    """Overlapping classes."""
    return _solved(_rows(400, 20), "tk", "fw", tol=1e-5)


def fw_hard() -> Any:
    """A margin that is all but hard."""
    return _solved(_rows(200, 10), "tk", "fw", C=1e4, tol=1e-5)


def fw_twice() -> Any:
    """Every row twice."""
    return _solved(_twice(_rows(200, 10)), "tk", "fw", tol=1e-5)


def fw_degenerate() -> Any:
    """A double top eigenvalue."""
    X, y, family = _problems.rough()
    return _solved((X, y), family, "fw", C=100.0, tol=1e-6)


def fw_moons() -> Any:
    """Classes that a curve separates."""
    return _solved(make_moons(400, noise=0.05, random_state=0), "tk", "fw", tol=1e-5)


def fw_gaussian() -> Any:
    """Widths that are searched for."""
    return _solved(_rows(200, 10), "gaussian", "fw", C=100.0, tol=1e-5)


def fw_widths() -> Any:
    """A width for every column."""
    return _solved(_rows(200, 10), kernelopt.each("gaussian"), "fw", tol=1e-5)


def fw_cosine() -> Any:
    """Frequencies that are searched for."""
    return _solved(_rows(150, 4), ["cosine", kernelopt.Delta()], "fw", criterion="margin", tol=1e-2)


def fw_cosine_hard() -> Any:
    """Frequencies, at a large C; the search is a draw of chance."""
    return _solved(_rows(150, 4), "cosine", "fw", C=100.0, tol=3e-3, seed=4)


def fw_widths_twice() -> Any:
    """A width for every column, every row twice, at a large C."""
    return _solved(_twice(_rows(150, 20)), kernelopt.each("gaussian"), "fw", C=1e3, tol=1e-6)


def fw_large() -> Any:
    """One output of as many rows as would be thinned if outputs did not count."""
    return _solved(_rows(1000, 20), "tk", "fw", C=1.0, tol=1e-3)


def _digits(n: int) -> Rows:
    X, y = load_digits(return_X_y=True)
    return X[:n], y[:n]


def fw_digits() -> Any:
    """Ten outputs of many rows."""
    return _solved(_digits(1200), _list(kernels=6), "fw", tol=1e-2)


def fw_list() -> Any:
    """A list of Gaussians."""
    return _solved(_rows(400, 20), _list(), "fw", tol=1e-6)


def fw_few_classes() -> Any:
    """Three classes that share one kernel."""
    return _solved(_classes(300, 3), "tk", "fw", tol=1e-4)


def fw_classes() -> Any:
    """So many outputs and rows that a sample is worth learning from."""
    return _solved(_classes(900, 6), "tk", "fw", C=1.0, tol=1e-2)


def auto_columns() -> Any:
    """Thirty columns: the whole P is small, and one output."""
    return _solved(_rows(400, 30), "tk", "auto", tol=1e-4)


def auto_hard() -> Any:
    """A margin that is all but hard."""
    return _solved(_rows(200, 10), "tk", "auto", C=1e4, tol=1e-4)


def auto_features() -> Any:
    """Quadratic forms in some hundred features."""
    return _solved(_rows(400, 6), "gpk", "auto", tol=1e-4)


def auto_many_features() -> Any:
    """Quadratic forms in more than a thousand features."""
    return _solved(_rows(150, 45), "gpk", "auto", tol=1e-2)


def auto_loose() -> Any:
    """A loose tolerance."""
    return _solved(_rows(800, 30), "tk", "auto", C=1.0, tol=1e-2)


def auto_loose_hard() -> Any:
    """The same, at a large C."""
    return _solved(_rows(400, 20), "tk", "auto", C=100.0, tol=1e-2)


def auto_tight() -> Any:
    """A tolerance that is not loose."""
    return _solved(_rows(800, 30), "tk", "auto", C=1.0, tol=1e-4)


def auto_rows() -> Any:
    """More rows than a working set moves."""
    return _solved(_rows(2500, 6), "tk", "auto", C=1.0, tol=1e-3)


def auto_few_classes() -> Any:
    """Three classes of some hundred rows."""
    return _solved(_classes(300, 3), "tk", "auto", tol=1e-3)


def auto_classes() -> Any:
    """More outputs times rows than MOST_TOGETHER."""
    return _solved(_classes(900, 6), "tk", "auto", C=1.0, tol=1e-2)


def smo_list() -> Any:
    """A long list of Gaussians, most of which get no weight."""
    return _solved(_rows(800, 30), _list(), "smo", tol=1e-4)


def smo_hard() -> Any:
    """A margin that is all but hard."""
    return _solved(_rows(400, 10), _list(), "smo", C=1e4, tol=1e-4)


def smo_few() -> Any:
    """Thirty rows, over and over."""
    for _ in range(20):
        done = _solved(_rows(30, 4), _list(kernels=8), "smo", C=100.0, tol=1e-5)
    return done


def smo_more_rows() -> Any:
    """More rows, and a small gap."""
    return _solved(_rows(1500, 10), _list(kernels=8), "smo", C=10.0, tol=1e-5)


def smo_twice() -> Any:
    """Every row twice."""
    return _solved(_twice(_rows(300, 10)), _list(), "smo", C=100.0, tol=1e-5)


def smo_moons() -> Any:
    """Classes that a curve separates."""
    return _solved(make_moons(400, noise=0.05, random_state=0), _list(), "smo", C=100.0, tol=1e-5)


def smo_noise() -> Any:
    """Classes that overlap so much that most variables are at their bound."""
    return _solved(make_moons(800, noise=0.6, random_state=0), _list(), "smo", C=10.0, tol=1e-5)


def smo_tube() -> Any:
    """Regression: two variables to a sample."""
    X, labels = _rows(400, 10)
    y = np.sin(6.0 * X[:, 0]) + X[:, 1] + 0.1 * labels
    return _solved((X, y), _list(), "smo", criterion=kernelopt.SVR(10.0, 0.05), tol=1e-4)


def smo_classes() -> Any:
    """Four classes that share the weights."""
    return _solved(_classes(400, 4), _list(kernels=12), "smo", tol=1e-4)


def path() -> Any:
    """The same rows at growing C, each from the answer before."""
    last = None
    for C in (1.0, 1.2, 1.4, 1.6, 1.8, 2.0):
        last = _solved(_rows(400, 20), "tk", "ipm", C=C, tol=1e-4, start=last)
    return last


def apd_rows() -> Any:
    """Overlapping classes, by gradient steps."""
    return _solved(_rows(200, 10), "tk", "apd", C=1.0, tol=1e-4)


def apd_hard() -> Any:
    """The same, at a larger C."""
    return _solved(_rows(200, 10), "tk", "apd", C=30.0, tol=1e-3)


def apd_list() -> Any:
    """The weights of a list, by gradient steps."""
    return _solved(_rows(200, 10), _list(kernels=6), "apd", C=10.0, tol=1e-4)


def apd_twice() -> Any:
    """Every row twice, by gradient steps."""
    return _solved(_twice(_rows(100, 6)), "tk", "apd", C=10.0, tol=1e-3)


def apd_classes() -> Any:
    """Three classes that share a kernel, by gradient steps."""
    return _solved(_classes(300, 3), "tk", "apd", C=1.0, tol=1e-2)


def path_far() -> Any:
    """The same rows at much larger C each time: the answer before is far away."""
    last = None
    for C in (0.1, 1.0, 10.0, 100.0, 1e4):
        last = _solved(_rows(300, 10), "tk", "ipm", C=C, tol=1e-4, start=last)
    return last


def path_twice() -> Any:
    """The same, every row twice."""
    last = None
    for C in (0.1, 1.0, 100.0, 1.0):
        last = _solved(_twice(_rows(150, 10)), "tk", "ipm", C=C, tol=1e-5, start=last)
    return last


def apd_tight() -> Any:
    """A tight tolerance."""
    return _solved(_rows(200, 10), "tk", "apd", C=100.0, tol=1e-5)


def _kinked(seed: int) -> Rows:
    """Few rows in the plane: with kernels of one feature the best dual variables are not unique."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=24)
    return X, np.where(signal > np.median(signal), 1, -1)


def simple_kinks() -> Any:
    """A list of kernels of two features each: the value has kinks."""
    kernels = kernelopt.sampled("cosine", 60)
    return _solved(_kinked(0), kernels, "simplemkl", criterion="nu-svc", tol=1e-6, seed=1)


def simple_kinks_svc() -> Any:
    """The same for a soft margin."""
    return _solved(_kinked(0), kernelopt.sampled("cosine", 60), "simplemkl", criterion="svc", tol=1e-6, seed=1)


def _numbers(n: int, d: int, noise: float = 0.3) -> Rows:
    """Numbers that some of the columns explain."""
    X = _rows(n, d)[0]
    y = np.sin(6.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, y + noise * np.random.default_rng(0).normal(size=n)


def _likely(rows: Rows, family: Any, tol: float = 1e-4, **options: Any) -> Any:
    return _solved(rows, family, options.pop("solver", "auto"), criterion="evidence", tol=tol, **options)


def evidence_classes() -> Any:
    """Two classes, a streamed list."""
    return _likely(_rows(700, 10), "auto")


def evidence_numbers() -> Any:
    """Numbers, a streamed list."""
    return _likely(_numbers(700, 10), "auto")


def evidence_digits() -> Any:
    """Ten outputs that share the kernel."""
    return _likely(_digits(500), _list())


def evidence_held() -> Any:
    """A list that is held, of many Gaussians that are alike."""
    return _likely(_numbers(300, 10), _list(kernels=40))


def evidence_twice() -> Any:
    """Every row twice."""
    return _likely(_twice(_numbers(250, 10)), "auto")


def evidence_few() -> Any:
    """Thirty rows, over and over."""
    for _ in range(20):
        done = _likely(_numbers(30, 4), "auto")
    return done


def evidence_tk() -> Any:
    """Matrices, whose atoms are searched for."""
    return _likely(_numbers(200, 6), "tk")


def evidence_widths() -> Any:
    """Widths that are searched for."""
    return _likely(_numbers(200, 6), "gaussian")


def evidence_columns() -> Any:
    """A width for every column."""
    return _likely(_numbers(80, 4), kernelopt.each("gaussian"), tol=1e-2)


def evidence_reweighted() -> Any:
    """By tangents."""
    return _likely(_numbers(200, 6), "tk", solver="reweighted")


def evidence_list_tk() -> Any:
    """A list and matrices."""
    return _likely(_numbers(150, 6), ["tk", _list(kernels=6)])


def _odds(rows: Rows) -> None:
    """What predicts two classes with a Gaussian kernel."""
    X, labels = rows
    K = np.exp(-4.0 * ((X[:, None] - X) ** 2).sum(axis=2)) + 0.1 * np.eye(len(X))
    y = np.where(labels == 1, 1.0, -1.0)
    _laplace._found(_laplace.Classes(Dense(K), 0.1, y), np.random.default_rng(0))  # noqa: SLF001


def evidence_many_rows() -> Any:
    """Many rows by features, which need no rehearsal on some of them."""
    return _likely(_numbers(20_000, 6), kernelopt.sampled("cosine", 150), tol=1e-2)


def laplace_rows() -> None:
    """Classes by their odds, of so many rows that some of them learn the scale."""
    _odds(_rows(1200, 10))


def laplace_few() -> None:
    """Of so few that all do."""
    _odds(_rows(300, 10))


def _answered(rows: Rows, gamma: float, C: float) -> None:
    """The best dual variables for one Gaussian kernel, ten times."""
    X, labels = rows
    y = np.where(labels == labels.max(), 1.0, -1.0)
    problem = _problems.bound(kernelopt.Dictionary([("rbf", {"gamma": gamma})], normalize=None), X, y, SVC(C))
    for _ in range(10):
        problem.respond(problem.center())


def dual_narrow() -> None:
    """A narrow Gaussian."""
    _answered(_rows(1500, 10), 10.0, 10.0)


def dual_hard() -> None:
    """A margin that is all but hard."""
    _answered(_rows(800, 10), 1.0, 1e4)


def dual_moons() -> None:
    """Classes that a curve separates."""
    _answered(make_moons(1500, noise=0.1, random_state=0), 5.0, 1e3)
