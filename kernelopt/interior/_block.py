"""Where a leaf's kernel may move: a block of parameters, PSD matrices or weights."""

from abc import ABC, abstractmethod

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._coupling import Coupling
from kernelopt._families._mixture import Part
from kernelopt._families.penalties._penalty import Penalty
from kernelopt._linalg._cones import identity
from kernelopt._linalg._gram import Gram, LowRank


class Block(ABC):
    """The kernels factor K(S) of one leaf, linear in S (k, k) >= 0 or in weights S (k,) >= 0."""

    @property
    def penalty(self) -> Penalty | None:
        """R of these parameters, None where they are free."""
        return None

    @property
    def unit(self) -> FloatArray:
        """What of S counts towards the total: the identity, or ones."""
        return identity(self.start)

    def lifted(self, S: FloatArray) -> FloatArray:
        """S with what more the interior point moves to have a smooth price."""
        return S

    def plain(self, S: FloatArray) -> FloatArray:
        """The parameters alone of a lifted S."""
        return S

    def price(self, S: FloatArray) -> FloatArray:
        """The gradient of R at the lifted S, in its shape."""
        return np.zeros_like(S) if self.penalty is None else self.penalty.gradient(S)

    def bend(self, S: FloatArray) -> FloatArray | None:
        """The Hessian of R at the lifted S; None where R is linear."""
        return None if self.penalty is None else self.penalty.hessian(S)

    def cost(self, S: FloatArray) -> float:
        """R at the lifted S."""
        return 0.0 if self.penalty is None else self.penalty.value(S)

    @property
    @abstractmethod
    def start(self) -> FloatArray:
        """The identity, or ones: shape (k, k) or (k,)."""

    @abstractmethod
    def gram(self, S: FloatArray) -> Gram:
        """The Gram of S, with the leaf's factor."""

    @abstractmethod
    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        """S -> factor K(S) v, on these rows only where some are given."""

    @abstractmethod
    def image(self, S: FloatArray, V: FloatArray) -> FloatArray:
        """factor K(S) V for any symmetric S and V (n, c), shape (n, c), where no coupling is at hand."""

    @abstractmethod
    def adjoint(self, v: FloatArray) -> FloatArray:
        """D with <D, S> = factor v'K(S)v, where no coupling is at hand."""

    @property
    def columns(self) -> int | None:
        """How many columns its Grams have as factors; None where they are matrices."""
        return None

    def curved(self, S: FloatArray, inverse: FloatArray, v: FloatArray) -> LowRank:
        """factor K(S) + M as factors, M dv = C(sym(S C*(dv) Z^-1)) at v, where its Grams are."""
        raise NotImplementedError(f"the Grams of {type(self).__name__} are no factors")

    @abstractmethod
    def parameters(self, part: Part) -> FloatArray:
        """The S that a part stands for; what of it lies outside the block is lost."""

    @abstractmethod
    def part(self, S: FloatArray) -> Part:
        """The leaf's part that S stands for, in the family's own atoms."""
