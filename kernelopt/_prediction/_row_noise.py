"""How large the noise of each row is, where it differs between rows."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._predictor import Predictor


@attrs.frozen(eq=False)
class RowNoise:
    """The variance of the noise of a new target at row z is that of the process times least + factor exp(g(z)).

    Attributes:
        predictor: g, the logarithm of the variance up to a constant.
        most: the largest g of a training row; no new row has a larger one.
        factor: > 0.
        least: what no row goes below, > 0.
        degrees: the degrees of freedom of Student's t, > 2, of which targets are about what is predicted; None where
            they are Gaussian.
    """

    predictor: Predictor
    most: float
    factor: float
    least: float
    degrees: float | None

    def ratios(self, Z: FloatArray) -> FloatArray:
        """The variance of the noise at checked rows Z (n', d) in that of the process, > 0, shape (n',)."""
        g = at_rows(self.predictor, Z)
        return np.asarray(self.least + self.factor * np.exp(np.minimum(g, self.most)))


def at_rows(predictor: Predictor, Z: FloatArray) -> FloatArray:
    """A predictor of one output at checked rows Z (n', d), shape (n',), block by block."""
    blocks = [predictor.at(Z[i : i + ROW_BLOCK])[:, 0] for i in range(0, len(Z), ROW_BLOCK)]
    return np.concatenate([np.zeros(0), *blocks])
