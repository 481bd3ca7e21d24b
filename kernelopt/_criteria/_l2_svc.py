"""Support-vector classification with the squared hinge loss."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._multipliers import squared_hinge_bias
from kernelopt._criteria._option_checks import divisor
from kernelopt._linalg._gram import Gram


@attrs.frozen
class L2SVC(Criterion):
    """Two-class soft-margin classification with the squared hinge loss.

        min over f, b    1/2 |f|^2 + C/2 sum_i s_i max(0, 1 - y_i (f(x_i) + b))^2
        max over alpha   sum alpha - 1/2 sum_i alpha_i^2 / (C s_i) - 1/2 v'Kv,    alpha >= 0,    y'alpha = 0,
                         v = y * alpha

    s are the sample weights times the class weights. The machine is the one with a hard margin, with 1/(C s_i) added to
    the diagonal of K. The scale is that of the paper.

    Attributes:
        C: half of C is the price of a unit of squared slack; > 0.

    Raises:
        InvalidOption: C is not a positive finite number.

    Cortes and Vapnik (1995); Bach, Lanckriet and Jordan (2004), section 2.4.
    """

    name: ClassVar[str] = "l2-svc"
    task: ClassVar[Task] = "classification"

    C: float = attrs.field(default=1.0, validator=divisor)

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, weight: FloatArray) -> DualQP:
        n = len(y)
        return DualQP(
            n=n,
            linear=np.ones(n),
            curvature=1.0 / (self.C * weight),
            lower=np.zeros(n),
            upper=np.full(n, np.inf),
            sample=np.arange(n),
            sign=y,
            group=np.zeros(n, dtype=np.int64),
            coefficient=y,
            target=np.zeros(1),
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        y, price = qp.sign, 1.0 / qp.curvature
        bias = squared_hinge_bias(y - f, y > 0.0, price)
        slack = np.maximum(0.0, 1.0 - y * (f + bias))
        return Primal(0.5 * float(v @ f) + 0.5 * float(price @ (slack * slack)), np.array([bias]))
