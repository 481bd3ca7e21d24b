"""How far a learned function is believed at rows where its kernel claims far more than at any training row.

A linear kernel grows with a row, and a polynomial with its powers, so that the function at a row far from all training
rows may be any number. There are two opinions on it. The posterior has the mean m and the variance s^2. The other one
knows no function far larger than among training rows, where k(x, x) is up to a quarter of K: it takes the row of the
same direction that has this K, where a function of the kernel is rho m, rho^2 = K / k(z, z), and believes that targets
go on to vary as they do, with variance t^2. Both are Gaussian, and their product has the mean

    rho m + (m - rho m) t^2 / (t^2 + s^2).

So a function that training rows determine is believed wherever it goes, and one that they do not stays among targets.
"""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._prediction._kernel import Kernel

_BEYOND = 4.0
"""K, in the largest k(x, x) of a training row: a guard, for rows up to twice as long as all others are no strangers."""
_TIMES = 2.0
"""t in standard deviations of the training targets: a guard, for no target of a table is many times as far away."""


@attrs.frozen(eq=False)
class Scope:
    """What the training rows span.

    Attributes:
        largest: the largest k(x, x) of a training row, >= 0.
        spread: the standard deviation of the targets of each output, >= 0, shape (c,).
    """

    largest: float
    spread: FloatArray

    @classmethod
    def of(cls, kernel: Kernel, X: FloatArray, y: FloatArray, weight: FloatArray) -> "Scope | None":
        """Of training rows X (n, d) with targets (n, c), less their level, and weights (n, c), > 0; None where no
        kernel grows with a row, or nothing is known of one.
        """
        pairs = zip(kernel.leaves, kernel.mixture.parts, strict=True)
        grow = {leaf.family.boundless(part) for leaf, part in pairs if len(part)}
        if None in grow or True not in grow:
            return None
        return cls(float(kernel.squares(X).max()), np.sqrt(np.average(y * y, axis=0, weights=weight)))

    def held(
        self,
        kernel: Kernel,
        level: FloatArray,
        unknown: Callable[[FloatArray], FloatArray],
        Z: FloatArray,
        values: FloatArray,
    ) -> FloatArray:
        """Values as far as they are believed, of the same shape.

        Args:
            kernel: the learned one.
            level: of each output, shape (c,).
            unknown: the variance of the function at rows (m, d), shape (m,), or (m, c) where outputs differ.
            Z: checked rows, shape (n', d).
            values: at these rows, shape (n',) or (n', c).
        """
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            own, most = kernel.squares(Z), _BEYOND * self.largest
            beyond = np.flatnonzero(~(own <= most))
            if not len(beyond):
                return values
            variance = np.nan_to_num(unknown(Z[beyond]), nan=np.inf).reshape(len(beyond), -1)
            rho = np.sqrt(most / own[beyond])[:, None]
            width = (_TIMES * self.spread) ** 2
            believed = np.nan_to_num(width / (width + variance))
            share = np.nan_to_num(rho + (1.0 - rho) * believed)
        found = np.array(values).reshape(len(Z), -1)
        found[beyond] = level + share * (found[beyond] - level)
        return found.reshape(values.shape)
