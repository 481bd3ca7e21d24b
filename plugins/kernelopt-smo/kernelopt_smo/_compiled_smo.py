"""The compiled loop: sequential minimal optimisation of the smoothed saddle, for several kernels and outputs at once.

Importing this module imports numba. Variables stand in tables of shape (C, L k): an output, and its variables layer by
layer (a sample's variables: one in classification, two in regression), of k samples in play each.
"""

import numpy as np

from kernelopt.dual.loops import ROUNDING, TINY, argmax, compiled, inner, steepest, violation
from kernelopt.plugin import FloatArray, IntArray
from kernelopt_smo._compiled_smoothing import length, stiffness, weigh


@inner
def blend(F: FloatArray, eta: FloatArray, c: int, f: FloatArray) -> None:
    """f = sum_a eta_a F_ac, shape (k,)."""
    for i in range(f.shape[0]):
        f[i] = 0.0
    for a in range(F.shape[0]):
        if eta[a] > 0.0:
            image, weight = F[a, c], eta[a]
            for i in range(f.shape[0]):
                f[i] += weight * image[i]


@compiled
def slopes(
    F: FloatArray, eta: FloatArray, u: FloatArray, t: FloatArray, linear: FloatArray, curvature: FloatArray,
    bias: float, sums: FloatArray, f: FloatArray, g: FloatArray,
) -> None:  # fmt: skip
    """g = the gradient of h - psi in u, shape (C, L k), through the scratch array f (k,)."""
    for c in range(u.shape[0]):
        blend(F, eta, c, f)
        shift = bias * sums[c]
        for start in range(0, u.shape[1], f.shape[0]):
            for i in range(f.shape[0]):
                k = np.uint64(start + i)
                g[c, k] = linear[c, k] - curvature[c, k] * u[c, k] - t[c, k] * (f[i] + shift)


@compiled
def worst(g: FloatArray, masks: FloatArray, span: IntArray) -> float:
    """The largest violation of optimality over the outputs."""
    most = 0.0
    for c in range(g.shape[0]):
        most = max(most, violation(g[c], masks[c], span))
    return most


@inner
def _row(K: FloatArray, eta: FloatArray, i: int, row: FloatArray) -> None:
    """Row i of sum_a eta_a K_a."""
    for k in range(row.shape[0]):
        row[k] = 0.0
    for a in range(K.shape[0]):
        if eta[a] > 0.0:
            part, weight = K[a, i], eta[a]
            for k in range(row.shape[0]):
                row[k] += weight * part[k]


@inner
def _partner(
    row: FloatArray, F: FloatArray, c: int, i: int, d_i: float, t_i: float, s: FloatArray,
    stiff: FloatArray, lean: FloatArray, shared: float, stiffs: int,
    g: FloatArray, mask: FloatArray, d: FloatArray, t: FloatArray, top: float, way: float, bias: float,
    first: int, end: int, quad: FloatArray, common: FloatArray, value: FloatArray,
) -> int:  # fmt: skip
    """Argmax of reach^2 / curvature, that of the smoothing included, over those that the mask lets move.

    For pairs (way -1) the best partner of variable i among those that can fall, top being the gradient of i. For single
    variables (top 0) the best of those that can rise (way 1) or fall (way -1): then variable i has no part in
    it, as with d_i = t_i = 0.

    Second-order working set selection: Fan, Chen and Lin (2005), WSS 2.
    """
    n = row.shape[0]
    for start in range(first, end, n):
        for k in range(n):
            p = np.uint64(start + k)
            quad[k] = d_i + d[p] - 2.0 * t_i * t[p] * (row[k] + bias)
            common[k] = 0.0
        if stiffs > 1:
            for a in range(F.shape[0]):
                if stiff[a] > 0.0:
                    image, over, weight, slant = F[a, c], 1.0 / s[a], stiff[a], lean[a]
                    own = t_i * image[i % n]
                    for k in range(n):
                        x = (own - t[np.uint64(start + k)] * image[k]) * over
                        quad[k] += weight * x * x
                        common[k] += slant * x
            for k in range(n):
                quad[k] -= shared * common[k] * common[k]
        for k in range(n):
            p = np.uint64(start + k)
            reach = top + way * g[p] + mask[p]
            reach = reach if reach > 0.0 else 0.0
            floor = ROUNDING * (d_i + d[p])
            q = quad[k] if quad[k] > floor else floor
            q = q if q > TINY else TINY
            value[p] = reach * reach / q
    return argmax(value, first, end)


@inner
def _place(u: FloatArray, mask: FloatArray, lo: FloatArray, hi: FloatArray, i: int, step: float) -> None:
    """Move one variable of the group by a step that its box allows, and set its masks."""
    end = hi[i] if step > 0.0 else lo[i]
    new = end if step == end - u[i] else min(max(u[i] + step, lo[i]), hi[i])
    u[i] = new
    mask[0, i] = 0.0 if new < hi[i] else -np.inf
    mask[1, i] = 0.0 if new > lo[i] else -np.inf


