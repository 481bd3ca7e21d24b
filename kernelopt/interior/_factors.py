"""Lists of atoms whose Grams are thin factors: everything that the interior point needs of them, in O(n r)."""

import attrs
import numpy as np

from kernelopt._family import ExplicitFamily
from kernelopt._gram import ROW_BLOCK, LowRank
from kernelopt._mixture import Part
from kernelopt._problem import Leaf
from kernelopt._typing import Data, FloatArray, IntArray


@attrs.frozen(eq=False)
class Factors:
    """K_a = F_a F_a' + ridge_a I for each atom of a list, with the leaf's factor.

    Attributes:
        features: the F_a side by side, shape (n, r).
        owner: the atom that each column belongs to, shape (r,), ascending.
        ridges: shape (k,).
    """

    features: FloatArray
    owner: IntArray
    ridges: FloatArray

    @classmethod
    def of(cls, leaf: Leaf, data: Data, atoms: FloatArray) -> "Factors | None":
        """The factors of these atoms (k, p); None where the family is not explicit."""
        family = leaf.family
        if not isinstance(family, ExplicitFamily):
            return None
        features, owner = family.columns(atoms, data)
        order = np.argsort(owner, kind="stable")
        one = np.ones(1)
        ridges = np.array([leaf.factor * family.ridge(Part(atom[None], one)) for atom in atoms])
        return cls(features[:, order] * np.sqrt(leaf.factor), owner[order], ridges)

    def gram(self, w: FloatArray) -> LowRank:
        """sum_a w_a K_a."""
        return LowRank(self.features * np.sqrt(np.maximum(w, 0.0))[self.owner], float(self.ridges @ w))

    def images(self, v: FloatArray) -> FloatArray:
        """K_a v for every atom, shape (n, k)."""
        columns = np.outer(v, self.ridges)
        c = self.features.T @ v
        atoms, starts = np.unique(self.owner, return_index=True)
        if len(atoms):
            for i in range(0, len(v), ROW_BLOCK):
                columns[i : i + ROW_BLOCK, atoms] += np.add.reduceat(
                    self.features[i : i + ROW_BLOCK] * c, starts, axis=1
                )
        return columns

    def image(self, w: FloatArray, V: FloatArray) -> FloatArray:
        """sum_a w_a K_a V for V of shape (n, c), for weights of any sign."""
        image: FloatArray = self.features @ (w[self.owner, None] * (self.features.T @ V)) + float(self.ridges @ w) * V
        return image

    def values(self, v: FloatArray) -> FloatArray:
        """v'K_a v for every atom, shape (k,)."""
        return self._sums((self.features.T @ v) ** 2) + self.ridges * float(v @ v)

    def curved(self, w: FloatArray, inverse: FloatArray, v: FloatArray) -> LowRank:
        """sum_a w_a [K_a + inverse_a (K_a v)(K_a v)'].

        For an atom without a ridge that is w_a F_a (I + inverse_a c c') F_a', c = F_a'v, of which the root is
        w_a^1/2 F_a (I + t c c'/c'c), (1 + t)^2 = 1 + inverse_a c'c; one with a ridge gets a column more.
        """
        c = self.features.T @ v
        square = self._sums(c * c)
        plain = self.ridges == 0.0
        share = np.where(plain & (square > 0.0), np.sqrt(1.0 + inverse * square) - 1.0, 0.0)
        turn = np.divide(share, square, out=np.zeros_like(share), where=square > 0.0)
        images = self.images(v)
        root = images[:, self.owner]
        root *= turn[self.owner] * c
        root += self.features
        root *= np.sqrt(w)[self.owner]
        if not plain.all():
            root = np.hstack([root, images[:, ~plain] * np.sqrt(w * inverse)[~plain]])
        return LowRank(root, float(self.ridges @ w))

    def _sums(self, values: FloatArray) -> FloatArray:
        """Sums over each atom's columns, shape (k,)."""
        return np.bincount(self.owner, weights=values, minlength=len(self.ridges)).astype(np.float64)
