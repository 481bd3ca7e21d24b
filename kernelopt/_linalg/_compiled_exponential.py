"""The exponential function of numbers <= 0, several at a time. Importing this module imports numba.

numpy's takes one number after the other where the processor has no AVX-512.
"""

from typing import Any

from numba import float64, int64
from numba.extending import intrinsic

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray

_LOWEST = -708.0
"""What is below it has no normal exponential, and gets 0."""
_PER_LOG2 = 1.4426950408889634
_LOG2_HIGH, _LOG2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""log 2 in two parts, of which multiples of the first by small integers are exact (Cody and Waite 1980)."""
_ROUNDER = 1.5 * 2.0**52
"""A number that is added to it is rounded to an integer, which stands in the lowest bits of the sum."""


def _to_integer(_: Any, x: Any) -> Any:
    """The bits of a number, as an integer."""

    def made(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return builder.bitcast(given[0], context.get_value_type(int64))

    return int64(x), made


def _to_number(_: Any, bits: Any) -> Any:
    """The number of these bits."""

    def made(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return builder.bitcast(given[0], context.get_value_type(float64))

    return float64(bits), made


_bits: Any = intrinsic(_to_integer)
_number: Any = intrinsic(_to_number)


def _exponentiated(values: FloatArray) -> None:
    """exp of each number, shape (n,), C-contiguous, in place: off by 1e-15 of it at most where it is normal, else 0.

    exp(x) = 2^k exp(r), k = x / log 2 rounded, |r| <= log(2) / 2: k is added to the exponent of Taylor's polynomial of
    degree 13. NaN stays NaN.
    """
    for i in range(values.shape[0]):
        x = values[i]
        least = _LOWEST if x < _LOWEST else x
        shifted = least * _PER_LOG2 + _ROUNDER
        k = shifted - _ROUNDER
        r = (least - k * _LOG2_HIGH) - k * _LOG2_LOW
        p = 1.0 / 6227020800.0
        p = p * r + 1.0 / 479001600.0
        p = p * r + 1.0 / 39916800.0
        p = p * r + 1.0 / 3628800.0
        p = p * r + 1.0 / 362880.0
        p = p * r + 1.0 / 40320.0
        p = p * r + 1.0 / 5040.0
        p = p * r + 1.0 / 720.0
        p = p * r + 1.0 / 120.0
        p = p * r + 1.0 / 24.0
        p = p * r + 1.0 / 6.0
        p = p * r + 0.5
        p = p * r + 1.0
        p = p * r + 1.0
        found = _number(_bits(p) + (_bits(shifted) << 52))
        values[i] = (0.0 if x < _LOWEST else found) + (least - least)


exponential = compiled(_exponentiated, exact=True)
