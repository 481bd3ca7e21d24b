"""The compiled loop: sequential minimal optimisation of the smoothed saddle, for several kernels and outputs at once.

Importing this module imports numba. Variables stand in tables of shape (C, L, k): an output, a layer (a sample's
variables: one in classification, two in regression), a sample in play.
"""

import numpy as np

from kernelopt.dual.loops import LANES, ROUNDING, TINY, argmax, compiled, steepest, violation
from kernelopt.plugin import FloatArray, IntArray
from kernelopt_smo._compiled_smoothing import length, stiffness, weigh


@compiled
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
    """g = the gradient of h - psi in u, shape (C, L, k), through the scratch array f (k,)."""
    for c in range(u.shape[0]):
        blend(F, eta, c, f)
        shift = bias * sums[c]
        for layer in range(u.shape[1]):
            for i in range(u.shape[2]):
                g[c, layer, i] = (
                    linear[c, layer, i] - curvature[c, layer, i] * u[c, layer, i] - t[c, layer, i] * (f[i] + shift)
                )


@compiled
def worst(g: FloatArray, up: FloatArray, low: FloatArray, value: FloatArray, lanes: FloatArray) -> float:
    """The largest violation of optimality over the outputs."""
    most = 0.0
    for c in range(g.shape[0]):
        most = max(most, violation(g[c], up[c], low[c], value, lanes))
    return most


@compiled
def _row(K: FloatArray, eta: FloatArray, i: int, row: FloatArray) -> None:
    """Row i of sum_a eta_a K_a."""
    for k in range(row.shape[0]):
        row[k] = 0.0
    for a in range(K.shape[0]):
        if eta[a] > 0.0:
            part, weight = K[a, i], eta[a]
            for k in range(row.shape[0]):
                row[k] += weight * part[k]


@compiled
def _partner(
    row: FloatArray, F: FloatArray, c: int, i: int, s: FloatArray,
    stiff: FloatArray, lean: FloatArray, shared: float, stiffs: int,
    g: FloatArray, low: FloatArray, d: FloatArray, t: FloatArray, top: float, d_i: float, t_i: float, bias: float,
    quad: FloatArray, common: FloatArray, value: FloatArray, lanes: FloatArray,
) -> int:  # fmt: skip
    """The best partner among those that can fall: argmax of reach^2 / curvature, that of the smoothing included.

    Second-order working set selection: Fan, Chen and Lin (2005), WSS 2.
    """
    n = g.shape[0]
    for k in range(n):
        quad[k] = d_i + d[k] - 2.0 * t_i * t[k] * (row[k] + bias)
        common[k] = 0.0
    if stiffs > 1:
        for a in range(F.shape[0]):
            if stiff[a] > 0.0:
                image, over, weight, slant = F[a, c], 1.0 / s[a], stiff[a], lean[a]
                first = t_i * image[i]
                for k in range(n):
                    x = (first - t[k] * image[k]) * over
                    quad[k] += weight * x * x
                    common[k] += slant * x
        for k in range(n):
            quad[k] -= shared * common[k] * common[k]
    for k in range(n):
        reach = top - g[k] + low[k]
        reach = reach if reach > 0.0 else 0.0
        floor = ROUNDING * (d_i + d[k])
        q = quad[k] if quad[k] > floor else floor
        q = q if q > TINY else TINY
        value[k] = reach * reach / q
    return argmax(value, lanes)


@compiled
def _single(
    F: FloatArray, c: int, s: FloatArray, stiff: FloatArray, lean: FloatArray, shared: float, stiffs: int,
    g: FloatArray, mask: FloatArray, d: FloatArray, sign: float,
    quad: FloatArray, common: FloatArray, value: FloatArray, lanes: FloatArray,
) -> int:  # fmt: skip
    """Argmax of the ascent of a step of one variable, up (sign 1) or down (sign -1)."""
    n = g.shape[0]
    for k in range(n):
        quad[k] = d[k]
        common[k] = 0.0
    if stiffs > 1:
        for a in range(F.shape[0]):
            if stiff[a] > 0.0:
                image, over, weight, slant = F[a, c], 1.0 / s[a], stiff[a], lean[a]
                for k in range(n):
                    x = image[k] * over
                    quad[k] += weight * x * x
                    common[k] += slant * x
        for k in range(n):
            quad[k] -= shared * common[k] * common[k]
    for k in range(n):
        reach = sign * g[k] + mask[k]
        reach = reach if reach > 0.0 else 0.0
        q = max(quad[k], ROUNDING * d[k], TINY)
        value[k] = reach * reach / q
    return argmax(value, lanes)


@compiled
def _mark(up: FloatArray, low: FloatArray, u: float, lo: float, hi: float, layer: int, i: int) -> None:
    """Set the masks of one variable of the group after its step."""
    up[layer, i] = 0.0 if u < hi else -np.inf
    low[layer, i] = 0.0 if u > lo else -np.inf


