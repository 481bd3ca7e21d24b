"""Everyday work beside scikit-learn: an import, small problems, prediction, a search without tuning, Gram matrices.

`python asv_benchmarks/peers.py everyday` prints the lines.
"""

import resource
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import numpy as np
from _pair import Pair, medians
from benchmarks import _problems
from kernelopt_tk import TK
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelopt
from kernelopt.plugin import Leaf, Problem


def pairs(quick: bool) -> Iterator[Pair]:
    """All of them; quick leaves out the larger sizes."""
    yield from imports()
    yield from small()
    yield from untuned(300 if quick else 800)
    yield from grams(500 if quick else 2000)


def imports() -> Iterator[Pair]:
    """What an import adds to an interpreter that has numpy and scipy."""

    def seconds(code: str) -> float:
        taken = []
        for _ in range(5):
            began = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            ended = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime)
        return float(np.median(taken))

    bare = seconds("pass")
    ours, theirs = (max(seconds(f"import {name}") - bare, 1e-4) for name in ("kernelopt", "sklearn.svm"))
    yield Pair("import kernelopt; sklearn.svm", ours, theirs, 1.0)


def small() -> Iterator[Pair]:
    """A hundred rows: a fixed Gaussian kernel, and kernels that are learned in the time that they may take."""
    X, y = _problems.rows((100, 10))
    fixed = kernelopt.Dictionary([("rbf", {"gamma": 0.5})], normalize=None)
    solved = partial(kernelopt.solve, X, y, criterion="svc")
    ours, theirs = medians(partial(solved, family=fixed), partial(SVC(gamma=0.5).fit, X, y), repeats=15)
    yield Pair("n = 100, one Gaussian kernel; SVC", ours, theirs, 1.0)
    yield Pair("n = 100, one Gaussian kernel; 2 ms", ours, 0.002, 1.0)
    (ours,) = medians(partial(solved, family="tk"), repeats=15)
    yield Pair("n = 100, tk with svc; 8 ms", ours, 0.008, 1.0)


def untuned(n: int) -> Iterator[Pair]:
    """The default beside a Gaussian machine whose C and width are searched: how long both learn, and predict."""
    X, y = _problems.rows((n, 10))
    options = {"svc__C": 10.0 ** np.arange(-1.0, 3.0), "svc__gamma": 10.0 ** np.arange(-2.0, 3.0) / 30.0}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), options, cv=3)
    ours, theirs = medians(partial(kernelopt.solve, X, y), partial(search.fit, X, y), repeats=1 if n > 500 else 3)
    yield Pair(f"n = {n}, learned by the evidence; a grid of SVCs", ours, theirs, 1.0)
    learned, Z = kernelopt.solve(X, y), np.random.default_rng(0).uniform(size=(5000, 10))
    ours, theirs = medians(partial(learned.predict, Z), partial(search.predict, Z))
    yield Pair(f"n = {n}, 5000 predictions by the evidence; SVC", ours, theirs, 1.0)


def grams(n: int) -> Iterator[Pair]:
    """A Gram matrix of the kernel at the centre of a family; writing n x n numbers, and scikit-learn's rbf_kernel."""
    X, _ = _problems.rows((n, 10))
    for name, goal in {"tk": 3.0, "dictionary": 6.0}.items():
        ours, theirs = medians(partial(_formed, _whole(name, X)), partial(np.full, (n, n), 1.0))
        yield Pair(f"n = {n}, Gram of {name}; writing n x n", ours, theirs, 1.0 / goal)
    columns = 10 if n <= 500 else 100
    X, _ = _problems.rows((n, columns))
    ours, theirs = medians(partial(_formed, _additive(X)), partial(rbf_kernel, X))
    yield Pair(f"n = {n}, Gram of each('tk'); {columns} rbf_kernels", ours, columns * theirs, 1.0)


def _labels(n: int) -> np.ndarray:
    return np.where(np.arange(n) % 2, 1.0, -1.0)


def _whole(name: str, X: np.ndarray) -> Problem:
    """A family on all columns."""
    return _problems.bound(_problems.family(name), X, _labels(len(X)), kernelopt.SVC(1.0))


def _additive(X: np.ndarray) -> Problem:
    """A tessellated kernel on every column, as `kernelopt.each` makes them."""
    n, d = X.shape
    prepared = [TK().prepare(X[:, [j]], np.ones(n)) for j in range(d)]
    data = tuple(family.bind(np.ascontiguousarray(X[:, [j]])) for j, family in enumerate(prepared))
    leaves = tuple(Leaf(family, np.array([j]), 1.0) for j, family in enumerate(prepared))
    y = _labels(n)[:, None]
    criterion = kernelopt.SVC(1.0)
    return Problem(leaves, data, criterion, criterion.outputs(y, np.ones_like(y)), accuracy=_problems.ACCURACY)


def _formed(problem: Problem) -> np.ndarray:
    """The Gram matrix at the centre itself, however the problem holds it."""
    return problem.gram(problem.center()).dense()
