"""Several outputs' dual problems as one."""

import attrs
import numpy as np

from kernelopt._criteria._dual_qp import DualQP


def side_by_side(outputs: tuple[DualQP, ...]) -> DualQP:
    """Several dual problems as one: samples and groups are numbered through, a bias cost is left to the kernel."""
    if len(outputs) == 1:
        return attrs.evolve(outputs[0], bias_cost=0.0) if outputs[0].bias_cost else outputs[0]
    samples, groups = 0, 0
    parts: list[DualQP] = []
    for qp in outputs:
        group = np.where(qp.group >= 0, qp.group + groups, -1)
        parts.append(attrs.evolve(qp, sample=qp.sample + samples, group=group))
        samples, groups = samples + qp.n, groups + len(qp.target)
    names = ("linear", "curvature", "lower", "upper", "sample", "sign", "group", "coefficient", "target")
    joined = {name: np.concatenate([getattr(qp, name) for qp in parts]) for name in names}
    return DualQP(n=samples, bias_cost=0.0, **joined)
