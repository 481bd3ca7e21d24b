"""The logistic mode of classes with a whole kernel, on some ten thousand rows, by conjugate gradients."""

import math
from collections.abc import Callable

import attrs

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._whole_kernel import Equations, WholeKernel
from kernelopt._evidence.classes._newton import TwoClasses


@attrs.frozen(eq=False)
class WholeClasses(TwoClasses):
    """Rows with two classes and a whole kernel between them.

    Attributes:
        whole: the kernel.
        y: -1 and 1, shape (n,).
        weight: s, how often each row counts, > 0, shape (n,).
        stop: whether to end with what is found.
        offset: the logarithm of the odds that is known beforehand, shape (n,), or one for all.
    """

    whole: WholeKernel
    y: FloatArray
    weight: FloatArray
    stop: Callable[[], bool]
    offset: float | FloatArray = 0.0

    def image(self, v: FloatArray) -> FloatArray:
        return self.whole.gram.image(v[:, None])[:, 0]

    def solver(self, scale: float, root: FloatArray) -> Callable[[FloatArray], FloatArray | None]:
        equations = Equations.of(self.whole, math.sqrt(scale) * root, 1.0)

        def solve(r: FloatArray) -> FloatArray | None:
            found = equations.solved(r[:, None], self.stop)
            return None if found is None else found[:, 0]

        return solve
