"""Kernels that measure distances along the directions in which a function varies."""

import numpy as np
from scipy.spatial.distance import pdist

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary._base_kernels import PlacedKernel
from kernelopt._families.dictionary._places import Metric

SMOOTH = (0.05, 0.2, 0.7, 2.5, 8.0)
"""gamma of the Gaussians, in units of one over the median squared distance of two rows."""
KINKED = (0.1, 0.4, 1.0, 2.5)
"""gamma of the exponentials, in units of one over its root."""
ROUGH = (0.1, 0.3, 1.0, 3.0)
"""d gamma of the Laplacians, on d columns of mean weight 1."""
_PAIRS_OF = 200
"""The median distance is that of so many rows."""
_FLAT = 1e-8
"""A direction along which the function varies by a smaller share is left out."""


def metric_kernels(G: FloatArray, X: FloatArray) -> tuple[PlacedKernel, ...]:
    """Gaussians and exponentials of the metrics G and diag G, and Laplacians of columns weighted by its root.

    Where G is 0 there are none.

    Args:
        G: an average gradient outer product, shape (d, d).
        X: rows, shape (n, d).
    """
    trace = float(np.trace(G))
    if not 0.0 < trace < np.inf:
        return ()
    d = len(G)
    values, vectors = np.linalg.eigh(G * (d / trace))
    leading = values > _FLAT * values[-1]
    whole = Metric(vectors[:, leading] * np.sqrt(values[leading]))
    diagonal = Metric(np.sqrt(np.maximum(np.diag(G), 0.0) * (d / trace)))
    rough = (PlacedKernel(("laplacian", {"gamma": gamma / d}), diagonal) for gamma in ROUGH)
    return (*_radial(whole, X), *_radial(diagonal, X), *rough)


def _radial(metric: Metric, X: FloatArray) -> tuple[PlacedKernel, ...]:
    """Functions of the distance, of several widths; none where all rows are at one place."""
    rows = np.linspace(0, len(X) - 1, min(len(X), _PAIRS_OF), dtype=np.intp)
    squared = pdist(metric.of(X[rows]), "sqeuclidean")
    apart = squared[squared > 0.0]
    if not apart.size:
        return ()
    middle = float(np.median(apart))
    smooth = (PlacedKernel(("rbf", {"gamma": gamma / middle}), metric) for gamma in SMOOTH)
    kinked = (PlacedKernel(("exponential", {"gamma": gamma / np.sqrt(middle)}), metric) for gamma in KINKED)
    return (*smooth, *kinked)
