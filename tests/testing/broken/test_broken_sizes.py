"""The kit must reject a plugin that is right for a few outputs, columns, atoms, samples and weights, and no more."""

import attrs
import numpy as np
import pytest
from kernelopt_minimal import Gaussians

from kernelopt import SVC, Ridge
from kernelopt.plugin import Part
from kernelopt.testing import Columns, Waves, judge


def clipped(V):
    return np.clip(V, -100.0, 100.0)


@attrs.frozen
class AnswersTenOutputs(Gaussians):
    def best_atoms(self, data, V, query):
        return super().best_atoms(data, V[:, :10], query)


@attrs.frozen
class AnswersSmallNumbers(Gaussians):
    def best_atoms(self, data, V, query):
        return super().best_atoms(data, clipped(V), query)


@attrs.frozen
class AppliesToSixteenOutputs(Gaussians):
    def apply(self, part, data, V):
        return np.where(np.arange(V.shape[1]) < 16, super().apply(part, data, V), 0.0)


@attrs.frozen
class AppliesToSmallNumbers(Gaussians):
    def apply(self, part, data, V):
        return super().apply(part, data, clipped(V))


@attrs.frozen
class PredictsTenOutputs(Gaussians):
    def function(self, part, X, V):
        return super().function(part, X, np.where(np.arange(V.shape[1]) < 10, V, 0.0))


@attrs.frozen
class PredictsSmallNumbers(Gaussians):
    def function(self, part, X, V):
        return super().function(part, X, clipped(V))


class SlopeOfTenOutputs(Waves):
    def pullback(self, part, data, V):
        return super().pullback(part, data, V[:, :10])


class SlopeOfSmallNumbers(Waves):
    def pullback(self, part, data, V):
        return super().pullback(part, data, clipped(V))


@attrs.frozen
class GramOfEightColumns(Gaussians):
    def bind(self, X):
        return super().bind(X[:, :8])


class DiagOfEightColumns(Columns):
    def diag(self, part, X):
        return super().diag(Part(part.atoms, np.where(part.atoms[:, 0] < 8, part.weights, 0.0)), X)


class GramOfTenAtoms(Waves):
    def gram(self, part, data):
        return super().gram(Part(part.atoms[:10], part.weights[:10]), data)


@attrs.frozen
class TenAtoms(Gaussians):
    """In training and in prediction."""

    def _mixed(self, part, squared):
        return super()._mixed(Part(part.atoms[:10], part.weights[:10]), squared)


class AtomsAreKeys(Waves):
    """An atom that stands there twice has the weight of the last."""

    def cross(self, part, Z, X):
        weights = dict(zip(part.atoms[:, 0], part.weights, strict=True))
        return super().cross(Part(np.array([[atom] for atom in weights]), np.array(list(weights.values()))), Z, X)


@attrs.frozen
class SampleWeightsToTen(Gaussians):
    def prepare(self, X, weight):
        return super().prepare(X, np.minimum(weight, 10.0))


@attrs.frozen
class SampleWeightsFromAHundredth(Gaussians):
    def prepare(self, X, weight):
        return super().prepare(X, np.where(weight < 0.01, 0.0, weight))


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (AnswersTenOutputs, "oracle-outputs", "over all outputs, here 130"),
        (AnswersSmallNumbers, "oracle-quadratic", "100000 times V"),
        (AppliesToSixteenOutputs, "apply", "shape (17, 130), of numbers up to 1e+06"),
        (AppliesToSmallNumbers, "apply", "shape (17, 130), of numbers up to 1e+06"),
        (PredictsTenOutputs, "function", "times V"),
        (PredictsSmallNumbers, "function", "times V"),
        (SlopeOfTenOutputs, "many-outputs", "130 outputs pullback must give the gradient"),
        (SlopeOfSmallNumbers, "many-outputs", "130 outputs pullback must give the gradient"),
        (GramOfEightColumns, "few-rows", "with 17 columns, gram must be cross"),
        (DiagOfEightColumns, "few-rows", "with 17 columns, diag must be the diagonal of cross"),
        (GramOfTenAtoms, "many-atoms", "gram of 140 atoms"),
        (TenAtoms, "many-atoms", "gram of 140 atoms"),
        (AtomsAreKeys, "many-atoms", "cross of 140 atoms"),
        (SampleWeightsToTen, "prepare-copies", "weights from 0.0001 to 10000"),
        (SampleWeightsFromAHundredth, "prepare-copies", "weights from 0.0001 to 10000"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_is_right_for_a_few_alone_is_rejected(family, law, words, rejected):
    rejected(judge(family), law, words)


class NineOutputs(Ridge):
    def outputs(self, y, weight):
        found = super().outputs(y, weight)
        return tuple(found[c % 9] for c in range(len(found)))


class BoxesOfAHundredSamples(SVC):
    def outputs(self, y, weight):
        return super().outputs(y, np.where(np.arange(len(y))[:, None] < 100, weight, weight[:1]))


class WeightsToAHundred(SVC):
    def outputs(self, y, weight):
        return super().outputs(y, np.minimum(weight, 100.0))


class WeightsFromAThousandth(SVC):
    def outputs(self, y, weight):
        return super().outputs(y, np.maximum(weight, 3e-4))


@pytest.mark.parametrize(
    ("criterion", "law", "words"),
    [
        (NineOutputs, "outputs-columns", "of column 9 of y"),
        (BoxesOfAHundredSamples, "many-samples", "the order of 110 samples must not matter"),
        (WeightsToAHundred, "weights-are-copies", "copies whose weights sum to s"),
        (WeightsFromAThousandth, "weights-are-copies", "copies whose weights sum to s"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_criterion_that_is_right_for_a_few_alone_is_rejected(criterion, law, words, rejected):
    rejected(judge(criterion), law, words)
