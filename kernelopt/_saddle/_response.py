"""The answer to a kernel: the best dual variables, and the upper bound that they prove."""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._dual_qp import Dual, side_by_side
from kernelopt._families._mixture import Mixture


@attrs.frozen(eq=False)
class Response:
    """The answer to a kernel: the best alpha of every output, and the upper bound on the saddle that it proves.

    Attributes:
        mixture: the kernel.
        duals: the dual variables, one `Dual` for each output.
        upper: the upper bound.
        settled: computes the number of rows with a nonzero coefficient, after each variable that its gradient holds at
            a bound was set to this bound. None if alpha comes from the dual engine, which has done this already.
    """

    mixture: Mixture
    duals: tuple[Dual, ...]
    upper: float
    settled: Callable[[], int] | None = None

    @property
    def V(self) -> FloatArray:
        """v = E alpha, one column for each output, shape (n, c)."""
        return side_by_side(self.duals)

    @property
    def h(self) -> float:
        """The sum of h(alpha) over the outputs."""
        return sum(dual.h for dual in self.duals)

    @property
    def converged(self) -> bool:
        """Whether every output met the inner tolerance."""
        return all(dual.converged for dual in self.duals)

    @property
    def support(self) -> IntArray:
        """The rows with a nonzero coefficient in some output."""
        return np.flatnonzero(self.V.any(axis=1))

    @property
    def support_size(self) -> int:
        """How many support vectors the answer has: of alpha from the inside of its box, which has none at a bound, how
        many it is about to have.
        """
        return len(self.support) if self.settled is None else self.settled()
