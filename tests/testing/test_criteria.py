"""The core's criteria under the laws that every plugin must keep."""

import numpy as np
import pytest
from sklearn.svm import SVC as LibSVM

import kernelopt
from kernelopt.testing import CriterionSuite


class SVCLaws(CriterionSuite):
    C: float = 1.0

    def criterion(self):
        return kernelopt.SVC(C=self.C)

    def rescaled(self, kernel, targets):
        return kernelopt.SVC(C=self.C / kernel), 1.0

    def naive_value(self, y, weight, K):
        machine = LibSVM(C=self.C, kernel="precomputed", tol=1e-10).fit(K, y, sample_weight=weight)
        v = np.zeros(len(y))
        v[machine.support_] = machine.dual_coef_[0]
        return np.abs(v).sum() - 0.5 * v @ K @ v


class TestSVC(SVCLaws):
    pass


class TestHardSVC(SVCLaws):
    C = 1e3


class TestSoftSVC(SVCLaws):
    C = 1e-3


class TestImbalancedSVC(SVCLaws):
    def targets(self, rng, n):
        return np.where(np.arange(n) == 3, 1.0, -1.0)[:, None]


def test_missing_hook_says_what_to_write():
    class Empty(CriterionSuite):
        pass

    with pytest.raises(NotImplementedError, match="write criterion"):
        Empty().test_primal_is_tight()
