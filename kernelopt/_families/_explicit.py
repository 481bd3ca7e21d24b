"""Families whose atoms have finitely many features, so that predictions need no support vectors."""

from abc import abstractmethod

import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import Gram, LowRank


class ExplicitFamily(KernelFamily):
    """A family whose atoms have finitely many features: K_a = Phi_a Phi_a', so prediction needs no support vectors.

    The number that `ridge` returns is added to the diagonal of the training Gram matrix.
    """

    @abstractmethod
    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:
        """The features (n, r) of these atoms at rows X, and the atom (r,) that each column belongs to."""

    def gram(self, part: Part, data: Data) -> Gram:
        features, owner = self.columns(part.atoms, data)
        return LowRank(features * np.sqrt(part.weights[owner]), self.ridge(part))

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        features, owner = self.columns(part.atoms, Z)
        return (features * part.weights[owner]) @ self.columns(part.atoms, X)[0].T

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        features, owner = self.columns(part.atoms, X)
        squares: FloatArray = (features * features) @ part.weights[owner]
        return squares + self.ridge(part)

    def image(self, atoms: FloatArray, X: FloatArray, B: FloatArray) -> FloatArray:
        """The features of these atoms at rows X times B (r, c), shape (n, c).

        A family overrides this if the product can be computed faster without the features.
        """
        product: FloatArray = self.columns(atoms, X)[0] @ B
        return product

    def missing(self, part: Part, X: FloatArray, features: FloatArray) -> FloatArray:  # noqa: ARG002
        """For each row, k(x, x) minus the squares of the features, shape (n,); by default 0.

        It is positive if the features only approximate the kernel, as landmarks do. It enlarges the standard deviations
        of predictions, and changes nothing else.

        Args:
            part: the kernel.
            X: rows, shape (n, d).
            features: those of the part's atoms there, shape (n, r), as `columns` gives them.
        """
        return np.zeros(len(X))
