"""The layout of the dual variables that the compiled loop works on, and its restriction to some samples."""

from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._criteria._dual_qp import DualQP


@attrs.frozen(eq=False)
class Table:
    """Variables u = coefficient * alpha, shape (L, m): a column a sample, a layer for each of its variables.

    An equality is then a plain sum of u, whatever the signs. A sample with fewer variables than L is filled with
    variables whose box is the single point 0.

    Attributes:
        at: number of the variable in the QP, -1 for a filler.
        lo, hi: the box of u.
        t: sign of u in v = E alpha, +-1.
        linear, curvature: of h, in u.
        group: number of the variable's equality; `groups` - 1, the last, for a variable in none.
        layers: the first layer with variables of the group and the one after the last, shape (groups, 2).
        bias: added to every entry of K.
        alone: whether u is one layer with the QP's variables in their order.
    """

    at: IntArray
    lo: FloatArray
    hi: FloatArray
    t: FloatArray
    linear: FloatArray
    curvature: FloatArray
    group: IntArray
    layers: IntArray
    bias: float
    alone: bool

    @property
    def groups(self) -> int:
        """The number of equalities, plus one for the variables in none."""
        return len(self.layers)

    @property
    def span(self) -> IntArray:
        """The same as `layers`, in variables that are numbered layer by layer."""
        return np.asarray(self.layers * self.at.shape[1])

    def restricted(self, columns: IntArray) -> "Table":
        """The same for some of the samples, its arrays C-contiguous."""
        names = ("at", "lo", "hi", "t", "linear", "curvature", "group")
        taken: dict[str, Any] = {name: np.take(getattr(self, name), columns, axis=1) for name in names}
        return attrs.evolve(self, **taken, alone=False)

    def load(self, qp: DualQP, alpha: FloatArray) -> FloatArray:
        """U of these alpha, in an array of its own."""
        turned = qp.side * alpha
        return turned[None] if self.alone else np.where(self.at >= 0, turned[self.at], 0.0)

    def store(self, qp: DualQP, u: FloatArray) -> FloatArray:
        """Alpha of these u, shape (N,)."""
        if self.alone:
            return np.asarray(qp.side * u[0])
        alpha = np.empty(qp.size)
        present = self.at >= 0
        alpha[self.at[present]] = u[present]
        return np.asarray(qp.side * alpha)

    def gradient(self, u: FloatArray, f: FloatArray) -> FloatArray:
        """Of the objective in u, for f = K v without the bias term, shape (L, m)."""
        shift = self.bias * float((self.t * u).sum()) if self.bias else 0.0
        return self.linear - self.curvature * u - self.t * (f + shift)

    def image(self, u: FloatArray, g: FloatArray) -> FloatArray:
        """The f = K v of the u whose gradient is g, shape (m,)."""
        shift = self.bias * float((self.t * u).sum()) if self.bias else 0.0
        return np.asarray(self.t[0] * (self.linear[0] - self.curvature[0] * u[0] - g[0]) - shift)

    def masks(self, u: FloatArray) -> FloatArray:
        """0 where the variable is of the group and can rise (first) or fall, else -inf; shape (2, groups, L, m)."""
        member = self.group == np.arange(self.groups)[:, None, None]
        return np.where(member & np.stack([u < self.hi, u > self.lo])[:, None], 0.0, -np.inf)


def tabulate(qp: DualQP) -> Table:
    """The table of a dual set, all samples in order."""
    alone = qp.in_order
    at, present = _places(qp)
    c = qp.side
    groups = len(qp.target) + 1
    group = np.where(qp.group >= 0, qp.group, groups - 1)

    def spread(values: FloatArray, filler: float) -> FloatArray:
        return values[None] if alone else np.where(present, values[at], filler)

    table_group = group[None] if alone else np.where(present, group[at], groups - 1)
    has = ((table_group == np.arange(groups)[:, None, None]) & present).any(axis=2)
    layers = np.stack([has.argmax(axis=1), has.shape[1] - has[:, ::-1].argmax(axis=1)], axis=1)
    layers[~has.any(axis=1)] = 0
    return Table(
        at=at,
        lo=spread(np.where(c > 0.0, qp.lower, -qp.upper), 0.0),
        hi=spread(np.where(c > 0.0, qp.upper, -qp.lower), 0.0),
        t=spread(qp.sign * c, 1.0),
        linear=spread(c * qp.linear, 0.0),
        curvature=spread(qp.curvature, 0.0),
        group=table_group,
        layers=layers,
        bias=qp.bias_cost,
        alone=alone,
    )


def _places(qp: DualQP) -> tuple[IntArray, BoolArray]:
    """`Table.at`, and where it is no filler."""
    if qp.in_order:
        return np.arange(qp.n)[None], np.ones((1, qp.n), dtype=bool)
    order = np.argsort(qp.sample, kind="stable")
    sample = qp.sample[order]
    layer = np.arange(qp.size) - np.searchsorted(sample, sample)
    at = np.full((int(layer.max(initial=0)) + 1, qp.n), -1, dtype=np.int64)
    at[layer, sample] = order
    return at, at >= 0
