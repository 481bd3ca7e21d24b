"""Sums over columns of codes, compiled: of one number where two rows have one code, else of one of each. Importing this
module imports numba.
"""

import numpy as np

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray, IntArray


def add_same(Z: IntArray, X: IntArray, values: FloatArray, out: FloatArray) -> None:
    """Out (n', n) += the sum over the columns in which two rows have one code of values of the former.

    Args:
        Z: codes, 32 bits, shape (n', G).
        X: codes, 32 bits, shape (n, G).
        values: shape (n', G).
        out: shape (n', n), each row without gaps, written to.
    """
    nothing = np.zeros(X.T.shape)
    _add(np.ascontiguousarray(Z), np.ascontiguousarray(X.T), values, np.zeros_like(values), nothing, out)


def add_different(Z: IntArray, X: IntArray, first: FloatArray, second: FloatArray, out: FloatArray) -> None:
    """Out (n', n) += the sum over the columns in which two rows have different codes of a number of each.

    Args:
        Z: codes, 32 bits, shape (n', G).
        X: codes, 32 bits, shape (n, G).
        first: numbers of the rows Z, shape (n', G).
        second: numbers of the rows X, shape (n, G).
        out: shape (n', n), each row without gaps, written to.
    """
    further = np.ascontiguousarray(second.T)
    _add(np.ascontiguousarray(Z), np.ascontiguousarray(X.T), np.zeros_like(first), first, further, out)


@compiled
def _add(
    Z: IntArray, columns: IntArray, same: FloatArray, other: FloatArray, further: FloatArray, out: FloatArray
) -> None:
    """out += same where codes are the same, and else other + further.

    Args:
        Z: shape (n', G).
        columns: shape (G, n).
        same: shape (n', G).
        other: shape (n', G).
        further: shape (G, n).
        out: shape (n', n), written to.
    """
    for i in range(out.shape[0]):
        place = out[i]
        for j in range(columns.shape[0]):
            x, more, z, a, b = columns[j], further[j], Z[i, j], same[i, j], other[i, j]
            for k in range(out.shape[1]):
                place[k] += a if x[k] == z else b + more[k]
