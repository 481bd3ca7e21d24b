"""The plugin under the laws of a kernel family."""

import math

import numpy as np
from kernelopt_gaussian import Gaussian

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
