"""epsilon-support-vector regression."""

import math
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._options import within
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._multipliers import median_interval
from kernelopt._criteria._option_checks import price
from kernelopt._linalg._gram import Gram


@attrs.frozen
class SVR(Criterion):
    """Regression with the epsilon-insensitive loss.

        min over f, b    1/2 |f|^2 + C sum_i s_i max(0, |y_i - f(x_i) - b| - epsilon)
        max over a, a*   y'v - epsilon sum (a + a*) - 1/2 v'Kv,    0 <= a, a* <= C s,    sum v = 0,    v = a - a*

    The scale is that of libsvm and scikit-learn. The dual variables are (a, a*), shape (2n,).

    Attributes:
        C: the price of a unit of slack, > 0.
        epsilon: half the width of the tube in which a residual costs nothing, >= 0, in the units of y.

    Raises:
        InvalidOption: an option is out of its range.

    Vapnik (1995); Talitckii, Colbert and Peet (2024).
    """

    name: ClassVar[str] = "svr"
    task: ClassVar[Task] = "regression"
    levelled: ClassVar[bool] = True

    C: float = attrs.field(default=1.0, validator=price)
    epsilon: float = attrs.field(default=0.1, validator=within(0.0, math.inf))

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, weight: FloatArray) -> DualQP:
        n = len(y)
        sign = np.repeat([1.0, -1.0], n)
        return DualQP(
            n=n,
            linear=np.concatenate([y, -y]) - self.epsilon,
            curvature=np.zeros(2 * n),
            lower=np.zeros(2 * n),
            upper=self.C * np.tile(weight, 2),
            sample=np.tile(np.arange(n), 2),
            sign=sign,
            group=np.zeros(2 * n, dtype=np.int64),
            coefficient=sign,
            target=np.zeros(1),
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        # The ends of the tubes that b has to hit: y - f - epsilon from above, y - f + epsilon from below.
        ends = qp.sign * qp.linear - np.tile(f, 2)
        bias = median_interval(ends, qp.upper, float(qp.upper[: qp.n].sum()))
        slack = np.maximum(0.0, qp.sign * (ends - bias))
        return Primal(0.5 * float(v @ f) + float(qp.upper @ slack), np.array([bias]))
