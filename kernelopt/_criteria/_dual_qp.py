"""The dual problem of one output, and the answer to it for a kernel."""

import math
from collections.abc import Sequence
from functools import cached_property

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray

_ROUNDING = 8.0 * float(np.finfo(float).eps)
"""What rounding leaves of a sum, as a share of the sum of the sizes of its terms."""


@attrs.frozen(eq=False)
class DualQP:
    """The dual set A, the concave h and the linear map E of one output, as arrays over N variables.

        maximise    h(a) - 1/2 v'Kv,     v = E a
        h(a)      = linear'a - 1/2 sum curvature a^2 - 1/2 bias_cost (1'v)^2
        subject to  lower <= a <= upper,
                    sum over {i : group_i = g} of coefficient_i a_i = target_g       for each g
        (E a)_s   = sum over {i : sample_i = s} of sign_i a_i

    N = n where every sample has one dual variable, 2n where it has two (regression). The equality constraints
    (two at most) have disjoint supports and coefficients +1 or -1; a variable in none of them has group -1.

    Attributes:
        n: number of samples.
        linear, curvature, lower, upper, coefficient, sign: shape (N,); curvature >= 0, bounds may be infinite.
        sample, group: shape (N,), integers.
        target: shape (number of equalities,).
        bias_cost: >= 0; the penalty on the bias in the primal, 1 in the Lagrangian SVM.
    """

    n: int
    linear: FloatArray
    curvature: FloatArray
    lower: FloatArray
    upper: FloatArray
    sample: IntArray
    sign: FloatArray
    group: IntArray
    coefficient: FloatArray
    target: FloatArray
    bias_cost: float = 0.0

    @classmethod
    def free(cls, y: FloatArray, curvature: FloatArray) -> "DualQP":
        """One variable for each target of y (n,), with no bound, no equality and these curvatures (n,)."""
        n = len(y)
        return cls(
            n=n,
            linear=y,
            curvature=curvature,
            lower=np.full(n, -np.inf),
            upper=np.full(n, np.inf),
            sample=np.arange(n),
            sign=np.ones(n),
            group=np.full(n, -1, dtype=np.int64),
            coefficient=np.ones(n),
            target=np.zeros(0),
        )

    @property
    def size(self) -> int:
        """N, the number of dual variables."""
        return int(self.linear.shape[0])

    @cached_property
    def in_order(self) -> bool:
        """Whether each sample has one variable, and both are numbered alike."""
        return self.size == self.n and bool((self.sample == np.arange(self.n)).all())

    @cached_property
    def movable(self) -> BoolArray:
        """Which variables have more than one value, shape (N,)."""
        return np.asarray(self.upper > self.lower)

    @cached_property
    def moving_samples(self) -> IntArray:
        """The samples with a variable that is movable, rising."""
        return np.unique(self.sample[self.movable])

    @cached_property
    def whole(self) -> bool:
        """Whether every variable has more than one value."""
        return bool(self.movable.all())

    @cached_property
    def alone(self) -> BoolArray:
        """Whether a variable is movable and its sample's only one that is, shape (N,)."""
        return np.asarray(self.movable & (self.scattered(self.gathered(self.movable.astype(float))) == 1.0))

    @cached_property
    def walls(self) -> tuple[BoolArray, BoolArray]:
        """Where a variable has a lower and an upper bound to keep away from: finite, and not one and the same."""
        return self.movable & np.isfinite(self.lower), self.movable & np.isfinite(self.upper)

    @cached_property
    def walled(self) -> bool:
        """Whether every variable has both walls."""
        return all(bool(side.all()) for side in self.walls)

    @cached_property
    def wall_count(self) -> int:
        """How many walls there are."""
        return sum(int(np.count_nonzero(side)) for side in self.walls)

    @cached_property
    def inner_walls(self) -> tuple[FloatArray, FloatArray]:
        """The first numbers inside the walls, infinite where there is none, each (N,)."""
        lower, upper = self.walls
        low = np.where(lower, np.nextafter(self.lower, np.inf), -np.inf)
        return low, np.where(upper, np.nextafter(self.upper, -np.inf), np.inf)

    @cached_property
    def span(self) -> FloatArray:
        """The width of each variable's box, which may be infinite, shape (N,)."""
        return self.upper - self.lower

    @cached_property
    def equalities(self) -> FloatArray:
        """The matrix A (g, N) of A alpha = target."""
        rows = [np.where(self.group == g, self.coefficient, 0.0) for g in range(len(self.target))]
        return np.stack(rows) if rows else np.zeros((0, self.size))

    @cached_property
    def side(self) -> FloatArray:
        """The coefficient of each variable, 1 of those in no equality, shape (N,)."""
        return np.where(self.group >= 0, self.coefficient, 1.0)

    @cached_property
    def members(self) -> tuple[IntArray, ...]:
        """The variables of each equality, rising."""
        return tuple(np.flatnonzero(self.group == g) for g in range(len(self.target)))

    @cached_property
    def price(self) -> float:
        """The size of the gradient of what moves: what a slack is compared with."""
        return float(np.abs(self.linear[self.movable]).max(initial=0.0)) or 1.0

    def embed(self, alpha: FloatArray) -> FloatArray:
        """V = E alpha, shape (n,)."""
        return self.gathered(self.sign * alpha)

    def gathered(self, values: FloatArray) -> FloatArray:
        """The sums over each sample's variables of values (N,), shape (n,)."""
        if self.in_order:
            return values
        return np.asarray(np.bincount(self.sample, values, self.n), dtype=np.float64)

    def spread(self, rows: IntArray, values: FloatArray) -> FloatArray:
        """The values (k,) on these samples, and 0 on the others, shape (n,)."""
        full = np.zeros(self.n)
        full[rows] = values
        return full

    def scattered(self, f: FloatArray) -> FloatArray:
        """Each variable's sample's entry of f (n,), shape (N,)."""
        return f if self.in_order else f[self.sample]

    def h(self, alpha: FloatArray) -> float:
        """h(alpha)."""
        value = float(self.linear @ alpha) - 0.5 * float((self.curvature * alpha) @ alpha)
        if self.bias_cost:
            value -= 0.5 * self.bias_cost * float(self.sign @ alpha) ** 2
        return value

    @cached_property
    def balanced(self) -> bool:
        """Whether two variables of a sample take from each other, and the equalities say that all v sum to 0."""
        if self.size == self.n or self.lower.any() or self.bias_cost or (self.group < 0).any():
            return False
        ratios = [np.unique((self.sign * self.coefficient)[member]) for member in self.members]
        if any(len(ratio) > 1 for ratio in ratios):
            return False
        return sum(float(ratio[0]) * float(target) for ratio, target in zip(ratios, self.target, strict=True)) == 0.0

    @cached_property
    def shared(self) -> tuple[FloatArray, FloatArray]:
        """The linear term as t'v + c'alpha, t (n,) being of the samples and c (N,) what this leaves."""
        t = self.gathered(self.sign * self.linear) / np.maximum(np.bincount(self.sample, minlength=self.n), 1)
        return t, self.linear - self.sign * t[self.sample]

    def proved(self, alpha: FloatArray) -> tuple[FloatArray, float]:
        """v = E alpha (n,) and h(alpha) of feasible dual variables, with the digits that their differences have.

        Where both variables of a sample are huge, rounding leaves v with a sum beside 0, and h with nothing. Then the
        side of v that is too large is made smaller, which other variables, next to these, could do exactly.
        """
        v = self.embed(alpha)
        if not self.balanced:
            return v, self.h(alpha)
        up, down = math.fsum(v[v > 0.0]), -math.fsum(v[v < 0.0])
        if abs(up - down) > _ROUNDING * (up + down):
            v = v * (min(up, down) / np.where(v > 0.0, up, down or 1.0))
        t, left = self.shared
        return v, float(t @ v) + float(left @ alpha) - 0.5 * float((self.curvature * alpha) @ alpha)

    def gradient(self, alpha: FloatArray) -> FloatArray:
        """The gradient of h at alpha, shape (N,)."""
        slope = self.linear - self.curvature * alpha
        if self.bias_cost:
            slope -= self.bias_cost * float(self.sign @ alpha) * self.sign
        return slope

    def violation(self, alpha: FloatArray) -> float:
        """The largest violation of a bound or an equality, in units of alpha; 0 for a feasible alpha."""
        worst = float(max(np.max(self.lower - alpha, initial=0.0), np.max(alpha - self.upper, initial=0.0)))
        for g, target in enumerate(self.target):
            member = self.group == g
            worst = max(worst, abs(float(self.coefficient[member] @ alpha[member]) - float(target)))
        return worst


