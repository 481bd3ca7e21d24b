"""Weights and matrices in units of their price, for kernels that may have any size."""

import attrs
import numpy as np

from kernelopt.interior import Block
from kernelopt.plugin import Coupling, FloatArray, Gram, IntArray, Part, Penalty

_LEAST = 1e-9
"""An atom that costs less than this share of the dearest counts as one that costs so much."""


@attrs.frozen(eq=False)
class Costs(Block):
    """A list's weights by what each costs, w = S / prices, and a matrix by what its directions cost on average.

    Where a sum binds the weights they have one unit. On a cone they have none: an atom of a small price may need a
    weight a thousand times those of others, which steps of one length never reach.

    Attributes:
        block: of weights (m,) or a matrix (q, q).
        prices: what a weight of 1 costs, shape (m,), or a trace of 1, shape (), > 0.
    """

    block: Block
    prices: FloatArray

    @classmethod
    def of(cls, block: Block, penalty: Penalty) -> "Costs":
        """A block with a price that is linear, or has a linear one besides."""
        prices = penalty.gradient(block.start)
        if prices.ndim == 2:
            return cls(block, np.asarray(float(np.trace(prices)) / len(prices) or 1.0))
        return cls(block, np.maximum(prices, _LEAST * float(prices.max(initial=0.0)) or 1.0))

    @property
    def _basis(self) -> FloatArray:
        """U with w = U S, or P = U S U'."""
        if self.prices.ndim:
            return np.diag(1.0 / self.prices)
        return np.eye(len(self.start)) / np.sqrt(self.prices)

    @property
    def start(self) -> FloatArray:
        return self.block.start

    def gram(self, S: FloatArray) -> Gram:
        return self.block.gram(S / self.prices)

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        return self.block.couple(v, rows).restrict(self._basis)

    def image(self, S: FloatArray, V: FloatArray) -> FloatArray:
        return self.block.image(S / self.prices, V)

    def adjoint(self, v: FloatArray) -> FloatArray:
        return self.block.adjoint(v) / self.prices

    def parameters(self, part: Part) -> FloatArray:
        return self.block.parameters(part) * self.prices

    def part(self, S: FloatArray) -> Part:
        return self.block.part(S / self.prices)

    def restated(self, penalty: Penalty) -> Penalty:
        """The price as one of S."""
        return penalty.restrict(self._basis)
