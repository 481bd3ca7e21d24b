"""How sure a learned Gaussian process is of what it predicts, in no more than a file must keep."""

import math
from abc import ABC, abstractmethod

import attrs
import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._interval import normal_reach, student_reach
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._scope import Scope

_FAR = 1000
"""So many training rows say how far a function is determined at rows beyond all of them: a guard, for more than a tenth
of a second would be too long for a prediction."""
_RAISED = 4
"""So often what rounding may have taken is raised tenfold: a guard, for it is a few times the first guess."""


class Posterior(ABC):
    """The variance of new targets given the training targets: that of the function, and the noise.

    var(z) = doubt (k(z, z) - k_z'(K + noise I)^-1 k_z + noise + excess)

    Attributes:
        noise: the variance of the noise that was learned, > 0.
        excess: by how much the variance of a new target about the function is larger, >= 0: as rows say that were held
            out, for kernels that have seen the targets leave too little noise; and as rows say that were left out one
            at a time, where targets have heavy tails.
        degrees: the degrees of freedom of Student's t, > 2, of which that noise is, or of which new targets are about
            what is predicted: as rows say that were left out, or as few rows say how large the variance is; None where
            they are Gaussian.
        doubt: how many times larger the variance of a new target is, >= 1, because few rows say how large it is.
        spread: the variance of a new target beside that which Student's t has, in (0, 1], as rows say that were left
            out: with little more than 2 degrees of freedom its variance is nearly all of targets that are never seen.
        scope: what the training rows span, beyond which means are held back; None where they are not.
        unit: the unit of each target, >= 0, shape (c,), in which all this is said, 0 of a constant one; None where it
            is 1.
    """

    noise: float
    excess: float
    degrees: float | None
    scope: Scope | None
    unit: FloatArray | None
    doubt: float
    spread: float

    @property
    def new(self) -> float:
        """The variance of a new target about the function, > 0."""
        return self.noise + self.excess

    def reach(self, share: float) -> float:
        """Within how many deviations of its mean a new target lies with a probability of `share`, from 0 to 1."""
        return (normal_reach(share) if self.degrees is None else student_reach(self.degrees, share)) / math.sqrt(
            self.spread
        )

    @abstractmethod
    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        """The standard deviation of a new target at checked rows Z (n', d), with noise, less doubt and spread, (n',).

        Where each of several targets has a deviation of its own, the shape is (n', c).

        Args:
            machine: of the same kernel; its support vectors are all training rows, unless the kernel has features.
            Z: rows.
        """

    @abstractmethod
    def unknown(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        """The variance of the function at checked rows Z (n', d) without the noise, shape (n',).

        Where the function of each of several targets has a variance of its own, the shape is (n', c).

        Of many training rows some are used, so that it is rather too large.

        Args:
            machine: as for deviations.
            Z: rows.
        """


@attrs.frozen(eq=False)
class Whole(Posterior):
    """By the Gram of the training rows, which is factored whenever it is asked.

    Attributes:
        weight: how often each training row counts, > 0, shape (n,), its noise being noise / weight; None where each
            counts once.
    """

    noise: float
    weight: FloatArray | None = None
    degrees: float | None = None
    scope: Scope | None = None
    unit: FloatArray | None = None
    excess: float = 0.0
    doubt: float = 1.0
    spread: float = 1.0

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        every = np.arange(len(machine.support_vectors))
        return np.asarray(np.sqrt(self._variance(machine, every, Z) + self.new))

    def unknown(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        """By all training rows, or by those of many that say the most of far rows: with the largest k(x, x)."""
        X = machine.support_vectors
        every = np.arange(len(X))
        far = every if len(X) <= _FAR else np.argsort(-machine.kernel.squares(X), kind="stable")[:_FAR]
        return self._variance(machine, far, Z)

    def _variance(self, machine: Predictor, rows: IntArray, Z: FloatArray) -> FloatArray:
        """The variance of the function at rows Z (n', d) as some training rows tell of it, shape (n',)."""
        kernel, X = machine.kernel, machine.support_vectors[rows]
        lower = _factor(kernel, X, self.noise / (np.ones(len(X)) if self.weight is None else self.weight[rows]))
        blocks = (_left(kernel, X, lower, Z[i : i + ROW_BLOCK]) for i in range(0, len(Z), ROW_BLOCK))
        return np.concatenate([np.zeros(0), *blocks])


def _factor(kernel: Kernel, X: FloatArray, noise: FloatArray) -> FloatArray:
    """L L' = K + noise of rows X (n, d), the noise of shape (n,). Where rounding leaves nothing positive of it, what
    rounding may have taken is added: at first n units in the last place of the largest k(x, x), then more.

    Raises:
        InvalidData: the kernel is not positive semidefinite.
    """
    for times in (0.0, *(10.0**k for k in range(_RAISED))):
        K = kernel.gram(X)
        lost = len(X) * np.finfo(float).eps * float(K.diagonal().max(initial=0.0))
        K[np.diag_indices(len(K))] += noise + times * lost
        try:
            return np.asarray(cholesky(K, lower=True, overwrite_a=True, check_finite=False))
        except LinAlgError:
            continue
    raise InvalidData(
        "the standard deviation: the learned kernel is not positive semidefinite on the training rows, so nothing says "
        "how sure predictions are; take kernels that are, or predict without return_std"
    )


def _left(kernel: Kernel, X: FloatArray, lower: FloatArray, Z: FloatArray) -> FloatArray:
    """k(z, z) - k_z'(L L')^-1 k_z at rows Z (n', d), shape (n',)."""
    half = solve_triangular(lower, kernel.between(X, Z), lower=True, check_finite=False)
    return np.asarray(np.maximum(kernel.squares(Z) - np.einsum("ij,ij->j", half, half), 0.0))


@attrs.frozen(eq=False)
class Thin(Posterior):
    """By the features phi of the training rows F, which need not be kept: var(z) = noise (1 + |L^-1 phi(z)|^2), and
    what features leave out of k(z, z), so that it is not too sure where they do not reach.

    Attributes:
        lower: L L' = F'F + noise I, shape (r, r).
    """

    noise: float
    lower: FloatArray
    degrees: float | None = None
    scope: Scope | None = None
    unit: FloatArray | None = None
    excess: float = 0.0
    doubt: float = 1.0
    spread: float = 1.0

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(self.new + self.unknown(machine, Z)))

    def unknown(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        return _left_by_features(machine.kernel, self.lower, self.noise, Z)


@attrs.frozen(eq=False)
class Beside(Posterior):
    """By the features phi of landmarks, where the machine has the whole kernel, which knows more than they do:

        var(z) = noise + share (noise |L^-1 phi(z)|^2 + k(z, z) - |phi(z)|^2)

    Attributes:
        kernel: by landmarks.
        lower: L L' = F'F + noise I of the features F of the training rows, shape (r, r).
        share: of what the landmarks do not know, as rows that were held out say.
    """

    noise: float
    kernel: Kernel
    lower: FloatArray
    share: float
    degrees: float | None = None
    scope: Scope | None = None
    unit: FloatArray | None = None
    excess: float = 0.0
    doubt: float = 1.0
    spread: float = 1.0

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(self.new + self.unknown(machine, Z)))

    def unknown(self, machine: Predictor, Z: FloatArray) -> FloatArray:  # noqa: ARG002
        return np.asarray(self.share * _left_by_features(self.kernel, self.lower, self.noise, Z))


def _left_by_features(kernel: Kernel, lower: FloatArray, noise: float, Z: FloatArray) -> FloatArray:
    """noise |L^-1 phi(z)|^2 and what features leave out of k(z, z), at rows Z (n', d), shape (n',)."""

    def left(rows: FloatArray) -> FloatArray:
        features, missing = kernel.featured(rows)
        half = solve_triangular(lower, features.T, lower=True, check_finite=False)
        return np.asarray(noise * np.einsum("ij,ij->j", half, half) + missing)

    return np.concatenate([np.zeros(0), *(left(Z[i : i + ROW_BLOCK]) for i in range(0, len(Z), ROW_BLOCK))])
