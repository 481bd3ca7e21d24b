"""The best dual variables where an n x n array is too much: by blocks of samples, certified on all of them."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import TypeAlias

import attrs
import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._criteria._contract import Primal
from kernelopt._criteria._dual_qp import Dual, DualQP
from kernelopt._criteria._kkt import room
from kernelopt._linalg._gram import Dense, Gram
from kernelopt._linalg._wide import Wide
from kernelopt.dual._engine import maximise
from kernelopt.dual._feasibility import cold, repair
from kernelopt.dual._request import PrimalAt, best_of, gap, until

_MOST = 2000
"""Samples to a block: its matrix takes 32 MB. Worth: `sparse_rows.py --cases kin40k-8000`."""
ROUNDS = 200
"""Blocks at most: where rounding lets no block close the gap, this ends the run."""
_SHARPEST = 1e-12
"""No block is solved to less: that would be rounding."""

Chosen: TypeAlias = Callable[[DualQP, FloatArray, FloatArray], IntArray]
"""The samples to work on next, from the dual set, alpha (N,) and f = K v (n,)."""


def maximise_wide(
    qp: DualQP,
    gram: Wide,
    primal: PrimalAt,
    warm: FloatArray | None = None,
    *,
    accuracy: float = 1e-6,
    max_seconds: float | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Dual:
    """As `maximise`, with memory for blocks of some thousand samples only.

        f = K v;  repeat  W = the free variables and the worst violators;  maximise over W, the others fixed;  update f

    Decomposition as in Osuna, Freund and Girosi (1997), with blocks as large as the inner engine likes them.

    Args:
        qp: the dual set.
        gram: K, computed by blocks.
        primal: as in `maximise`.
        warm: where to start, shape (N,).
        accuracy: relative.
        max_seconds: wall clock.
        cancelled: asked between blocks.

    Returns:
        The best alpha met; `converged` says whether the accuracy was reached.
    """
    start = repair(qp, cold(qp) if warm is None else warm)
    steps = islice(by_blocks(qp, gram, primal, start, accuracy, partial(worst_block, most=_MOST)), ROUNDS)
    return best_of(steps, until(max_seconds, cancelled))


def by_blocks(
    qp: DualQP, gram: Gram, primal: PrimalAt, alpha: FloatArray, accuracy: float, chosen: Chosen
) -> Iterator[Dual]:
    """The feasible alpha (N,), then the better ones after each block of the samples that `chosen` takes."""
    f = gram.apply(qp.embed(alpha))
    dual = _answer(qp, gram, alpha, f, primal, accuracy)
    yield dual
    sharp = 0.1 * accuracy
    while True:
        rows = chosen(qp, alpha, f)
        moved = _improved(qp, gram, rows, alpha, f, sharp)
        change = qp.embed(moved) - qp.embed(alpha)
        if change.any():
            alpha, f = moved, f + gram.apply(change)
            dual = _answer(qp, gram, alpha, f, primal, accuracy)
        elif sharp <= _SHARPEST:
            return
        else:
            sharp = max(0.1 * sharp, _SHARPEST)  # the block was good enough for itself, the whole is not
        yield dual


def _answer(qp: DualQP, gram: Gram, alpha: FloatArray, f: FloatArray, primal: PrimalAt, accuracy: float) -> Dual:
    v = qp.embed(alpha)
    bound = primal(v, f)
    squares = float((v * v) @ gram.diag())
    dual = Dual(alpha, v, qp.h(alpha), float(v @ f), bound.multipliers, bound.value, squares=squares)
    return attrs.evolve(dual, converged=bool(gap(dual) <= accuracy * max(abs(dual.upper), abs(dual.objective))))


def worst_block(qp: DualQP, alpha: FloatArray, f: FloatArray, most: int) -> IntArray:
    """The samples to work on: half of them those that violate stationarity most, half those with a free variable.

    In an equality nothing moves alone: as many that can take as can give.
    """
    slope = qp.gradient(alpha) - qp.sign * f[qp.sample]
    low, high = room(qp, alpha)
    can_rise = ~np.isfinite(qp.upper) | (high > 0.0)
    can_fall = ~np.isfinite(qp.lower) | (low > 0.0)
    value = np.where(qp.group >= 0, qp.coefficient, 1.0) * slope
    forward = (qp.group < 0) | (qp.coefficient > 0.0)
    takes = np.where(forward, can_rise, can_fall)
    gives = np.where(forward, can_fall, can_rise)
    worst: list[IntArray] = []
    for g in range(-1, len(qp.target)):
        member = qp.group == g
        up, down = np.flatnonzero(member & takes), np.flatnonzero(member & gives)
        up, down = up[np.argsort(-value[up], kind="stable")], down[np.argsort(value[down], kind="stable")]
        both = min(len(up), len(down))
        worst.append(np.concatenate([np.ravel(np.column_stack([up[:both], down[:both]])), up[both:], down[both:]]))
    # The groups in turn: the first of each, then the second of each.
    place = np.argsort(np.concatenate([np.arange(len(one)) for one in worst]), kind="stable")
    violators = np.concatenate(worst)[place]
    order = [violators[: most // 2], np.flatnonzero(takes & gives), violators[most // 2 :]]
    samples = qp.sample[np.concatenate(order)]
    _, first = np.unique(samples, return_index=True)
    return np.sort(samples[np.sort(first)][:most])


def _improved(qp: DualQP, gram: Gram, rows: IntArray, alpha: FloatArray, f: FloatArray, sharp: float) -> FloatArray:
    """Alpha with the variables of these samples re-optimised, the others as they are."""
    part = np.flatnonzero(np.isin(qp.sample, rows))
    K = gram.block(rows, rows)
    if qp.bias_cost:
        K += qp.bias_cost
    inner = restricted(qp, rows, part, alpha, f, K)
    # The gap that may stay is a share of the whole objective, however large the block's own linear part is.
    v = inner.embed(alpha[part])
    here = abs(inner.h(alpha[part]) - 0.5 * float(v @ (K @ v)))
    whole = abs(qp.h(alpha) - 0.5 * float(qp.embed(alpha) @ f))
    share = sharp * min(1.0, whole / here if here else 1.0)
    dual = maximise(
        inner, Dense(K), lambda v, g: generic_primal(inner, v, g), alpha[part], accuracy=max(share, _SHARPEST)
    )
    moved = alpha.copy()
    moved[part] = dual.alpha
    return moved


def restricted(qp: DualQP, rows: IntArray, part: IntArray, alpha: FloatArray, f: FloatArray, K: FloatArray) -> DualQP:
    """The problem of the variables `part`, those of samples `rows`, with all others fixed at alpha, which is feasible.

    Each equality asks of them what they give now, which they can: what the others leave of the whole target is that
    but for rounding, and variables that cannot move would not meet rounding.
    """
    v = qp.embed(alpha)
    rest = f[rows] - K @ v[rows]
    if qp.bias_cost:
        rest += qp.bias_cost * v.sum()
    position = np.full(qp.n, -1)
    position[rows] = np.arange(len(rows))
    sample = position[qp.sample[part]]
    A = qp.equalities
    return attrs.evolve(
        qp,
        n=len(rows),
        linear=qp.linear[part] - qp.sign[part] * rest[sample],
        curvature=qp.curvature[part],
        lower=qp.lower[part],
        upper=qp.upper[part],
        sample=sample,
        sign=qp.sign[part],
        group=qp.group[part],
        coefficient=qp.coefficient[part],
        target=A[:, part] @ alpha[part],
        bias_cost=0.0,
    )


def generic_primal(qp: DualQP, v: FloatArray, f: FloatArray) -> Primal:
    """1/2 v'f + min over b of max over the box of h(a) - (E a)'f - b'(A a - target): a primal for any dual set.

    Each group's multiplier is where a monotone derivative passes 0, a weighted quantile where nothing is curved
    and every variable has a bound on the side that gives least; every value bounds the optimum. A bias that costs
    b^2 / (2 bias_cost) is bias_cost 1'v, as it is at the optimum, and stands behind the multipliers of the groups.
    """
    bias = qp.bias_cost * float(v.sum())
    residual = qp.linear - qp.sign * (f + bias)[qp.sample]
    found = np.zeros(len(qp.target))
    for g, target in enumerate(qp.target):
        member = qp.group == g
        if not member.any():  # a block may hold no variable of a group
            continue
        found[g] = _multiplier(qp, member, residual[member], float(target))
    multipliers = np.append(found, bias) if qp.bias_cost else found
    slope = residual - qp.equalities.T @ found
    best = _argmax(qp, slope)
    if not np.isfinite(best).all():
        return Primal(np.inf, multipliers)
    value = slope @ best - 0.5 * qp.curvature @ (best * best) + found @ qp.target
    return Primal(0.5 * float(v @ f) + 0.5 * bias * float(v.sum()) + float(value), multipliers)


def _argmax(qp: DualQP, slope: FloatArray, member: BoolArray | slice = slice(None)) -> FloatArray:
    """The maximiser of slope a - curvature a^2 / 2 over each variable's box."""
    lower, upper, curvature = qp.lower[member], qp.upper[member], qp.curvature[member]
    bound = np.where(slope > 0.0, upper, np.where(slope < 0.0, lower, np.clip(0.0, lower, upper)))
    inner = np.divide(slope, curvature, out=np.zeros_like(slope), where=curvature > 0.0)
    best: FloatArray = np.where(curvature > 0.0, np.clip(inner, lower, upper), bound)
    return best


