"""The largest margin between two (reduced) convex hulls."""

import math
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._hulls import primal_of_hulls
from kernelopt._criteria._option_checks import ROUNDING, positive_or_infinite, smaller_class
from kernelopt._linalg._gram import Gram


@attrs.frozen
class Margin(Criterion):
    """Two-class classification with the largest margin, by the nearest points of the convex hulls of the classes.

    If C is finite, the hulls are reduced: no row may have more than the share C in a point.

        min over f, b, rho   1/2 |f|^2 - 2 rho + C sum_i s_i max(0, rho - y_i (f(x_i) + b))
        max over alpha       -1/2 v'Kv,    0 <= alpha <= C s,    y'alpha = 0,    sum alpha = 2,    v = y * alpha

    The value is -1/2 times the squared distance of the hulls, and the paper's omega is -2 times the value. With unit
    weights a C of 1 or more changes nothing, and C = 2/(nu n) gives 4/(nu n)^2 times the value of nu-svc. The
    multipliers are (b, rho).

    Every multiple of a function of this machine is a function of this machine too, so `primal` takes the best multiple
    of v.

    Attributes:
        C: the largest weight of a row in its hull: above 0, and at least 1/min(W+, W-), where W+ and W- are the sums of
            the weights of the classes; infinity for the hulls that are not reduced.

    Raises:
        InvalidOption: C is out of its range, or in `outputs` too small for the smaller class.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), equation (3).
    """

    name: ClassVar[str] = "margin"
    task: ClassVar[Task] = "classification"

    C: float = attrs.field(default=math.inf, validator=positive_or_infinite)

    @property
    def bounded(self) -> tuple[bool, bool]:
        return True, math.isfinite(self.C)

    @property
    def sized(self) -> bool:
        return True

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        return tuple(self._output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def _output(self, y: FloatArray, weight: FloatArray) -> DualQP:
        n, smaller = len(y), smaller_class(y, weight)
        if smaller <= 0.0:
            raise InvalidOption("Margin: every sample has the same class, wanted samples of two classes")
        if self.C * smaller < 1.0 - ROUNDING:
            raise InvalidOption(
                f"Margin: C = {self.C} is too small for a class of weight {smaller:g}: "
                f"the smallest admissible value is {1.0 / smaller}"
            )
        return DualQP(
            n=n,
            linear=np.zeros(n),
            curvature=np.zeros(n),
            lower=np.zeros(n),
            upper=self.C * weight,
            sample=np.arange(n),
            sign=y,
            group=np.where(y > 0.0, 0, 1),
            coefficient=np.ones(n),
            target=np.ones(2),
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        return primal_of_hulls(qp, v, f)
