"""Solutions whose models go into files."""

import numpy as np
import pytest

import kernelopt
from kernelopt.testing import three_classes, two_classes

FAMILIES = {
    "matrix": "tk",
    "features": "gpk",
    "explicit": "cosine",
    "searched": "gaussian",
    "list": "dictionary",
    "pairs": {"name": "hyperkernel", "pivots": 30},
    "pairs of a list": {"name": "hyperkernel", "kind": "sum", "kernels": ["rbf", ("rbf", {"gamma": 2.0})]},
    "pairs of a series": {"name": "hyperkernel", "kind": {"terms": [0, 1, 0.5], "base": "rbf"}, "pivots": 30},
    "template": "gaussians",
    "fixed": kernelopt.fixed("rbf"),
    "union": ["tk", "cosine", "delta"],
    "views": {"name": "each", "family": "tk"},
    "priced": kernelopt.priced("gpk", 0.1),
    "sampled": kernelopt.sampled("tk", 9),
    "sampled columns": kernelopt.sampled("cosine", 9),
}


@pytest.fixture(name="rows", scope="session")
def _rows():
    rng = np.random.default_rng(0)
    X, y = two_classes(rng, 40, 3)
    return X, y[:, 0], rng.normal(size=(25, 3))


@pytest.fixture(name="solution", scope="session", params=FAMILIES)
def _solution(request, rows):
    """A solution for each kind of family."""
    X, y, _ = rows
    return kernelopt.solve(X, y, family=FAMILIES[request.param], criterion="svc", max_steps=10)


@pytest.fixture(name="labelled", scope="session")
def _labelled():
    """Three classes with words for labels, over a union of all kinds of families, with the rows."""
    X, Y = three_classes(step=3)
    words = np.array(["setosa", "versicolor", "virginica"])[np.argmax(Y, axis=1)]
    union = ["tk", "cosine", {"name": "hyperkernel", "pivots": 20}, "dictionary", "delta"]
    criterion = kernelopt.SVC(10.0)
    return kernelopt.solve(X, words, family=union, solver="fw", criterion=criterion, scale="atom", max_steps=10), X
