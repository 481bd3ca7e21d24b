"""Where the likelihood is climbed from: the variances of Haseman and Elston, which moments give in one pass."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._nonnegative import nonnegative
from kernelopt._variance_components._mixed_model import MixedModel

_ROWS = 64
"""So many rows of all kernels are multiplied with one another at a time."""
_LEAST = 0.01
"""The share of the variance with which every component begins at least: a climb from 0 takes longer."""
_ALIKE = 1e-10
"""A combination of kernels of this squared length, where each has the length 1, is rounding."""


@attrs.frozen(eq=False)
class Moments:
    """What E[yy'] = sum_a w_a K_a + w_e I says of the variances, M = I - QQ' taking the fixed effects out.

    Attributes:
        products: tr(M K_a M K_b), the identity being the last, shape (m + 1, m + 1).
        targets: y'M K_a M y, shape (m + 1,).
        traces: tr(M K_a), shape (m + 1,).
        whole: tr(K_a K_a), what `products` has on its diagonal where there are no fixed effects, shape (m + 1,).
    """

    products: FloatArray
    targets: FloatArray
    traces: FloatArray
    whole: FloatArray

    @classmethod
    def of(cls, model: MixedModel) -> "Moments":
        """tr(M K_a M K_b) = tr(K_a K_b) - 2 tr(Q'K_a K_b Q) + tr(Q'K_a Q Q'K_b Q), in one pass over the kernels."""
        kernels, Q, n = model.kernels, model.Q, len(model.y)
        m = len(kernels)
        products = np.zeros((m + 1, m + 1))
        for first in range(0, n, _ROWS):
            block = np.stack([K[first : first + _ROWS].ravel() for K in kernels])
            products[:m, :m] += block @ block.T
        traces = np.array([*(np.trace(K) for K in kernels), float(n)])
        products[:m, m] = products[m, :m] = traces[:m]
        products[m, m] = n
        whole = np.diagonal(products).copy()
        left = model.y - Q @ (Q.T @ model.y)
        images = [*(K @ np.column_stack([left, Q]) for K in kernels), np.column_stack([left, Q])]
        flat = np.stack([image[:, 1:].ravel() for image in images])
        inner = np.stack([(Q.T @ image[:, 1:]).ravel() for image in images])
        products += inner @ inner.T - 2.0 * flat @ flat.T
        traces -= np.array([np.vdot(Q, image[:, 1:]) for image in images])
        return cls(products, np.array([left @ image[:, 0] for image in images]), traces, whole)

    @property
    def empty(self) -> IntArray:
        """The kernels of which the fixed effects leave nothing, in whatever unit a kernel is."""
        return np.flatnonzero(np.diagonal(self.products)[:-1] <= _ALIKE * self.whole[:-1])

    @property
    def alike(self) -> IntArray:
        """The components, m being the residual, that a combination of them makes 0; none where they differ."""
        unit = 1.0 / self._lengths
        values, vectors = np.linalg.eigh(self.products * unit[:, None] * unit)
        return np.flatnonzero(np.abs(vectors[:, 0]) > 1e-3) if values[0] <= _ALIKE else np.zeros(0, dtype=np.int64)

    def start(self) -> FloatArray:
        """The variances w >= 0 of least squares, each raised to a small share of the whole, shape (m + 1,)."""
        unit = 1.0 / self._lengths
        scaled = self.products * unit[:, None] * unit
        w = unit * nonnegative(scaled + _ALIKE * np.eye(len(unit)), unit * self.targets)
        return np.asarray(np.maximum(w, _LEAST * self.targets[-1] / self.traces))

    @property
    def _lengths(self) -> FloatArray:
        return np.sqrt(np.maximum(np.diagonal(self.products), 0.0))
