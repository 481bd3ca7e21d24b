"""What the gradient of one output's dual says of its variables: which sit on a bound, and what the multipliers are."""

import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._criteria._dual_qp import DualQP

_NEAR = 1e-3
"""A variable that is nearer to a bound, as a share of its box or of the largest variable, counts as at it."""


def width(qp: DualQP, alpha: FloatArray) -> FloatArray:
    """How far each variable can go: its box, or where that is infinite the largest |alpha| (1 if all are 0)."""
    if qp.walled:
        return qp.span
    reach = float(np.abs(alpha).max()) or 1.0
    return np.where(np.isfinite(qp.span), qp.span, reach)


def stakes(qp: DualQP, bend: FloatArray) -> float:
    """What h can gain, in the size of the objective: the sum of |p_i| times how far each variable can go.

    That is the width of its box; where that is infinite, the best step of this variable alone.

    Args:
        qp: with h, whose gradient at 0 is p.
        bend: the curvature of the objective in each variable, c_i + K_ii, shape (N,), >= 0.
    """
    if qp.walled:
        return float(qp.span @ np.abs(qp.linear))
    return float(np.where(np.isfinite(qp.span), qp.span, np.abs(alone(qp, bend))) @ np.abs(qp.linear))


def alone(qp: DualQP, bend: FloatArray) -> FloatArray:
    """The best step of each variable alone from 0, without its walls: p_i / bend_i, arguments as of `stakes`."""
    return np.divide(qp.linear, bend, out=np.zeros_like(qp.linear), where=bend > 0.0)


