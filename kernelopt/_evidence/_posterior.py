"""How sure the Gaussian process of a learned kernel is of what it predicts."""

from abc import ABC, abstractmethod

import attrs
import numpy as np
from scipy.linalg import cholesky, solve_triangular

from kernelopt._evidence._factored import factored
from kernelopt._evidence._tangent import noise_of
from kernelopt._family import ExplicitFamily
from kernelopt._gram import ROW_BLOCK, LowRank
from kernelopt._mixture import Mixture
from kernelopt._predictor import Kernel
from kernelopt._problem import Problem
from kernelopt._typing import FloatArray


class Posterior(ABC):
    """The variance of new targets given the training targets: that of the function, and the noise.

    var(z) = k(z, z) - k_z'(K + noise I)^-1 k_z + noise
    """

    @abstractmethod
    def deviation(self, Z: FloatArray) -> FloatArray:
        """The standard deviation of a new target at checked rows Z (n', d), noise included, shape (n',)."""


@attrs.frozen(eq=False)
class Whole(Posterior):
    """By the Gram of the training rows, which is factored whenever it is asked.

    Attributes:
        kernel: without the noise.
        X: the training rows, shape (n, d).
        noise: the variance of a target about the function, > 0.
    """

    kernel: Kernel
    X: FloatArray
    noise: float

    def deviation(self, Z: FloatArray) -> FloatArray:
        K = self.kernel.between(self.X, self.X)
        K[np.diag_indices(len(K))] += self.noise
        lower = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
        blocks = (self._variance(lower, Z[i : i + ROW_BLOCK]) for i in range(0, len(Z), ROW_BLOCK))
        return np.asarray(np.sqrt(np.concatenate(list(blocks))))

    def _variance(self, lower: FloatArray, Z: FloatArray) -> FloatArray:
        half = solve_triangular(lower, self.kernel.between(self.X, Z), lower=True, check_finite=False)
        explained = np.einsum("ij,ij->j", half, half)
        return np.asarray(np.maximum(self.kernel.diag(Z) - explained, 0.0) + self.noise)


@attrs.frozen(eq=False)
class Thin(Posterior):
    """By the features F of the training rows, which need not be kept: var(z) = noise (1 + |L^-1 phi(z)|^2).

    Attributes:
        kernel: of explicit families alone.
        lower: L L' = F'F + noise I, shape (r, r).
        noise: > 0.
    """

    kernel: Kernel
    lower: FloatArray
    noise: float

    def deviation(self, Z: FloatArray) -> FloatArray:
        half = solve_triangular(self.lower, self._features(Z).T, lower=True, check_finite=False)
        return np.asarray(np.sqrt(self.noise * (1.0 + np.einsum("ij,ij->j", half, half))))

    def _features(self, Z: FloatArray) -> FloatArray:
        """phi of each row, weights included, shape (n', r)."""
        pieces = []
        for leaf, part in zip(self.kernel.leaves, self.kernel.mixture.parts, strict=True):
            if len(part):
                assert isinstance(leaf.family, ExplicitFamily)
                columns, owner = leaf.family.columns(part.atoms, leaf.view(Z))
                pieces.append(columns * np.sqrt(leaf.factor * part.weights[owner]))
        return np.hstack(pieces)


def posterior(problem: Problem, mixture: Mixture, kernel: Kernel, X: FloatArray) -> Posterior:
    """The posterior of the evidence's answer on the training rows X (n, d)."""
    gram, noise = problem.gram(mixture), noise_of(problem)
    if isinstance(gram, LowRank) and gram.thin:
        factor = factored(gram, noise)
        assert factor is not None
        return Thin(kernel, factor.factor, gram.ridge + noise)
    pairs = zip(problem.leaves, mixture.parts, strict=True)
    return Whole(kernel, X, noise + sum(leaf.factor * leaf.family.ridge(part) for leaf, part in pairs if len(part)))
