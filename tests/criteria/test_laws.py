"""Every criterion under the laws of the conformance kit, with optima from methods that share nothing with the core."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import svm

import kernelopt
from kernelopt.testing import CriterionSuite


def expansion(machine, n):
    """The coefficients of a fitted libsvm machine, shape (n,)."""
    v = np.zeros(n)
    v[machine.support_] = machine.dual_coef_[0]
    return v


class Homogeneous(CriterionSuite):
    """h = 0: the primal objective is that of the best t v, 0 <= t <= 1, and the Lagrangian at v may be above it."""

    lagrangian = False

    def rescaled(self, kernel, targets):
        """The same alpha, so the function grows with the kernel, and the optimum with it."""
        return self.criterion(), kernel


class TestL2SVC(CriterionSuite):
    C = 2.0

    def criterion(self):
        return kernelopt.L2SVC(C=self.C)

    def rescaled(self, kernel, targets):
        return kernelopt.L2SVC(C=self.C / kernel), 1.0

    def naive_value(self, y, weight, K):
        """The hard margin with 1/(C s) on the diagonal."""
        augmented = K + np.diag(1.0 / (self.C * weight))
        v = expansion(svm.SVC(C=1e8, kernel="precomputed", tol=1e-10).fit(augmented, y), len(y))
        return np.abs(v).sum() - 0.5 * v @ augmented @ v


class TestHardL2SVC(TestL2SVC):
    C = 1e3


class TestSoftL2SVC(TestL2SVC):
    C = 1e-3


class TestLagrangianSVC(CriterionSuite):
    """The price of the bias is 1 in any units: no `rescaled`."""

    c = 0.7

    def criterion(self):
        return kernelopt.LagrangianSVC(c=self.c)

    def naive_value(self, y, weight, K):
        """LinearSVC penalises its bias, and its features are a square root of K."""
        features = np.linalg.cholesky(K)
        machine = svm.LinearSVC(C=0.5 / self.c, loss="squared_hinge", tol=1e-12, max_iter=10**7, random_state=0)
        machine.fit(features, y, sample_weight=weight)
        w, b = machine.coef_[0], machine.intercept_[0]
        slack = np.maximum(0.0, 1.0 - y * (features @ w + b))
        return 0.5 * (w @ w + b * b) + 0.5 / self.c * weight @ slack**2


class TestStiffLagrangianSVC(TestLagrangianSVC):
    c = 30.0


class TestNuSVC(Homogeneous):
    nu = 0.4

    def criterion(self):
        return kernelopt.NuSVC(nu=self.nu)

    def weights(self, rng, shape):
        """Classes of equal weight, so that every nu up to 1 is admissible."""
        return np.ones(shape)

    def naive_value(self, y, weight, K):
        """libsvm divides its alpha by rho, so they are known by their sum."""
        v = expansion(svm.NuSVC(nu=self.nu, kernel="precomputed", tol=1e-10).fit(K, y, sample_weight=weight), len(y))
        v *= self.nu * weight.sum() / np.abs(v).sum()
        return -0.5 * v @ K @ v


class TestWeightedNuSVC(TestNuSVC):
    nu = 0.5

    def weights(self, rng, shape):
        return rng.uniform(0.5, 1.5, size=shape)


class TestLargestNuSVC(TestNuSVC):
    """Every alpha at its bound: the dual set is one point."""

    nu = 1.0
    weights_are_copies = False

    def naive_value(self, y, weight, K):
        return -0.5 * y @ K @ y


class TestMargin(Homogeneous):
    C = 0.5

    def criterion(self):
        return kernelopt.Margin(C=self.C)

    def naive_value(self, y, weight, K):
        """margin(C) is 4/(nu W)^2 = C^2 times nu-svc at nu = 2/(C W)."""
        machine = svm.NuSVC(nu=2.0 / (self.C * weight.sum()), kernel="precomputed", tol=1e-10)
        v = expansion(machine.fit(K, y, sample_weight=weight), len(y))
        v *= 2.0 / np.abs(v).sum()
        return -0.5 * v @ K @ v


class TestHardMargin(Homogeneous):
    def criterion(self):
        return kernelopt.Margin()

    def naive_value(self, y, weight, K):
        """A hard-margin machine, scaled to sum alpha = 2."""
        v = expansion(svm.SVC(C=1e8, kernel="precomputed", tol=1e-10).fit(K, y), len(y))
        v *= 2.0 / np.abs(v).sum()
        return -0.5 * v @ K @ v


class TestSVR(CriterionSuite):
    C, epsilon = 1.5, 0.1

    def criterion(self):
        return kernelopt.SVR(C=self.C, epsilon=self.epsilon)

    def rescaled(self, kernel, targets):
        return kernelopt.SVR(C=self.C * targets / kernel, epsilon=self.epsilon * targets), targets

    def naive_value(self, y, weight, K):
        machine = svm.SVR(C=self.C, epsilon=self.epsilon, kernel="precomputed", tol=1e-10)
        v = expansion(machine.fit(K, y, sample_weight=weight), len(y))
        return y @ v - self.epsilon * np.abs(v).sum() - 0.5 * v @ K @ v


class TestMedianSVR(TestSVR):
    epsilon = 0.0


class TestHardSVR(TestSVR):
    C = 1e3


class TestNuSVR(CriterionSuite):
    C, nu = 1.5, 0.4

    def criterion(self):
        return kernelopt.NuSVR(C=self.C, nu=self.nu)

    def rescaled(self, kernel, targets):
        return kernelopt.NuSVR(C=self.C * targets / kernel, nu=self.nu), targets

    def naive_value(self, y, weight, K):
        machine = svm.NuSVR(C=self.C, nu=self.nu, kernel="precomputed", tol=1e-10)
        v = expansion(machine.fit(K, y, sample_weight=weight), len(y))
        return y @ v - 0.5 * v @ K @ v


class TestLargestNuSVR(TestNuSVR):
    nu = 1.0


class TestOneClass(Homogeneous):
    nu = 0.4

    def criterion(self):
        return kernelopt.OneClass(nu=self.nu)

    def naive_value(self, y, weight, K):
        machine = svm.OneClassSVM(nu=self.nu, kernel="precomputed", tol=1e-10).fit(K, sample_weight=weight)
        v = expansion(machine, len(y))
        v *= self.nu * weight.sum() / v.sum()
        return -0.5 * v @ K @ v


class TestLargestOneClass(TestOneClass):
    nu = 1.0

    def naive_value(self, y, weight, K):
        return -0.5 * weight @ K @ weight


class TestAlignment(CriterionSuite):
    tight = False
    lagrangian = False
    weights_are_copies = False
    shifts = False

    def criterion(self):
        return kernelopt.Alignment()

    def rescaled(self, kernel, targets):
        return kernelopt.Alignment(), targets

    def weights(self, rng, shape):
        return np.ones(shape)

    def naive_value(self, y, weight, K):
        return 0.5 * y @ np.linalg.solve(K, y)


class TestRidge(CriterionSuite):
    lam = 0.03
    shifts = False

    def criterion(self):
        return kernelopt.Ridge(lam=self.lam)

    def rescaled(self, kernel, targets):
        return kernelopt.Ridge(lam=self.lam * kernel), targets

    def naive_value(self, y, weight, K):
        """The primal objective at the best function, by its normal equations."""
        noise = self.lam * weight.sum() / weight
        v = np.linalg.solve(K + np.diag(noise), y)
        return 0.5 * v @ K @ v + 0.5 * (y - K @ v) ** 2 @ (1.0 / noise)


class TestStiffRidge(TestRidge):
    lam = 50.0


INVARIANCES = (
    "test_weights_are_copies",
    "test_order_of_samples_does_not_matter",
    "test_constant_goes_to_the_bias",
    "test_units_do_not_matter",
)
SUITES = [suite for suite in dict(globals()).values() if isinstance(suite, type) and suite.__name__.startswith("Test")]


@pytest.mark.parametrize("law", INVARIANCES)
@pytest.mark.parametrize("suite", SUITES)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**31))
def test_invariances_hold_whatever_the_sample(suite, law, seed):
    case = suite()
    case.seed = seed
    getattr(case, law)()
