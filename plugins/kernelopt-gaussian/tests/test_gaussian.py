"""The plugin under the laws of a kernel family."""

import math

import numpy as np
import pytest
from kernelopt_gaussian import Gaussian, _gaussian
from scipy.spatial.distance import cdist

from kernelopt.plugin import Part
from kernelopt.testing import FamilySuite


class GaussianLaws(FamilySuite):
    def random_atoms(self, family, data, rng, k):
        return np.minimum(rng.exponential(size=(k, 1)) * 10.0 ** rng.uniform(-2, 1, size=(k, 1)), family._limit)

    def naive_gram(self, family, part, X):
        def k(omega, x, z):
            square = sum(((a - b) / s) ** 2 for a, b, s in zip(x, z, family._frame.width, strict=True))
            return math.exp(-family.eta * omega**2) * math.exp(-omega * square)

        pairs = list(zip(part.atoms[:, 0], part.weights, strict=True))
        return np.array([[sum(w * k(omega, x, z) for omega, w in pairs) for z in X] for x in X])


class TestGaussian(GaussianLaws):
    def family(self):
        return Gaussian()


class TestGaussianInTheUnitsOfTheColumns(GaussianLaws):
    def family(self):
        return Gaussian(rescale=None, eta=1e-4)


class TestGaussianWithALargestWidth(GaussianLaws):
    def family(self):
        return Gaussian(eta=0.0, omega_max=5.0)


@pytest.mark.parametrize("support", [600, 31])
def test_the_tiles_of_many_rows_make_the_whole_kernel_and_its_slope(support):
    rng = np.random.default_rng(0)
    X, V = rng.normal(size=(600, 3)), rng.normal(size=(600, 2))
    V[rng.permutation(600)[support:]] = 0.0
    family = Gaussian().prepare(X, np.ones(600))
    data, part = family.bind(X), Part(np.array([[0.3], [2.0]]), np.array([0.4, 0.6]))
    whole = sum(w * np.exp(-(omega**2) - omega * data) for (omega,), w in zip(part.atoms, part.weights, strict=True))
    np.testing.assert_allclose(family.gram(part, data).dense(), whole, rtol=1e-13)
    np.testing.assert_allclose(family.apply(part, data, V), whole @ V, atol=1e-11)
    found = family.pullback(part, data, V)
    for (omega,), w, slope, value in zip(part.atoms, part.weights, found.atoms[:, 0], found.weights, strict=True):
        K = np.exp(-(omega**2) - omega * data)
        assert value == pytest.approx(np.vdot(V, K @ V), rel=1e-11)
        assert slope == pytest.approx(-w * np.vdot(V, ((2.0 * omega + data) * K) @ V), rel=1e-11)


def test_no_call_of_scipy_computes_distances_of_all_rows_where_there_are_many_columns(monkeypatch):
    """During such a call Ctrl-C is not heeded."""
    rows = []

    def counted(Z, X, metric, out):
        rows.append(len(Z))
        return cdist(Z, X, metric, out=out)

    monkeypatch.setattr(_gaussian, "cdist", counted)
    X = np.random.default_rng(0).normal(size=(50, 20))
    whole = Gaussian().prepare(X, np.ones(50)).bind(X)
    monkeypatch.setattr(_gaussian, "_AT_ONCE", 7 * X.size + 1)
    np.testing.assert_array_equal(Gaussian().prepare(X, np.ones(50)).bind(X), whole)
    assert rows == [50, *[7] * 7, 1]
