"""How targets lie about what is predicted of them: as Gaussian numbers, or as those of Student's t with heavier tails.

Of a kernel that is right nearly everywhere most rows are met closely and some are missed by far. The variance of what
is left is then that of the few rows, and Gaussian intervals that hold half of the targets by this variance hold four of
five. Student's t of the same variance has the degrees of freedom under which each row is the most likely, as all others
predict it. What is predicted stays as it is, and so does the variance.
"""

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._prediction._likelihood import density

_DEGREES = (2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, None)
"""The degrees of freedom that are tried; None is Gaussian. With 2 there is no variance."""
_NATS = 3.0
"""All rows but the one that gains the most must gain so many nats by Student's t: of a hundred sets of Gaussian numbers
less than one gains as much. Worth: `noise_tables.py`."""


def likeliest_degrees(away: FloatArray, deviation: FloatArray, own: FloatArray) -> float | None:
    """The degrees of freedom under which targets are the most likely; None is Gaussian.

    Args:
        away: what others leave of each target, shape (n, 1).
        deviation: the standard deviation that it should have, shape (n, 1).
        own: how often each row counts, shape (n,).
    """
    return max(_DEGREES, key=lambda nu: float(own @ density(away, deviation, nu)))


def heavy_degrees(away: FloatArray, deviation: FloatArray, own: FloatArray, alike: IntArray) -> float | None:
    """The same, but Gaussian unless all rows but the one that gains the most, and its copies, gain 3 nats by it.

    Args:
        away: as in `likeliest_degrees`.
        deviation: as there.
        own: as there.
        alike: the number of the set of copies that each row is in, shape (n,).
    """
    degrees = likeliest_degrees(away, deviation, own)
    gain = density(away, deviation, degrees) - density(away, deviation, None)
    gains = np.bincount(alike, weights=own / own.mean() * gain)
    believed = gains.sum() - gains.max() > _NATS
    return degrees if believed else None


def deviation_of(function: FloatArray, noise: FloatArray) -> FloatArray:
    """Of a target by the variances of the function and of the noise, shape (n, 1); rounding makes no variance of the
    function negative.
    """
    return np.asarray(np.sqrt(np.maximum(function, 0.0) + noise)[:, None])
