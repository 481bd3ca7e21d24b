"""A block of weights on a list of atoms, of any family."""

from functools import cached_property
from typing import cast

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._coupling import Coupling, WeightCoupling
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._held_grams import held, mixed
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families.features._feature_lists import Factors
from kernelopt._families.penalties._composite_penalty import Lifted
from kernelopt._families.penalties._penalty import Penalty
from kernelopt._linalg._gram import Gram, LowRank
from kernelopt.interior._block import Block


@attrs.frozen(eq=False)
class WeightBlock(Block):
    """Weights on a list of atoms, of any family.

    Attributes:
        leaf: any leaf.
        data: bound.
        atoms: shape (k, p).
        factors: the atoms' thin factors, where they have some.
        grams: else the atoms' Grams, where their family would compute them anew for every product, and where
            they take little memory.
        penalty: their price.
    """

    leaf: Leaf
    data: Data
    atoms: FloatArray
    factors: Factors | None
    grams: tuple[Gram, ...] | None
    penalty: Penalty | None = None

    @classmethod
    def of(cls, leaf: Leaf, data: Data, atoms: FloatArray) -> "WeightBlock":
        """The block on these atoms, with what is worth keeping of their Grams."""
        penalty = leaf.listed(atoms)
        if isinstance(leaf.family, ExplicitFamily):
            return cls(leaf, data, atoms, Factors.of(leaf.family, data, atoms, leaf.factor), None, penalty)
        grams = None if isinstance(leaf.family, FiniteFamily) else held(leaf.family, data, atoms)
        return cls(leaf, data, atoms, None, grams, penalty)

    @property
    def start(self) -> FloatArray:
        return np.ones(len(self.atoms))

    def gram(self, S: FloatArray) -> Gram:
        if self.factors is not None:
            return self.factors.gram(S)
        weights = self.leaf.factor * S
        if self.grams is None:
            return self.leaf.family.gram(Part(self.atoms, weights), self.data)
        return mixed(self.grams, weights)

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        columns = self.columns_at(v)
        return WeightCoupling(columns if rows is None else columns[rows])

    def columns_at(self, v: FloatArray) -> FloatArray:
        """factor K_a v for every atom, shape (n, k)."""
        if self.factors is not None:
            return self.factors.images(v)
        if self._whole:
            family = cast(FiniteFamily, self.leaf.family)
            columns: FloatArray = self.leaf.factor * family.columns_of(self.data, v[:, None])[:, :, 0].T
            return columns
        return np.column_stack([self._column(a, self.leaf.factor * v) for a in range(len(self.atoms))])

    @cached_property
    def _whole(self) -> bool:
        """Whether the atoms are those of a finite list, in its order."""
        family = self.leaf.family
        return isinstance(family, FiniteFamily) and np.array_equal(self.atoms, family.dictionary().atoms)

    def _column(self, a: int, v: FloatArray) -> FloatArray:
        if self.grams is not None:
            return self.grams[a].apply(v)
        atom = Part(self.atoms[a : a + 1], np.ones(1))
        return self.leaf.family.apply(atom, self.data, v[:, None])[:, 0]

    def image(self, S: FloatArray, V: FloatArray) -> FloatArray:
        if self.factors is not None:
            return self.factors.image(S, V)
        return np.column_stack([self.columns_at(v) @ S for v in V.T])

    def adjoint(self, v: FloatArray) -> FloatArray:
        return self.columns_at(v).T @ v if self.factors is None else self.factors.values(v[:, None])

    @property
    def columns(self) -> int | None:
        curved = self.penalty is not None and not self.penalty.linear
        return None if self.factors is None or curved else self.factors.features.shape[1]

    def curved(self, S: FloatArray, inverse: FloatArray, v: FloatArray) -> LowRank:
        return super().curved(S, inverse, v) if self.factors is None else self.factors.curved(S, inverse, v)

    def parameters(self, part: Part) -> FloatArray:
        place = {atom.tobytes(): a for a, atom in enumerate(self.atoms)}
        weights = np.zeros(len(self.atoms))
        for atom, weight in zip(part.atoms, part.weights, strict=True):
            if atom.tobytes() in place:
                weights[place[atom.tobytes()]] += weight
        return weights

    def part(self, S: FloatArray) -> Part:
        return Part(self.atoms, S)


@attrs.frozen(eq=False)
class NormBlock(Block):
    """Weights at the price of a norm: the last number of S is no weight."""

    weights: WeightBlock
    raised: Lifted

    @property
    def penalty(self) -> Penalty:
        return self.raised

    @property
    def start(self) -> FloatArray:
        return self.weights.start

    @property
    def unit(self) -> FloatArray:
        return np.append(self.weights.unit, 0.0)

    def lifted(self, S: FloatArray) -> FloatArray:
        return self.raised.over(S)

    def plain(self, S: FloatArray) -> FloatArray:
        return S[:-1]

    def gram(self, S: FloatArray) -> Gram:
        return self.weights.gram(S[:-1])

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        columns = self.weights.columns_at(v)
        columns = columns if rows is None else columns[rows]
        return WeightCoupling(np.column_stack([columns, np.zeros(len(columns))]))

    def image(self, S: FloatArray, V: FloatArray) -> FloatArray:
        return self.weights.image(S[:-1], V)

    def adjoint(self, v: FloatArray) -> FloatArray:
        return np.append(self.weights.adjoint(v), 0.0)

    def parameters(self, part: Part) -> FloatArray:
        return self.weights.parameters(part)

    def part(self, S: FloatArray) -> Part:
        return self.weights.part(S[:-1])


def on_atoms(leaf: Leaf, data: Data, atoms: FloatArray) -> Block:
    """The block of weights on these atoms (k, p) of a leaf, with their price."""
    weights = WeightBlock.of(leaf, data, atoms)
    raised = Lifted.of(weights.penalty)
    return weights if raised is None else NormBlock(weights, raised)
