"""The price of high frequencies: exp(-beta |gamma|^2), in one of two norms."""

import math
from typing import Literal, TypeAlias

import attrs
import numpy as np
from scipy.optimize import brentq

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

    def bend(self, frequency: FloatArray) -> FloatArray:
        """Half the second derivative of beta |gamma|^2 at one frequency (d,), shape (d, d), within its orthant."""
        if self.norm == "l2":
            return self.beta * np.eye(len(frequency))
        signs = np.sign(frequency)
        return np.asarray(self.beta * np.outer(signs, signs))

    def curvature(self, d: int) -> float:
        """A bound on half the second derivative of beta |gamma|^2 along a unit vector, within an orthant."""
        return self.beta if self.norm == "l2" else self.beta * d

    def radius(self, share: float) -> float:
        """The |gamma| beyond which G is below `share`, in (0, 1]."""
        return float(np.sqrt(-np.log(share) / self.beta))

    def largest_variance(self, S: FloatArray) -> float:
        """A bound on G(gamma) (1 - |phi(gamma)|^2) for any rows of covariance S (d, d), phi their mean exp(i gamma'x).

        With s^2 = gamma'S gamma and s <= pi/2 the mean of cos(gamma'(x - mean)) is at least cos s, for
        cos u >= cos s + sin(s)/(2 s) (s^2 - u^2) at every u: so 1 - |phi|^2 <= sin^2 s, with equality for rows at two
        points. On the sphere |gamma| = r the largest s is r times the root of S's largest eigenvalue, in the norm "l1"
        of its largest diagonal entry, l; exp(-beta s^2/l) sin^2 s is largest where s tan s = l/beta.
        """
        steepest = float(np.linalg.eigvalsh(S)[-1] if self.norm == "l2" else np.diagonal(S).max())
        if steepest <= 0.0:
            return 0.0
        ratio = steepest / self.beta
        s = float(brentq(lambda s: s * math.sin(s) - ratio * math.cos(s), 0.0, 0.5 * math.pi))
        return math.exp(-s * s / ratio) * math.sin(s) ** 2

    def in_units(self, unit: float) -> "Decay":
        """The same decay of frequencies that are given `unit` times as large."""
        return Decay(self.beta / (unit * unit), self.norm)
