"""Where the proximal point method stands."""

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray, Problem, State

_MARGIN = 10.0
"""Kernels are in play whose v'K_a v falls short of the largest by at most so many relative gaps.
Worth: `constants.py smo.margin`."""


@attrs.frozen(eq=False)
class ProximalState(State):
    """Where the proximal point method stands; the response and the ceiling are the best so far.

    Attributes:
        weights: of all kernels, shape (m,), summing to 1.
        alphas: dual variables of each output, feasible.
        images: K_a V there of all kernels, shape (m, n, c).
        values: v'K_a v there of all kernels, shape (m,).
        kappa: the next stage's smoothing.
        band: how many rows are in play next, at least.
    """

    weights: FloatArray = attrs.field(kw_only=True)
    alphas: tuple[FloatArray, ...] = attrs.field(kw_only=True)
    images: FloatArray = attrs.field(kw_only=True)
    values: FloatArray = attrs.field(kw_only=True)
    kappa: float = attrs.field(kw_only=True)
    band: int = attrs.field(kw_only=True)

    @property
    def size(self) -> float:
        """The larger of the two bounds' sizes."""
        return max(abs(self.response.upper), abs(self.ceiling.lower))

    @property
    def gap(self) -> float:
        """The upper bound less the lower."""
        return max(self.response.upper - self.ceiling.lower, 0.0)

    def kernels(self) -> IntArray:
        """The kernels in play: those with weight, and those whose v'K_a v is near the largest."""
        relative_gap = self.gap / self.size if self.size else 1.0
        floor = (1.0 - min(_MARGIN * relative_gap, 1.0)) * float(self.values.max())
        return np.flatnonzero((self.weights > 0.0) | (self.values >= floor))


def embedded(problem: Problem, alphas: tuple[FloatArray, ...]) -> FloatArray:
    """V of these dual variables, shape (n, c)."""
    return np.column_stack([qp.embed(alpha) for qp, alpha in zip(problem.outputs, alphas, strict=True)])


def values_of(images: FloatArray, V: FloatArray) -> FloatArray:
    """sum_c V_c'K_a V_c of every kernel from K_a V, shape (m,)."""
    values: FloatArray = np.einsum("anc,nc->a", images, V)
    return values
