"""Alignment of the kernel with the targets: y'K^-1 y."""

from typing import ClassVar

import attrs
import numpy as np
from scipy.linalg import eigvalsh

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._families._contract import KernelFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._linalg._gram import Dense, Gram, LowRank
from kernelopt._linalg._gram_sum import Sum


@attrs.frozen
class Alignment(Criterion):
    """The criterion that learns the kernel whose function through all targets has the smallest norm.

    The machine has no bias and no slack: its function takes the value of the target at each training row.

        min over f       1/2 |f|^2,    f(x_i) = y_i             =  1/2 y'K^-1 y
        max over alpha   y'alpha - 1/2 v'Kv,    alpha free,    v = alpha

    The value in the paper is twice this one. For any v, with the residual r = y - Kv, an upper bound is

        1/2 v'Kv + v'r + r'r / (2 l),    0 < l <= lambda_min(K)

    Here l is the ridge of a low-rank Gram matrix, or the smallest eigenvalue of K minus the rounding error that it may
    have. If l is not positive, the bound is infinite, and the optimum may be infinite too. Add a `Delta` to the
    families: it keeps the smallest eigenvalue away from 0.

    The criterion has no options, and it takes no sample weights.

    Raises:
        InvalidOption: in `outputs`, for weights other than 1.

    Ong, Smola and Williamson (2005), equation (32).
    """

    name: ClassVar[str] = "alignment"
    task: ClassVar[Task] = "regression"
    interpolates: ClassVar[bool] = True

    @property
    def bounded(self) -> tuple[bool, bool]:
        return False, False

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        if np.any(weight != 1.0):
            raise InvalidOption(
                f"Alignment: got weights from {weight.min():g} to {weight.max():g}, wanted 1 each; the function "
                f"passes through every target whatever the weights are: leave sample_weight out, or take ridge"
            )
        return tuple(DualQP.free(one, np.zeros(len(one))) for one in y.T)

    def refuses(self, families: tuple[KernelFamily, ...]) -> str | None:
        if all(isinstance(family, ExplicitFamily) and family.ridge(family.center()) == 0.0 for family in families):
            return (
                "a function of finitely many features may be unable to pass through every target; add delta to "
                "the family"
            )
        return None

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:
        """The bound above. It holds for the optimum at this kernel: at fixed v the maximum over alpha is infinite."""
        r = qp.linear - f
        squares = float(r @ r)
        value = 0.5 * float(v @ f) + float(v @ r)
        if squares > 0.0:
            least = _least_eigenvalue(gram)
            value = value + 0.5 * squares / least if least > 0.0 else np.inf
        return Primal(value, np.zeros(0))


def _least_eigenvalue(gram: Gram) -> float:
    """What the smallest eigenvalue of the Gram is not below, rounding included; 0 where nothing better is known."""
    if not isinstance(gram, Dense | Sum):
        return float(np.min(gram.ridge)) if isinstance(gram, LowRank) else 0.0
    values = eigvalsh(gram.dense())
    return float(values[0] - len(values) * np.finfo(np.float64).eps * np.abs(values).max())
