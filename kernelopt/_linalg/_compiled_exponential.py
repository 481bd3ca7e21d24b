"""The exponential function of numbers <= 0, several at a time. Importing this module imports numba.

numpy's takes one number after the other where the processor has no AVX-512.
"""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import float32, int32, int64
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

_LOWEST_1, _PER_LOG2_1, _ROUNDER_1 = np.float32(-87.0), np.float32(_PER_LOG2), np.float32(1.5 * 2.0**23)
_LOG2_HIGH_1, _LOG2_LOW_1 = np.float32(0.693359375), np.float32(-2.12194440e-4)
"""The same in single precision."""
_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)
_SIXTH, _FOURTH, _FIFTH = np.float32(1.0 / 6.0), np.float32(1.0 / 24.0), np.float32(1.0 / 120.0)
_LAST, _LAST_BUT_ONE = np.float32(1.0 / 5040.0), np.float32(1.0 / 720.0)


def _to_raised(_: Any, p: Any, __: Any) -> Any:
    """A number p times 2 to the integer that stands in the lowest bits of another."""
    whole, digits = (int32, 23) if p == float32 else (int64, 52)

    def made(context: Any, builder: Any, _: Any, given: Any) -> Any:
        kind = context.get_value_type(whole)
        bits, power = (builder.bitcast(one, kind) for one in given)
        return builder.bitcast(builder.add(bits, builder.shl(power, kind(digits))), context.get_value_type(p))

    return p(p, p), made


_raised: Any = intrinsic(_to_raised)
_inner = partial(compiled, exact=True, wrapped=False)


@_inner
def _exponential(x: float) -> Any:
    """exp(x), off by 1e-15 of it at most where it is normal, else 0; of NaN NaN.

    exp(x) = 2^k exp(r), k = x / log 2 rounded, |r| <= log(2) / 2: k is added to the exponent of Taylor's polynomial of
    degree 13.
    """
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
    return (0.0 if x < _LOWEST else _raised(p, shifted)) + (least - least)


@_inner
def _exponential_1(x: np.float32) -> Any:
    """The same in single precision, with a polynomial of degree 7: off by 2e-7 of it at most."""
    least = _LOWEST_1 if x < _LOWEST_1 else x
    shifted = least * _PER_LOG2_1 + _ROUNDER_1
    k = shifted - _ROUNDER_1
    r = (least - k * _LOG2_HIGH_1) - k * _LOG2_LOW_1
    p = _LAST
    p = p * r + _LAST_BUT_ONE
    p = p * r + _FIFTH
    p = p * r + _FOURTH
    p = p * r + _SIXTH
    p = p * r + _HALF
    p = p * r + _ONE
    p = p * r + _ONE
    return (_ZERO if x < _LOWEST_1 else _raised(p, shifted)) + (least - least)


def _exponentiated(x: FloatArray, rate: float, rooted: bool, out: FloatArray) -> None:
    """exp(-rate x) of each number, or of the root of each, shape (n,), C-contiguous, into another array."""
    if rooted:
        for i in range(x.shape[0]):
            out[i] = _exponential(-rate * np.sqrt(x[i]))
    else:
        for i in range(x.shape[0]):
            out[i] = _exponential(-rate * x[i])


def _summed(
    x: FloatArray, rates: FloatArray, rooted: npt.NDArray[np.bool_], weights: FloatArray, total: FloatArray
) -> None:
    """total += sum_a weights_a exp(-rates_a x), or of the root of x, with x and total of shape (n', n)."""
    for i in range(x.shape[0]):
        base, row = x[i], total[i]
        for a in range(rates.shape[0]):
            rate, weight = rates[a], weights[a]
            if rooted[a]:
                for j in range(base.shape[0]):
                    row[j] += weight * _exponential(-rate * np.sqrt(base[j]))
            else:
                for j in range(base.shape[0]):
                    row[j] += weight * _exponential(-rate * base[j])


def _summed_1(
    x: npt.NDArray[np.float32],
    rates: npt.NDArray[np.float32],
    rooted: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float32],
    total: npt.NDArray[np.float32],
) -> None:
    """The same in single precision."""
    for i in range(x.shape[0]):
        base, row = x[i], total[i]
        for a in range(rates.shape[0]):
            rate, weight = rates[a], weights[a]
            if rooted[a]:
                for j in range(base.shape[0]):
                    row[j] += weight * _exponential_1(-rate * np.sqrt(base[j]))
            else:
                for j in range(base.shape[0]):
                    row[j] += weight * _exponential_1(-rate * base[j])


def _apart_1(
    z: FloatArray,
    x: FloatArray,
    rates: npt.NDArray[np.float32],
    weights: npt.NDArray[np.float32],
    total: npt.NDArray[np.float32],
) -> None:
    """total += sum_a weights_a exp(-rates_a (z - x)^2), with z of shape (n',), x (n,) and total (n', n): squares are
    computed in double precision, exponentials in single.
    """
    squares = np.empty(x.shape[0], np.float32)
    for i in range(z.shape[0]):
        row, p = total[i], z[i]
        for j in range(x.shape[0]):
            squares[j] = np.float32((p - x[j]) * (p - x[j]))
        for a in range(rates.shape[0]):
            rate, weight = rates[a], weights[a]
            for j in range(x.shape[0]):
                row[j] += weight * _exponential_1(-rate * squares[j])


exponential = compiled(_exponentiated, exact=True)
apart_in_single = compiled(_apart_1, exact=True)
summed = compiled(_summed, exact=True)
summed_in_single = compiled(_summed_1, exact=True)
