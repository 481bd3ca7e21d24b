"""The rows of a working set that are held at a bound, as one row: unknowns and arrays are those of the others.

With v = v_U + v_F, where rows F are held, every bound needs of F the sum s = sum_F v_j phi(x_j) alone. It is one row
more beside the rows U that move, and its dual variable is held at 1:

    v'K(S)v = [v_U; 1]' [K_UU(S), k_S(U, s); k_S(s, U), k_S(s, s)] [v_U; 1]
"""

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._families._binding import of_a_set, tightened
from kernelopt._families._contract import LinearFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._merged import merged, merges
from kernelopt._families._unbound import Loose
from kernelopt._saddle._problem import Problem


def mergeable(problem: Problem) -> bool:
    """Whether held rows can be one: one output, families that are linear in their parameters, and any with kernels."""
    families = [leaf.family for leaf in tightened(problem.leaves)]
    one = len(problem.outputs) == 1 and not problem.outputs[0].bias_cost
    loose = all(isinstance(leaf.family, Loose) for leaf in problem.leaves)
    explicit = all(isinstance(family, ExplicitFamily) for family in families)
    return one and loose and not explicit and all(merges(family) for family in families)


def beside(problem: Problem, rows: IntArray, aside: FloatArray) -> tuple[tuple[Leaf, ...], tuple[Data, ...]]:
    """The leaves on the rows (k,) that move, and on the sum of those that `aside` (N,) holds, with what they bind."""
    v = problem.outputs[0].embed(aside)
    order = np.concatenate([rows, np.setdiff1d(np.flatnonzero(v), rows)])
    coefficients = np.where(np.arange(len(order)) < len(rows), 0.0, v[order])
    leaves, data = [], []
    for leaf, whole, X in zip(of_a_set(problem.leaves, len(rows)), problem.leaves, problem.data, strict=True):
        assert isinstance(whole.family, Loose)
        looked = whole.family.looked
        assert isinstance(looked, LinearFamily)
        one, bound = merged(leaf, looked, X[order], X[rows], coefficients)
        leaves.append(one)
        data.append(bound)
    return tuple(leaves), tuple(data)


def with_held(inner: DualQP, whole: DualQP, aside: FloatArray) -> DualQP:
    """The dual set of the rows that move, with a last variable, held at 1, for the others at `aside` (N,)."""
    k = inner.n
    return attrs.evolve(
        inner,
        n=k + 1,
        linear=np.append(inner.linear, whole.h(aside)),
        curvature=np.append(inner.curvature, 0.0),
        lower=np.append(inner.lower, 1.0),
        upper=np.append(inner.upper, 1.0),
        sample=np.append(inner.sample, k),
        sign=np.append(inner.sign, 1.0),
        group=np.append(inner.group, -1),
        coefficient=np.append(inner.coefficient, 1.0),
        target=inner.target - whole.equalities @ aside,
    )
