"""The plugin under the laws of a kernel family."""

import math

import numpy as np
from kernelopt_hyperkernel import Hyperkernel

from kernelopt.testing import FamilySuite

SERIES = {
    "exp": math.exp,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "arctanh": math.atanh,
    "log": lambda xi: -math.log(1.0 - xi),
}


def hyperkernel(family, sigma, first, second):
    """Equations (11) to (16) as they are printed, for two pairs of points."""
    squares = [[s * (a - b) ** 2 for s, a, b in zip(sigma, *pair, strict=True)] for pair in (first, second)]
    both = [math.exp(-t - u) for t, u in zip(*squares, strict=True)]
    share, radial = family.lambda_h, math.exp(-sum(squares[0]) - sum(squares[1]))
    if family.kind == "harmonic":
        return math.prod((1 - share) / (1 - share * e) for e in both)
    if family.kind == "isotropic":
        return (1 - share) / (1 - share * radial)
    if family.kind in SERIES:
        return SERIES[family.kind](share * radial)
    if family.kind == "sum":
        pairs = [
            [sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) for pair in (first, second)],
            [sum(a * b for a, b in zip(*pair, strict=True)) for pair in (first, second)],
        ]
        values = [[math.exp(-0.1 * t), math.exp(-2.0 * t), (1.0 + u) ** 2] for t, u in zip(*pairs, strict=True)]
        return sum(c * k * m for c, k, m in zip(family.coefficients, *values, strict=True))
    powers = [(sum(a * b for a, b in zip(*pair, strict=True)) + family.b) ** (2 * family.p) for pair in (first, second)]
    return family.c1 * powers[0] * powers[1] + family.c2 * radial


class HyperkernelLaws(FamilySuite):
    def naive_gram(self, family, part, X):
        d = X.shape[1]
        sigma = np.zeros(d) if family.kind == "sum" else family._frame.kernel.sigma

        def entry(x, z):
            pairs = zip(part.atoms, part.weights, strict=True)
            return sum(w * hyperkernel(family, sigma, (atom[:d], atom[d:]), (x, z)) for atom, w in pairs)

        return np.array([[entry(x, z) for z in X] for x in X])


class TestHarmonic(HyperkernelLaws):
    def family(self):
        return Hyperkernel()


class TestHarmonicWithTheSquaredNorm(HyperkernelLaws):
    def family(self):
        return Hyperkernel(lambda_h=0.9, lambda_q=20.0, sigma=(0.1, 1.0, 0.3), penalty="squared", total=2.0, pivots=25)


class TestIsotropicInACone(HyperkernelLaws):
    def family(self):
        return Hyperkernel(kind="isotropic", sigma=0.5, penalty="squared", total=None, pivots=10)


class TestAllPairs(HyperkernelLaws):
    n = 7

    def family(self):
        return Hyperkernel(pivots="all")


class TestExponential(HyperkernelLaws):
    def family(self):
        return Hyperkernel(kind="exp", lambda_h=2.0)


class TestSinh(HyperkernelLaws):
    def family(self):
        return Hyperkernel(kind="sinh", lambda_h=1.0, penalty="squared")


class TestCosh(HyperkernelLaws):
    def family(self):
        return Hyperkernel(kind="cosh")


class TestArctanh(HyperkernelLaws):
    def family(self):
        return Hyperkernel(kind="arctanh", lambda_h=0.99)


class TestLogarithm(HyperkernelLaws):
    def family(self):
        return Hyperkernel(kind="log", lambda_h=0.95)


class TestPolynomialAndGaussian(HyperkernelLaws):
    def family(self):
        return Hyperkernel(kind="polynomial-gaussian", c1=0.2, b=0.5, p=2)


class TestSum(HyperkernelLaws):
    def family(self):
        kernels = [
            ("rbf", {"gamma": 0.1}),
            ("rbf", {"gamma": 2.0}),
            ("poly", {"degree": 2, "gamma": 1.0, "coef0": 1.0}),
        ]
        return Hyperkernel(kind="sum", kernels=kernels, coefficients=[1.0, 0.5, 0.1])
