"""The Lagrangian support vector machine: squared hinge loss, and a price on the bias."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._multipliers import squared_hinge_bias
from kernelopt._criteria._option_checks import price
from kernelopt._linalg._gram import Gram


@attrs.frozen
class LagrangianSVC(Criterion):
    """Two-class classification with the squared hinge loss and a penalised bias.

    Because the bias is penalised, the dual problem has no equality constraint.

        min over f, b    1/2 |f|^2 + 1/2 b^2 + 1/(2c) sum_i s_i max(0, 1 - y_i (f(x_i) + b))^2
        max over alpha   sum alpha - c/2 sum_i alpha_i^2 / s_i - 1/2 (y'alpha)^2 - 1/2 v'Kv,    alpha >= 0,
                         v = y * alpha

    s are the sample weights times the class weights. A machine with the kernel K + 1 and without a bias is the same
    machine; the 1 does not belong to the kernel that is learned. The paper's lambda is c / n, and the C of
    scikit-learn's LinearSVC is 1/(2c).

    Attributes:
        c: the price of the norm relative to the price of the slack, > 0; a larger c gives a smoother function.

    Raises:
        InvalidOption: c is not a positive finite number.

    Mangasarian and Musicant (2001); Ong, Smola and Williamson (2005), equation (29).
    """

    name: ClassVar[str] = "lagrangian-svc"
    task: ClassVar[Task] = "classification"

    c: float = attrs.field(default=1.0, validator=price)

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, weight: FloatArray) -> DualQP:
        n = len(y)
        return DualQP(
            n=n,
            linear=np.ones(n),
            curvature=self.c / weight,
            lower=np.zeros(n),
            upper=np.full(n, np.inf),
            sample=np.arange(n),
            sign=y,
            group=np.full(n, -1, dtype=np.int64),
            coefficient=np.ones(n),
            target=np.zeros(0),
            bias_cost=1.0,
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        y, price = qp.sign, 1.0 / qp.curvature
        bias = squared_hinge_bias(y - f, y > 0.0, price, cost=1.0)
        slack = np.maximum(0.0, 1.0 - y * (f + bias))
        norm = float(v @ f) + bias * bias
        return Primal(0.5 * norm + 0.5 * float(price @ (slack * slack)), np.array([bias]))
