"""The parameters of a leaf as coordinates of a cone: P >= 0 of a matrix family, or the weights w >= 0 of a list."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt.plugin import Data, FiniteFamily, FloatArray, Leaf, MatrixFamily, Part
from kernelopt_sdp._pairs import MatrixPair, Pair, VectorPair


@attrs.frozen(eq=False)
class Cone(ABC):
    """The parameters of one leaf.

    Attributes:
        leaf: a matrix family or a list.
        data: its bound rows.
    """

    leaf: Leaf
    data: Data

    @property
    @abstractmethod
    def size(self) -> int:
        """p, the number of coordinates."""

    @property
    @abstractmethod
    def middle(self) -> FloatArray:
        """The coordinates of I, or of weights 1, shape (p,); times others they are the trace, or the sum."""

    @abstractmethod
    def point(self, theta: FloatArray) -> FloatArray:
        """P (q, q) or w (p,) at coordinates (p,)."""

    @abstractmethod
    def form(self, W: FloatArray) -> FloatArray:
        """<W, P> as a linear form in the coordinates, shape (p,)."""

    @abstractmethod
    def pair(self, theta: FloatArray, Z: FloatArray) -> Pair:
        """The point and its dual point."""

    @abstractmethod
    def schur(self, pair: Pair) -> FloatArray:
        """<E_j, turned(E_k)> over the basis, shape (p, p)."""

    @abstractmethod
    def part(self, theta: FloatArray) -> Part:
        """The kernel, in the family's own atoms."""

    @abstractmethod
    def grams(self) -> Iterator[FloatArray]:
        """The Gram (n, n) of each coordinate."""

    @abstractmethod
    def whole(self) -> FloatArray:
        """The Gram at the middle, shape (n, n)."""

    def price(self) -> FloatArray:
        """The linear price of the parameters, shape (p,)."""
        penalty = self.leaf.penalty
        return np.zeros(self.size) if penalty is None else self.form(penalty.gradient(self.point(self.middle)))


@attrs.frozen(eq=False)
class Semidefinite(Cone):
    """P >= 0 of a matrix family.

    Attributes:
        basis: an orthonormal one of the symmetric matrices, shape (p, q, q), p = q (q + 1) / 2.
    """

    basis: FloatArray = attrs.field(init=False)

    @basis.default
    def _symmetric_basis(self) -> FloatArray:
        assert isinstance(self.leaf.family, MatrixFamily)
        q = self.leaf.family.order
        rows, columns = np.tril_indices(q)
        basis, here = np.zeros((len(rows), q, q)), np.arange(len(rows))
        basis[here, rows, columns] = basis[here, columns, rows] = np.where(rows == columns, 1.0, np.sqrt(0.5))
        return basis

    @property
    def size(self) -> int:
        return len(self.basis)

    @property
    def middle(self) -> FloatArray:
        return np.asarray(np.trace(self.basis, axis1=1, axis2=2), dtype=np.float64)

    def point(self, theta: FloatArray) -> FloatArray:
        return np.asarray(np.tensordot(theta, self.basis, axes=1))

    def form(self, W: FloatArray) -> FloatArray:
        return np.asarray(self.basis.reshape(self.size, -1) @ W.ravel())

    def pair(self, theta: FloatArray, Z: FloatArray) -> MatrixPair:
        return MatrixPair(self.point(theta), Z)

    def schur(self, pair: Pair) -> FloatArray:
        assert isinstance(pair, MatrixPair)
        halves = (pair.dual_root.T @ self.basis @ np.linalg.cholesky(pair.inverse)).reshape(self.size, -1)
        return np.asarray(halves @ halves.T)

    def part(self, theta: FloatArray) -> Part:
        assert isinstance(self.leaf.family, MatrixFamily)
        return self.leaf.family.part(self.point(theta))

    def grams(self) -> Iterator[FloatArray]:
        return map(self._gram, self.basis)

    def whole(self) -> FloatArray:
        return self._gram(self.point(self.middle))

    def _gram(self, P: FloatArray) -> FloatArray:
        assert isinstance(self.leaf.family, MatrixFamily)
        return self.leaf.factor * self.leaf.family.gram_of(P, self.data).dense()


@attrs.frozen(eq=False)
class Orthant(Cone):
    """The weights w >= 0 of a list.

    Attributes:
        atoms: of the list, each a part of weight 1.
    """

    atoms: tuple[Part, ...] = attrs.field(init=False)

    @atoms.default
    def _parts(self) -> tuple[Part, ...]:
        assert isinstance(self.leaf.family, FiniteFamily)
        return tuple(Part(atom[None], np.ones(1)) for atom in self.leaf.family.dictionary().atoms)

    @property
    def size(self) -> int:
        return len(self.atoms)

    @property
    def middle(self) -> FloatArray:
        return np.ones(self.size)

    def point(self, theta: FloatArray) -> FloatArray:
        return theta

    def form(self, W: FloatArray) -> FloatArray:
        return W

    def pair(self, theta: FloatArray, Z: FloatArray) -> VectorPair:
        return VectorPair(theta, Z)

    def schur(self, pair: Pair) -> FloatArray:
        return np.diag(pair.S / pair.X)

    def part(self, theta: FloatArray) -> Part:
        return Part(np.concatenate([one.atoms for one in self.atoms]), np.maximum(theta, 0.0)).kept()

    def grams(self) -> Iterator[FloatArray]:
        return map(self._gram, self.atoms)

    def whole(self) -> FloatArray:
        return self._gram(self.part(self.middle))

    def _gram(self, part: Part) -> FloatArray:
        return self.leaf.factor * self.leaf.family.gram(part, self.data).dense()


def cone(leaf: Leaf, data: Data) -> Cone:
    """The cone of a leaf."""
    return (Semidefinite if isinstance(leaf.family, MatrixFamily) else Orthant)(leaf, data)
