"""The compiled inner loop: sequential minimal optimisation on one contiguous block of the Gram matrix.

Importing this module imports numba. What numba compiles grows with every array that is handed on and every loop, and
the first call waits for it; so all numbers of the variables stand in one matrix. The loops are written so that LLVM
vectorises them: a mask is an array of zeros and infinities that is added to the gradient (no branch), and an index
that is counted from elsewhere than 0 is unsigned, because numba asks of a signed one whether it is negative.

A sample has one or two variables ("layers"): one in classification, two in regression. The variables are numbered
layer by layer, so variable i of m samples belongs to sample i % m. One row of K updates each layer.
"""

import numpy as np

from kernelopt._base._jit import compiled, inner
from kernelopt._base._typing import FloatArray, IntArray

BLOCK = 32
"""A maximum is taken block by block, so that only one block is searched for its place."""
TINY = 1e-100
"""Stands for a zero curvature along a step: the step then goes to the nearest bound."""
ROUNDING = 1e-14
"""Curvature along a pair, relative to the two diagonal entries, that cannot be told from zero."""
D, U, LO, HI, T, CURVATURE = range(6)
"""Rows of the matrix of variables: K's diagonal plus bias plus curvature; the variables times their coefficients, so
that an equality is a plain sum; the ends of their box; their signs in v; the curvature of h, >= 0."""


@inner
def argmax(value: FloatArray, first: int, end: int) -> int:
    """The first place of the maximum of `value` from `first` to before `end`."""
    best, start = -np.inf, first
    for low in range(first, end, BLOCK):
        top = -np.inf
        for k in range(low, low + BLOCK if low + BLOCK < end else end):
            x = value[np.uint64(k)]
            top = x if x > top else top
        if top > best:
            best, start = top, low
    for k in range(start, end):
        if value[k] == best:
            return k
    return first


@inner
def steepest(g: FloatArray, mask: FloatArray, sign: float, first: int, end: int, value: FloatArray) -> int:
    """Argmax of sign g + mask from `first` to before `end`, through the scratch array `value`."""
    for k in range(first, end):
        c = np.uint64(k)
        value[c] = sign * g[c] + mask[c]
    return argmax(value, first, end)


@compiled
def violation(g: FloatArray, masks: FloatArray, span: IntArray) -> float:
    """The largest violation of optimality: max over up of g - min over low of g, the worst group's.

    The last group holds the variables in no equality: theirs is the largest gradient that points into the box.
    The arguments are those of `ascend`.
    """
    worst = 0.0
    free = span.shape[0] - 1
    for e in range(free + 1):
        up, down = -np.inf, -np.inf
        for k in range(span[e, 0], span[e, 1]):
            c = np.uint64(k)
            rise, fall = g[c] + masks[0, e, c], masks[1, e, c] - g[c]
            up = rise if rise > up else up
            down = fall if fall > down else down
        most = up + down
        if e == free:
            most = up if up > down else down
        worst = most if most > worst else worst
    return worst


@inner
def _partner(
    row: FloatArray, g: FloatArray, mask: FloatArray, table: FloatArray, d_i: float, t_i: float, top: float, way: float,
    bias: float, first: int, end: int, value: FloatArray,
) -> int:  # fmt: skip
    """Argmax over k of (top + way g_k)^2 / (d_i + d_k - 2 t_i t_k (K_ik + bias)) among those that the mask lets move.

    With top = g_i and way = -1 the partner of variable i: second-order working set selection, Fan, Chen and Lin (2005),
    WSS 2. With d_i = t_i = top = 0 the best single variable, up (way 1) or down (way -1).
    """
    m = row.shape[0]
    twice = 2.0 * t_i
    for start in range(first, end, m):
        for k in range(m):
            c = np.uint64(start + k)
            scale = d_i + table[D, c]
            q, floor = scale - twice * table[T, c] * (row[k] + bias), ROUNDING * scale
            q = q if q > floor else floor
            reach = top + way * g[c] + mask[c]
            reach = reach if reach > 0.0 else 0.0
            value[c] = reach * reach / (q if q > TINY else TINY)
    return argmax(value, first, end)


