"""Problems of two sizes from generated data, the same on every machine."""

from typing import Any

import numpy as np
from kernelopt_cosine import Cosine
from kernelopt_gaussian import Gaussian
from kernelopt_tk import TK
from sklearn.datasets import make_classification

from kernelopt import SVC, Dictionary
from kernelopt.plugin import Criterion, FloatArray, KernelFamily, Leaf, Problem

SIZES = ((200, 10), (800, 30))
"""Rows and columns: small and medium."""
FAMILIES = ("tk", "dictionary")
ACCURACY = 1e-5
"""The relative gap that the engine answers to."""
SEARCHED = ("cosine", "gaussian")
"""Families with an oracle of their own, for the oracle's benchmark."""


def rows(size: tuple[int, int]) -> tuple[FloatArray, Any]:
    """X in [0, 1] (n, d) and labels 0 and 1 (n,) of two classes that overlap."""
    n, d = size
    X, y = make_classification(n, d, n_informative=d // 2, n_redundant=0, flip_y=0.05, class_sep=0.8, random_state=0)
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low), y


def rough() -> tuple[FloatArray, FloatArray, dict[str, Any]]:
    """X (30, 2), labels that have nothing to do with it (30,), and a family whose best kernel then has rank two.

    Most seeds give rank one, where Frank-Wolfe is exact after a few steps; this is one that does not.
    """
    rng = np.random.default_rng(4)
    X, y = rng.uniform(size=(30, 2)), np.sign(rng.normal(size=30))
    return X, y, {"name": "tk", "basis": "xz", "bounds": (0.0, 1.0), "rescale": None}


def family(name: str) -> KernelFamily:
    """An unprepared family of this name."""
    known: dict[str, KernelFamily] = {"tk": TK(), "cosine": Cosine(beta=0.3), "gaussian": Gaussian()}
    if name in known:
        return known[name]
    return Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.01, 0.1, 1.0, 10.0)] + ["linear"])


def problem(name: str, size: tuple[int, int], C: float = 1.0) -> Problem:
    """A bound problem at unit scale, as `kernelopt.solve` makes it."""
    X, labels = rows(size)
    return bound(family(name), X, np.where(labels == 1, 1.0, -1.0), SVC(C))


def bound(family: KernelFamily, X: FloatArray, y: FloatArray, criterion: Criterion) -> Problem:
    """The problem of an unprepared family on these rows, y (n,) or (n, c) as the criterion takes it, at unit scale."""
    ones = np.ones(len(X))
    prepared = family.prepare(X, ones)
    data = prepared.bind(X)
    factor = 1.0 / float(prepared.diag(prepared.center(), X).mean())
    leaf = Leaf(prepared, np.arange(X.shape[1]), factor)
    y = y.reshape(len(X), -1)
    return Problem((leaf,), (data,), criterion, criterion.outputs(y, np.ones_like(y)), accuracy=ACCURACY)


def several(size: tuple[int, int], outputs: int) -> Problem:
    """One class against the rest for so many classes, which share the kernel."""
    n, d = size
    X, labels = make_classification(n, d, n_informative=d - 2, n_redundant=0, n_classes=outputs, random_state=0)
    low, high = X.min(axis=0), X.max(axis=0)
    y = np.where(labels[:, None] == np.arange(outputs), 1.0, -1.0)
    return bound(TK(), (X - low) / (high - low), y, SVC(1.0))
