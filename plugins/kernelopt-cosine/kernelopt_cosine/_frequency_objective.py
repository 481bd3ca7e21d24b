"""What a frequency is worth to given dual variables, for many frequencies at once."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_cosine._frequency_penalty import Decay


@attrs.frozen(eq=False)
class Landscape:
    """sum_c v_c' K_gamma v_c = G(gamma) sum_c |A_c(gamma)|^2, with A_c(gamma) = sum_i v_ic exp(i gamma'x_i).

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), the equation after (4), with several outputs.

    Attributes:
        rows: x, shape (n, d).
        V: shape (n, c).
        decay: G.
    """

    rows: FloatArray
    V: FloatArray
    decay: Decay

    @classmethod
    def normalised(cls, X: FloatArray, V: FloatArray, decay: Decay) -> tuple[Self, float]:
        """The landscape of rows X (n, d) with the rows in units of their root mean square radius, and that unit.

        A frequency in it is `unit` times the frequency of X. Rows with v = 0 do not count.
        """
        support = V.any(axis=1)
        rows = X[support]
        rows = rows - rows.mean(axis=0) if len(rows) else rows
        unit = float(np.sqrt(np.mean(np.sum(rows * rows, axis=1)))) if len(rows) else 0.0
        unit = unit if unit > 0.0 else 1.0
        return cls(rows / unit, V[support], decay.in_units(unit)), unit

    def single(self) -> Self:
        """The same in single precision, whose sines and products take half as long or less, with V in units of its
        largest entry, so that its squares stay within the range of such numbers.
        """
        largest = float(np.abs(self.V).max(initial=0.0)) or 1.0
        return attrs.evolve(self, rows=self.rows.astype(np.float32), V=(self.V / largest).astype(np.float32))

    @property
    def total(self) -> float:
        """sum_c (sum_i |v_ic|)^2: value(gamma) <= G(gamma) total."""
        return float(np.sum(np.abs(self.V).sum(axis=0) ** 2))

    @property
    def rounding(self) -> float:
        """Below this a value is nothing but rounding."""
        return 1e-13 * self.total

    @property
    def is_flat(self) -> bool:
        """Whether the value is G times a constant: all rows with v != 0 are one."""
        return not self.rows.any()

    def values(self, frequencies: FloatArray) -> FloatArray:
        """The value of each frequency (m, d), shape (m,)."""
        phase = self.rows @ frequencies.T
        c, s = self.V.T @ np.cos(phase), self.V.T @ np.sin(phase)
        return np.asarray(self.decay.of(frequencies) * np.sum(c * c + s * s, axis=0))

    def power(self, frequencies: FloatArray) -> tuple[FloatArray, FloatArray]:
        """sum_c |A_c|^2 of each frequency (m, d), shape (m,), and its gradient, shape (m, d)."""
        phase = self.rows @ frequencies.T.astype(self.rows.dtype, copy=False)
        cos, sin = np.cos(phase), np.sin(phase)
        c, s = self.V.T @ cos, self.V.T @ sin
        cos *= self.V @ s
        sin *= self.V @ c
        cos -= sin
        gradient = 2.0 * (cos.T @ self.rows)
        return np.sum(c * c + s * s, axis=0, dtype=float), gradient.astype(float, copy=False)

    def values_and_gradients(self, frequencies: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The value of each frequency (m, d), shape (m,), and its gradient, shape (m, d)."""
        power, gradient = self.power(frequencies)
        weight = self.decay.of(frequencies)
        slope = 2.0 * self.decay.slope(frequencies)
        return weight * power, weight[:, None] * (gradient - power[:, None] * slope)
