"""How sure a learned Gaussian process is of what it predicts, in no more than a file must keep."""

import math
from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky, qr, solve_triangular
from scipy.special import stdtrit

from kernelopt._base._errors import InvalidOption
from kernelopt._base._finite import finite_at
from kernelopt._base._target_frame import TargetFrame
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._interval import normal_reach, tail_of
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._scope import Scope
from kernelopt._prediction._told import Told, blocks, told_of, untold

_FAR = 1000
"""So many training rows say how far a function is determined at rows beyond all of them: a guard, for more than a tenth
of a second would be too long for a prediction."""
_AT_ONCE = 64 * ROW_BLOCK
"""New rows whose deviations are computed at once. A guard: each time the Gram of the training rows may be factored,
which takes a twentieth of the time that so many new rows take, or less."""


class Posterior(ABC):
    """The variance of new targets given the training targets: that of the function, and the noise.

    var(z) = k(z, z) - k_z'(K + noise I)^-1 k_z + noise + excess

    Attributes:
        noise: the variance of the noise that was learned, > 0.
        excess: by how much the variance of a new target about the function is larger, >= 0, as rows say that were held
            out: kernels that have seen the targets leave too little noise.
        degrees: the degrees of freedom of Student's t, > 2, of which that noise is; None where it is Gaussian.
        scope: what the training rows span, beyond which means are held back; None where they are not.
        unit: the unit of each target, >= 0, shape (c,), in which all this is said, 0 of a constant one; None where it
            is 1.
    """

    noise: float
    excess: float
    degrees: float | None
    scope: Scope | None
    unit: FloatArray | None

    @property
    def new(self) -> float:
        """The variance of a new target about the function, > 0."""
        return self.noise + self.excess

    def reach(self, share: float) -> float:
        """Within how many deviations of its mean a new target lies with a probability of `share`, from 0 to 1."""
        if self.degrees is None:
            return normal_reach(share)
        return -float(stdtrit(self.degrees, tail_of(share))) * math.sqrt((self.degrees - 2.0) / self.degrees)

    @abstractmethod
    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        """The standard deviation of a new target at checked rows Z (n', d), noise included, shape (n',).

        Args:
            machine: of the same kernel; its support vectors are all training rows, unless the kernel has features.
            Z: rows.
        """

    @abstractmethod
    def unknown(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        """The variance of the function at checked rows Z (n', d) without the noise, shape (n',).

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
        K = kernel.gram(X)
        K[np.diag_indices(len(K))] += self.noise if self.weight is None else self.noise / self.weight[rows]
        lower = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
        blocks = (_left(kernel, X, lower, Z[i : i + ROW_BLOCK]) for i in range(0, len(Z), ROW_BLOCK))
        return np.concatenate([np.zeros(0), *blocks])


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


def posterior_of(
    kernel: Kernel, X: FloatArray, noise: float, weight: FloatArray | None = None, degrees: float | None = None
) -> Posterior:
    """Of a Gaussian process with this covariance and noise, given targets at rows X (n, d) that count so often (n,)."""
    if not kernel.explicit:
        return Whole(noise, weight, degrees)
    F = kernel.features(X)
    F = F if weight is None else F * np.sqrt(weight)[:, None]
    return Thin(noise, _factor(F, noise), degrees)


def widened(posterior: Posterior | None, least: float) -> Posterior | None:
    """The same, where the variance of a new target about the function is at least this."""
    if posterior is None or posterior.noise >= least:
        return posterior
    every: Any = posterior
    found: Posterior = attrs.evolve(every, excess=least - posterior.noise)
    return found


def scoped(
    posterior: Posterior | None,
    kernel: Kernel,
    X: FloatArray,
    y: FloatArray,
    weight: FloatArray,
    frame: TargetFrame | None = None,
) -> Posterior | None:
    """The same, which also knows what training rows X (n, d) with targets less their level (n, c') span, and how these
    were made of the given ones.
    """
    if posterior is None:
        return None
    every: Any = posterior
    scope = Scope.of(kernel, X, y, weight)
    if scope is not None and frame is not None:
        scope = attrs.evolve(scope, spread=frame.everywhere(scope.spread))
    found: Posterior = attrs.evolve(every, scope=scope, unit=None if frame is None else frame.everywhere(frame.unit))
    return found


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
    values = believed(machine, posterior, rows, machine.decision_function(rows))
    return (values, deviations(machine, sure(posterior), rows, values.shape)) if return_std else values


def believed(machine: Predictor, posterior: Posterior | None, rows: FloatArray, values: FloatArray) -> npt.NDArray[Any]:
    """Labels of checked rows (n, d) with these decisions, or their values as far as these are believed there."""
    found = machine.labelled(values)
    if posterior is None or posterior.scope is None:
        return found
    unknown = partial(posterior.unknown, machine)
    return posterior.scope.held(machine.kernel, machine.intercept, unknown, rows, found)


def deviations(
    machine: Predictor, posterior: Posterior, rows: FloatArray, shape: tuple[int, ...], told: Told = untold
) -> FloatArray:
    """The standard deviations of new targets at checked rows (n, d), in the shape of the values there.

    Args:
        machine: what predicts.
        posterior: how sure it is.
        rows: checked.
        shape: (n,), or (n, c) of several targets.
        told: gets the number of rows of each block that is done.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # judged by the values
        parts = (told_of(posterior.deviation(machine, block), told) for block in blocks(rows, _AT_ONCE))
        found = finite_at(np.concatenate([np.zeros(0), *parts]), rows, "the standard deviation")
    found = found.reshape(-1, *[1] * (len(shape) - 1))
    return np.broadcast_to(found if posterior.unit is None else found * posterior.unit, shape)


def sure(posterior: Posterior | None, asked: str = "return_std") -> Posterior:
    """How sure a machine is.

    Args:
        posterior: what is known of it.
        asked: what a user asked for, for the message.

    Raises:
        InvalidOption: nobody knows.
    """
    if posterior is None:
        raise InvalidOption(
            f"{asked}: only a regression with the evidence has standard deviations; take "
            'criterion="evidence" with numbers for targets'
        )
    return posterior
