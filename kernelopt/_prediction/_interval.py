"""Between which two numbers a new target lies with a probability that a user names."""

import math
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import plain
from kernelopt._base._typing import FloatArray


def check_share(share: Any, name: str = "share") -> float:
    """The probability with which an interval is to hold a new target.

    Args:
        share: the probability.
        name: what the caller calls it, for the message.

    Raises:
        InvalidOption: it is no number between 0 and 1.
    """
    if isinstance(share, Real) and 0.0 < float(share) < 1.0:
        return float(share)
    raise InvalidOption(f"{name} must be a number between 0 and 1, got {plain(share)!r}; 0.95 asks for 95 %")


def tail_of(share: float) -> float:
    """The probability of what lies below an interval that holds `share`, and of what lies above it."""
    return 0.5 * (1.0 - share)


def normal_reach(share: float) -> float:
    """Within how many deviations of its mean a normal variable lies with a probability of `share`, from 0 to 1."""
    return -float(ndtri(tail_of(share)))


def student_reach(degrees: float, share: float) -> float:
    """The same of a variable of Student's t with so many degrees of freedom, > 2."""
    return -float(stdtrit(degrees, tail_of(share))) * math.sqrt((degrees - 2.0) / degrees)


def around(values: FloatArray, deviations: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    """Both ends of intervals around values, so many deviations from them; arrays of the shape of the values.

    Collections of dask give collections, which are not computed yet.
    """
    away: Any = np.multiply(deviations, reach)
    return values - away, values + away
