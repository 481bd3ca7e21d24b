"""nu-support-vector regression."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._multipliers import fill, two_fills
from kernelopt._criteria._option_checks import price, share
from kernelopt._linalg._gram import Gram


@attrs.frozen
class NuSVR(Criterion):
    """Regression with a tube whose width is learned; the share of the rows outside the tube is at most nu.

        min over f, b, epsilon   1/2 |f|^2 + C nu W epsilon + C sum_i s_i max(0, |y_i - f(x_i) - b| - epsilon)
        max over a, a*           y'v - 1/2 v'Kv,    0 <= a, a* <= C s,    sum a = sum a* = C nu W / 2,    v = a - a*

    with W = sum s. The scale is that of libsvm and scikit-learn. If the loss is a mean in place of a sum, C is n times
    this one; the paper's lambda is 1/(C n). The dual variables are (a, a*), shape (2n,), and the multipliers are
    (b, epsilon).

    Attributes:
        C: the price of a unit of slack, > 0.
        nu: above 0, at most 1.

    Raises:
        InvalidOption: an option is out of its range.

    Schoelkopf, Smola, Williamson and Bartlett (2000); Ong, Smola and Williamson (2005), equation (31).
    """

    name: ClassVar[str] = "nu-svr"
    task: ClassVar[Task] = "regression"
    levelled: ClassVar[bool] = True

    C: float = attrs.field(default=1.0, validator=price)
    nu: float = attrs.field(default=0.5, validator=share)

    @property
    def sized(self) -> bool:
        return True

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, weight: FloatArray) -> DualQP:
        n = len(y)
        return DualQP(
            n=n,
            linear=np.concatenate([y, -y]),
            curvature=np.zeros(2 * n),
            lower=np.zeros(2 * n),
            upper=self.C * np.tile(weight, 2),
            sample=np.tile(np.arange(n), 2),
            sign=np.repeat([1.0, -1.0], n),
            group=np.repeat([0, 1], n),
            coefficient=np.ones(2 * n),
            target=np.full(2, 0.5 * self.C * self.nu * float(weight.sum())),
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        n, residual = qp.n, qp.linear[: qp.n] - f
        first = fill(-residual, qp.upper[:n], float(qp.target[0]))
        second = fill(residual, qp.upper[n:], float(qp.target[1]))
        best = two_fills(first, second)
        return Primal(0.5 * float(v @ f) - best.value, np.array([best.bias, -best.rho]))
