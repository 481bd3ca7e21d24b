"""exp(-rate x) of arrays of distances: the largest part of what a Gaussian or Laplacian Gram takes."""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray

_ROOTED = 100.0
"""The root of a squared distance loses more digits than the distance itself where rows are near. A guard."""

FEW = 1 << 13
"""Of fewer numbers numpy's exponential takes less time than it is worth to import numba for."""
_WORTH = 1 << 20
"""So it is for fewer numbers in all, where it is known how many there are: numpy takes a millisecond for them, and a
process that reads a model and predicts takes a quarter longer where it imports numba, which it needs for nothing else.
"""


def decayed(x: FloatArray, rate: float, out: FloatArray, rooted: bool = False, *, whole: int = _WORTH) -> FloatArray:
    """exp(-rate x) of numbers x >= 0, or exp(-rate x^1/2), where it is above 1e-307, and 0 where it is less.

    Of a million numbers it took .68 of numpy's time on a processor with AVX-512 (`gram_peer.py`).

    Args:
        x: of any shape; NaN stays NaN.
        rate: >= 0.
        out: of the same shape, written to; may be x.
        rooted: whether it is the latter.
        whole: how many numbers there are in all, of which these are a part.

    Returns:
        `out`.
    """
    if out.size < FEW or whole < _WORTH or not out.flags.c_contiguous:
        with np.errstate(over="ignore", invalid="ignore"):
            np.multiply(np.sqrt(x, out=out) if rooted else x, -rate, out=out)
            return np.exp(out, out=out)
    from kernelopt._linalg._compiled_exponential import exponential  # numba is imported where it is needed

    numbers, written = np.ascontiguousarray(x).reshape(-1), out.reshape(-1)
    if not np.may_share_memory(numbers, written):
        exponential(numbers, rate, rooted, written)
        return out
    for i in range(0, out.size, FEW):  # compiled code is quick where it reads from one array and writes to another
        piece = written[i : i + FEW]
        exponential(numbers[i : i + FEW].copy(), rate, rooted, piece)
    return out


@attrs.frozen
class Decay:
    """exp(-rate x), or exp(-rate x^1/2).

    Attributes:
        rate: >= 0.
        rooted: whether it is the latter.
    """

    rate: float
    rooted: bool = False

    @property
    def steepness(self) -> float:
        """One over the squared distance at which it falls, where x is one; of a root one over a smaller one."""
        return _ROOTED * self.rate**2 if self.rooted else self.rate


def steepest(decays: Iterable[Decay | None]) -> float:
    """The largest steepness of some kernels, and 0 where none of them decays."""
    return max((one.steepness for one in decays if one is not None), default=0.0)


def add_decayed(x: Any, decays: Sequence[tuple[float, Decay]], total: Any, *, whole: int = _WORTH) -> None:
    """Total += sum_a w_a exp(-rate_a x), or of the root of x, in one pass over numbers x >= 0.

    In single precision it takes a quarter of the time that numpy takes for one exponential after the other, with a
    relative error of 3e-7 each; what is below 1e-37 is 0 there.

    Args:
        x: shape (n', n), C-contiguous; NaN stays NaN.
        decays: each with its weight w.
        total: of the same shape and precision, which is single or double.
        whole: how many numbers there are in all, of which these are a part: few of them are added one exponential after
            the other, and numba is not imported for them.
    """
    if whole * len(decays) < _WORTH:
        one = np.empty_like(x)
        for weight, decay in decays:
            total += weight * decayed(x, decay.rate, one, decay.rooted, whole=whole)
        return
    from kernelopt._linalg._compiled_exponential import summed, summed_in_single  # numba, where it is needed

    add: Any = summed_in_single if x.dtype == np.float32 else summed
    weights, rates = np.array([(weight, decay.rate) for weight, decay in decays], dtype=x.dtype).reshape(-1, 2).T.copy()
    add(x, rates, np.array([decay.rooted for _, decay in decays], dtype=np.bool_), weights, total)


def add_column_decays(z: Any, x: Any, decays: Sequence[tuple[float, Decay]], total: Any) -> None:
    """Total += sum_a w_a exp(-rate_a (z - x)^2) of the numbers of one column, in one pass, in single precision.

    Args:
        z: shape (n',).
        x: shape (n,); NaN stays NaN. Squares have double precision where z and x have.
        decays: each with its weight w, none of a root.
        total: shape (n', n), C-contiguous, of single precision.
    """
    from kernelopt._linalg._compiled_exponential import apart_in_single  # numba, where it is needed

    add: Any = apart_in_single
    weights, rates = np.array([(weight, decay.rate) for weight, decay in decays], dtype=np.float32).T.copy()
    with np.errstate(over="ignore", invalid="ignore"):  # NaN stays NaN
        add(np.ascontiguousarray(z, dtype=np.float64), np.ascontiguousarray(x, dtype=np.float64), rates, weights, total)
