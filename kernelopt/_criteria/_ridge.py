"""Kernel ridge regression."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._option_checks import price
from kernelopt._linalg._gram import Gram


@attrs.frozen
class Ridge(Criterion):
    """Regression with the squared loss and no bias: kernel ridge regression, or the mean of a Gaussian process.

        min over f       1/2 |f|^2 + 1/(2 lam W) sum_i s_i (y_i - f(x_i))^2,    W = sum s
        max over alpha   y'alpha - lam W/2 sum_i alpha_i^2 / s_i - 1/2 v'Kv,    alpha free,    v = alpha

    The answer is v = (K + lam W diag(1/s))^-1 y. The option alpha of scikit-learn's KernelRidge is lam W, and the
    variance of the noise of a Gaussian process is lam W / s_i. The machine has no bias, so subtract the mean from y.

    Attributes:
        lam: the price of the norm relative to the mean squared loss, > 0.

    Raises:
        InvalidOption: lam is not a positive finite number.

    Saunders, Gammerman and Vovk (1998).
    """

    name: ClassVar[str] = "ridge"
    task: ClassVar[Task] = "regression"

    lam: float = attrs.field(default=1e-2, validator=price)

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, weight: FloatArray) -> DualQP:
        return DualQP.free(y, self.lam * float(weight.sum()) / weight)

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        r = qp.linear - f
        return Primal(0.5 * float(v @ f) + 0.5 * float(r @ (r / qp.curvature)), np.zeros(0))
