"""Few columns that span a matrix to rounding: Cholesky's factorisation with pivots."""

from collections.abc import Callable

import numpy as np

from kernelopt._base._typing import FloatArray


def pivoted(row: Callable[[int], FloatArray], diagonal: FloatArray, most: int, share: float) -> FloatArray | None:
    """F' (r, n) with F F' = K but for `share` of its largest diagonal entry; None where r would exceed `most`.

        repeat  p = argmax of d,  f = (K_p - F F_p') / d_p^1/2,  d -= f^2        d = the diagonal of K at first

    What is left, K - F F', is positive semidefinite with diagonal d: no entry exceeds that share.

    Args:
        row: of K, by its number, shape (n,); as many are asked for as are needed.
        diagonal: of K, shape (n,).
        most: the most columns of F.
        share: relative.
    """
    left = diagonal.copy()
    least = share * float(left.max())
    F = np.empty((min(most, len(left)) + 1, len(left)))
    for r, f in enumerate(F):
        p = int(left.argmax())
        if left[p] <= least:
            return F[:r]
        f[...] = row(p)
        f -= F[:r, p] @ F[:r]
        f /= np.sqrt(left[p])
        left -= f * f
    return None
