"""A list whose atoms are taken in other amounts, and a cone of kernels as such lists of one total."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray
from kernelopt._families._atom_subset import Active
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.penalties._composite_penalty import Tilted, untilted
from kernelopt._families.penalties._penalty import Penalty
from kernelopt._saddle._problem import Problem


@attrs.frozen(eq=False)
class Amounts(Active):
    """The atoms of a list, each times its own amount; an atom of it is a number in that list.

    Attributes:
        amounts: shape (m,), >= 0.
    """

    name: ClassVar[str] = "amounts"

    amounts: FloatArray = attrs.field(kw_only=True)

    @classmethod
    def of(cls, family: FiniteFamily, amounts: FloatArray) -> "Amounts":
        """Of a whole list."""
        return cls(family, family.dictionary().atoms, amounts=amounts)

    def lift(self, part: Part) -> Part:
        index = part.atoms[:, 0].astype(int)
        return Part(self.atoms[index], part.weights * self.amounts[index])

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        return self.amounts[:, None, None] * self._list.columns_of(data, V)

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        return self.amounts * self._list.values_of(data, V)

    @property
    def _list(self) -> FiniteFamily:
        assert isinstance(self.family, FiniteFamily)
        return self.family


@attrs.frozen(eq=False)
class Cone:
    """A problem over a cone as one over lists of total 1 at any size t: w_a = t u_a / c_a, sum_a u_a = 1.

    Attributes:
        problem: of finite lists with prices, their weights free.
        units: c of each leaf: the linear part of its price where every leaf has one, which then costs t; else 1.
        paid: whether it is.
    """

    problem: Problem
    units: tuple[FloatArray, ...]
    paid: bool

    @classmethod
    def of(cls, problem: Problem) -> "Cone":
        """Of a problem."""
        slopes = tuple(slope_of(leaf) for leaf in problem.leaves)
        if any(slope is None for slope in slopes):
            return cls(problem, tuple(np.ones(_count(leaf)) for leaf in problem.leaves), paid=False)
        return cls(problem, tuple(slope for slope in slopes if slope is not None), paid=True)

    def at(self, t: float) -> Problem:
        """The problem of total 1 at this size."""
        pairs = zip(self.problem.leaves, self.units, strict=True)
        return attrs.evolve(self.problem, leaves=tuple(self._leaf(leaf, c, t) for leaf, c in pairs))

    def _leaf(self, leaf: Leaf, c: FloatArray, t: float) -> Leaf:
        amounts = amounts_of(c)
        own = rest_of(leaf) if self.paid else leaf.penalty
        penalty = None if own is None else own.restrict(np.diag(t * amounts))
        assert isinstance(leaf.family, FiniteFamily)
        return attrs.evolve(
            leaf, family=Amounts.of(leaf.family, amounts), factor=t * leaf.factor, penalty=penalty, total=1.0
        )

    def size(self, mixture: Mixture) -> float:
        """t of a mixture."""
        pairs = zip(self.problem.leaves, self.units, mixture.parts, strict=True)
        return sum(float(c @ leaf.parameters(part)) for leaf, c, part in pairs)

    def cost(self, t: float) -> float:
        """What a size costs that the problem at it does not know of."""
        return t if self.paid else 0.0

    def inside(self, mixture: Mixture) -> Mixture:
        """A mixture in the terms of the problem at its size."""
        t = self.size(mixture)
        parts = []
        for leaf, c, part in zip(self.problem.leaves, self.units, mixture.parts, strict=True):
            assert isinstance(leaf.family, FiniteFamily)
            index = leaf.family.index(part.atoms)
            parts.append(Part(index[:, None].astype(float), part.weights * c[index] / t))
        return Mixture(tuple(parts))

    def whole(self, scaled: Problem, mixture: Mixture, t: float) -> Mixture:
        """A mixture of the problem at a size in the problem's own terms."""
        parts = []
        for leaf, part in zip(scaled.leaves, mixture.parts, strict=True):
            assert isinstance(leaf.family, Amounts)
            parts.append(leaf.family.lift(part.scaled(t)))
        return Mixture(tuple(parts))


def slope_of(leaf: Leaf) -> FloatArray | None:
    """The linear part of a list's price (m,); None where it has none."""
    penalty = leaf.penalty
    if isinstance(penalty, Tilted):
        return penalty.c
    return penalty.gradient(np.zeros(_count(leaf))) if penalty is not None and penalty.linear else None


def rest_of(leaf: Leaf) -> Penalty | None:
    """A price without its linear part."""
    return None if leaf.penalty is None or leaf.penalty.linear else untilted(leaf.penalty)


def amounts_of(c: FloatArray) -> FloatArray:
    """1/c; 0 for a kernel that costs nothing, for it is nothing."""
    return np.divide(1.0, c, out=np.zeros_like(c), where=c > 0.0)


def _count(leaf: Leaf) -> int:
    assert isinstance(leaf.family, FiniteFamily)
    return len(leaf.family.dictionary())
