"""Whether what all targets share is worth its time: few targets are learned one by one in less."""

import math
import time
from functools import cache

import numpy as np

from kernelopt._base._memory import fits
from kernelopt._targets._atlas import INTERPOLATED, first_rays
from kernelopt._targets._determinant import held
from kernelopt._targets._options import RAYS, quick_rays

_STEPS = 16.0
"""A target by itself takes about so many steps from two beginnings, each one Cholesky factor and one inverse."""
_TRIDIAGONAL = 4.0
"""The tridiagonal matrix of each kernel takes about so many times r^3 operations."""
_KERNEL = 60.0
"""A pass over a kernel in each step takes as long as so many operations for each of its entries."""
_RAY, _ROUGH_RAY = (9.0, 2.0), (5.0, 1.0)
"""An eigendecomposition takes about so many times r^3 operations, and so many for each kernel seen by its vectors: in
double precision, and in single precision."""
_LEVELS, _LEAST_LEVELS = 16, 4
"""Rays are known at about so many noises, and at so many at least."""
_INTERPOLATIONS = 3.0
"""So often the matrix of what is interpolated is factored, with all that goes with it, in its size cubed."""
_DOUBT, _AROUND = 2.0, 60
"""How far a target may be from its optimum takes so many operations for each kernel and entry of the inverse of that
matrix, of which the quick way has so many points at most."""
_TRIED = 500
"""A matrix of so many rows is factored to see how long an operation takes."""
_CLEARLY = 0.3
"""One by one takes less time where it takes at most so large a share of the other way's operations, which run faster on
large matrices and are fewer where targets are alike."""


def few_enough(t: int, m: int, r: int, *, quick: bool) -> bool:
    """Whether t targets, each by itself, take less time than what they would share.

    Args:
        t: the number of targets.
        m: of kernels that are not constant.
        r: the number of dimensions that the kernels span.
        quick: whether the quick way is asked for.
    """
    return m > 0 and alone(t, m, r) < _CLEARLY * (shared(t, m, r, quick=quick) + t * _each(t, m, quick=quick))


def too_much(t: int, m: int, r: int, *, quick: bool, seconds: float) -> bool:
    """Whether there is no memory, or within these seconds no time, for what t targets share; the rest as above.

    It takes about half of the time that its operations would take in a factorisation of few rows, so that half of the
    time is left for the targets.
    """
    if m == 0:
        return False
    if not fits(held(_interpolated(t, m, quick=quick))):
        return True
    return math.isfinite(seconds) and shared(t, m, r, quick=quick) * _pace() > seconds


def alone(t: int, m: int, r: int) -> float:
    """The operations of t targets, each by itself."""
    return _TRIDIAGONAL * m * float(r) ** 3 + _STEPS * t * (float(r) ** 3 + _KERNEL * m * float(r) ** 2)


def shared(t: int, m: int, r: int, *, quick: bool) -> float:
    """The operations of what t targets share: eigendecompositions, and the interpolation between them."""
    size = _interpolated(t, m, quick=quick)
    ray, kernel = _ROUGH_RAY if quick else _RAY
    return (ray + kernel * m) * _rays(t, m, quick=quick) * float(r) ** 3 + _INTERPOLATIONS * float(size) ** 3


def _each(t: int, m: int, *, quick: bool) -> float:
    """The operations by which each target asks how far it is from its optimum."""
    size = _interpolated(t, m, quick=quick)
    return _DOUBT * m * float(min(size, _AROUND * (1 + m)) if quick else size) ** 2


def _rays(t: int, m: int, *, quick: bool) -> int:
    most = quick_rays(m) if quick else RAYS
    first = first_rays(m, most, rough=quick)
    return 1 if m == 1 else first + min(max(most - first, 0), t)


def _interpolated(t: int, m: int, *, quick: bool) -> int:
    """How many values and slopes are interpolated."""
    rays = _rays(t, m, quick=quick)
    return int(max(min(_LEVELS * (1 + m) * rays, INTERPOLATED), _LEAST_LEVELS * (1 + m) * rays))


@cache
def _pace() -> float:
    """The seconds of an operation on this machine, by the faster of two factorisations."""
    taken = []
    for _ in range(2):
        K = np.eye(_TRIED)
        began = time.monotonic()
        np.linalg.cholesky(K)
        taken.append(time.monotonic() - began)
    return max(min(taken), 1e-6) / (_TRIED**3 / 3.0)
