"""The compiled loop: sequential minimal optimisation of the smoothed saddle, for several kernels and outputs at once.

Importing this module imports numba. Variables stand in rows of L k: an output's variables layer by layer (a sample's
variables: one in classification, two in regression), of k samples in play each. All numbers of the variables stand in
one table, shape (9, C, L k), those of the samples in another, and those of the kernels in a third: what numba compiles
grows with every array, and the first call waits for it. Numba also compiles each `min` and `max` as a function of its
own, so that comparisons stand in their place.
"""

import numpy as np

from kernelopt.dual.loops import ROUNDING, TINY, argmax, compiled, inner, steepest, violation
from kernelopt.plugin import FloatArray, IntArray
from kernelopt_smo._compiled_smoothing import BEND, ETA, LEAN, STIFF, B, Q, S, length, stiffness, weigh

VARIABLES = 9
"""How many planes the table of variables has."""
U, LO, HI, T, LINEAR, CURVATURE, G, DIAGONAL, VALUE = range(VARIABLES)
"""Planes of the table of variables: the variables times their coefficients; the ends of their box; their signs in v;
the linear part and the curvature of h in them; and written by the loop: the gradient, the whole kernel's diagonal plus
the curvature, and what a partner promises."""
SAMPLES = 4
"""How many rows the table of samples has."""
ROW, QUAD, COMMON, WHOLE = range(SAMPLES)
"""Rows of the table of samples, which is scratch: a row of the whole kernel or an image, what is divided by, a sum over
kernels, and the whole kernel's diagonal."""


@compiled
def slopes(
    F: FloatArray, kernels: FloatArray, table: FloatArray, samples: FloatArray, sums: FloatArray, bias: float
) -> None:
    """Write the gradient of h - psi in u."""
    n = samples.shape[1]
    for c in range(table.shape[1]):
        for i in range(n):
            samples[ROW, i] = 0.0
        for a in range(F.shape[0]):
            weight = kernels[ETA, a]
            if weight > 0.0:
                for i in range(n):
                    samples[ROW, i] += weight * F[a, c, i]
        shift = bias * sums[c]
        for start in range(0, table.shape[2], n):
            for i in range(n):
                k = np.uint64(start + i)
                pull = table[T, c, k] * (samples[ROW, i] + shift)
                table[G, c, k] = table[LINEAR, c, k] - table[CURVATURE, c, k] * table[U, c, k] - pull


@compiled
def worst(g: FloatArray, masks: FloatArray, span: IntArray) -> float:
    """The largest violation of optimality over the outputs, from their gradients, shape (C, L k)."""
    most = 0.0
    for c in range(g.shape[0]):
        own = violation(g[c], masks[c], span)
        most = own if own > most else most
    return most


@inner
def _partner(
    F: FloatArray, kernels: FloatArray, table: FloatArray, samples: FloatArray, mask: FloatArray, value: FloatArray,
    c: int, i: int, d_i: float, t_i: float, shared: float, stiffs: int,
    top: float, way: float, bias: float, first: int, end: int,
) -> int:  # fmt: skip
    """Argmax of reach^2 / curvature, that of the smoothing included, over those that the mask lets move.

    For pairs (way -1) the best partner of variable i among those that can fall, top being the gradient of i. For single
    variables (top 0) the best of those that can rise (way 1) or fall (way -1): then variable i has no part in
    it, as with d_i = t_i = 0.

    Second-order working set selection: Fan, Chen and Lin (2005), WSS 2.
    """
    n = samples.shape[1]
    for start in range(first, end, n):
        for k in range(n):
            p = np.uint64(start + k)
            samples[QUAD, k] = d_i + table[DIAGONAL, c, p] - 2.0 * t_i * table[T, c, p] * (samples[ROW, k] + bias)
            samples[COMMON, k] = 0.0
        if stiffs > 1:
            for a in range(F.shape[0]):
                weight = kernels[STIFF, a]
                if weight > 0.0:
                    over, slant, own = 1.0 / kernels[S, a], kernels[LEAN, a], t_i * F[a, c, i % n]
                    for k in range(n):
                        x = (own - table[T, c, np.uint64(start + k)] * F[a, c, k]) * over
                        samples[QUAD, k] += weight * x * x
                        samples[COMMON, k] += slant * x
            for k in range(n):
                samples[QUAD, k] -= shared * samples[COMMON, k] * samples[COMMON, k]
        for k in range(n):
            p = np.uint64(start + k)
            reach = top + way * table[G, c, p] + mask[p]
            reach = reach if reach > 0.0 else 0.0
            q, floor = samples[QUAD, k], ROUNDING * (d_i + table[DIAGONAL, c, p])
            q = q if q > floor else floor
            q = q if q > TINY else TINY
            value[p] = reach * reach / q
    return argmax(value, first, end)


@inner
def _place(table: FloatArray, masks: FloatArray, c: int, e: int, i: int, step: float) -> None:
    """Move one variable of group e by a step that its box allows, and set its masks."""
    lo, hi, u = table[LO, c, i], table[HI, c, i], table[U, c, i]
    end = hi if step > 0.0 else lo
    new = u + step
    new = new if new < hi else hi
    new = new if new > lo else lo
    new = end if step == end - u else new
    table[U, c, i] = new
    masks[c, 0, e, i] = 0.0 if new < hi else -np.inf
    masks[c, 1, e, i] = 0.0 if new > lo else -np.inf


