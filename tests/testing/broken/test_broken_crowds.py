"""The kit must reject a family that is wrong for a thousand new rows, or where bound rows are far apart."""

import attrs
import numpy as np
import pytest
from kernelopt_minimal import Gaussians
from scipy.spatial.distance import cdist

from kernelopt.testing import judge


@attrs.frozen
class WholeBlocksAlone(Gaussians):
    """Loses the rows of the last block, which is not full."""

    def cross(self, part, Z, X):
        whole = super().cross(part, Z, X)
        return whole if len(Z) < 1000 else whole[: len(Z) // 1000 * 1000]


@attrs.frozen
class FirstBlockAgain(Gaussians):
    def function(self, part, X, V):
        return lambda Z: self.cross(part, Z[np.arange(len(Z)) % 1024], X) @ V


@attrs.frozen
class DiagOfABlock(Gaussians):
    def diag(self, part, X):
        return np.where(np.arange(len(X)) < 1024, super().diag(part, X), 0.0)


@attrs.frozen
class NearerInPredictions(Gaussians):
    """A distance that is large is cut off, and only so where a row is predicted."""

    def cross(self, part, Z, X):
        return self._mixed(part, np.minimum(cdist(Z, X, "sqeuclidean"), 30.0 * self._size))


@attrs.frozen
class NearerInTraining(Gaussians):
    def bind(self, X):
        return np.minimum(super().bind(X), 30.0 * self._size)


@pytest.mark.parametrize(
    ("family", "law", "words"),
    [
        (WholeBlocksAlone, "thousand", "cross must have an entry for each of 1103 new rows, got 1000"),
        (FirstBlockAgain, "thousand", "function of 1103 new rows must have, from row 980"),
        (DiagOfABlock, "thousand", "diag of 1103 new rows must have, from row 980"),
        (NearerInPredictions, "far-bound", "gram must be cross"),
        (NearerInTraining, "far-bound", "gram must be cross"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_family_that_is_wrong_for_a_crowd_of_rows_is_rejected(family, law, words, rejected):
    rejected(judge(family), law, words)
