"""What the primal objectives share: the best multipliers of piecewise linear and quadratic losses, by sorting."""

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._typing import FloatArray


def median_interval(t: FloatArray, weight: FloatArray, mass: float) -> float:
    """The middle of the interval of b at which the weight of {t <= b} passes `mass`.

    The interval is one point unless the cumulated weight meets `mass`, which happens where no support vector is free;
    its middle is then the bias that libsvm takes. Where it has no upper end, b is its lower one.

    Args:
        t: shape (n,).
        weight: shape (n,), > 0, finite.
        mass: from 0 to the sum of the weights.
    """
    order = t.argsort(kind="stable")
    reached = weight[order].cumsum()
    slack = 1e-12 * reached[-1]
    low = order[min(int(reached.searchsorted(mass - slack)), len(t) - 1)]
    high = order[min(int(reached.searchsorted(mass + slack, side="right")), len(t) - 1)]
    return 0.5 * float(t[low] + t[high])


@attrs.frozen
class Fill:
    """The smallest sum of c_i t_i over 0 <= c <= cap, sum c = mass, and its threshold: c = cap below, 0 above."""

    value: float
    threshold: float


def fill(t: FloatArray, cap: FloatArray, mass: float) -> Fill:
    """The fill of `mass`, cheapest first.

        min over c of c't   =   max over rho of   mass rho - sum cap max(0, rho - t)

    The right side is what is computed: a lower bound at any rho, whatever the rounding.

    Args:
        t: shape (k,), k >= 1.
        cap: shape (k,), > 0, may be infinite.
        mass: > 0, at most the sum of `cap`.
    """
    # A cap of more than the mass is never met; 2 mass keeps it from being met by equality.
    rho = median_interval(t, np.minimum(cap, 2.0 * mass), mass)
    below = t < rho
    return Fill(mass * rho - float(cap[below] @ (rho - t[below])), rho)


@attrs.frozen(eq=False)
class TwoFills:
    """Two fills whose thresholds are rho - b and rho + b.

    Attributes:
        value: the sum of the fills.
        bias: b.
        rho: the margin; -epsilon in regression.
    """

    value: float
    bias: float
    rho: float


def two_fills(first: Fill, second: Fill) -> TwoFills:
    """The multipliers of sum over one side = sum over the other = mass, from the fills of the two sides."""
    bias, rho = 0.5 * (second.threshold - first.threshold), 0.5 * (first.threshold + second.threshold)
    return TwoFills(first.value + second.value, bias, rho)


def best_multiple(quad: float, reach: float) -> float:
    """The minimum over 0 <= t <= 1 of t^2 Q/2 - t S: where h = 0, the primal objective of the best multiple of v.

    Unless t = 1 is best it is -S^2/(2Q), or 0 where S < 0. A feasible v has S <= Q, so no t > 1 is better there;
    and a larger t would enlarge the rounding of Q and S.

    Args:
        quad: Q = v'Kv.
        reach: S, the minimum of (E alpha)'f over the dual set.
    """
    t = min(max(reach / quad, 0.0), 1.0) if quad > 0.0 else float(reach > 0.0)
    return t * (0.5 * t * quad - reach)


def squared_hinge_bias(t: FloatArray, plus: npt.NDArray[np.bool_], weight: FloatArray, cost: float = 0.0) -> float:
    """The b that minimises cost/2 b^2 + 1/2 sum weight max(0, y (t - b))^2, t = y - f.

        the slope  cost b - sum over {y (t - b) > 0} of weight (t - b)  rises with b and is linear between the t;
        sort t, take the slopes at them from prefix sums, and solve for the root on the segment where the sign changes

    Where the slope is 0 on an interval, b is its middle, or its end if it has only one.

    Args:
        t: shape (n,).
        plus: y > 0, shape (n,).
        weight: shape (n,), > 0.
        cost: >= 0.
    """
    order = np.argsort(t, kind="stable")
    t, plus, weight = t[order], plus[order], weight[order]
    # On segment k, between t[k-1] and t[k]: the + from k on and the - before k have a loss.
    total = cost + _active(weight, plus)
    moment = _active(weight * t, plus)
    slope = total[:-1] * t - moment[:-1]
    first = int(np.searchsorted(slope >= 0.0, True))
    last = int(np.searchsorted(slope > 0.0, True))
    low = moment[first] / total[first] if total[first] > 0.0 else t[min(first, len(t) - 1)]
    high = moment[last] / total[last] if total[last] > 0.0 else t[last - 1]
    return 0.5 * float(low + high)


def _active(amount: FloatArray, plus: npt.NDArray[np.bool_]) -> FloatArray:
    """For k = 0..n the sum of `amount` over the + from k on and the - before k, shape (n + 1,).

    Each is summed from its own end: a segment without any loss has the sum 0 exactly.
    """
    tail = np.cumsum(np.where(plus, amount, 0.0)[::-1])[::-1]
    head = np.cumsum(np.where(plus, 0.0, amount))
    sums: FloatArray = np.append(tail, 0.0) + np.insert(head, 0, 0.0)
    return sums
