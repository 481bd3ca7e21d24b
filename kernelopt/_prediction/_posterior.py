"""How sure a learned Gaussian process is of what it predicts, in no more than a file must keep."""

import math
from abc import ABC, abstractmethod
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky, qr, solve_triangular
from scipy.special import ndtri, stdtrit

from kernelopt._base._errors import InvalidOption
from kernelopt._base._finite import finite_at
from kernelopt._base._typing import FloatArray
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._predictor import Predictor


class Posterior(ABC):
    """The variance of new targets given the training targets: that of the function, and the noise.

    var(z) = k(z, z) - k_z'(K + noise I)^-1 k_z + noise

    Attributes:
        noise: the variance of a new target about the function, > 0.
        degrees: the degrees of freedom of Student's t, > 2, of which that noise is; None where it is Gaussian.
    """

    noise: float
    degrees: float | None

    def reach(self, share: float) -> float:
        """Within how many deviations of its mean a new target lies with a probability of `share`, from 0 to 1."""
        tail = 0.5 * (1.0 + share)
        if self.degrees is None:
            return float(ndtri(tail))
        return float(stdtrit(self.degrees, tail)) * math.sqrt((self.degrees - 2.0) / self.degrees)

    @abstractmethod
    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        """The standard deviation of a new target at checked rows Z (n', d), noise included, shape (n',).

        Args:
            machine: of the same kernel; its support vectors are all training rows, unless the kernel has features.
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

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        kernel, X = machine.kernel, machine.support_vectors
        K = kernel.between(X, X)
        K[np.diag_indices(len(K))] += self.noise if self.weight is None else self.noise / self.weight
        lower = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
        blocks = (self._variance(kernel, X, lower, Z[i : i + ROW_BLOCK]) for i in range(0, len(Z), ROW_BLOCK))
        return np.asarray(np.sqrt(np.concatenate(list(blocks))))

    def _variance(self, kernel: Kernel, X: FloatArray, lower: FloatArray, Z: FloatArray) -> FloatArray:
        half = solve_triangular(lower, kernel.between(X, Z), lower=True, check_finite=False)
        explained = np.einsum("ij,ij->j", half, half)
        return np.asarray(np.maximum(kernel.diag(Z) - explained, 0.0) + self.noise)


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

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        blocks = (self.unknown(machine.kernel, Z[i : i + ROW_BLOCK]) for i in range(0, len(Z), ROW_BLOCK))
        return np.asarray(np.sqrt(self.noise + np.concatenate(list(blocks))))

    def unknown(self, kernel: Kernel, Z: FloatArray) -> FloatArray:
        """The variance of the function at rows Z (n', d), shape (n',)."""
        features, missing = kernel.featured(Z)
        half = solve_triangular(self.lower, features.T, lower=True, check_finite=False)
        return np.asarray(self.noise * np.einsum("ij,ij->j", half, half) + missing)


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

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:  # noqa: ARG002
        unknown = Thin(self.noise, self.lower).unknown
        blocks = (unknown(self.kernel, Z[i : i + ROW_BLOCK]) for i in range(0, len(Z), ROW_BLOCK))
        return np.asarray(np.sqrt(self.noise + self.share * np.concatenate(list(blocks))))


def posterior_of(
    kernel: Kernel, X: FloatArray, noise: float, weight: FloatArray | None = None, degrees: float | None = None
) -> Posterior:
    """Of a Gaussian process with this covariance and noise, given targets at rows X (n, d) that count so often (n,)."""
    if not kernel.explicit:
        return Whole(noise, weight, degrees)
    F = kernel.features(X)
    F = F if weight is None else F * np.sqrt(weight)[:, None]
    return Thin(noise, _factor(F, noise), degrees)


def _factor(F: FloatArray, noise: float) -> FloatArray:
    """L with L L' = F'F + noise I, shape (r, r), for features F (n, r) and noise > 0.

    Where the noise is lost beside the products of features, it is not beside the features themselves: then L comes from
    an orthogonal transformation of the features and the root of the noise, which takes twice as long.
    """
    inner = F.T @ F
    inner[np.diag_indices(len(inner))] += noise
    if not len(inner):
        return inner
    try:
        return np.asarray(cholesky(inner, lower=True, check_finite=False))
    except LinAlgError:
        rows = np.vstack([F, np.sqrt(noise) * np.eye(len(inner))])
        return np.asarray(qr(rows, mode="r", overwrite_a=True, check_finite=False)[0][: len(inner)].T)


def predicted(
    machine: Predictor, posterior: Posterior | None, Z: Any, return_std: bool
) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], FloatArray]:
    """Labels or values of rows Z, and on request the standard deviations of new targets in the same shape.

    Raises:
        InvalidOption: a deviation is asked for, and there is none.
    """
    rows = machine.kernel.rows(Z)
    values = machine.predict(rows)
    if not return_std:
        return values
    posterior = sure(posterior)
    with np.errstate(over="ignore", invalid="ignore"):  # judged by the values
        deviation = finite_at(posterior.deviation(machine, rows), rows, "the standard deviation")
    return values, np.broadcast_to(deviation.reshape(-1, *[1] * (values.ndim - 1)), values.shape)


def sure(posterior: Posterior | None) -> Posterior:
    """How sure a machine is.

    Raises:
        InvalidOption: nobody knows.
    """
    if posterior is None:
        raise InvalidOption(
            "return_std: only a regression with the evidence has standard deviations; take "
            'criterion="evidence" with numbers for targets'
        )
    return posterior
