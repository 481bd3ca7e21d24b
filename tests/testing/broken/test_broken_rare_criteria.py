"""The kit must reject a criterion that is wrong for many samples, rare options, or arrays that lie otherwise."""

import attrs
import numpy as np
import pytest

from kernelopt import SVC
from kernelopt.plugin import Primal
from kernelopt.testing import judge


def halved(found):
    return attrs.evolve(found, value=0.5 * found.value)


class TwentySamples(SVC):
    """The bound of more than twenty samples is too low."""

    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return found if qp.n <= 20 else halved(found)


class DearAfterTwenty(SVC):
    """Samples after the first twenty cost twice as much."""

    def outputs(self, y, weight):
        dear = np.where(np.arange(len(y)) < 20, 1.0, 2.0)[:, None]
        return super().outputs(y, dear * weight)


class LowForLargeC(SVC):
    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return found if self.C < 50.0 else halved(found)


class LowForSmallC(SVC):
    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return found if self.C > 0.02 else halved(found)


class LowForLargeKernels(SVC):
    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return found if gram.diag().max() < 100.0 else halved(found)


class FewSupportVectors(SVC):
    """The bound is too low where one row has a coefficient."""

    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return halved(found) if np.count_nonzero(v) == 1 else found


class TinyIsZero(SVC):
    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return Primal(0.0, found.multipliers) if v.any() and np.abs(v).max() < 1e-6 else found


class AtLeastATenth(SVC):
    def outputs(self, y, weight):
        return super().outputs(y, np.maximum(weight, 0.1))


class TenAtMost(SVC):
    def outputs(self, y, weight):
        return super().outputs(y, np.minimum(weight, 10.0))


class FiveColumns(SVC):
    def outputs(self, y, weight):
        dear = np.where(np.arange(y.shape[1]) < 5, 1.0, 2.0)
        return super().outputs(y, weight * dear)


class ReadsMemory(SVC):
    def outputs(self, y, weight):
        return super().outputs(y.ravel(order="K").reshape(y.shape), weight)


class WritesForAMoment(SVC):
    def primal(self, qp, gram, v, f):
        f *= 2.0
        found = super().primal(qp, gram, v, f / 2.0)
        f /= 2.0
        return found


class TwoKindsOfGram(SVC):
    def primal(self, qp, gram, v, f):
        _ = gram.factor if type(gram).__name__ == "LowRank" else gram.matrix
        return super().primal(qp, gram, v, f)


class ShortMultipliers(SVC):
    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return attrs.evolve(found, multipliers=found.multipliers.astype(np.float32))


class ListOfMultipliers(SVC):
    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return attrs.evolve(found, multipliers=list(found.multipliers))


@pytest.mark.parametrize(
    ("criterion", "law", "words"),
    [
        (TwentySamples, "many-samples", "with 110 samples the primal objective"),
        (DearAfterTwenty, "many-samples", "the order of 110 samples"),
        (LowForLargeC, "rare-bound", "with C = 1000"),
        (LowForSmallC, "rare-bound", "with C = 0.001"),
        (LowForLargeKernels, "rare-bound", "with a kernel 1000 times as large"),
        (FewSupportVectors, "primal-lagrangian", "the Lagrangian at a feasible alpha"),
        (TinyIsZero, "primal-lagrangian", "the Lagrangian at a feasible alpha"),
        (AtLeastATenth, "weights-are-copies", "copies whose weights sum to s"),
        (TenAtMost, "weights-are-copies", "copies whose weights sum to s"),
        (FiveColumns, "outputs-columns", "of column 5 of y"),
        (ReadsMemory, "layout", "read y[:, c] and weight[:, c]"),
        (WritesForAMoment, "layout", "write into arrays of your own"),
        (TwoKindsOfGram, "any-gram", "got AttributeError"),
        (ShortMultipliers, "multipliers", "must hold float64, got float32"),
        (ListOfMultipliers, "multipliers", "must be a numpy array (k,), got list"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_criterion_that_is_wrong_in_a_corner_is_rejected(criterion, law, words, rejected):
    rejected(judge(criterion), law, words)
