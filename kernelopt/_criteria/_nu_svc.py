"""nu-support-vector classification."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._hulls import primal_of_hulls
from kernelopt._criteria._option_checks import ROUNDING, share, smaller_class
from kernelopt._linalg._gram import Gram


@attrs.frozen
class NuSVC(Criterion):
    """Two-class classification in which nu says how many rows may lie on the wrong side of the margin.

    The share of these rows is at most nu, and the share of support vectors is at least nu.

        min over f, b, rho   1/2 |f|^2 - nu W rho + sum_i s_i max(0, rho - y_i (f(x_i) + b)),    W = sum s
        max over alpha       -1/2 v'Kv,    0 <= alpha <= s,    y'alpha = 0,    sum alpha = nu W,    v = y * alpha

    The scale is that of libsvm and scikit-learn before they divide by rho: their decision function is (f + b) / rho.
    The papers divide the loss by n, and their value is this one divided by n^2. The multipliers are (b, rho).

    Every multiple of a function of this machine is a function of this machine too, so `primal` takes the best multiple
    of v.

    Attributes:
        nu: above 0, at most 1, and at most 2 min(W+, W-) / W, the balance of the classes.

    Raises:
        InvalidOption: nu is out of its range, or in `outputs` above the balance of the classes.

    Schoelkopf, Smola, Williamson and Bartlett (2000); Ong, Smola and Williamson (2005), equation (28).
    """

    name: ClassVar[str] = "nu-svc"
    task: ClassVar[Task] = "classification"

    nu: float = attrs.field(default=0.5, validator=share)

    @property
    def sized(self) -> bool:
        return True

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, weight: FloatArray) -> DualQP:
        n, total, smaller = len(y), float(weight.sum()), smaller_class(y, weight)
        if self.nu * total > 2.0 * smaller * (1.0 + ROUNDING):
            raise InvalidOption(
                f"NuSVC: nu = {self.nu} is too large for classes of weight {smaller:g} and {total - smaller:g}: "
                f"the largest admissible value is {2.0 * smaller / total}"
            )
        return DualQP(
            n=n,
            linear=np.zeros(n),
            curvature=np.zeros(n),
            lower=np.zeros(n),
            upper=weight.copy(),
            sample=np.arange(n),
            sign=y,
            group=np.where(y > 0.0, 0, 1),
            coefficient=np.ones(n),
            target=np.full(2, 0.5 * self.nu * total),
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        return primal_of_hulls(qp, v, f)
