"""The convex half of the evidence: what the tangent saddles are solved with."""

import math
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._evidence._factorisation import Factored, factored
from kernelopt._linalg._gram import Gram

_ROUNDING = 1e-6
"""A guard: so far below 0, as a share of its terms, a sum is rounding that leaves no digit."""


@attrs.frozen
class Fit(Criterion):
    """1/2 y'(K + noise I)^-1 y, the noise being the curvature of the output."""

    name: ClassVar[str] = "fit"
    task: ClassVar[Task] = "regression"

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:  # noqa: ARG002
        raise InvalidOption(
            "fit: this criterion is for solvers of the evidence only; take ridge for regression with squared errors"
        )

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:
        factor = factored(gram, qp.curvature)
        return Primal(math.inf if factor is None else quadratic(factor, qp, v, f), np.zeros(0))


def quadratic(factor: Factored, qp: DualQP, v: FloatArray, f: FloatArray) -> float:
    """1/2 y'(K + noise I)^-1 y; v, with f = K v, only spares the digits that a factorisation loses.

    Infinite where the sum is below 0 by more than rounding, or leaves the numbers: no digit of it is right.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        r = qp.linear - f - qp.curvature * v
        found = 0.5 * float(v @ (qp.linear + r)) + 0.5 * float(r @ factor.solve(r))
        size = float(np.abs(v) @ (np.abs(qp.linear) + np.abs(r)))
    return found if found >= -_ROUNDING * size else math.inf
