"""A block of a matrix family: its parameters are a positive semidefinite matrix."""

from typing import cast

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._coupling import Coupling
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part
from kernelopt._families.penalties._penalty import Penalty
from kernelopt._linalg._gram import Gram
from kernelopt.interior._block import Block


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
