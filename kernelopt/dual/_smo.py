"""The compiled inner loop: sequential minimal optimisation on one contiguous block of the Gram matrix.

Importing this module imports numba. The loops are written so that LLVM vectorises them: a mask is an array of
zeros and infinities that is added to the gradient (no branch), and a maximum is taken in `LANES` independent
lanes, because a single running maximum of floats is a chain of dependent comparisons.

Variables stand in a table of shape (L, m), one column a sample and one row ("layer") for each of the dual
variables that a sample has: L = 1 in classification, 2 in regression. So one row of K updates one layer.
"""

import numpy as np

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray, IntArray

LANES = 32
TINY = 1e-100
"""Stands for a zero curvature along a step: the step then goes to the nearest bound."""
ROUNDING = 1e-14
"""Curvature along a pair, relative to the two diagonal entries, that cannot be told from zero."""


@compiled
def argmax(value: FloatArray, lanes: FloatArray) -> int:
    """The first place of the maximum of `value`; leaves the maxima of its lanes in `lanes`."""
    m = value.shape[0]
    for lane in range(LANES):
        lanes[lane] = -np.inf
    whole = m // LANES * LANES
    for start in range(0, whole, LANES):
        for lane in range(LANES):
            x = value[start + lane]
            lanes[lane] = x if x > lanes[lane] else lanes[lane]
    for lane in range(m - whole):
        x = value[whole + lane]
        lanes[lane] = x if x > lanes[lane] else lanes[lane]
    best = 0
    for lane in range(LANES):
        best = lane if lanes[lane] > lanes[best] else best
    for k in range(best, m, LANES):
        if value[k] == lanes[best]:
            return k
    return 0


@compiled
def steepest(g: FloatArray, mask: FloatArray, sign: float, value: FloatArray, lanes: FloatArray) -> int:
    """Argmax of sign g + mask, through the scratch arrays `value` (m,) and `lanes`."""
    for k in range(g.shape[0]):
        value[k] = sign * g[k] + mask[k]
    return argmax(value, lanes)


@compiled
def _gain(reach: float, curvature: float, scale: float) -> float:
    """Twice the ascent of an unclipped step: reach^2 / curvature, 0 where reach <= 0."""
    b = reach if reach > 0.0 else 0.0
    floor = ROUNDING * scale
    q = curvature if curvature > floor else floor
    q = q if q > TINY else TINY
    return b * b / q


@compiled
def _partner(
    row: FloatArray, g: FloatArray, low: FloatArray, d: FloatArray, t: FloatArray,
    top: float, d_i: float, t_i: float, bias: float, value: FloatArray, lanes: FloatArray,
) -> int:  # fmt: skip
    """Argmax over k of (top - g_k)^2 / (d_i + d_k - 2 t_i t_k (K_ik + bias)) among those that can fall.

    Second-order working set selection: Fan, Chen and Lin (2005), WSS 2.
    """
    for k in range(g.shape[0]):
        scale = d_i + d[k]
        value[k] = _gain(top - g[k] + low[k], scale - 2.0 * t_i * t[k] * (row[k] + bias), scale)
    return argmax(value, lanes)


@compiled
def _single(g: FloatArray, mask: FloatArray, d: FloatArray, sign: float, value: FloatArray, lanes: FloatArray) -> int:
    """Argmax of the ascent of a step of one coordinate, up (sign 1) or down (sign -1)."""
    for k in range(g.shape[0]):
        value[k] = _gain(sign * g[k] + mask[k], d[k], d[k])
    return argmax(value, lanes)


@compiled
def violation(g: FloatArray, up: FloatArray, low: FloatArray, value: FloatArray, lanes: FloatArray) -> float:
    """The largest violation of optimality: max over up of g - min over low of g, the worst group's.

    The last group holds the variables in no equality: theirs is the largest gradient that points into the box.
    """
    worst = 0.0
    groups = up.shape[0]
    for e in range(groups):
        rise, fall = -np.inf, -np.inf
        for layer in range(g.shape[0]):
            rise = max(rise, value[steepest(g[layer], up[e, layer], 1.0, value, lanes)])
            fall = max(fall, value[steepest(g[layer], low[e, layer], -1.0, value, lanes)])
        worst = max(worst, max(rise, fall) if e == groups - 1 else rise + fall)
    return worst


@compiled
def _mark(
    up: FloatArray, low: FloatArray, a: int, i: int, u: FloatArray, lo: FloatArray, hi: FloatArray
) -> None:  # fmt: skip
    """Set the masks of one variable of the group after its step."""
    up[a, i] = 0.0 if u[a, i] < hi[a, i] else -np.inf
    low[a, i] = 0.0 if u[a, i] > lo[a, i] else -np.inf


@compiled
def _move_one(
    K: FloatArray, d: FloatArray, g: FloatArray, u: FloatArray, lo: FloatArray, hi: FloatArray, t: FloatArray,
    curvature: FloatArray, up: FloatArray, low: FloatArray, bias: float,
    a: int, i: int, direction: float, reach: float,
) -> bool:  # fmt: skip
    """Move variable (a, i) up or down, as far as its curvature and the box allow; False if nothing stops it."""
    room = hi[a, i] - u[a, i] if direction > 0.0 else u[a, i] - lo[a, i]
    length = min(reach / max(d[a, i], TINY), room)
    if not length < np.inf:
        return False
    delta = direction * length
    if length == room:
        u[a, i] = hi[a, i] if direction > 0.0 else lo[a, i]
    else:
        u[a, i] = min(max(u[a, i] + delta, lo[a, i]), hi[a, i])
    _mark(up, low, a, i, u, lo, hi)
    move = t[a, i] * delta
    row = K[i]
    for layer in range(g.shape[0]):
        for k in range(g.shape[1]):
            g[layer, k] -= t[layer, k] * (move * row[k] + move * bias)
    g[a, i] -= curvature[a, i] * delta
    return True


