"""The plugin under the laws of a kernel family, in every shape."""

import math

import numpy as np
from kernelopt_metric import Metric

from kernelopt.testing import FamilySuite

PHI = {
    "gaussian": lambda r: math.exp(-(r**2)),
    "laplace": lambda r: math.exp(-r),
    "matern": lambda r: (1.0 + math.sqrt(3.0) * r) * math.exp(-math.sqrt(3.0) * r),
}


class MetricLaws(FamilySuite):
    def naive_gram(self, family, part, X):
        d = X.shape[1]

        def k(atom, x, z):
            R = np.diag(atom) if family.diagonal else atom.reshape(d, -1)
            difference = [(a - b) / s for a, b, s in zip(x, z, family._frame.width, strict=True)]
            moved = [sum(R[j, i] * difference[j] for j in range(d)) for i in range(R.shape[1])]
            return math.exp(-family.eta * np.sum((R.T @ R) ** 2)) * PHI[family.shape](math.hypot(*moved))

        pairs = list(zip(part.atoms, part.weights, strict=True))
        return np.array([[sum(w * k(atom, x, z) for atom, w in pairs) for z in X] for x in X])


class TestGaussianMetric(MetricLaws):
    def family(self):
        return Metric()


class TestLaplaceMetric(MetricLaws):
    d = 2
    oracle_tolerance = 1e-5  # the kernel has a kink where rows meet, and a search ends near one

    def family(self):
        return Metric(shape="laplace")


class TestMaternMetric(MetricLaws):
    d = 2

    def family(self):
        return Metric(shape="matern", eta=0.1)


class TestMetricOfRankOne(MetricLaws):
    def family(self):
        return Metric(rank=1, eta=1.0)


class TestDiagonalGaussianMetric(MetricLaws):
    def family(self):
        return Metric(diagonal=True)


class TestDiagonalLaplaceMetric(MetricLaws):
    d = 2

    def family(self):
        return Metric(shape="laplace", diagonal=True)


class TestDiagonalMaternMetric(MetricLaws):
    def family(self):
        return Metric(shape="matern", diagonal=True)


class TestMetricInTheUnitsOfTheColumns(MetricLaws):
    def family(self):
        return Metric(rescale=None, rank=2, eta=0.05)

    def rows(self, rng):
        return rng.normal(size=(self.n, self.d)) * [1.0, 3.0, 0.2] + [0.0, 10.0, -1.0]
