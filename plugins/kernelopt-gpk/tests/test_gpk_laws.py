"""The plugin under the laws of a kernel family."""

import itertools

import numpy as np
from kernelopt_gpk import GPK

from kernelopt.testing import FamilySuite


class GPKLaws(FamilySuite):
    tolerance = 1e-8

    def naive_gram(self, family, part, X):
        """Monomial by monomial: their exponents from a product of ranges, the rescaling from the frame."""
        powers = [e for e in itertools.product(range(family.degree + 1), repeat=self.d) if sum(e) <= family.degree]
        middle, half = family._frame.middle, family._frame.half

        def monomials(x):
            return [np.prod([((x[j] - middle[j]) / half[j]) ** e[j] for j in range(self.d)]) for e in powers]

        def kernel(x, y):
            zx, zy = monomials(x), monomials(y)
            return sum(
                w
                * sum(p * z for p, z in zip(atom, zx, strict=True))
                * sum(p * z for p, z in zip(atom, zy, strict=True))
                for atom, w in zip(part.atoms, part.weights, strict=True)
            )

        return np.array([[kernel(x, y) for y in X] for x in X])


class TestGPK(GPKLaws):
    def family(self):
        return GPK()


class TestGPKOfDegree0(GPKLaws):
    def family(self):
        return GPK(degree=0)


class TestGPKOfDegree3InTheUnitsOfTheColumns(GPKLaws):
    d = 2

    def family(self):
        return GPK(degree=3, rescale=None)
