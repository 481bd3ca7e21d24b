"""The price of high frequencies: exp(-beta |gamma|^2), in one of two norms."""

from typing import Literal, TypeAlias

import attrs
import numpy as np

from kernelopt.plugin import FloatArray

Norm: TypeAlias = Literal["l2", "l1"]


@attrs.frozen
class Decay:
    """G(gamma) = exp(-beta |gamma|^2) (Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 2).

    Attributes:
        beta: > 0.
        norm: of gamma.
    """

    beta: float
    norm: Norm

    def size(self, frequencies: FloatArray) -> FloatArray:
        """|gamma| of each frequency (m, d), shape (m,)."""
        return np.asarray(np.linalg.norm(frequencies, ord=1 if self.norm == "l1" else 2, axis=1))

    def of(self, frequencies: FloatArray) -> FloatArray:
        """G of each frequency (m, d), shape (m,)."""
        return self.at(self.size(frequencies))

    def at(self, size: FloatArray) -> FloatArray:
        """G where |gamma| is `size`."""
        return np.asarray(np.exp(-self.beta * size * size))

    def slope(self, frequencies: FloatArray) -> FloatArray:
        """Half the gradient of beta |gamma|^2, shape (m, d); a subgradient where the norm has a kink."""
        if self.norm == "l2":
            return self.beta * frequencies
        return self.beta * self.size(frequencies)[:, None] * np.sign(frequencies)

    def curvature(self, d: int) -> float:
        """A bound on half the second derivative of beta |gamma|^2 along a unit vector, within an orthant."""
        return self.beta if self.norm == "l2" else self.beta * d

    def radius(self, share: float) -> float:
        """The |gamma| beyond which G is below `share`, in (0, 1]."""
        return float(np.sqrt(-np.log(share) / self.beta))

    def in_units(self, unit: float) -> "Decay":
        """The same decay of frequencies that are given `unit` times as large."""
        return Decay(self.beta / (unit * unit), self.norm)
