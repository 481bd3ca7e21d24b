"""Whether dual problems are what their criterion declares of them: solvers are chosen by what it declares."""

from collections.abc import Sequence

import numpy as np

from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._dual_qp import DualQP


def undeclared(criterion: Criterion, outputs: Sequence[DualQP]) -> str | None:
    """What `bounded` or `sized` says of these dual problems that is not so, in a sentence without a full stop."""
    for side, declared in zip(("lower", "upper"), criterion.bounded, strict=True):
        if declared and any((np.isinf(getattr(qp, side)) & (qp.curvature == 0.0)).any() for qp in outputs):
            return (
                f"its property `bounded` promises {side} bounds, and its outputs have variables without curvature and "
                "without them"
            )
    if not criterion.sized and any(qp.target.any() for qp in outputs):
        return "its property `sized` says that all equalities have the target 0, and its outputs have others"
    return None