def _multiplier(qp: DualQP, member: BoolArray, residual: FloatArray, target: float) -> float:
    """The b at which sum coefficient argmax(residual - coefficient b) passes the target; it falls with b."""
    coefficient = qp.coefficient[member]
    least = _least(qp, member)
    if np.isfinite(least).all() and not qp.curvature[member].any():
        return _quantile(coefficient * residual, qp.span[member], target - float(least.sum()))

    def total(b: float) -> float:
        return float(coefficient @ _argmax(qp, residual - coefficient * b, member))

    low, high = float(np.min(coefficient * residual)), float(np.max(coefficient * residual))
    span = max(high - low, abs(low), abs(high), 1e-300)
    for _ in range(100):  # with curvature the sum goes on moving beyond the last residual
        below, above = total(low) < target, total(high) > target
        if not (below or above):
            break
        low, high, span = low - below * span, high + above * span, 2.0 * span
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if total(middle) > target else (low, middle)
    # Next to an unbounded variable's own slope the sum is infinite on one side, and no bound.
    return next((b for b in (0.5 * (low + high), high, low) if np.isfinite(total(b))), high)


def _least(qp: DualQP, member: BoolArray) -> FloatArray:
    """The least that each variable can add to its equality."""
    c = qp.coefficient[member]
    return np.where(c > 0.0, qp.lower[member], -qp.upper[member])


def _quantile(values: FloatArray, reach: FloatArray, share: float) -> float:
    """The value at which the reach of all larger ones comes to `share`; a reach may be infinite."""
    order = np.argsort(-values, kind="stable")
    place = int(np.searchsorted(np.cumsum(reach[order]), share))
    return float(values[order[min(place, len(order) - 1)]])