@compiled
def ascend(
    K: FloatArray, diag: FloatArray, F: FloatArray, kernels: FloatArray, trial: FloatArray,
    table: FloatArray, samples: FloatArray, sums: FloatArray, masks: FloatArray, span: IntArray,
    bias: float, eps: float, least: int, limit: int,
) -> int:  # fmt: skip
    """SMO steps on maximise h(u) - psi(q), in place, until the violation is at most eps; returns the steps taken.

        repeat at most `limit` times
            eta = 2 d psi / d q;  g = the gradient of h less t sum_a eta_a F_a
            in each output and group: i = argmax g over those that can rise; j = its best partner that can fall
            of them take the pair (in the last group: the single variable) that promises the largest ascent
            delta = the maximiser along u_i + delta, u_j - delta within the box: an exact search
            F_a += delta (t_i K_a,i - t_j K_a,j),   q_a += 2 delta b_a + delta^2 bend_a

    Bach, Lanckriet and Jordan (2004), section 4.2.

    Args:
        K: the kernels in play on the samples in play, shape (m, k, k).
        diag: their diagonals, shape (m, k).
        F: K_a u_a for each output, shape (m, C, k), where q_a = u_a'K_a u_a.
        kernels: q, rho and d of psi, in the rows that `_compiled_smoothing` names, shape (9, m).
        trial: scratch, of the same shape.
        table: the variables' numbers, shape (9, C, L k), its planes named at the top of this module.
        samples: scratch, finite, shape (4, k).
        sums: 1'v of each output, shape (C,).
        masks: 0 where the variable is of the group and can rise (first) or fall (second), else -inf,
            shape (C, 2, groups, L k).
        span: the first variable of each group's layers and the one after the last, shape (groups, 2).
        bias: added to every entry of the whole kernel.
        eps: the violation at which to stop.
        least: the fewest steps, unless nothing is left to gain.
        limit: the most steps.
    """
    m, outputs, n = F.shape
    size, free = table.shape[2], span.shape[0] - 1
    gamma = 0.0
    for step in range(limit):
        gamma = weigh(kernels, gamma)
        shared = stiffness(kernels, gamma)
        slopes(F, kernels, table, samples, sums, bias)
        for k in range(n):
            samples[WHOLE, k] = bias
        stiffs = m - m  # 0, but no literal, for which numba would compile what it is handed to once more
        for a in range(m):
            weight = kernels[ETA, a]
            if weight > 0.0:
                stiffs += 1
                for k in range(n):
                    samples[WHOLE, k] += weight * diag[a, k]

        best, reach = 0.0, 0.0
        direction = 1.0
        c = e = i = j = m - m
        for out in range(outputs):
            value = table[VALUE, out]
            for start in range(0, size, n):
                for k in range(n):
                    p = np.uint64(start + k)
                    table[DIAGONAL, out, p] = samples[WHOLE, k] + table[CURVATURE, out, p]
            for turn in range(free + 2):  # the last two are those of single variables: up, and down
                pair = turn < free
                group, side = (turn, 1) if pair else (free, turn - free)
                first, end = span[group, 0], span[group, 1]
                if first == end:
                    continue
                x, way = first, 1.0 - 2.0 * side
                top, d_x, t_x = 0.0, 0.0, 0.0
                if pair:
                    x = steepest(table[G, out], masks[out, 0, group], 1.0, first, end, value)
                    top, d_x, t_x = value[x], table[DIAGONAL, out, x], table[T, out, x]
                    if top == -np.inf:
                        continue
                    for k in range(n):
                        samples[ROW, k] = 0.0
                    for a in range(m):
                        weight = kernels[ETA, a]
                        if weight > 0.0:
                            for k in range(n):
                                samples[ROW, k] += weight * K[a, x % n, k]
                y = _partner(
                    F, kernels, table, samples, masks[out, side, group], value,
                    out, x, d_x, t_x, shared, stiffs, top, way, bias, first, end,
                )  # fmt: skip
                if value[y] > best:
                    best, reach = value[y], top + way * table[G, out, y]
                    c, e, j = out, group, y
                    i = x if pair else y
                    direction = 1.0 if pair else way
        # The pair's own violation bounds the largest one from below: only a small one asks for the exact test.
        if best == 0.0 or (reach <= eps and step >= least and worst(table[G], masks, span) <= eps):
            return step

        single, x, y = e == free, i % n, j % n
        rise = direction if single else 1.0
        other = 0.0 if single else 1.0
        t_i, t_j = table[T, c, i] * rise, table[T, c, j] * other
        slope, drift = reach, t_i - t_j
        fall = table[CURVATURE, c, i] + other * table[CURVATURE, c, j] + bias * drift * drift
        room = table[HI, c, i] - table[U, c, i] if rise > 0.0 else table[U, c, i] - table[LO, c, i]
        if not single:
            fallen = table[U, c, j] - table[LO, c, j]
            room = fallen if fallen < room else room
        for a in range(m):
            kernels[B, a] = t_i * F[a, c, x] - t_j * F[a, c, y]
            kernels[BEND, a] = diag[a, x] + other * (diag[a, y] - 2.0 * t_i * t_j * K[a, x, y])
            slope += kernels[ETA, a] * kernels[B, a]
        delta = length(kernels, trial, gamma, slope, fall, room, best / reach)
        if not (0.0 < delta < np.inf):
            return step
        lost = table[U, c, i] + rise * delta == table[U, c, i] or table[U, c, j] - other * delta == table[U, c, j]
        if lost and not single:  # in the rounding of a variable: the same pair would be taken for ever
            return step

        _place(table, masks, c, e, i, rise * delta)
        if not single:
            _place(table, masks, c, e, j, -delta)
        sums[c] += drift * delta
        move_i, move_j = t_i * delta, t_j * delta
        for a in range(m):
            for k in range(n):
                F[a, c, k] += move_i * K[a, x, k] - move_j * K[a, y, k]
            kernels[Q, a] += delta * (2.0 * kernels[B, a] + delta * kernels[BEND, a])
    return limit
