"""A kernel between training rows in single precision, where that is near enough: half the time of double precision."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._device._arrays import Arrays
from kernelopt._families.features._device_kernel import DeviceSum
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._kernel import Kernel

Between: TypeAlias = Callable[[slice, slice], Any]
"""Some rows, and others -> the kernel between them, shape (k, k')."""

_LOOKED_AT = 32
"""So many rows around the longest one say how wrong single precision is."""


def between(kernel: Kernel, X: FloatArray, allowed: float) -> Between:
    """The kernel between some of the rows X (n, d) and others, in single precision where that will do.

    Distances in single precision are wrong by a share of the squared lengths of rows, which narrow kernels amplify, so
    the rows about the longest one are computed in all ways. Where distances take double precision, single precision may
    still do for the exponentials, which take most of the time where rows have few columns.

    Args:
        kernel: it.
        X: checked rows.
        allowed: the root of the sum of squares by which the values of one row with all others may be wrong.
    """
    exact = kernel.among(X)
    single = Arrays(single=True)
    for apart in (None, Arrays()):
        found = DeviceSum.of(single, kernel.leaves, kernel.mixture, X, apart)
        if not found.bases:
            return exact
        if _wrong(exact, found.between, X) <= allowed:
            return found.between
    return exact


def _wrong(exact: Between, single: Between, X: FloatArray) -> float:
    """How far values of rows about the longest one are from the exact ones: the root of the sum of squares of the worst
    row.
    """
    longest = int(np.argmax(np.einsum("ij,ij->i", X, X)))
    some = slice(max(longest - _LOOKED_AT // 2, 0), longest + _LOOKED_AT // 2)
    wrong = np.zeros(len(X[some]))
    for i in range(0, len(X), ROW_BLOCK):
        others = slice(i, min(i + ROW_BLOCK, len(X)))
        wrong += np.sum((exact(some, others) - single(some, others)) ** 2, axis=1)
    return float(np.sqrt(wrong.max()))
