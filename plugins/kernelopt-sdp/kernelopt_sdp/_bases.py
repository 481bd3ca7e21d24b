"""Two bases of what a Gram matrix sees, between which all directions are of one size.

A kernel that is nearly constant has one eigenvalue far above all others, and a dual variable sees only that one.
"""

import numpy as np
import scipy.linalg

from kernelopt.plugin import FloatArray


def balanced(whole: FloatArray) -> tuple[FloatArray, FloatArray]:
    """B and root (n, r) with root root' = whole (n, n) and B'root = I."""
    values, vectors = scipy.linalg.eigh(whole)
    kept = values > len(values) * np.finfo(float).eps * values[-1]
    if not kept.any():
        kept, values = np.ones_like(kept), np.ones_like(values)
    sizes, vectors = np.sqrt(values[kept]), vectors[:, kept]
    return vectors / sizes, vectors * sizes
