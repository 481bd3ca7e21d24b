"""Periodic kernels whose period is learned, under the laws of a kernel family and at work."""

import math
from typing import ClassVar

import attrs
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import kernelopt
from kernelopt.plugin import BestAtoms, Data, Dense, FloatArray, Gradient, Gram, Part, Query, SmoothFamily, positive
from kernelopt.testing import FamilySuite


@attrs.frozen
class Periodic(SmoothFamily):
    """k_f(x, z) = exp(-2 sum_j sin^2(pi f (x_j - z_j)) / smooth^2), 0 <= f <= top; an atom is f, 1 over the period."""

    name: ClassVar[str] = "periodic"

    top: float = attrs.field(default=2.0, validator=positive)
    smooth: float = attrs.field(default=1.0, validator=positive)

    def _kernel(self, f: float, Z: FloatArray, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """k_f and its derivative in f."""
        turns = np.pi * (Z[:, None] - X)
        K = np.exp(-2.0 / self.smooth**2 * np.sum(np.sin(f * turns) ** 2, axis=2))
        return K, -2.0 / self.smooth**2 * K * np.sum(turns * np.sin(2.0 * f * turns), axis=2)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        pairs = zip(part.atoms[:, 0], part.weights, strict=True)
        return sum((w * self._kernel(f, Z, X)[0] for f, w in pairs), np.zeros((len(Z), len(X))))

    def gram(self, part: Part, data: Data) -> Gram:
        return Dense(self.cross(part, data, data))

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return np.full(len(X), part.mass)

    def center(self) -> Part:
        return Part(np.array([[0.5 * self.top]]), np.ones(1))

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        rows = np.append(0, np.flatnonzero(V.any(axis=1)[1:]) + 1)
        X, V = data[rows], V[rows]
        grid, step = np.linspace(0.0, self.top, 64 * math.ceil(query.effort) + 1, retstep=True)
        heights = np.array([-np.inf, *(self._value(f, X, V) for f in grid), -np.inf])
        peaks = grid[(heights[1:-1] >= heights[:-2]) & (heights[1:-1] >= heights[2:])]
        starts = np.append(peaks, [] if query.near is None else query.near[:, 0])
        found = np.unique(np.concatenate([starts, [self._climb(f, step, X, V) for f in starts], [self.top]]))
        values = np.array([self._value(f, X, V) for f in found])
        best = np.argsort(-values, kind="stable")[: query.k]
        return BestAtoms(found[best, None], values[best], float(values.max()), exact=False)

    def _climb(self, f: float, step: float, X: FloatArray, V: FloatArray) -> float:
        cell = (max(f - step, 0.0), min(f + step, self.top))
        return float(minimize_scalar(lambda g: -self._value(g, X, V), bounds=cell, method="bounded").x)

    def _value(self, f: float, X: FloatArray, V: FloatArray) -> float:
        return float(np.sum(V * (self._kernel(f, X, X)[0] @ V)))

    def pullback(self, part: Part, data: Data, V: FloatArray) -> Gradient:
        pairs = [self._kernel(f, data, data) for f in part.atoms[:, 0]]
        slopes = np.array([w * np.sum(V * (D @ V)) for w, (_, D) in zip(part.weights, pairs, strict=True)])
        return Gradient(slopes[:, None], np.array([np.sum(V * (K @ V)) for K, _ in pairs]))

    def atom_bounds(self) -> tuple[FloatArray, FloatArray]:
        return np.zeros(1), np.full(1, self.top)


class TestPeriodic(FamilySuite):
    def family(self):
        return Periodic(top=1.5, smooth=1.2)

    def naive_gram(self, family, part, X):
        def k(x, z):
            total = 0.0
            for f, w in zip(part.atoms[:, 0], part.weights, strict=True):
                sines = sum(math.sin(math.pi * f * (a - b)) ** 2 for a, b in zip(x, z, strict=True))
                total += w * math.exp(-2.0 * sines / family.smooth**2)
            return total

        return np.array([[k(x, z) for z in X] for x in X])


@pytest.mark.parametrize("solver", ["fw", "ipm"])
def test_the_period_is_found(solver):
    X = np.random.default_rng(0).uniform(0.0, 10.0, size=(60, 1))
    y = np.sin(2.0 * np.pi * 0.731 * X[:, 0])
    s = kernelopt.solve(X, y, family=Periodic(), solver=solver, criterion={"name": "ridge", "lam": 1e-3}, tol=1e-4)
    assert s.status is kernelopt.Status.CONVERGED_ESTIMATED
    heaviest = s.mixture.parts[0].atoms[np.argmax(s.mixture.parts[0].weights), 0]
    assert heaviest == pytest.approx(0.731, abs=0.005)
