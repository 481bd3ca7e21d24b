"""Columns far from 0, such as times in seconds: what is learned does not change where all rows move together."""

import numpy as np
import pytest
from kernelopt_cosine import Cosine
from kernelopt_gaussian import Gaussian
from kernelopt_hyperkernel import Hyperkernel
from kernelopt_tk import TK

import kernelopt
from kernelopt import Dictionary

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(40, 2)) * 1e-3 * 2**22) / 2**22
"""Of multiples of 2^-22, so that rows can move by 1.5 2^30 without any rounding of their own."""
Y = np.where(np.sin(2e3 * X[:, 0]) + 0.4 * RNG.normal(size=40) > 0.0, 1, -1)
FAR = 1.5 * 2.0**30
RBF = ("rbf", {"gamma": 1e6})
FAMILIES = {
    "tk": TK(),
    "gpk": "gpk",
    "gaussian": Gaussian(),
    "plain gaussian": Gaussian(rescale=None, eta=1e-12),
    "cosine": Cosine(),
    "plain cosine": Cosine(rescale=None, beta=1e-7),
    "hyperkernel": Hyperkernel(pivots=30),
    "isotropic": Hyperkernel(kind="isotropic", pivots=30),
    "sum": Hyperkernel(kind="sum", kernels=[RBF], pivots=30),
    "rbf": Dictionary([RBF]),
    "mixed list": Dictionary([RBF, ("rbf", {"gamma": 1e5}), "laplacian"]),
    "default list": Dictionary(),
    "auto": "auto",
}


def test_the_rows_move_without_rounding():
    assert np.array_equal((X + FAR) - FAR, X)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_answer_does_not_change_where_all_rows_move(name):
    """The kernels to rounding, the best of them to the tolerance: from another last bit a search takes another way."""
    options = {"family": FAMILIES[name], "criterion": "svc", "tol": 1e-3, "max_steps": 8}
    here, there = kernelopt.solve(X, Y, **options), kernelopt.solve(X + FAR, Y, **options)
    assert there.objective == pytest.approx(here.objective, rel=2e-3)
    one, two = here.kernel.center(), there.kernel.center()
    size = np.abs(one(X)).max()
    np.testing.assert_allclose(two(X + FAR), one(X), atol=1e-12 * size)
    np.testing.assert_allclose(two(X[:5] + FAR, X + FAR), one(X[:5], X), atol=1e-12 * size)


def test_distances_of_a_list_with_products_lose_no_digits():
    """A kernel of products is another one there; the Gaussian beside it is not."""
    family = Dictionary([RBF, "linear"], normalize=None)
    here, there = (family.prepare(rows, np.ones(40)).bind(rows)[0] for rows in (X, X + FAR))
    np.testing.assert_allclose(there, here, rtol=1e-12)
    part = kernelopt.Part(np.zeros((1, 1)), np.ones(1))
    np.testing.assert_allclose(family.cross(part, X[:5] + FAR, X + FAR), here[:5], rtol=1e-12)
