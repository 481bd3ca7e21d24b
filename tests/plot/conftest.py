"""Solutions to draw, solved once, and a place to draw them that needs no screen."""

from collections.abc import Iterator

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Solution
from kernelopt.plugin import FloatArray

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

SIZES = ((4.0, 3.0), (10.0, 7.0))


@attrs.frozen(eq=False)
class Learned:
    """A solution with the rows and the targets that it was learned from."""

    solution: Solution
    X: FloatArray
    y: np.ndarray


def rows(n: int, d: int) -> FloatArray:
    return np.random.default_rng(n + d).uniform(-2.0, 2.0, size=(n, d))


@pytest.fixture(scope="session")
def two_classes() -> Learned:
    X = rows(60, 2)
    y = np.where(X[:, 0] * X[:, 1] > 0.0, "same", "other")
    return Learned(kernelopt.solve(X, y, family="tk", solver="fw", criterion={"name": "svc", "C": 5}), X, y)


@pytest.fixture(scope="session")
def three_classes() -> Learned:
    X = rows(60, 3)
    y = np.digitize(X[:, 0], [-0.7, 0.7])
    return Learned(kernelopt.solve(X, y, family=kernelopt.each("tk"), tol=1e-2), X, y)


@pytest.fixture(scope="session")
def numbers() -> Learned:
    X = rows(60, 2)
    y = np.sin(2.0 * X[:, 0]) + X[:, 1]
    return Learned(kernelopt.solve(X, y, family="gaussian", tol=1e-2), X, y)


@pytest.fixture(params=SIZES, ids=["small", "large"])
def size(request: pytest.FixtureRequest) -> Iterator[tuple[float, float]]:
    """The size of new figures, in inches; no figure stays."""
    import matplotlib.pyplot as plt

    with plt.rc_context({"figure.figsize": request.param}):
        yield request.param
    plt.close("all")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
