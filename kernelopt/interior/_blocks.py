"""Where a leaf's kernel may move: a block of parameters, PSD matrices or weights."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import cast

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._composite_penalty import Lifted
from kernelopt._families._coupling import Coupling, WeightCoupling
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._feature_lists import Factors
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part
from kernelopt._families._penalty import Penalty
from kernelopt._linalg._cones import identity
from kernelopt._linalg._gram import Gram, LowRank

KEPT = 1 << 26
"""So many bytes of Grams a block keeps at most. Worth: `sparse_rows.py --family gaussian --solver fw`."""


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


def priced_on(leaf: Leaf, basis: FloatArray | None) -> Penalty | None:
    """What P = U S U' of a matrix family costs."""
    whole = leaf.penalty
    return whole if whole is None or basis is None else whole.restrict(basis)


@attrs.frozen(eq=False)
class MatrixBlock(Block):
    """P = U S U' for a matrix family; U (q, k) has orthonormal columns, None for the whole spectraplex.

    Attributes:
        leaf: its family is a `MatrixFamily`.
        data: bound.
        basis: U.
    """

    leaf: Leaf
    data: Data
    basis: FloatArray | None = None

    @property
    def penalty(self) -> Penalty | None:
        return priced_on(self.leaf, self.basis)

    @property
    def _family(self) -> MatrixFamily:
        return cast(MatrixFamily, self.leaf.family)

    @property
    def start(self) -> FloatArray:
        return np.eye(self._family.order if self.basis is None else self.basis.shape[1])

    def matrix(self, S: FloatArray) -> FloatArray:
        """P."""
        return S if self.basis is None else self.basis @ S @ self.basis.T

    def gram(self, S: FloatArray) -> Gram:
        return self._family.gram_of(self.leaf.factor * self.matrix(S), self.data)

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        coupling = self._family.couple(self.data, self.leaf.factor * v)
        coupling = coupling if rows is None else coupling.take(rows)
        return coupling if self.basis is None else coupling.restrict(self.basis)

    def image(self, S: FloatArray, V: FloatArray) -> FloatArray:
        return self.leaf.factor * self._family.image_of(self.matrix(S), self.data, V)

    def adjoint(self, v: FloatArray) -> FloatArray:
        D = self.leaf.factor * self._family.adjoint(self.data, v[:, None])
        return D if self.basis is None else self.basis.T @ D @ self.basis

    def parameters(self, part: Part) -> FloatArray:
        P = self._family.matrix(part)
        return P if self.basis is None else self.basis.T @ P @ self.basis

    def part(self, S: FloatArray) -> Part:
        return self._family.part(self.matrix(S))


@attrs.frozen(eq=False)
class WeightBlock(Block):
    """Weights on a list of atoms, of any family.

    Attributes:
        leaf: any leaf.
        data: bound.
        atoms: shape (k, p).
        factors: the atoms' thin factors, where they have some.
        grams: else the atoms' Grams, where their family would compute them anew for every product, up to `KEPT` bytes
            of them.
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
        grams = None if isinstance(leaf.family, FiniteFamily) else _kept(leaf, data, atoms)
        return cls(leaf, data, atoms, None, grams, penalty)

    @property
    def start(self) -> FloatArray:
        return np.ones(len(self.atoms))

    def gram(self, S: FloatArray) -> Gram:
        if self.factors is not None:
            return self.factors.gram(S)
        return self.leaf.family.gram(self.part(S).scaled(self.leaf.factor), self.data)

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


def _kept(leaf: Leaf, data: Data, atoms: FloatArray) -> tuple[Gram, ...] | None:
    """The atoms' Grams, where they are small: of many rows they take little time beside a factorisation, and memory."""
    one = np.ones(1)
    grams: list[Gram] = []
    for atom in atoms:
        grams.append(leaf.family.gram(Part(atom[None], one), data))
        if 8 * grams[0].n ** 2 * len(atoms) > KEPT:
            return None
    return tuple(grams)


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
