"""Weights in units of their price, for lists whose weights may have any sum."""

import attrs
import numpy as np

from kernelopt.interior import Block
from kernelopt.plugin import Coupling, FloatArray, Gram, IntArray, Part, Penalty

_LEAST = 1e-9
"""An atom that costs less than this share of the dearest counts as one that costs so much."""


@attrs.frozen(eq=False)
class Costs(Block):
    """A list's weights by what each costs: w = S / prices.

    Where a sum binds the weights they have one unit. On a cone they have none: an atom of a small price may need a
    weight a thousand times those of others, which steps of one length never reach.

    Attributes:
        block: of weights (m,).
        prices: what a weight of 1 costs, shape (m,), > 0.
    """

    block: Block
    prices: FloatArray

    @classmethod
    def of(cls, block: Block, penalty: Penalty) -> "Costs":
        """A block of weights with a price that is linear, or has a linear one besides."""
        prices = penalty.gradient(block.start)
        return cls(block, np.maximum(prices, _LEAST * float(prices.max(initial=0.0)) or 1.0))

    @property
    def start(self) -> FloatArray:
        return self.block.start

    def gram(self, S: FloatArray) -> Gram:
        return self.block.gram(S / self.prices)

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        return self.block.couple(v, rows).restrict(np.diag(1.0 / self.prices))

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
        return penalty.restrict(np.diag(1.0 / self.prices))
