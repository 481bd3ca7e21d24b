"""C-support-vector classification."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._multipliers import median_interval
from kernelopt._criteria._option_checks import price
from kernelopt._linalg._gram import Gram


@attrs.frozen
class SVC(Criterion):
    """Two-class soft-margin classification with the hinge loss.

        min over f, b    1/2 |f|^2 + C sum_i s_i max(0, 1 - y_i (f(x_i) + b))
        max over alpha   sum alpha - 1/2 v'Kv,    0 <= alpha <= C s,    y'alpha = 0,    v = y * alpha

    s are the sample weights times the class weights. The scale is that of libsvm and
    scikit-learn.

    Attributes:
        C: the price of a unit of slack, > 0.

    Raises:
        InvalidOption: C is not a positive finite number.

    Cortes and Vapnik (1995); the dual of Bach, Lanckriet and Jordan (2004), section 2.1.
    """

    name: ClassVar[str] = "svc"
    task: ClassVar[Task] = "classification"

    C: float = attrs.field(default=1.0, validator=price)

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, weight: FloatArray) -> DualQP:
        n = len(y)
        return DualQP(
            n=n,
            linear=np.ones(n),
            curvature=np.zeros(n),
            lower=np.zeros(n),
            upper=self.C * weight,
            sample=np.arange(n),
            sign=y,
            group=np.zeros(n, dtype=np.int64),
            coefficient=y,
            target=np.zeros(1),
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        y, cap = qp.sign, qp.upper
        bias = median_interval(y - f, cap, float(cap[y > 0].sum()))
        hinge = np.maximum(0.0, 1.0 - y * (f + bias))
        return Primal(0.5 * float(v @ f) + float(cap @ hinge), np.array([bias]))