@compiled
def _move_pair(
    K: FloatArray, d: FloatArray, g: FloatArray, u: FloatArray, lo: FloatArray, hi: FloatArray, t: FloatArray,
    curvature: FloatArray, up: FloatArray, low: FloatArray, bias: float,
    a: int, i: int, b: int, j: int, reach: float,
) -> bool:  # fmt: skip
    """Move (a, i) up and (b, j) down by as much; False if nothing stops them."""
    scale = d[a, i] + d[b, j]
    q = max(scale - 2.0 * t[a, i] * t[b, j] * (K[i, j] + bias), ROUNDING * scale, TINY)
    rise, fall = hi[a, i] - u[a, i], u[b, j] - lo[b, j]
    delta = min(reach / q, rise, fall)
    if not delta < np.inf:
        return False
    u[a, i] = hi[a, i] if delta == rise else min(u[a, i] + delta, hi[a, i])
    u[b, j] = lo[b, j] if delta == fall else max(u[b, j] - delta, lo[b, j])
    _mark(up, low, a, i, u, lo, hi)
    _mark(up, low, b, j, u, lo, hi)
    move_i, move_j = t[a, i] * delta, -t[b, j] * delta
    shift = bias * (move_i + move_j)
    row_i, row_j = K[i], K[j]
    for layer in range(g.shape[0]):
        for k in range(g.shape[1]):
            g[layer, k] -= t[layer, k] * (move_i * row_i[k] + move_j * row_j[k] + shift)
    g[a, i] -= curvature[a, i] * delta
    g[b, j] += curvature[b, j] * delta
    return True


@compiled
def ascend(
    K: FloatArray, d: FloatArray, g: FloatArray, u: FloatArray, lo: FloatArray, hi: FloatArray, t: FloatArray,
    curvature: FloatArray, group: IntArray, up: FloatArray, low: FloatArray, has: IntArray,
    bias: float, eps: float, least: int, limit: int,
) -> int:  # fmt: skip
    """SMO steps on maximise over u, in place, until the violation is at most eps; returns the steps taken.

        repeat at most `limit` times
            in each group: i = argmax g over those that can rise; j = its best partner among those that can fall
            of the groups take the pair (in the last group: the single variable) that promises the largest ascent
            u_i += delta, u_j -= delta, as far as the curvature and the box allow
            g -= t (K_i t_i delta - K_j t_j delta)

    Args:
        K: shape (m, m), C-contiguous.
        d: K's diagonal plus bias plus curvature, shape (L, m).
        g: gradient, shape (L, m), kept up to date.
        u: the variables times their coefficients, so that an equality is a plain sum, shape (L, m).
        lo: lower ends of the box of u; equal to `hi` where a sample lacks a variable.
        hi: upper ends of the box of u.
        t: sign of u in v, +-1.
        curvature: of h, >= 0.
        group: number of the variable's group, the last for none.
        up: 0 where the variable is of this group and can rise, else -inf, shape (groups, L, m).
        low: the same for those that can fall.
        has: 1 where the layer has variables of this group, shape (groups, L).
        bias: added to every entry of K.
        eps: the violation at which to stop.
        least: the fewest steps, unless nothing is left to gain.
        limit: the most steps.
    """
    layers, m = g.shape
    groups = up.shape[0]
    free = groups - 1
    value, lanes = np.empty(m), np.empty(LANES)
    for step in range(limit):
        best, reach = 0.0, 0.0
        a = i = b = j = m - m  # 0, but no literal, for which numba would compile each move once more
        single, direction = False, 1.0
        for e in range(free):
            top, a_e, i_e = -np.inf, 0, 0
            for layer in range(layers):
                if has[e, layer]:
                    k = steepest(g[layer], up[e, layer], 1.0, value, lanes)
                    if value[k] > top:
                        top, a_e, i_e = value[k], layer, k
            if top == -np.inf:
                continue
            for layer in range(layers):
                if has[e, layer]:
                    k = _partner(
                        K[i_e], g[layer], low[e, layer], d[layer], t[layer],
                        top, d[a_e, i_e], t[a_e, i_e], bias, value, lanes,
                    )  # fmt: skip
                    if value[k] > best:
                        best, reach = value[k], top - g[layer, k]
                        a, i, b, j = a_e, i_e, layer, k
        for layer in range(layers):
            if has[free, layer]:
                for sign in (1.0, -1.0):
                    mask = up if sign > 0.0 else low
                    k = _single(g[layer], mask[free, layer], d[layer], sign, value, lanes)
                    if value[k] > best:
                        best, reach = value[k], sign * g[layer, k]
                        a, i, single, direction = layer, k, True, sign
        # The pair's own violation bounds the largest one from below: only a small one asks for the exact test.
        if best == 0.0 or (reach <= eps and step >= least and violation(g, up, low, value, lanes) <= eps):
            return step

        if single:
            moved = _move_one(K, d, g, u, lo, hi, t, curvature, up[free], low[free], bias, a, i, direction, reach)
        else:
            e = group[a, i]
            moved = _move_pair(K, d, g, u, lo, hi, t, curvature, up[e], low[e], bias, a, i, b, j, reach)
        if not moved:
            return step
    return limit
