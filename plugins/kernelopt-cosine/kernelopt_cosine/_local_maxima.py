"""The local maxima that a search has found, each once."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray

_SAME = 1e-3
"""Two frequencies are one peak where no entry differs by more, in units of the rows' radius."""
_ROUNDING = 1e-12


def oriented(frequencies: FloatArray) -> FloatArray:
    """Frequencies (m, d) with the sign that makes each one's largest entry positive: gamma and -gamma are one."""
    if not frequencies.size:
        return frequencies
    largest = np.argmax(np.abs(frequencies), axis=1)
    signs = np.sign(frequencies[np.arange(len(frequencies)), largest])
    return np.asarray(frequencies * np.where(signs == 0.0, 1.0, signs)[:, None])


@attrs.frozen(eq=False)
class Peaks:
    """Local maxima, best first.

    Attributes:
        frequencies: shape (m, d).
        values: shape (m,).
        repeats: how often a start ended at a peak that was known.
    """

    frequencies: FloatArray
    values: FloatArray
    repeats: int = 0

    @classmethod
    def none(cls, d: int) -> Self:
        """No peak yet, of d entries."""
        return cls(np.zeros((0, d)), np.zeros(0))

    @property
    def best(self) -> float:
        """The largest value, 0 where there is none."""
        return float(self.values.max(initial=0.0))

    def __len__(self) -> int:
        return len(self.values)

    def merged(self, frequencies: FloatArray, values: FloatArray) -> "Peaks":
        """These and others (m, d) with their values (m,)."""
        frequencies = np.vstack([self.frequencies, oriented(frequencies)])
        values = np.concatenate([self.values, values])
        order = np.argsort(-values, kind="stable")
        kept: list[int] = []
        for a in order:
            near = frequencies[kept] - frequencies[a], frequencies[kept] + frequencies[a]
            if not any((np.abs(gap).max(axis=1) <= _SAME).any() for gap in near):
                kept.append(int(a))
        return Peaks(frequencies[kept], values[kept], self.repeats + len(values) - len(kept))

    def ratio(self) -> str:
        """How far the best peak stands above the second, in words."""
        values = self.above_rounding().values
        return f"best / second {values[0] / values[1]:.3g}" if len(values) > 1 else "no second"

    def above_rounding(self) -> "Peaks":
        """The peaks that are no mere rounding beside the best; that one in any case."""
        count = max(int(np.count_nonzero(self.values > _ROUNDING * self.best)), 1)
        return Peaks(self.frequencies[:count], self.values[:count], self.repeats)
