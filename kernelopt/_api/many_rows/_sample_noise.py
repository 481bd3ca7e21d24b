"""What a sample of many rows has learned of their noise, where that is not Gaussian noise of one size."""

import attrs
import numpy as np

from kernelopt._api._learned import Learned
from kernelopt._api._validate import Request
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence.noise._student import tails_of
from kernelopt._prediction._row_noise import RowNoise
from kernelopt._prediction._tails import Tails


@attrs.frozen(eq=False)
class SampleNoise:
    """The noise by a sample; it is of each row, or Student's t.

    Attributes:
        places: the numbers of its rows among the training rows in memory, shape (k,).
        tau: the variance of the noise of a row that is believed as the mean is.
        level: about which it has learned the targets, shape (c,): their mean, each row as far as it is believed.
        tails: how far each of its rows is believed, where noise is Student's t; else None.
        rows: how large the noise of each row is, where that differs; else None.
    """

    places: IntArray
    tau: float
    level: FloatArray
    tails: Tails | None = None
    rows: RowNoise | None = None

    def error(self, X: FloatArray, away: FloatArray) -> float:
        """The mean square of what is left of targets (k, c) at rows X (k, d), as far as these are believed."""
        squares = np.sum(away**2, axis=1)
        if not squares.any():
            return 0.0
        each = tails_of(squares, away.shape[1])[0].weight if self.rows is None else 1.0 / self.rows.ratios(X)
        return float(np.average(squares / away.shape[1], weights=each))


def levelled(request: Request, noise: SampleNoise | None) -> Request:
    """The request with targets about the level that a sample has learned, which rows far out have not moved."""
    if noise is None:
        return request
    rows = request.rows
    rows = None if rows is None else attrs.evolve(rows, coding=attrs.evolve(rows.coding, level=noise.level))
    return attrs.evolve(request, training=attrs.evolve(request.training, level=noise.level), rows=rows)


def noise_of_sample(known: Learned, every: IntArray, tau: float) -> SampleNoise | None:
    """What rows have learned of the noise; None where it is Gaussian and of one size.

    Args:
        known: what was learned of the kernel, and of the noise.
        every: the row numbers of all training rows in memory, shape (n,).
        tau: the noise that was learned, of a row that counts once.
    """
    if known.tails is None and known.uneven is None:
        return None
    order = np.argsort(every)
    places = order[np.searchsorted(every[order], known.request.training.rows)]
    return SampleNoise(
        places, tau, known.request.training.level, known.tails, None if known.uneven is None else known.uneven.rows
    )
