"""From any vector to a feasible one near it."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP

BoolArray: TypeAlias = npt.NDArray[np.bool_]

_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
_FAR = 1e99
"""A number beyond this is as good as infinite."""
_SMALL = 1e-3
"""A residual below this share of the sum leaves every bound as it is: the variables inside take it."""


def repair(qp: DualQP, alpha: FloatArray) -> FloatArray:
    """A feasible point near `alpha`: clipped to the box, then each equality restored.

    A small residual goes to the variables strictly inside, so that the others stay on their bounds.
    Otherwise the variables of the side that is too large are scaled down towards their lower bounds; for svc this is
    a_+ *= t / sum a_+, a_- *= t / sum a_- with t the smaller sum. Where that cannot be enough, the variables of the
    other side are scaled up, none beyond its upper bound, zeros last.

    Args:
        qp: the dual set.
        alpha: any vector, shape (N,); an entry that is not a number counts as 0.

    Returns:
        shape (N,), in the box exactly, each equality met to rounding; `repair` leaves it as it is.

    Raises:
        InvalidOption: if an equality has no solution in the box.
    """
    point = _boxed(alpha, qp.lower, qp.upper)
    for g, member in enumerate(qp.members):
        mine = slice(None) if len(member) == qp.size else member
        point[mine] = _balance(
            point[mine], qp.lower[mine], qp.upper[mine], qp.coefficient[mine], float(qp.target[g]), g
        )
    return point


def _boxed(alpha: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Alpha clipped to its box; what is not a number counts as 0, and so does what is infinite where the box is."""
    if np.abs(alpha).max(initial=0.0) <= _FAR:  # which NaN is not
        return np.minimum(np.maximum(alpha, lower), upper)
    point = np.clip(np.nan_to_num(alpha, nan=0.0, posinf=10.0 * _FAR, neginf=-10.0 * _FAR), lower, upper)
    return np.clip(np.where(np.abs(point) > _FAR, 0.0, point), lower, upper)


def _balance(
    a: FloatArray, lower: FloatArray, upper: FloatArray, coefficient: FloatArray, target: float, group: int
) -> FloatArray:
    """Restore coefficient'a = target, all of shape (members,)."""
    for _ in range(8):
        residual = target - float(coefficient @ a)
        size = abs(target) + float(np.abs(a).sum())
        if abs(residual) <= _ROUNDING * size:
            return a
        if abs(residual) <= _SMALL * size:
            moved = _absorb(a, lower, upper, coefficient, residual)
            if moved is not None:
                a = moved
                continue
        # The sum must change by `residual`: those whose fall does that first, then those whose rise does.
        falling = coefficient * residual < 0.0
        a, missing = _lower(a, lower, falling, abs(residual))
        a, missing = _raise(a, lower, upper, ~falling, missing)
        if missing > 1e-12 * size:
            raise InvalidOption(
                f"equality {group} of the dual set wants the sum {target:g}, and the nearest sum within the "
                f"bounds is {float(coefficient @ a):g}: take a larger C, or a smaller nu"
            )
    return a


def _absorb(
    a: FloatArray, lower: FloatArray, upper: FloatArray, coefficient: FloatArray, residual: float
) -> FloatArray | None:
    """Spread a small residual over the variables strictly inside; None where they lack the room."""
    up = coefficient * residual > 0.0
    inside = (a > lower) & (a < upper)
    room = np.where(inside, np.where(up, upper - a, a - lower), 0.0)
    room = np.where(np.isinf(room), np.abs(a) + 1e-300, room)
    total = float(room.sum())
    if total <= 2.0 * abs(residual):
        return None
    if abs(residual) <= _ROUNDING * float(np.abs(a).sum()) * len(a):
        # A share of this little would be lost in the rounding of each.
        room = np.where(np.arange(len(a)) == int(np.argmax(room)), total, 0.0)
    share = room * (abs(residual) / total)
    return np.clip(np.where(up, a + share, a - share), lower, upper)


def _lower(a: FloatArray, lower: FloatArray, side: BoolArray, amount: float) -> tuple[FloatArray, float]:
    """Take `amount` from the variables of `side`, in proportion to their height above the lower bound.

    Returns the new variables and what is still missing.
    """
    unbounded = side & np.isneginf(lower)
    if unbounded.any():
        return np.where(unbounded, a - amount / np.count_nonzero(unbounded), a), 0.0
    height = np.where(side, a - np.where(side, lower, 0.0), 0.0)
    total = float(height.sum())
    if total <= amount:
        return np.where(side, lower, a), amount - total
    return np.where(side, np.maximum(lower, a - height * (amount / total)), a), 0.0


def _raise(
    a: FloatArray, lower: FloatArray, upper: FloatArray, side: BoolArray, amount: float
) -> tuple[FloatArray, float]:
    """Give `amount` to the variables of `side`: scale them up under their upper bounds, and then fill the zeros.

    Returns the new variables and what is still missing.
    """
    a = a.copy()
    for scaling in (True, False):
        while amount > 0.0:
            room = np.where(side, upper - a, 0.0)
            open_ended = np.isinf(room)
            share = np.where(room > 0.0, a - lower, 0.0) if scaling else room
            if np.isinf(share).any() or (not scaling and open_ended.any()):
                share = open_ended.astype(np.float64)
            total = float(share.sum())
            if total <= 0.0:
                break
            gift = share * (amount / total)
            full = gift >= room
            capped = side & full & (room > 0.0)
            if not capped.any():
                return np.where(side, np.minimum(a + gift, upper), a), 0.0
            a[capped] = upper[capped]
            amount -= float(room[capped].sum())
    return a, max(amount, 0.0)


def cold(qp: DualQP) -> FloatArray:
    """Where to start without a warm alpha: 0, or where an equality wants a sum, its first variables at their cap.

    Few variables strictly inside their boxes leave few steps to make, as in libsvm.
    """
    alpha = np.clip(np.zeros(qp.size), qp.lower, qp.upper)
    for g, target in enumerate(qp.target):
        member = np.flatnonzero((qp.group == g) & (qp.coefficient * np.sign(target) > 0.0))
        cap = qp.upper[member] - alpha[member]
        missing = abs(float(target) - float((qp.coefficient * alpha)[qp.group == g].sum()))
        if target != 0.0 and np.isfinite(cap).all():
            alpha[member] += np.clip(missing - (np.cumsum(cap) - cap), 0.0, cap)
    return alpha
