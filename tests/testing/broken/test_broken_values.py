"""The kit must reject a plugin that is wrong for rows, kernels, classes or options that are rare, and right ones."""

import attrs
import numpy as np
import pytest
from kernelopt_minimal import Gaussians

from kernelopt import SVC
from kernelopt.plugin import Dense
from kernelopt.testing import judge


@attrs.frozen
class CosineOfNothing(Gaussians):
    """exp(-|u - w|^2 / r^2) of the rows at length 1, of which that of a row of zeros is 0/0."""

    def bind(self, X):
        return X

    def gram(self, part, data):
        return Dense(self.cross(part, data, data))

    def cross(self, part, Z, X):
        with np.errstate(all="ignore"):
            cosine = Z @ X.T / np.outer(np.linalg.norm(Z, axis=1), np.linalg.norm(X, axis=1))
        return attrs.evolve(self, _size=1.0)._mixed(part, 2.0 - 2.0 * cosine)


@attrs.frozen
class ConstantForEver(Gaussians):
    """Divides each column by its deviation, and expects no other value where that is 0."""

    _mean: np.ndarray | None = attrs.field(default=None, alias="_mean", repr=False, eq=False)
    _deviation: np.ndarray | None = attrs.field(default=None, alias="_deviation", repr=False, eq=False)

    def prepare(self, X, weight):
        mean = np.average(X, axis=0, weights=weight)
        deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
        return attrs.evolve(self, _size=float(X.shape[1]), _mean=mean, _deviation=deviation)

    def _scaled(self, X):
        with np.errstate(all="ignore"):
            found = (X - self._mean) / self._deviation
        return np.where(np.isnan(found), 0.0, found)

    def bind(self, X):
        return super().bind(self._scaled(X))

    def cross(self, part, Z, X):
        with np.errstate(all="ignore"):
            return super().cross(part, self._scaled(Z), self._scaled(X))


@attrs.frozen
class DifferenceOfSquares(Gaussians):
    """A variance without digits, where rows are far from 0."""

    def prepare(self, X, weight):
        share = weight / weight.sum()
        variance = float((share @ (X * X)).sum() - ((share @ X) ** 2).sum())
        return attrs.evolve(self, _size=2.0 * abs(variance) or 1.0)


@attrs.frozen
class ProductsOfRows(Gaussians):
    """Distances without digits."""

    def _squared(self, Z, X):
        squared = np.sum(Z * Z, axis=1)[:, None] + np.sum(X * X, axis=1) - 2.0 * Z @ X.T
        return np.maximum(squared, 0.0)

    def bind(self, X):
        return self._squared(X, X)

    def cross(self, part, Z, X):
        return self._mixed(part, self._squared(Z, X))


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (CosineOfNothing, "far-rows", "for rows of zeros cross and diag must be finite"),
        (ConstantForEver, "few-rows", "where a column is constant in training, and seeing returns None, diag must be"),
        (DifferenceOfSquares, "far-from-zero", "compute variances and distances from differences"),
        (ProductsOfRows, "far-from-zero", "compute variances and distances from differences"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_is_wrong_for_rare_rows_is_rejected(family, law, words, rejected):
    rejected(judge(family), law, words)


class WrongHere(SVC):
    """Twice the primal objective, where it is so."""

    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return attrs.evolve(found, value=(2.0 if self.here(qp, v, f) else 1.0) * found.value)


class FewOfAClass(WrongHere):
    def here(self, qp, v, f):
        return np.mean(qp.sign > 0.0) < 0.25


class FewOfTheOther(WrongHere):
    def here(self, qp, v, f):
        return np.mean(qp.sign < 0.0) < 0.25


class LargeOption(WrongHere):
    def here(self, qp, v, f):
        return qp.upper.max() > 100.0


class SmallOption(WrongHere):
    def here(self, qp, v, f):
        return qp.upper.max() < 0.01


class NoKernel(WrongHere):
    def here(self, qp, v, f):
        return v.any() and not f.any()


@pytest.mark.parametrize(
    ("criterion", "law", "words"),
    [
        (FewOfAClass, "rare-class", "with one target 1 among 10"),
        (FewOfTheOther, "rare-class", "with one target -1 among 10"),
        (LargeOption, "rare-gap", "with C = 1000"),
        (SmallOption, "rare-gap", "with C = 0.001"),
        (NoKernel, "rare-gap", "with a kernel 0 times as large"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_criterion_that_is_wrong_for_rare_classes_options_or_kernels_is_rejected(criterion, law, words, rejected):
    rejected(judge(criterion), law, words)
