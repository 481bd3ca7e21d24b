"""The best widths, with a proof: branch and bound on a line."""

import math

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_gaussian._bernstein_cells import undecided
from kernelopt_gaussian._width_objective import BENT, Curve, Nodes

SLACK = 1e-9
"""An interval is done where no width in it can exceed the best value by more than this share of it."""
_FAINTEST = 1e-9
_FLATTEST = 0.1
"""Where the first grid begins: the farthest rows are still alike there. Worth: `constants.py gaussian.flattest`."""
_NARROWEST = 1e-13
_NEWTON = 60


@attrs.frozen(eq=False)
class Answer:
    """The best widths.

    Attributes:
        omega: local maxima, shape (m,), best first, m >= 1.
        values: shape (m,).
        ceiling: no width has a larger value; where that was larger, it is what was asked for.
        evaluations: at how many widths the curve was computed.
    """

    omega: FloatArray
    values: FloatArray
    ceiling: float
    evaluations: int


def ask(curve: Curve, near: FloatArray, above: float, omega_max: float, k: int) -> Answer:
    """The best widths of a curve.

        nodes: 0, a geometric grid, the widths that are near
        repeat   put a node into each interval between nodes in which g could exceed the best value so far
        until    there is none

    Args:
        curve: normalised.
        near: widths to look at, shape (m,).
        above: only values above are of interest.
        omega_max: the largest width, may be infinite where eta > 0.
        k: how many local maxima are wanted.
    """
    rounding = 1e-14 * curve.total
    nodes = curve.nodes(_first(curve, near, omega_max))
    best = float(curve.derivatives(nodes)[0].max())
    last = min(omega_max, _radius(curve, max(best, above, rounding)))
    nodes = nodes.at(np.flatnonzero(nodes.omega < last)).joined(curve.nodes(np.array([last])))
    while True:
        best = max(best, float(curve.derivatives(nodes)[0].max()))
        target = max(best, above) * (1.0 + SLACK) + rounding
        open_ = _doubtful(curve, nodes, target)
        if not len(open_):
            break
        nodes = nodes.joined(curve.nodes(open_))
    omega, values = _maxima(curve, nodes, k)
    return Answer(omega, values, max(float(values[0]), target), len(nodes))


def _doubtful(curve: Curve, nodes: Nodes, target: float) -> FloatArray:
    """A width in each interval between nodes in which g could exceed the target, away from its ends."""
    polynomials, rest = curve.excess(nodes, target)
    h = np.diff(nodes.omega)
    t = undecided(polynomials[:-1], rest[:-1], h)
    open_ = np.isfinite(t) & (h > _NARROWEST * nodes.omega[-1])
    return np.asarray((nodes.omega[:-1] + np.clip(t, 0.1 * h, 0.9 * h))[open_])


def _first(curve: Curve, near: FloatArray, omega_max: float) -> FloatArray:
    """Widths to begin with: 0, and from where the farthest rows are still alike to where the price is prohibitive."""
    top = min(omega_max, curve.faintest(_FAINTEST))
    low = min(_FLATTEST, 0.5 * top)
    grid = np.geomspace(low, top, 1 + max(math.ceil(math.log2(top / low)), 1))
    return np.unique(np.concatenate([[0.0], grid, np.clip(near, 0.0, top)]))


def _radius(curve: Curve, floor: float) -> float:
    """The width beyond which g, at most exp(-eta omega^2) sum_k |s_k|, is below the floor."""
    return curve.faintest(min(floor / curve.total, 1.0))


def _maxima(curve: Curve, nodes: Nodes, k: int) -> tuple[FloatArray, FloatArray]:
    """The k best local maxima between the nodes and at the ends, best first, by bracketed Newton steps."""
    values, slope, _ = curve.derivatives(nodes)
    at = np.flatnonzero((slope[:-1] > 0.0) & (slope[1:] <= 0.0))
    at = at[np.argsort(-np.maximum(values[at], values[at + 1]), kind="stable")][: k + 1]
    ends = np.array([0, len(nodes) - 1])[[slope[0] <= 0.0, slope[-1] > 0.0]]
    inner = _newton(curve, nodes.omega[at], nodes.omega[at + 1])
    omega = np.unique(np.concatenate([inner, nodes.omega[ends]]))
    found = curve.derivatives(curve.nodes(omega))[0]
    top = int(np.argmax(values))
    if found.max(initial=0.0) < (1.0 - SLACK) * values[top]:
        omega, found = np.append(omega, nodes.omega[top]), np.append(found, values[top])
    order = np.argsort(-found, kind="stable")[:k]
    return omega[order], found[order]


def _newton(curve: Curve, low: FloatArray, high: FloatArray) -> FloatArray:
    """The zeros of g' in brackets with g'(low) > 0 >= g'(high)."""
    low, high = low.copy(), high.copy()
    omega = 0.5 * (low + high)
    if not len(omega):
        return omega
    for _ in range(_NEWTON):
        _, slope, bend = curve.derivatives(curve.nodes(omega, BENT))
        low, high = np.where(slope > 0.0, omega, low), np.where(slope > 0.0, high, omega)
        step = np.divide(slope, -bend, out=np.full_like(slope, np.inf), where=bend < 0.0)
        new = omega + step
        new = np.where((new > low) & (new < high), new, 0.5 * (low + high))
        moved = np.abs(new - omega) > 1e-10 * high
        omega = new
        if not moved.any():
            break
    return omega