@compiled
def ascend(
    K: FloatArray, diag: FloatArray, F: FloatArray, q: FloatArray, u: FloatArray, sums: FloatArray,
    lo: FloatArray, hi: FloatArray, t: FloatArray, linear: FloatArray, curvature: FloatArray,
    up: FloatArray, low: FloatArray, has: IntArray, bias: float,
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
        u: variables times their coefficients, shape (C, L, k).
        sums: 1'v of each output, shape (C,).
        lo: lower ends of the box of u.
        hi: upper ends of the box of u.
        t: sign of u in v, +-1.
        linear: of h, in u.
        curvature: of h, in u.
        up: 0 where the variable is of this group and can rise, else -inf, shape (C, groups, L, k).
        low: the same for those that can fall.
        has: 1 where the layer has variables of this group, shape (groups, L).
        bias: added to every entry of the whole kernel.
        rho: of psi, shape (m,).
        d: of psi, shape (m,).
        eps: the violation at which to stop.
        least: the fewest steps, unless nothing is left to gain.
        limit: the most steps.
    """
    m, outputs, n = F.shape
    layers, groups = u.shape[1], up.shape[1]
    free = groups - 1
    s, eta, stiff, lean = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    b, bend = np.empty(m), np.empty(m)
    f, row, quad, common, value = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    lanes = np.empty(LANES)
    g, whole = np.empty((outputs, layers, n)), np.empty(n)
    d_all = np.empty((layers, n))
    gamma = 0.0
    for step in range(limit):
        gamma = weigh(q, rho, d, gamma, s, eta)
        shared = stiffness(s, eta, rho, d, gamma, stiff, lean)
        slopes(F, eta, u, t, linear, curvature, bias, sums, f, g)
        for k in range(n):
            whole[k] = bias
        stiffs = 0
        for a in range(m):
            if eta[a] > 0.0:
                stiffs += 1
                part, weight = diag[a], eta[a]
                for k in range(n):
                    whole[k] += weight * part[k]

        best, reach = 0.0, 0.0
        c, e, x, i, y, j, single, direction = 0, 0, 0, 0, 0, 0, False, 1.0
        for out in range(outputs):
            for layer in range(layers):
                for k in range(n):
                    d_all[layer, k] = whole[k] + curvature[out, layer, k]
            for group in range(free):
                top, x_e, i_e = -np.inf, 0, 0
                for layer in range(layers):
                    if has[group, layer]:
                        k = steepest(g[out, layer], up[out, group, layer], 1.0, value, lanes)
                        if value[k] > top:
                            top, x_e, i_e = value[k], layer, k
                if top == -np.inf:
                    continue
                _row(K, eta, i_e, row)
                for layer in range(layers):
                    if has[group, layer]:
                        k = _partner(
                            row, F, out, i_e, s, stiff, lean, shared, stiffs, g[out, layer], low[out, group, layer],
                            d_all[layer], t[out, layer], top, d_all[x_e, i_e], t[out, x_e, i_e], bias,
                            quad, common, value, lanes,
                        )  # fmt: skip
                        if value[k] > best:
                            best, reach, single = value[k], top - g[out, layer, k], False
                            c, e, x, i, y, j = out, group, x_e, i_e, layer, k
            for layer in range(layers):
                if has[free, layer]:
                    for sign in (1.0, -1.0):
                        mask = up[out, free, layer] if sign > 0.0 else low[out, free, layer]
                        k = _single(
                            F, out, s, stiff, lean, shared, stiffs, g[out, layer], mask, d_all[layer], sign,
                            quad, common, value, lanes,
                        )  # fmt: skip
                        if value[k] > best:
                            best, reach, single = value[k], sign * g[out, layer, k], True
                            c, e, x, i, direction = out, free, layer, k, sign
        # The pair's own violation bounds the largest one from below: only a small one asks for the exact test.
        if best == 0.0 or (reach <= eps and step >= least and worst(g, up, low, value, lanes) <= eps):
            return step

        t_i = t[c, x, i] * (direction if single else 1.0)
        t_j = 0.0 if single else t[c, y, j]
        slope, drift = reach, t_i - t_j
        fall = curvature[c, x, i] + bias * drift * drift
        if single:
            room = hi[c, x, i] - u[c, x, i] if direction > 0.0 else u[c, x, i] - lo[c, x, i]
        else:
            fall += curvature[c, y, j]
            room = min(hi[c, x, i] - u[c, x, i], u[c, y, j] - lo[c, y, j])
        for a in range(m):
            b[a] = t_i * F[a, c, i]
            bend[a] = diag[a, i]
            if not single:
                b[a] -= t_j * F[a, c, j]
                bend[a] += diag[a, j] - 2.0 * t_i * t_j * K[a, i, j]
            slope += eta[a] * b[a]
        delta = length(q, b, bend, rho, d, gamma, slope, fall, room, best / reach)
        if not (0.0 < delta < np.inf):
            return step

        if single:
            moved = min(max(u[c, x, i] + direction * delta, lo[c, x, i]), hi[c, x, i])
            if delta == room:
                moved = hi[c, x, i] if direction > 0.0 else lo[c, x, i]
            u[c, x, i] = moved
        else:
            rise_room, fall_room = hi[c, x, i] - u[c, x, i], u[c, y, j] - lo[c, y, j]
            u[c, x, i] = hi[c, x, i] if delta == rise_room else min(u[c, x, i] + delta, hi[c, x, i])
            u[c, y, j] = lo[c, y, j] if delta == fall_room else max(u[c, y, j] - delta, lo[c, y, j])
            _mark(up[c, e], low[c, e], u[c, y, j], lo[c, y, j], hi[c, y, j], y, j)
        _mark(up[c, e], low[c, e], u[c, x, i], lo[c, x, i], hi[c, x, i], x, i)
        sums[c] += drift * delta
        move_i, move_j = t_i * delta, t_j * delta
        for a in range(m):
            image, row_i, row_j = F[a, c], K[a, i], K[a, j]
            if single:
                for k in range(n):
                    image[k] += move_i * row_i[k]
            else:
                for k in range(n):
                    image[k] += move_i * row_i[k] - move_j * row_j[k]
            q[a] += delta * (2.0 * b[a] + delta * bend[a])
    return limit
