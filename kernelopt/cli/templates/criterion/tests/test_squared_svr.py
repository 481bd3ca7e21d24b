"""The plugin under the laws of a criterion, and at work."""

import numpy as np
import pytest
from kernelopt_squared_svr import SquaredSVR
from scipy.optimize import minimize

import kernelopt
from kernelopt.testing import CriterionSuite


class TestSquaredSVR(CriterionSuite):
    def criterion(self):
        return SquaredSVR(C=2.0)

    def naive_value(self, y, weight, K):
        root = np.linalg.cholesky(K)

        def objective(x):
            excess = np.maximum(0.0, np.abs(y - root @ x[:-1] - x[-1]) - 0.1)
            return 0.5 * x[:-1] @ x[:-1] + weight @ excess**2

        return minimize(objective, np.zeros(len(y) + 1), options={"gtol": 1e-8}).fun

    def rescaled(self, kernel, targets):
        return SquaredSVR(C=2.0 / kernel, epsilon=0.1 * targets), targets


def test_solves_by_name_to_a_certified_gap():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(60, 2))
    y = np.sin(3.0 * X[:, 0]) + 0.1 * rng.normal(size=60)
    solution = kernelopt.solve(X, y, family="dictionary", criterion={"name": "squared-svr", "C": 10.0})
    assert solution.status.converged
    assert np.corrcoef(solution.predict(X), y)[0, 1] > 0.9


def test_options_are_checked():
    with pytest.raises(kernelopt.InvalidOption, match="C must be a positive"):
        SquaredSVR(C=-1.0)
    with pytest.raises(kernelopt.InvalidOption, match="no option is called 'c'"):
        kernelopt.solve(np.eye(4), [0.0, 1.0, 0.5, 0.1], criterion={"name": "squared-svr", "c": 1.0})