@attrs.frozen(eq=False)
class DualPoint:
    """Feasible dual variables of one output, which are enough to compute a lower bound.

    Attributes:
        alpha: the dual variables, shape (N,), feasible.
        v: E alpha, shape (n,): the coefficients of the decision function, which are 0 for rows that are no support
            vectors.
        h: the value h(alpha).
    """

    alpha: FloatArray
    v: FloatArray
    h: float

    @classmethod
    def of(cls, qp: DualQP, alpha: FloatArray) -> "DualPoint":
        """That of feasible dual variables (N,)."""
        return DualPoint(alpha, *qp.proved(alpha))


def side_by_side(points: Sequence[DualPoint]) -> FloatArray:
    """v = E alpha of several outputs, one column for each, shape (n, c), C-contiguous."""
    return np.ascontiguousarray(np.array([point.v for point in points]).T)


@attrs.frozen(eq=False)
class Dual(DualPoint):
    """The answer of one output to a kernel: feasible dual variables, and the bounds that they prove for this kernel.

    Attributes:
        quad: v'Kv for the kernel that was answered.
        multipliers: the multipliers of the equality constraints: the bias, and rho or epsilon if the criterion has one.
        upper: the primal objective at (K, v, multipliers): an upper bound on the share of this output, whether alpha is
            exact or not.
        converged: whether the inner tolerance was met; if not, the bounds are wider but still true.
        squares: sum_i v_i^2 K_ii, which together with h is the size of the terms that cancel in a value near 0.
    """

    quad: float
    multipliers: FloatArray
    upper: float
    converged: bool = True
    squares: float = 0.0

    @property
    def objective(self) -> float:
        """h - 1/2 v'Kv: the inner dual objective, a lower bound on the inner optimum for this one kernel."""
        return self.h - 0.5 * self.quad
