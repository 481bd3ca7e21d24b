"""Where a leaf's kernel may move, for a method that couples it to many v."""

import attrs
import numpy as np

from kernelopt.interior import Block, matrix_block, on_atoms
from kernelopt.plugin import (
    Coupling,
    Data,
    ExplicitFamily,
    FiniteFamily,
    FloatArray,
    Gram,
    IntArray,
    Leaf,
    MatrixFamily,
    Part,
    Penalty,
    Tilted,
)
from kernelopt_apd._priced_weights import Costs


@attrs.frozen(eq=False)
class ListBlock(Block):
    """The weights of a whole list, whose family applies all of its kernels at once.

    Attributes:
        leaf: its family is a `FiniteFamily`.
        data: bound.
    """

    leaf: Leaf
    data: Data

    @property
    def _family(self) -> FiniteFamily:
        assert isinstance(self.leaf.family, FiniteFamily)
        return self.leaf.family

    @property
    def start(self) -> FloatArray:
        return np.ones(len(self._family.dictionary()))

    def gram(self, S: FloatArray) -> Gram:
        return self._family.gram(self.part(S).scaled(self.leaf.factor), self.data)

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        coupling = self._family.couple(self.data, self.leaf.factor * v)
        return coupling if rows is None else coupling.take(rows)

    def image(self, S: FloatArray, V: FloatArray) -> FloatArray:
        return self.gram(S).apply(V)

    def adjoint(self, v: FloatArray) -> FloatArray:
        return self.leaf.factor * self._family.values_of(self.data, v[:, None])

    def parameters(self, part: Part) -> FloatArray:
        return self.leaf.parameters(part)

    def part(self, S: FloatArray) -> Part:
        return Part(self._family.dictionary().atoms, S)


def block_of(leaf: Leaf, data: Data, *, cone: bool) -> tuple[Block, Penalty | None]:
    """All parameters of a leaf and their price; on a cone, in units of it where some of it is linear."""
    block, penalty = _plain(attrs.evolve(leaf, penalty=None), data), leaf.penalty
    if not cone or penalty is None:
        return block, penalty
    if not penalty.linear and not isinstance(penalty, Tilted):
        return block, penalty
    costs = Costs.of(block, penalty)
    return costs, costs.restated(penalty)


def _plain(leaf: Leaf, data: Data) -> Block:
    if isinstance(leaf.family, MatrixFamily):
        return matrix_block(leaf, data)
    assert isinstance(leaf.family, FiniteFamily)
    if isinstance(leaf.family, ExplicitFamily):
        return on_atoms(leaf, data, leaf.family.dictionary().atoms)
    return ListBlock(leaf, data)
