"""What a solution and a model of a file know by what predicts for both."""

from typing import Any

import numpy.typing as npt

from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._predictor import Predictor


class OfPredictor:
    """A learned machine, by its predictor."""

    __slots__ = ()

    predictor: Predictor

    @property
    def kernel(self) -> Kernel:
        """The learned kernel, a function k(X, Z) of rows (n, d) and (n', d); machines of scikit-learn accept it."""
        return self.predictor.kernel

    @property
    def classes(self) -> npt.NDArray[Any] | None:
        """The classes: two labels, of negative and of positive decisions, or one label for each output; else None."""
        return self.predictor.classes

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of X, in their order; empty if they are not known."""
        return self.kernel.own_names