def room(qp: DualQP, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The distances to the lower and upper bounds, 0 where there is no wall."""
    if qp.walled:
        return alpha - qp.lower, qp.upper - alpha
    lower, upper = qp.walls
    return np.where(lower, alpha - qp.lower, 0.0), np.where(upper, qp.upper - alpha, 0.0)


def between_bounds(qp: DualQP, alpha: FloatArray) -> BoolArray:
    """Which variables are strictly between their bounds, by more than a thousandth of their box or of the largest."""
    low, high = room(qp, alpha)
    least = _NEAR * np.minimum(width(qp, alpha), float(np.abs(alpha).max()))
    return (~np.isfinite(qp.lower) | (low > least)) & (~np.isfinite(qp.upper) | (high > least))


def multipliers(qp: DualQP, residual: FloatArray, alpha: FloatArray) -> FloatArray:
    """For each equality the weighted median of its variables' residuals; free variables count most."""
    low, high = room(qp, alpha)
    reach = width(qp, alpha)
    weight = np.where(np.isfinite(qp.upper), np.minimum(low, high), low) + 1e-3 * reach
    found = np.zeros(len(qp.target))
    for g, member in enumerate(qp.members):
        values = qp.coefficient[member] * residual[member]
        order = np.argsort(values, kind="stable")
        reached = np.cumsum(weight[member][order])
        found[g] = values[order[np.searchsorted(reached, 0.5 * reached[-1])]]
    return found


def settled(qp: DualQP, alpha: FloatArray, f: FloatArray) -> FloatArray:
    """Alpha with the variables that the gradient at f = K v holds at a bound put on it.

    A variable is held where its distance is less than its slack, both as shares of what they can be.
    """
    slope = qp.gradient(alpha) - qp.sign * qp.scattered(f)
    slope -= qp.equalities.T @ multipliers(qp, slope, alpha)
    low, high = room(qp, alpha)
    share = width(qp, alpha) / qp.price
    down = np.isfinite(qp.lower) & (low < -slope * share)
    up = np.isfinite(qp.upper) & (high < slope * share)
    return np.where(down, qp.lower, np.where(up, qp.upper, alpha))


def held_variables(qp: DualQP, alpha: FloatArray, f: FloatArray, band: int) -> tuple[BoolArray, FloatArray]:
    """Which variables of one output move, and where the others are held.

    Enough of them move that they can make up for whatever the held ones leave open of an equality.
    """
    alpha = settled(qp, alpha, f)
    slope = qp.gradient(alpha) - qp.sign * qp.scattered(f)
    slope -= qp.equalities.T @ multipliers(qp, slope, alpha)
    low, high = room(qp, alpha)
    rises, falls = ~np.isfinite(qp.upper) | (high > 0.0), ~np.isfinite(qp.lower) | (low > 0.0)
    moving = (rises & falls) | ((slope > 0.0) & rises) | ((slope < 0.0) & falls)
    return _joined(qp, alpha, slope, moving, max(band, int(1.5 * moving.sum())))


def pushed(qp: DualQP, slope: FloatArray) -> FloatArray:
    """Each variable at the wall that `slope` (N,), less the multipliers, pushes it to, and at 0 where there is none."""
    lower, upper = (np.where(np.isfinite(wall), wall, 0.0) for wall in (qp.lower, qp.upper))
    return np.where(slope > 0.0, upper, lower)


def _joined(
    qp: DualQP, alpha: FloatArray, slope: FloatArray, moving: BoolArray, count: int
) -> tuple[BoolArray, FloatArray]:
    """The moving variables and those of the smallest slopes, `count` of them and more until they can balance the others
    at alpha (N,).
    """
    nearest = np.argsort(np.where(moving, -1.0, np.abs(slope)), kind="stable")
    while count < qp.size:
        moving[nearest[:count]] = True
        if balances(qp, moving, alpha):
            return moving, alpha
        count *= 2
    return np.ones(qp.size, dtype=bool), alpha


def near_margin(qp: DualQP, alpha: FloatArray, f: FloatArray, band: int) -> IntArray:
    """The samples of one output that `held_variables` does not hold where they stand, sorted, shape (k,)."""
    moving, at = held_variables(qp, alpha, f, band)
    return np.unique(qp.sample[moving | (at != alpha)])


def balances(qp: DualQP, moving: BoolArray, alpha: FloatArray) -> bool:
    """Whether the moving variables can fulfil the equalities with a tenth of their range to spare."""
    for row, target in zip(qp.equalities, qp.target, strict=True):
        member = moving & (row != 0.0)
        ends = np.stack([row[member] * qp.lower[member], row[member] * qp.upper[member]])
        least, most = float(ends.min(axis=0).sum()), float(ends.max(axis=0).sum())
        wanted = float(target) - float(row[~moving] @ alpha[~moving])
        spare = 0.1 * (most - least) if np.isfinite(most - least) else 0.0
        if not least + spare <= wanted <= most - spare:
            return False
    return True


def balanced(qp: DualQP) -> FloatArray:
    """The middle of the box, moved so that the equalities hold with every variable as far from its walls as can be.

    A variable without walls begins around 0: any other number would be small or large beside targets of some unit.
    """
    lower = np.where(np.isfinite(qp.lower), qp.lower, np.where(np.isfinite(qp.upper), qp.upper - 1.0, -0.5))
    span = np.where(np.isfinite(qp.upper - qp.lower), qp.upper - qp.lower, 1.0)
    level = np.full(qp.size, 0.5)
    for g, target in enumerate(qp.target):
        up = (qp.group == g) & (qp.coefficient > 0.0)
        down = (qp.group == g) & (qp.coefficient < 0.0)
        rest = float(target) - float(lower[up].sum() - lower[down].sum())
        level[up], level[down] = _levels(float(span[up].sum()), float(span[down].sum()), rest)
    balanced: FloatArray = lower + level * span
    return balanced


def _levels(up: float, down: float, rest: float) -> tuple[float, float]:
    """Shares a, b of the two sides, inside (0, 1) where that can be, with a up - b down = rest."""
    if down == 0.0:
        return float(np.clip(rest / up, 0.01, 0.99)) if up else 0.5, 0.5
    low, high = max(0.0, -rest / down), min(1.0, (up - rest) / down)
    share = float(np.clip(0.5 * (low + high), 0.01, 0.99))
    return (float(np.clip((rest + share * down) / up, 0.01, 0.99)) if up else 0.5), share
