"""Where a search for metrics begins: from gradients, from all columns alike, and from each alone."""

import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_metric._average_gradients import outer_product
from kernelopt_metric._layout import Layout
from kernelopt_metric._radial_shapes import Shape

_WIDTHS = (0.125, 1.0, 8.0)
"""The mean squared distances of two rows at which a metric is tried: its climb finds the best one."""
_POWERS = (1.0, 0.5)
"""M is G itself, as theory has it, or its root, which tells apart less where gradients are few."""


def candidates(X: FloatArray, V: FloatArray, near: FloatArray, shape: Shape, layout: Layout) -> FloatArray:
    """Atoms to climb from, shape (m, p), none of which depends on the order of the rows.

        the constant kernel, and the atoms that are near
        all columns alike, or the leading directions of the rows
        the leading directions of G, and its diagonal, of a function of the kernels that are near, or of all widths
        each column alone

    Args:
        X: rescaled rows, shape (n, d).
        V: shape (n, c), not all 0.
        near: shape (m', p), maybe none.
        shape: of the kernels.
        layout: what the numbers of an atom are.
    """
    covariance = np.atleast_2d(np.cov(X, rowvar=False, ddof=0))
    identity = np.eye(layout.d)
    spread = 2.0 * float(np.trace(covariance))
    if not spread > 0.0:
        return np.vstack([np.zeros((1, layout.size)), near])
    metrics = [identity, covariance]
    for kernels, how in _functions(near, spread, layout):
        G = outer_product(X, V, kernels, shape, how)
        for power in _POWERS:
            metrics += [_power(G, power), np.diag(np.diag(G) ** power)]
    widened = [np.sqrt(width) * root for M in metrics for root in _root(M, covariance, layout) for width in _WIDTHS]
    alone = [root for one in identity for root in _root(np.diag(one), covariance, layout)]
    return np.vstack([np.zeros((1, layout.size)), near, *widened, *alone])


def widths(center: FloatArray, near: FloatArray) -> FloatArray:
    """Atoms of one metric to climb from, shape (m, p): the constant kernel, those that are near, and all widths.

    Args:
        center: with two rows at mean squared distance 1, shape (1, p).
        near: shape (m', p), maybe none.
    """
    return np.vstack([np.zeros_like(center), near, *(np.sqrt(width) * center for width in _WIDTHS)])


def _functions(near: FloatArray, spread: float, layout: Layout) -> list[tuple[FloatArray, Layout]]:
    """The kernels of which G is taken, with how their atoms are laid out."""
    alike = Layout(layout.d, layout.d, diagonal=True)
    isotropic = [(np.full((1, layout.d), np.sqrt(width / spread)), alike) for width in _WIDTHS]
    return [*isotropic, (near, layout)] if len(near) else isotropic


def _power(G: FloatArray, power: float) -> FloatArray:
    """G^power of a positive semidefinite G."""
    values, vectors = np.linalg.eigh(G)
    return np.asarray((vectors * np.maximum(values, 0.0) ** power) @ vectors.T)


def _root(M: FloatArray, covariance: FloatArray, layout: Layout) -> list[FloatArray]:
    """The atom (1, p) of the leading directions of M, or of its diagonal, with two rows at mean squared distance 1.

    None where they are at none: of constant columns.
    """
    if layout.diagonal:
        atom = np.sqrt(np.diag(M))[None]
    else:
        values, vectors = np.linalg.eigh(M)
        leading = slice(None, -layout.rank - 1, -1)
        atom = (vectors[:, leading] * np.sqrt(np.maximum(values[leading], 0.0))).reshape(1, -1)
    R = layout.matrix(atom[0])
    distance = 2.0 * float(np.vdot(R, covariance @ R))
    return [atom / np.sqrt(distance)] if distance > 0.0 else []
