"""The dual set, and the nearest point of it."""

import attrs
import numpy as np

from kernelopt.plugin import DualQP, FloatArray, IntArray


@attrs.frozen(eq=False)
class Equality:
    """One equality of a dual set: coefficient'alpha = target over its members, within their bounds.

    In the variables x = coefficient * alpha, which are in [low, high], it reads sum x = target.

    Attributes:
        member: which variables, shape (k,).
        coefficient, low, high: shape (k,).
        target: the sum.
    """

    member: IntArray
    coefficient: FloatArray
    low: FloatArray
    high: FloatArray
    target: float

    @classmethod
    def of(cls, qp: DualQP, group: int) -> "Equality":
        """The equality of this number."""
        member = np.flatnonzero(qp.group == group)
        sign, lower, upper = qp.coefficient[member], qp.lower[member], qp.upper[member]
        low, high = np.where(sign > 0.0, lower, -upper), np.where(sign > 0.0, upper, -lower)
        return cls(member, sign, low, high, float(qp.target[group]))

    def nearest(self, z: FloatArray, weight: FloatArray) -> FloatArray:
        """The point with the least 1/2 sum weight (alpha - z)^2: alpha = coefficient clip(coefficient z - t / weight).

        The multiplier t is where a falling, piecewise linear function of it meets the target: between two of its
        breakpoints, which bisection finds, it is linear.
        """
        x, share = self.coefficient * z, 1.0 / weight
        ends = np.concatenate([(x - self.low) * weight, (x - self.high) * weight])
        breaks = np.sort(ends[np.isfinite(ends)])
        first, last = 0, len(breaks)
        while first < last:
            middle = (first + last) // 2
            if self._excess(x, share, breaks[middle]) > 0.0:
                first = middle + 1
            else:
                last = middle
        return self.coefficient * np.clip(x - self._root(x, share, breaks, first) * share, self.low, self.high)

    def _excess(self, x: FloatArray, share: FloatArray, t: float) -> float:
        between = np.minimum(np.maximum(x - t * share, self.low), self.high)  # np.clip takes longer for few numbers
        return float(between.sum()) - self.target

    def _root(self, x: FloatArray, share: FloatArray, breaks: FloatArray, first: int) -> float:
        """The multiplier; `first` is the first breakpoint at which the sum is not above the target."""
        right = float(breaks[first]) if first < len(breaks) else float(breaks[-1]) + 1.0 if len(breaks) else 1.0
        left = float(breaks[first - 1]) if first else right - 1.0
        above, below = self._excess(x, share, left), self._excess(x, share, right)
        return left + (right - left) * above / (above - below) if above != below else right


@attrs.frozen(eq=False)
class DualSet:
    """lower <= alpha <= upper, and disjoint equalities.

    Attributes:
        qp: of all outputs side by side.
        equalities: one for each target.
    """

    qp: DualQP
    equalities: tuple[Equality, ...]

    @classmethod
    def of(cls, qp: DualQP) -> "DualSet":
        """The set of a dual problem."""
        return cls(qp, tuple(Equality.of(qp, group) for group in range(len(qp.target))))

    def nearest(self, z: FloatArray, weight: FloatArray) -> FloatArray:
        """The point of the set with the least 1/2 sum weight (alpha - z)^2; z and weight > 0 of shape (N,)."""
        alpha = np.clip(z, self.qp.lower, self.qp.upper)
        for equality in self.equalities:
            member = equality.member
            alpha[member] = equality.nearest(z[member], weight[member])
        return alpha
