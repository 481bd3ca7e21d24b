"""The plugin under the laws of a kernel family, and at work."""

import math

import numpy as np
import pytest
from kernelopt_minimal import Gaussians

import kernelopt
from kernelopt.testing import CuttingPlanes, FamilySuite, two_classes


class TestGaussians(FamilySuite):
    def family(self):
        return Gaussians(widths=(0.2, 1.0, 4.0))

    def naive_gram(self, family, part, X):
        def k(x, z):
            square = math.dist(x, z) ** 2 / family._size
            return sum(w * math.exp(-square / r**2) for r, w in zip(part.atoms[:, 0], part.weights, strict=True))

        return np.array([[k(x, z) for z in X] for x in X])

    def test_widths_are_relative_to_the_mean_squared_distance(self):
        sample = self.sample()
        rows = list(zip(sample.X, sample.weight, strict=True))
        total = sum(v * w * math.dist(x, z) ** 2 for x, v in rows for z, w in rows)
        assert sample.family._size == pytest.approx(total / sum(sample.weight) ** 2)


def test_solves_by_name_to_a_certified_gap():
    X, y = two_classes(np.random.default_rng(0), 60, 3)
    solution = kernelopt.solve(X, y[:, 0], family="gaussians", solver=CuttingPlanes(), criterion="svc", tol=1e-4)
    assert solution.status.converged
    assert solution.certificate.exact
    assert solution.certificate.relative_gap <= 1e-4
    assert solution.certificate.upper < solution.baseline
    assert np.mean(solution.predict(X) == y[:, 0]) > 0.7


def test_any_solver_serves_it():
    if "fw" not in kernelopt.solvers():
        pytest.skip("kernelopt-fw is not installed")
    X, y = two_classes(np.random.default_rng(0), 60, 3)
    bounds = [
        kernelopt.solve(X, y[:, 0], family="gaussians", solver=solver, tol=1e-3).certificate
        for solver in ("fw", CuttingPlanes())
    ]
    assert max(one.lower for one in bounds) <= min(one.upper for one in bounds)


def test_options_are_checked():
    with pytest.raises(kernelopt.InvalidOption, match="widths must be a positive"):
        kernelopt.solve(np.eye(4), [0, 1, 0, 1], family={"name": "gaussians", "widths": [1.0, -1.0]})
    with pytest.raises(kernelopt.InvalidOption, match="no option is called 'width'"):
        kernelopt.solve(np.eye(4), [0, 1, 0, 1], family={"name": "gaussians", "width": 1.0})
