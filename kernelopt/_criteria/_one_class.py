"""One-class support vector machine."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._multipliers import best_multiple, fill
from kernelopt._criteria._option_checks import share
from kernelopt._linalg._gram import Gram


@attrs.frozen
class OneClass(Criterion):
    """Novelty detection, which needs no targets: learn the half-space that holds most rows and lies furthest from 0.

        min over f, rho   1/2 |f|^2 - nu W rho + sum_i s_i max(0, rho - f(x_i)),    W = sum s
        max over alpha    -1/2 v'Kv,    0 <= alpha <= s,    sum alpha = nu W,    v = alpha

    The decision function is f - rho, so the multiplier is (-rho). The scale is that of libsvm and scikit-learn; the
    value in the papers is this one divided by (nu W)^2. At nu = 1 every alpha is at its bound, and rho is the largest
    f.

    Every multiple of a function of this machine is a function of this machine too, so `primal` takes the best multiple
    of v. Among kernels without a penalty the optimum is the one that is most nearly constant, which is of no use:
    learn the kernel with another criterion, or fix it.

    Attributes:
        nu: the share of training rows outside the half-space is at most nu, and the share of support vectors is at
            least nu; above 0, at most 1.

    Raises:
        InvalidOption: nu is out of its range.

    Schoelkopf, Platt, Shawe-Taylor, Smola and Williamson (2001); Ong, Smola and Williamson (2005), equation (30).
    """

    name: ClassVar[str] = "one-class"
    task: ClassVar[Task] = "novelty"

    nu: float = attrs.field(default=0.5, validator=share)

    @property
    def sized(self) -> bool:
        return True

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        """One dual problem for each column of weights; the values of y do not matter."""
        return tuple(self._output(weight[:, c]) for c in range(y.shape[1]))

    def _output(self, weight: FloatArray) -> DualQP:
        n = len(weight)
        return DualQP(
            n=n,
            linear=np.zeros(n),
            curvature=np.zeros(n),
            lower=np.zeros(n),
            upper=weight.copy(),
            sample=np.arange(n),
            sign=np.ones(n),
            group=np.zeros(n, dtype=np.int64),
            coefficient=np.ones(n),
            target=np.array([self.nu * float(weight.sum())]),
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        best = fill(f, qp.upper, float(qp.target[0]))
        return Primal(best_multiple(float(v @ f), best.value), np.array([-best.threshold]))
