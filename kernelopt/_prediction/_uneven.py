"""How sure a learned Gaussian process is of new targets where the noise of each row has a size of its own."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._row_noise import RowNoise
from kernelopt._prediction._scope import Scope


@attrs.frozen(eq=False)
class Uneven(Posterior):
    """The variance of the function is that of a process whose training rows have weights; the noise is that of the row.

    var(z) = k(z, z) - k_z'(K + noise diag(1/weight))^-1 k_z + (noise + excess) ratio(z)

    Attributes:
        function: how sure the function is.
        rows: the ratio.
        noise, degrees, scope, unit, excess, doubt, spread: as of any posterior; the noise is that of a row whose ratio
            is 1.
    """

    noise: float
    function: Posterior
    rows: RowNoise
    degrees: float | None = None
    scope: Scope | None = None
    unit: FloatArray | None = None
    excess: float = 0.0
    doubt: float = 1.0
    spread: float = 1.0

    @classmethod
    def of(cls, function: Posterior, rows: RowNoise) -> "Uneven":
        """Of a process with these weights of its rows, and the noise of new ones."""
        return cls(function.noise, function, rows, rows.degrees)

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        even = self.function.deviation(machine, Z) ** 2 - self.function.new
        return np.asarray(np.sqrt(np.maximum(even, 0.0) + self.new * self.rows.ratios(Z)))

    def unknown(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        return self.function.unknown(machine, Z)
