"""Where a search for metrics begins: from gradients, from all columns alike, and from each alone."""

import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_metric._average_gradients import gradients
from kernelopt_metric._layout import Layout
from kernelopt_metric._radial_shapes import Shape
from kernelopt_metric._spectrum import Spectrum

_WIDTHS = (0.125, 1.0, 8.0)
"""The mean squared distances of two rows at which a metric is tried: its climb finds the best one."""
_POWERS = (1.0, 0.5)
"""M is G itself, as theory has it, or its root, which tells apart less where gradients are few."""
_MOST_ALONE = 256
"""Columns that are tried alone: each costs as much as a metric of all."""


def candidates(X: FloatArray, V: FloatArray, near: FloatArray, shape: Shape, layout: Layout) -> FloatArray:
    """Atoms to climb from, shape (m, p), none of which depends on the order of the rows.

        the constant kernel, and the atoms that are near
        all columns alike, or the leading directions of the rows
        the leading directions of G, and its diagonal, of a function of the kernels that are near, or of all widths
        each column alone, of many the steepest

    Args:
        X: rescaled rows, shape (n, d).
        V: shape (n, c), not all 0.
        near: shape (m', p), maybe none.
        shape: of the kernels.
        layout: what the numbers of an atom are.
    """
    B = (X - X.mean(axis=0)) / np.sqrt(len(X))
    spread = 2.0 * float(np.vdot(B, B))
    if not spread > 0.0:
        return np.vstack([np.zeros((1, layout.size)), near])
    metrics = [_of_diagonal(np.ones(layout.d), layout), _of_spectrum(Spectrum.of(B), 1.0, layout)]
    steepness = np.zeros(layout.d)
    for kernels, how in _functions(near, spread, layout):
        J = gradients(X, V, kernels, shape, how)
        spectrum = Spectrum.of(J)
        steep = np.einsum("id,id->d", J, J)
        steepness += steep / max(float(steep.sum()), 1e-300)
        for power in _POWERS:
            metrics += [_of_spectrum(spectrum, power, layout), _of_diagonal(steep**power, layout)]
    widened = [np.sqrt(width) * atom for metric in metrics for atom in _unit(metric, B, layout) for width in _WIDTHS]
    few = np.sort(np.argsort(-steepness, kind="stable")[:_MOST_ALONE])
    alone = [atom for k in few for atom in _unit(_of_column(k, layout), B, layout)]
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


def _of_spectrum(spectrum: Spectrum, power: float, layout: Layout) -> FloatArray:
    """The numbers (p,) of the leading directions of (J'J)^power, or of its diagonal."""
    return np.sqrt(spectrum.diagonal(power)) if layout.diagonal else spectrum.root(layout.rank, power).ravel()


def _of_diagonal(diagonal: FloatArray, layout: Layout) -> FloatArray:
    """The same of a diagonal matrix, from its entries >= 0."""
    if layout.diagonal:
        return np.sqrt(diagonal)
    R = np.zeros((layout.d, layout.rank))
    leading = np.argsort(diagonal, kind="stable")[: -layout.rank - 1 : -1]
    R[leading, np.arange(len(leading))] = np.sqrt(diagonal[leading])
    return R.ravel()


def _of_column(k: int, layout: Layout) -> FloatArray:
    """The numbers (p,) of a metric of one column."""
    numbers = np.zeros(layout.size)
    numbers[k if layout.diagonal else k * layout.rank] = 1.0
    return numbers


def _unit(numbers: FloatArray, B: FloatArray, layout: Layout) -> list[FloatArray]:
    """An atom (1, p), with two rows at mean squared distance 1; none where they are at none: of constant columns."""
    ends = layout.projected(B, numbers)
    distance = 2.0 * float(np.vdot(ends, ends))
    return [numbers[None] / np.sqrt(distance)] if distance > 0.0 else []