@compiled
def ascend(
    K: FloatArray, diag: FloatArray, F: FloatArray, q: FloatArray, u: FloatArray, sums: FloatArray,
    lo: FloatArray, hi: FloatArray, t: FloatArray, linear: FloatArray, curvature: FloatArray,
    masks: FloatArray, span: IntArray, bias: float,
    rho: FloatArray, d: FloatArray, eps: float, least: int, limit: int,
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
        q: shape (m,).
        u: variables times their coefficients, shape (C, L k).
        sums: 1'v of each output, shape (C,).
        lo: lower ends of the box of u.
        hi: upper ends of the box of u.
        t: sign of u in v, +-1.
        linear: of h, in u.
        curvature: of h, in u.
        masks: 0 where the variable is of the group and can rise (first) or fall (second), else -inf,
            shape (C, 2, groups, L k).
        span: the first variable of each group's layers and the one after the last, shape (groups, 2).
        bias: added to every entry of the whole kernel.
        rho: of psi, shape (m,).
        d: of psi, shape (m,).
        eps: the violation at which to stop.
        least: the fewest steps, unless nothing is left to gain.
        limit: the most steps.
    """
    m, outputs, n = F.shape
    size, free = u.shape[1], span.shape[0] - 1
    s, eta, stiff, lean = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    b, bend = np.empty(m), np.empty(m)
    f, row, quad, common, whole = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    value, d_all = np.empty(size), np.empty(size)
    g = np.empty((outputs, size))
    for k in range(n):
        row[k] = 0.0
    gamma = 0.0
    for step in range(limit):
        gamma = weigh(q, rho, d, gamma, s, eta)
        shared = stiffness(s, eta, rho, d, gamma, stiff, lean)
        slopes(F, eta, u, t, linear, curvature, bias, sums, f, g)
        for k in range(n):
            whole[k] = bias
        stiffs = m - m  # 0, but no literal, for which numba would compile what it is handed to once more
        for a in range(m):
            if eta[a] > 0.0:
                stiffs += 1
                part, weight = diag[a], eta[a]
                for k in range(n):
                    whole[k] += weight * part[k]

        best, reach = 0.0, 0.0
        direction = 1.0
        c = e = i = j = m - m
        for out in range(outputs):
            for start in range(0, size, n):
                for k in range(n):
                    p = np.uint64(start + k)
                    d_all[p] = whole[k] + curvature[out, p]
            for turn in range(free + 2):  # the last two are those of single variables: up, and down
                pair = turn < free
                group, side = (turn, 1) if pair else (free, turn - free)
                first, end = span[group, 0], span[group, 1]
                if first == end:
                    continue
                x, top, d_x, t_x, way = first, 0.0, 0.0, 0.0, 1.0 - 2.0 * side
                if pair:
                    x = steepest(g[out], masks[out, 0, group], 1.0, first, end, value)
                    top, d_x, t_x = value[x], d_all[x], t[out, x]
                    if top == -np.inf:
                        continue
                    _row(K, eta, x % n, row)
                y = _partner(
                    row, F, out, x, d_x, t_x, s, stiff, lean, shared, stiffs, g[out], masks[out, side, group],
                    d_all, t[out], top, way, bias, first, end, quad, common, value,
                )  # fmt: skip
                if value[y] > best:
                    best, reach, c, e, j = value[y], top + way * g[out, y], out, group, y
                    i, direction = (x, 1.0) if pair else (y, way)
        # The pair's own violation bounds the largest one from below: only a small one asks for the exact test.
        if best == 0.0 or (reach <= eps and step >= least and worst(g, masks, span) <= eps):
            return step

        single, x, y = e == free, i % n, j % n
        rise = direction if single else 1.0
        other = 0.0 if single else 1.0
        t_i, t_j = t[c, i] * rise, t[c, j] * other
        slope, drift = reach, t_i - t_j
        fall = curvature[c, i] + other * curvature[c, j] + bias * drift * drift
        room = hi[c, i] - u[c, i] if rise > 0.0 else u[c, i] - lo[c, i]
        if not single:
            room = min(room, u[c, j] - lo[c, j])
        for a in range(m):
            b[a] = t_i * F[a, c, x] - t_j * F[a, c, y]
            bend[a] = diag[a, x] + other * (diag[a, y] - 2.0 * t_i * t_j * K[a, x, y])
            slope += eta[a] * b[a]
        delta = length(q, b, bend, rho, d, gamma, slope, fall, room, best / reach)
        if not (0.0 < delta < np.inf):
            return step

        _place(u[c], masks[c, :, e], lo[c], hi[c], i, rise * delta)
        if not single:
            _place(u[c], masks[c, :, e], lo[c], hi[c], j, -delta)
        sums[c] += drift * delta
        move_i, move_j = t_i * delta, t_j * delta
        for a in range(m):
            image, row_i, row_j = F[a, c], K[a, x], K[a, y]
            for k in range(n):
                image[k] += move_i * row_i[k] - move_j * row_j[k]
            q[a] += delta * (2.0 * b[a] + delta * bend[a])
    return limit
