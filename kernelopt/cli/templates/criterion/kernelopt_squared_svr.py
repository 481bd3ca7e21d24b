"""Regression with squared errors outside a tube for kernelopt: `kernelopt.solve(X, y, criterion="squared-svr")`."""

from typing import ClassVar

import attrs
import numpy as np
from scipy.optimize import brentq

from kernelopt.plugin import Criterion, DualQP, FloatArray, Gram, Primal, Task, hookimpl, positive

KERNELOPT_CONTRACT = 1


@attrs.frozen
class SquaredSVR(Criterion):
    """min over f, b of 1/2 |f|^2 + C/2 sum_i s_i max(0, |y_i - f(x_i) - b| - epsilon)^2.

    Attributes:
        C: the price of an error, > 0.
        epsilon: half the width of the tube in which errors are free, > 0.
    """

    name: ClassVar[str] = "squared-svr"
    task: ClassVar[Task] = "regression"

    C: float = attrs.field(default=1.0, validator=positive)
    epsilon: float = attrs.field(default=0.1, validator=positive)

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, s: FloatArray) -> DualQP:
        n, sign = len(y), np.repeat([1.0, -1.0], len(y))
        return DualQP(
            n=n,
            linear=sign * np.tile(y, 2) - self.epsilon,
            curvature=1.0 / (self.C * np.tile(s, 2)),
            lower=np.zeros(2 * n),
            upper=np.full(2 * n, np.inf),
            sample=np.tile(np.arange(n), 2),
            sign=sign,
            group=np.zeros(2 * n, dtype=np.int64),
            coefficient=sign,
            target=np.zeros(1),
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        slack = qp.linear - qp.sign * f[qp.sample]  # without the bias: y - f - epsilon, f - y - epsilon

        def alpha(b: float) -> FloatArray:
            best: FloatArray = np.maximum(0.0, slack - qp.sign * b) / qp.curvature
            return best

        most = float(np.abs(slack).max()) + 1.0
        b = brentq(lambda b: qp.sign @ alpha(b), -most, most, xtol=1e-14)
        return Primal(0.5 * float(v @ f) + 0.5 * float(qp.curvature @ alpha(b) ** 2), np.array([b]))


@hookimpl
def kernelopt_criteria() -> list[type[Criterion]]:
    """The criteria that this plugin offers."""
    return [SquaredSVR]
