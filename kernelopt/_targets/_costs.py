"""Whether what all targets share is worth its time: few targets are learned one by one in less."""

from kernelopt._targets._atlas import INTERPOLATED, first_rays
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
    return m > 0 and alone(t, m, r) < _CLEARLY * shared(t, m, r, quick=quick)


def alone(t: int, m: int, r: int) -> float:
    """The operations of t targets, each by itself."""
    return _TRIDIAGONAL * m * float(r) ** 3 + _STEPS * t * (float(r) ** 3 + _KERNEL * m * float(r) ** 2)


def shared(t: int, m: int, r: int, *, quick: bool) -> float:
    """The operations of what t targets share: eigendecompositions, and the interpolation between them."""
    most = quick_rays(m) if quick else RAYS
    first = first_rays(m, most, rough=quick)
    rays = first if m == 1 else first + min(max(most - first, 0), t)
    size = max(min(_LEVELS * (1 + m) * rays, INTERPOLATED), _LEAST_LEVELS * (1 + m) * rays)
    ray, kernel = _ROUGH_RAY if quick else _RAY
    return (ray + kernel * m) * rays * float(r) ** 3 + _INTERPOLATIONS * float(size) ** 3
