"""A matrix family's block where its kernels are quadratic forms in features: nothing n x n is formed."""

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._coupling import Coupling
from kernelopt._families._features import FeatureCoupling, FeatureFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families.penalties._penalty import Penalty
from kernelopt._linalg._cones import root
from kernelopt._linalg._gram import Gram, LowRank
from kernelopt.interior._block import Block
from kernelopt.interior._matrix_block import MatrixBlock, priced_on


@attrs.frozen(eq=False)
class FeatureBlock(Block):
    """P = U S U' for a `FeatureFamily`; U (q, k) has orthonormal columns, None for the whole spectraplex.

    Attributes:
        leaf: its family is a `FeatureFamily`.
        data: bound.
        basis: U.
        phi: factor^1/2 phi U: factor K(S) = phi S phi', shape (n, k).
    """

    leaf: Leaf
    data: Data
    basis: FloatArray | None
    phi: FloatArray

    @classmethod
    def of(cls, leaf: Leaf, data: Data, basis: FloatArray | None = None) -> "FeatureBlock":
        """The block with its features at hand."""
        assert isinstance(leaf.family, FeatureFamily)
        phi = np.sqrt(leaf.factor) * leaf.family.features_of(data)
        return cls(leaf, data, basis, phi if basis is None else phi @ basis)

    @property
    def _family(self) -> FeatureFamily:
        assert isinstance(self.leaf.family, FeatureFamily)
        return self.leaf.family

    @property
    def penalty(self) -> Penalty | None:
        return priced_on(self.leaf, self.basis)

    @property
    def start(self) -> FloatArray:
        return np.eye(self.phi.shape[1])

    def gram(self, S: FloatArray) -> Gram:
        return LowRank(self.phi @ root(S))

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> Coupling:
        coupling = FeatureCoupling(self.phi, v @ self.phi)
        return coupling if rows is None else coupling.take(rows)

    def image(self, S: FloatArray, V: FloatArray) -> FloatArray:
        product: FloatArray = self.phi @ (S @ (self.phi.T @ V))
        return product

    def adjoint(self, v: FloatArray) -> FloatArray:
        c = v @ self.phi
        return np.outer(c, c)

    @property
    def columns(self) -> int | None:
        return int(self.phi.shape[1])

    def curved(self, S: FloatArray, inverse: FloatArray, v: FloatArray) -> LowRank:
        coupling = FeatureCoupling(self.phi, v @ self.phi)
        return LowRank(self.phi @ root(S + coupling.middle(coupling, S, inverse)))

    def parameters(self, part: Part) -> FloatArray:
        P = self._family.matrix(part)
        return P if self.basis is None else self.basis.T @ P @ self.basis

    def part(self, S: FloatArray) -> Part:
        return self._family.part(S if self.basis is None else self.basis @ S @ self.basis.T)


def matrix_block(leaf: Leaf, data: Data, basis: FloatArray | None = None) -> Block:
    """The block of a matrix family, in the cheapest form that the family allows."""
    if isinstance(leaf.family, FeatureFamily):
        return FeatureBlock.of(leaf, data, basis)
    return MatrixBlock(leaf, data, basis)