@inner
def _place(g: FloatArray, table: FloatArray, masks: FloatArray, e: int, i: int, step: float) -> float:
    """Move one variable of group e by a step that its box allows, and set its masks; returns the step of v."""
    lo, hi, u = table[LO, i], table[HI, i], table[U, i]
    end = hi if step > 0.0 else lo
    new = u + step
    new = new if new < hi else hi
    new = new if new > lo else lo
    new = end if step == end - u else new
    table[U, i] = new
    masks[0, e, i] = 0.0 if new < hi else -np.inf
    masks[1, e, i] = 0.0 if new > lo else -np.inf
    g[i] -= table[CURVATURE, i] * step
    v_step: float = table[T, i] * step
    return v_step


@inner
def _move(
    K: FloatArray, g: FloatArray, table: FloatArray, masks: FloatArray, bias: float,
    e: int, i: int, rise: float, j: int, fall: float,
) -> None:  # fmt: skip
    """Move variables i and j of group e by these steps, and the gradient with them."""
    m = K.shape[0]
    x = _place(g, table, masks, e, i, rise)
    y = _place(g, table, masks, e, j, fall)
    a, b, shift = K[i % m], K[j % m], bias * (x + y)
    for start in range(0, g.shape[0], m):
        for k in range(m):
            c = np.uint64(start + k)
            g[c] -= table[T, c] * (x * a[k] + y * b[k] + shift)


@compiled
def ascend(
    K: FloatArray, table: FloatArray, g: FloatArray, masks: FloatArray, span: IntArray,
    bias: float, eps: float, least: int, limit: int, value: FloatArray,
) -> int:  # fmt: skip
    """SMO steps on maximise over u, in place, until the violation is at most eps; returns the steps taken.

        repeat at most `limit` times
            in each group: i = argmax g over those that can rise; j = its best partner among those that can fall
            of the groups take the pair (in the last group: the single variable) that promises the largest ascent
            u_i += delta, u_j -= delta, as far as the curvature and the box allow
            g -= t (K_i t_i delta - K_j t_j delta)

    Args:
        K: shape (m, m), C-contiguous.
        table: the variables' numbers, shape (6, L m), its rows named at the top of this module.
        g: gradient, shape (L m,), kept up to date.
        masks: 0 where the variable is of the group and can rise (first) or fall (second), else -inf,
            shape (2, groups, L m).
        span: the first variable of each group's layers and the one after the last, shape (groups, 2).
        bias: added to every entry of K.
        eps: the violation at which to stop.
        least: the fewest steps, unless nothing is left to gain.
        limit: the most steps.
        value: scratch, shape (L m,).
    """
    m = K.shape[0]
    free = span.shape[0] - 1
    for step in range(limit):
        best, reach, sign = 0.0, 0.0, 1.0
        e = i = j = m - m  # 0, but no literal, for which numba would compile each move once more
        for turn in range(free + 2):  # the last two are those of single variables: up, and down
            pair = turn < free
            group, side = (turn, 1) if pair else (free, turn - free)
            first, end = span[group, 0], span[group, 1]
            if first == end:
                continue
            a, top, d_a, t_a, way = m - m, 0.0, 0.0, 0.0, 1.0 - 2.0 * side
            if pair:
                a = steepest(g, masks[0, group], 1.0, first, end, value)
                top, d_a, t_a = value[a], table[D, a], table[T, a]
                if top == -np.inf:
                    continue
            b = _partner(K[a % m], g, masks[side, group], table, d_a, t_a, top, way, bias, first, end, value)
            if value[b] > best:
                best, reach, sign, e, j = value[b], top + way * g[b], 1.0 if pair else way, group, b
                i = a if pair else b
        # The pair's own violation bounds the largest one from below: only a small one asks for the exact test.
        if best == 0.0 or (reach <= eps and step >= least and violation(g, masks, span) <= eps):
            return step

        room = table[HI, i] - table[U, i] if sign > 0.0 else table[U, i] - table[LO, i]
        scale, bend, share = table[D, i], table[D, i], 0.0
        if e < free:
            fall = table[U, j] - table[LO, j]
            room = fall if fall < room else room
            scale += table[D, j]
            bend = scale - 2.0 * table[T, i] * table[T, j] * (K[i % m, j % m] + bias)
            share = 1.0
        bend = bend if bend > ROUNDING * scale else ROUNDING * scale
        delta = reach / (bend if bend > TINY else TINY)
        delta = delta if delta < room else room
        if not delta < np.inf:  # nothing stops it
            return step
        _move(K, g, table, masks, bias, e, i, sign * delta, j, -share * delta)
    return limit
