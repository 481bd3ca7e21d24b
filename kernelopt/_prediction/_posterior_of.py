"""The posterior of a learned Gaussian process, made from its training rows and from what held-out rows say of it."""

import math
from typing import Any, TypeVar

import attrs
import numpy as np
from scipy.linalg import LinAlgError, cholesky, qr

from kernelopt._base._target_frame import TargetFrame
from kernelopt._base._typing import FloatArray
from kernelopt._prediction._few_rows import degrees_of_few, spread_of
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Beside, Posterior, Thin, Whole
from kernelopt._prediction._scope import Scope
from kernelopt._prediction._several import Several

Features = TypeVar("Features", Thin, Beside)


def posterior_of(
    kernel: Kernel,
    X: FloatArray,
    noise: float,
    weight: FloatArray | None = None,
    degrees: float | None = None,
    own: OwnNoise | None = None,
) -> Posterior:
    """Of a Gaussian process with this covariance and noise, given targets at rows X (n, d) that count so often (n,).

    Several targets may have a noise, a size and weights of the kernels of their own.
    """
    if own is not None:
        kinds = [(attrs.evolve(kernel, mixture=own.mixture_of(kernel.mixture, c)), own.ratio[c]) for c in own.firsts]
        each = [posterior_of(one, X, float(ratio) * noise, weight, degrees) for one, ratio in kinds]
        return Several.of(noise, tuple(each), own, degrees)
    if not kernel.explicit:
        return Whole(noise, weight, degrees)
    F, _ = kernel.featured(X)
    F = F if weight is None else F * np.sqrt(weight)[:, None]
    return Thin(noise, factor_of(F, noise), degrees)


def widened(posterior: Posterior | None, least: float | None) -> Posterior | None:
    """The same, where the variance of a new target about the function is at least this; of several targets with a noise
    of their own, where it is as many times larger as that makes the noise that they have in common; as it is for None.
    """
    if posterior is None or least is None or posterior.noise >= least:
        return posterior
    every: Any = posterior
    if isinstance(posterior, Several):
        each = tuple(widened(one, least / posterior.noise * one.noise) for one in posterior.each)
        every = attrs.evolve(every, each=each)
    found: Posterior = attrs.evolve(every, excess=least - posterior.noise)
    return found


def with_tail(posterior: Posterior | None, degrees: float | None, times: float, spread: float) -> Posterior | None:
    """The same, where new targets are about what is predicted as Student's t of these degrees of freedom, with so many
    times the variance of the noise, >= 1, and of all of which new targets spread less; as it is for None.
    """
    if posterior is None or degrees is None:
        return posterior
    every: Any = posterior
    found: Posterior = attrs.evolve(
        every, degrees=degrees, excess=times * posterior.new - posterior.noise, spread=spread
    )
    return found


def doubted(posterior: Posterior | None, n: float) -> Posterior | None:
    """The same, where n rows say how large the variance is; as it is for None, with heavy tails, and for many rows.

    The kernel and the noise have a common factor, which was chosen as n targets less their mean are the most likely.
    Integrated over all factors s, each with a density of 1 / s, a new target is Student's t of n - 1 degrees of freedom
    about the same mean, with the variance times n / (n - 3): of noise about the mean the scale is the sample standard
    deviation (O'Hagan 1978).
    """
    degrees = degrees_of_few(n)
    if posterior is None or posterior.degrees is not None or degrees is None:
        return posterior
    every: Any = posterior
    found: Posterior = attrs.evolve(every, degrees=degrees, doubt=n / max(n - 1.0, 1.0) * spread_of(degrees))
    return found


def with_noise(posterior: Features, times: float, degrees: float | None, spread: float = 1.0) -> Features:
    """The same function by features, where the noise of a new target has so many times the variance, and is Student's t
    of these degrees of freedom, of whose variance new targets have this share; Gaussian for None.
    """
    every: Any = posterior
    noise, lower = times * posterior.noise, math.sqrt(times) * posterior.lower
    found: Features = attrs.evolve(every, noise=noise, lower=lower, degrees=degrees, spread=spread)
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
    every: Any = posterior if frame is None or not isinstance(posterior, Several) else posterior.everywhere(frame)
    scope = Scope.of(kernel, X, y, weight)
    if scope is not None and frame is not None:
        scope = attrs.evolve(scope, spread=frame.everywhere(scope.spread))
    found: Posterior = attrs.evolve(every, scope=scope, unit=None if frame is None else frame.everywhere(frame.unit))
    return found


def factor_of(F: FloatArray, noise: float) -> FloatArray:
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
