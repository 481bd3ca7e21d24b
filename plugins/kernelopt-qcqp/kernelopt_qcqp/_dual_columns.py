"""One output's dual variables as columns of a cone program; those held by an interval of one point are no columns."""

import attrs
import numpy as np
from scipy import sparse

from kernelopt.plugin import DualQP, FloatArray, IntArray


@attrs.frozen(eq=False)
class Variables:
    """The columns of one output: its moving alpha, v where two variables share a sample, the bias; all over `unit`.

        v = held + unit lift columns

    Attributes:
        qp: the output's dual problem.
        moving: which of its variables move, shape (k,).
        rows: the samples that they belong to, shape (s,), sorted.
        rest: alpha with 0 in place of what moves, shape (N,).
        unit: of the columns.
    """

    qp: DualQP
    moving: IntArray
    rows: IntArray
    rest: FloatArray
    unit: float

    @classmethod
    def of(cls, qp: DualQP, unit: float) -> "Variables":
        moving = np.flatnonzero(qp.upper > qp.lower)
        rest = qp.lower.copy()
        rest[moving] = 0.0
        return cls(qp, moving, np.unique(qp.sample[moving]), rest, unit)

    @property
    def held(self) -> FloatArray:
        """The share of v that does not move, shape (n,)."""
        return self.qp.embed(self.rest)

    @property
    def two_sided(self) -> bool:
        """Whether some sample has more than one moving variable."""
        return len(self.moving) > len(self.rows)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.moving) + (len(self.rows) if self.two_sided else 0) + bool(self.qp.bias_cost)

    def alpha(self, x: FloatArray) -> FloatArray:
        """Alpha (N,) at these columns' values."""
        alpha = self.rest.copy()
        alpha[self.moving] = self.unit * x[: len(self.moving)]
        return alpha

    @property
    def embedding(self) -> sparse.csr_matrix:
        """E on what moves, shape (s, k)."""
        place = np.searchsorted(self.rows, self.qp.sample[self.moving])
        entries = (self.qp.sign[self.moving], (place, np.arange(len(self.moving))))
        return sparse.csr_matrix(entries, shape=(len(self.rows), len(self.moving)))

    @property
    def lift(self) -> sparse.csr_matrix:
        """The columns to v on the rows that move, shape (s, width)."""
        s, k = len(self.rows), len(self.moving)
        blocks = [sparse.csr_matrix((s, k)), sparse.eye_array(s)] if self.two_sided else [self.embedding]
        filled = s + k if self.two_sided else k
        return sparse.csr_matrix(sparse.hstack([*blocks, sparse.csr_matrix((s, self.width - filled))]))

    def objective(self, value: float) -> tuple[FloatArray, FloatArray]:
        """Quadratic and linear terms of -h / value in the columns, each of shape (width,)."""
        quadratic, linear = np.zeros(self.width), np.zeros(self.width)
        quadratic[: len(self.moving)] = self.unit**2 * self.qp.curvature[self.moving]
        linear[: len(self.moving)] = -self.unit * self.qp.linear[self.moving]
        if self.qp.bias_cost:
            quadratic[-1] = self.unit**2 * self.qp.bias_cost
        return quadratic / value, linear / value

    def equalities(self) -> tuple[sparse.csr_matrix, FloatArray]:
        """matrix x = rhs: the dual's own equalities, v = E alpha where v has columns, and the bias = 1'v."""
        qp, k = self.qp, len(self.moving)
        member = qp.group[self.moving] >= 0
        entries = (qp.coefficient[self.moving][member], (qp.group[self.moving][member], np.flatnonzero(member)))
        groups = sparse.csr_matrix(entries, shape=(len(qp.target), self.width))
        apart = np.bincount(qp.group[qp.group >= 0], (qp.coefficient * self.rest)[qp.group >= 0], len(qp.target))
        blocks, rhs = [groups], [(qp.target - apart) / self.unit]
        if self.two_sided:
            tail = sparse.csr_matrix((len(self.rows), int(bool(qp.bias_cost))))
            blocks.append(sparse.hstack([self.embedding, -sparse.eye_array(len(self.rows)), tail]))
            rhs.append(np.zeros(len(self.rows)))
        if qp.bias_cost:
            sums = np.concatenate([qp.sign[self.moving], np.zeros(self.width - k - 1), [-1.0]])
            blocks.append(sparse.csr_matrix(sums[None]))
            rhs.append(np.array([-float(qp.sign @ self.rest) / self.unit]))
        return sparse.csr_matrix(sparse.vstack(blocks)), np.concatenate(rhs)

    def inequalities(self) -> tuple[sparse.csr_matrix, FloatArray]:
        """matrix x <= rhs: the finite bounds."""
        lower, upper = self.qp.lower[self.moving], self.qp.upper[self.moving]
        below, above = np.flatnonzero(np.isfinite(lower)), np.flatnonzero(np.isfinite(upper))
        signs = np.concatenate([-np.ones(len(below)), np.ones(len(above))])
        columns = np.concatenate([below, above])
        matrix = sparse.csr_matrix((signs, (np.arange(len(columns)), columns)), shape=(len(columns), self.width))
        return matrix, np.concatenate([-lower[below], upper[above]]) / self.unit
