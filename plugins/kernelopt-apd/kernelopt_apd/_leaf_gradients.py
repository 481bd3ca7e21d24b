"""What dual variables say of every kernel of a leaf, in the way that is cheapest for its family."""

from abc import ABC, abstractmethod

import attrs
import numpy as np

from kernelopt.interior import Block
from kernelopt.plugin import Coupling, Data, FloatArray, Leaf, MatrixFamily, TensorCoupling


class View(ABC):
    """One leaf at one v of every output: S -> K(S) v, and D with <D, S> = sum over the outputs of v'K(S)v."""

    @abstractmethod
    def image(self, S: FloatArray) -> FloatArray:
        """K(S) v, one output after the other, shape (c n,)."""

    @property
    @abstractmethod
    def D(self) -> FloatArray:
        """In the shape of S."""


@attrs.frozen(eq=False)
class Coupled(View):
    """By the family's own couplings, one for each output: made once, they answer for any S.

    Attributes:
        couplings: at `columns`.
        columns: v by outputs, shape (c, n).
    """

    couplings: tuple[Coupling, ...]
    columns: FloatArray

    def image(self, S: FloatArray) -> FloatArray:
        return np.concatenate([one.apply(S) for one in self.couplings])

    @property
    def D(self) -> FloatArray:
        pairs = zip(self.couplings, self.columns, strict=True)
        total: FloatArray = np.sum([coupling.adjoint(v) for coupling, v in pairs], axis=0)
        return total


@attrs.frozen(eq=False)
class Direct(View):
    """By a Gram for every S, where a coupling is a tensor of n matrices.

    Attributes:
        block: the leaf's parameters.
        columns: v by outputs, shape (c, n).
    """

    block: Block
    columns: FloatArray

    def image(self, S: FloatArray) -> FloatArray:
        return self.block.image(S, self.columns.T).T.ravel()

    @property
    def D(self) -> FloatArray:
        total: FloatArray = np.sum([self.block.adjoint(v) for v in self.columns], axis=0)
        return total


def view(block: Block, columns: FloatArray, *, direct: bool) -> View:
    """The block at v by outputs (c, n)."""
    if direct:
        return Direct(block, columns)
    return Coupled(tuple(block.couple(v) for v in columns), columns)


def tensorial(leaf: Leaf, data: Data, v: FloatArray) -> bool:
    """Whether a leaf's coupling at v (n,) is a tensor that takes long to make: then a Gram for each S is cheaper."""
    family = leaf.family
    if not isinstance(family, MatrixFamily):
        return False
    # The core's own makes a Gram for every entry of P: too many to find out by asking.
    if type(family).couple is MatrixFamily.couple:
        return True
    coupling = family.couple(data, v)
    return isinstance(coupling, TensorCoupling) and not coupling.quick
