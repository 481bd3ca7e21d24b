"""Small data for the evidence, and its problems without `solve` around them."""

import numpy as np
import pytest

import kernelopt
from kernelopt._api._build import make_problem
from kernelopt._api._choose import leaves_for
from kernelopt._api.data._training import admit

GAUSSIANS = tuple(("rbf", {"gamma": gamma}) for gamma in (0.02, 0.1, 0.5, 2.0))


def listed():
    return kernelopt.Dictionary((*GAUSSIANS, "linear"), normalize="trace", rescale="standard")


def waves(k=6):
    return kernelopt.sampled("cosine", k)


def rows(n=60, seed=0):
    """A sine of the first of two columns at level 2, with noise of variance 0.09."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2.0 * X[:, 0]) + 2.0 + 0.3 * rng.normal(size=n)


def posed(family, X, y, weight=None):
    """The evidence's problem."""
    criterion = kernelopt.Evidence(targets="numbers")
    training = admit(X, y, criterion, weight, None)
    leaves, _ = leaves_for(family, training, "unit", criterion)
    return make_problem(leaves, training, criterion, accuracy=1e-8, grams=2)


FAMILIES = {"list": listed, "features": waves, "many features": lambda: waves(20), "tk": lambda: "tk"}


@pytest.fixture
def data():
    return rows()


@pytest.fixture(name="rows")
def _rows():
    return rows


@pytest.fixture(name="family")
def _family():
    """From a name to a family."""
    return lambda name: FAMILIES[name]()


@pytest.fixture
def posed_rows():
    """From a family, rows and targets to the evidence's problem."""
    return posed


@pytest.fixture
def posed_on():
    """From a family and the number of outputs to the evidence's problem."""

    def make(family, outputs=1):
        X, y = rows()
        Y = np.column_stack([y, y**2, -y])[:, :outputs]
        return posed(family, X, Y if outputs > 1 else y)

    return make


@pytest.fixture(name="posed")
def _posed(posed_on):
    """From a family's name and the number of outputs to the evidence's problem."""
    return lambda name, outputs=1: posed_on(FAMILIES[name]() if name in FAMILIES else name, outputs)
