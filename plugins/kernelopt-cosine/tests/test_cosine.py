"""The plugin under the laws of a kernel family, in several dimensions, norms and kinds of search."""

import math

import numpy as np
import pytest
from kernelopt_cosine import Cosine
from kernelopt_cosine._multistart import Plan

from kernelopt.testing import FamilySuite


class CosineLaws(FamilySuite):
    def random_atoms(self, family, data, rng, k):
        return rng.normal(size=(k, self.d)) * rng.choice([0.3, 1.0, 3.0], size=(k, 1))

    def naive_gram(self, family, part, X):
        # "auto": an eighth of the total variance, a half at least, and each rescaled column has the variance 1
        beta = max(self.d / 8, 0.5) if family.beta == "auto" else family.beta

        def k(gamma, x, z):
            size = sum(abs(g) for g in gamma) if family.norm == "l1" else math.hypot(*gamma)
            angle = sum(g * (a - b) / s for g, a, b, s in zip(gamma, x, z, family._frame.width, strict=True))
            return math.exp(-beta * size**2) * math.cos(angle)

        pairs = list(zip(part.atoms, part.weights, strict=True))
        return np.array([[sum(w * k(gamma, x, z) for gamma, w in pairs) for z in X] for x in X])


class TestCosine(CosineLaws):
    def family(self):
        return Cosine()


class TestCosineInTheUnitsOfTheColumns(CosineLaws):
    def family(self):
        return Cosine(rescale=None, beta=0.05)

    def rows(self, rng):
        return rng.normal(size=(self.n, self.d)) * [1.0, 3.0, 0.2] + [0.0, 10.0, -1.0]


class TestCosineL1(CosineLaws):
    def family(self):
        return Cosine(norm="l1", beta=0.1)


class ProvedLaws(CosineLaws):
    """The search looks at next to nothing, so that only a proof that looks everywhere finds the best atoms."""

    @pytest.fixture(autouse=True)
    def _next_to_no_search(self, monkeypatch):
        monkeypatch.setattr("kernelopt_cosine._cosine.Plan", lambda repeats, starts, seed: Plan(1, 0, seed))


class TestCosineProvedInOneColumn(ProvedLaws):
    d = 1

    def family(self):
        return Cosine(search="exact", beta=0.01)


class TestCosineProvedInTwoColumns(ProvedLaws):
    n, d = 9, 2

    def family(self):
        return Cosine(search="exact", beta=0.05)


class TestCosineL1ProvedInTwoColumns(ProvedLaws):
    n, d = 9, 2

    def family(self):
        return Cosine(search="exact", beta=0.05, norm="l1")
