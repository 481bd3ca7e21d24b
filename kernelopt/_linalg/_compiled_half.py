"""Products with half of a symmetric matrix in single precision, compiled. Importing this module imports numba."""

from functools import partial

import numpy as np
import numpy.typing as npt

from kernelopt._base._jit import compiled

_TILE = 1024
"""So many entries of four rows, and of the two columns that they are multiplied with, are in the fastest cache."""
_Single = npt.NDArray[np.float32]


@partial(compiled, bounded=True)
def add_images(strip: _Single, start: int, B: _Single, total: _Single) -> None:
    """total += B K, where K is symmetric and zero but for a strip of rows, up to the diagonal, and its mirror image.

    Entries are read once for all rows of B, four rows of them at a time: BLAS reads all of them for each row of B.

    Args:
        strip: rows of K from `start` on, up to the last one's diagonal, shape (h, start + h), C-contiguous.
        start: the number of the first row.
        B: shape (c, n), C-contiguous.
        total: shape (c, n), C-contiguous, written to.
    """
    h, c = strip.shape[0], B.shape[0]
    whole = h // 4 * 4
    for low in range(0, start, _TILE):
        high = min(low + _TILE, start)
        for i in range(0, whole, 4):
            r = start + i
            x, y, z, w = strip[i, low:high], strip[i + 1, low:high], strip[i + 2, low:high], strip[i + 3, low:high]
            for k in range(c):
                b, f = B[k, low:high], total[k, low:high]
                p, q, u, v = B[k, r], B[k, r + 1], B[k, r + 2], B[k, r + 3]
                s = t = m = n = np.float32(0.0)
                for j in range(x.shape[0]):
                    s += x[j] * b[j]
                    t += y[j] * b[j]
                    m += z[j] * b[j]
                    n += w[j] * b[j]
                    f[j] += (x[j] * p + y[j] * q) + (z[j] * u + w[j] * v)
                total[k, r] += s
                total[k, r + 1] += t
                total[k, r + 2] += m
                total[k, r + 3] += n
    for i in range(h):
        r = start + i
        x = strip[i, (0 if i >= whole else start) : r]
        low = r - x.shape[0]
        for k in range(c):
            b, f, p, s = B[k, low:r], total[k, low:r], B[k, r], np.float32(0.0)
            for j in range(x.shape[0]):
                s += x[j] * b[j]
                f[j] += x[j] * p
            total[k, r] += s + strip[i, r] * p
