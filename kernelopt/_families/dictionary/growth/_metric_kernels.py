"""Kernels that measure distances along the directions in which a function varies."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from scipy.spatial.distance import pdist

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.growth._average_gradients import OuterProduct
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel
from kernelopt._families.dictionary.seen._coded_columns import View, seen_from, written_out
from kernelopt._families.dictionary.seen._places import Metric

SMOOTH = (0.05, 0.2, 0.7, 2.5, 8.0)
"""gamma of the Gaussians, in units of one over the median squared distance of two rows."""
KINKED = (0.1, 0.4, 1.0, 2.5)
"""gamma of the exponentials, in units of one over its root."""
ROUGH = (0.1, 0.3, 1.0, 3.0)
"""d gamma of the Laplacians, on d columns of mean weight 1."""
_PAIRS_OF = 200
"""The median distance is that of so many rows."""


def metric_kernels(
    G: OuterProduct, X: View, levels: Mapping[tuple[int, ...], FloatArray] = MappingProxyType({})
) -> tuple[PlacedKernel, ...]:
    """Gaussians and exponentials of two metrics, and Laplacians of the second one's coordinates.

    The first metric is G. The second is its diagonal, but for columns with few values: these have the directions along
    which the function differs between the values. Where G is 0 there are none.

    Args:
        G: the average gradient outer product.
        X: rows, shape (n, d).
        levels: for columns with few values directions of their own, shape (d, r).
    """
    if not len(G.values):
        return ()
    whole = Metric(G.root * np.sqrt(len(G.diagonal) / float(G.diagonal.sum())))
    apart = _apart(G.diagonal, levels)
    return (*_radial(whole, X), *(() if apart is None else (*_radial(apart, X), *_rough(apart))))


def _apart(diagonal: FloatArray, levels: Mapping[tuple[int, ...], FloatArray]) -> Metric | None:
    """The metric of each column apart, of trace d; None where it is 0."""
    slopes = np.sqrt(np.maximum(diagonal, 0.0))
    root = slopes
    if levels:
        sloping = np.setdiff1d(np.arange(len(slopes)), np.concatenate([np.array(numbers) for numbers in levels]))
        alone = np.zeros((len(slopes), len(sloping)))
        alone[sloping, np.arange(len(sloping))] = slopes[sloping]
        root = np.hstack([alone, *levels.values()])
        root = root[:, root.any(axis=0)]
    size = float(np.linalg.norm(root))
    return Metric(root * (np.sqrt(len(slopes)) / size)) if 0.0 < size < np.inf else None


def _rough(metric: Metric) -> tuple[PlacedKernel, ...]:
    """Laplacians of a metric's coordinates, of several widths."""
    width = metric.width(0)
    return tuple(PlacedKernel(("laplacian", {"gamma": gamma / width}), metric) for gamma in ROUGH)


def _radial(metric: Metric, X: View) -> tuple[PlacedKernel, ...]:
    """Functions of the distance, of several widths; none where all rows are at one place."""
    rows = np.linspace(0, len(X) - 1, min(len(X), _PAIRS_OF), dtype=np.intp)
    squared = pdist(written_out(seen_from(metric, X[rows])), "sqeuclidean")
    apart = squared[squared > 0.0]
    if not apart.size:
        return ()
    middle = float(np.median(apart))
    smooth = (PlacedKernel(("rbf", {"gamma": gamma / middle}), metric) for gamma in SMOOTH)
    kinked = (PlacedKernel(("exponential", {"gamma": gamma / np.sqrt(middle)}), metric) for gamma in KINKED)
    return (*smooth, *kinked)
