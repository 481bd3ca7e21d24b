"""What a metric is worth to given dual variables, and its gradient."""

import math
from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_metric._layout import Layout
from kernelopt_metric._radial_shapes import Shape, likeness, slopes


@attrs.frozen(eq=False)
class Landscape:
    """g(R) = exp(-eta |R'R|_F^2) sum_ij W_ij phi(|R'(x_i - x_j)|^2), W = sum_c v_c v_c'.

    Attributes:
        X: the rows that count, rescaled, shape (s, d).
        W: symmetric, shape (s, s).
        shape: of the kernel.
        eta: the price of narrow kernels, >= 0.
        layout: what the numbers of an atom are.
    """

    X: FloatArray
    W: FloatArray
    shape: Shape
    eta: float
    layout: Layout

    @classmethod
    def of(cls, X: FloatArray, V: FloatArray, shape: Shape, eta: float, layout: Layout) -> Self:
        """For rescaled rows X (n, d) and V (n, c). Rows with v = 0 do not count."""
        support = V.any(axis=1)
        return cls(X[support], V[support] @ V[support].T, shape, eta, layout)

    def squared(self, A: FloatArray) -> FloatArray:
        """The squared distances of projected rows (s, rank), by one product: a search needs no last digit."""
        norms = np.sum(A * A, axis=1)
        squared = A @ A.T
        squared *= -2.0
        squared += norms
        squared += norms[:, None]
        np.fill_diagonal(squared, 0.0)
        return np.maximum(squared, 0.0, out=squared)

    def values(self, atoms: FloatArray) -> FloatArray:
        """g of each atom, shape (m,), in O(s^2 rank) each."""
        projected = (self.layout.projected(self.X, atom) for atom in atoms)
        sums = [float(np.vdot(self.W, likeness(self.shape, self.squared(A)))) for A in projected]
        return np.array(sums) * np.exp(-self.eta * self.layout.norms(atoms))

    def gradient(self, atom: FloatArray) -> tuple[float, FloatArray]:
        """g and its gradient in the numbers of an atom (p,), in O(s^2 rank + s d rank).

        sum_ij S_ij d|R'(x_i - x_j)|^2 / dR = 4 X'(diag(S 1) - S) X R,     S = W o phi'
        """
        A = self.layout.projected(self.X, atom)
        values, S = slopes(self.shape, self.squared(A))
        S *= self.W
        total = float(np.vdot(self.W, values))
        rising = self.layout.pulled(self.X, S.sum(axis=1)[:, None] * A - S @ A, atom)
        damping = math.exp(-self.eta * float(self.layout.norms(atom[None])[0]))
        return damping * total, 4.0 * damping * (rising - self.eta * total * self.layout.cubed(atom))
