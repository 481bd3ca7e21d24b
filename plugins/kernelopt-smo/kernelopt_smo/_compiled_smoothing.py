"""The compiled smoothing of half the largest v'K_a v, and the exact search along a line. Importing it imports numba.

    psi(q) = min over gamma >= 0 of  gamma^2 / 2 + sum_a max(0, s_a - d_a gamma)^2 / (2 rho_a),      s_a = sqrt(q_a)

is (1/2) max q for d = 1, rho = 0, and (1/2) sum q / rho for d = 0. Its minimiser is the root of an increasing, concave,
piecewise linear function of gamma: Newton's method finds it in as many passes as the active set changes.

Bach, Lanckriet and Jordan (2004), appendix C: rho_a = a_j^2, d_a = d_j, and eta_a = (1 - d_a gamma / s_a) / rho_a
where that is positive.
"""

import numpy as np

from kernelopt.dual.loops import ROUNDING, compiled
from kernelopt.plugin import FloatArray

_FLAT = 0.02
"""A line search ends where the slope fell to this share of its start."""
_TRIALS = 60


@compiled
def weigh(q: FloatArray, rho: FloatArray, d: FloatArray, gamma: float, s: FloatArray, eta: FloatArray) -> float:
    """The minimiser gamma, from any guess; s = sqrt(q) and the weights eta = 2 d psi / d q are written."""
    m = q.shape[0]
    for a in range(m):
        s[a] = np.sqrt(q[a]) if q[a] > 0.0 else 0.0
    for _ in range(m + 3):
        total, size = 0.0, 1.0
        for a in range(m):
            if s[a] > d[a] * gamma:
                lean = d[a] / rho[a]
                total += lean * s[a]
                size += lean * d[a]
        after = total / size
        if after == gamma:
            break
        gamma = after
    for a in range(m):
        eta[a] = (1.0 - d[a] * gamma / s[a]) / rho[a] if s[a] > d[a] * gamma else 0.0
    return gamma


@compiled
def smoothed(s: FloatArray, rho: FloatArray, d: FloatArray, gamma: float) -> float:
    """psi, from what `weigh` found."""
    value = 0.5 * gamma * gamma
    for a in range(s.shape[0]):
        over = s[a] - d[a] * gamma
        value += 0.5 * over * over / rho[a] if over > 0.0 else 0.0
    return value


@compiled
def stiffness(
    s: FloatArray, eta: FloatArray, rho: FloatArray, d: FloatArray, gamma: float, stiff: FloatArray, lean: FloatArray
) -> float:
    """The curvature of psi in s beyond that of q at fixed eta: diag(stiff) - shared lean lean' on the active kernels.

    stiff and lean = d / rho are 0 for the others, and all of it cancels where one kernel alone is active.
    """
    size = 1.0
    for a in range(s.shape[0]):
        stiff[a], lean[a] = 0.0, 0.0
        if eta[a] > 0.0:
            lean[a] = d[a] / rho[a]
            stiff[a] = lean[a] * gamma / s[a]
            size += lean[a] * d[a]
    return 1.0 / size


@compiled
def length(
    q: FloatArray, b: FloatArray, bend: FloatArray, rho: FloatArray, d: FloatArray, gamma: float,
    slope: float, fall: float, room: float, guess: float,
) -> float:  # fmt: skip
    """The maximiser over 0 <= t <= room of  slope t - fall t^2 / 2 - psi(q + 2 b t + bend t^2), by Newton's method.

    Args:
        q: at t = 0, shape (m,).
        b: half the derivative of q, shape (m,).
        bend: half the second derivative of q, shape (m,).
        rho: of psi, shape (m,).
        d: of psi, shape (m,).
        gamma: a guess of psi's minimiser.
        slope: of h along the line.
        fall: minus the curvature of h along the line.
        room: may be infinite; so may the answer be then.
        guess: where to begin.
    """
    m = q.shape[0]
    at, s, eta, stiff, lean = np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    weigh(q, rho, d, gamma, s, eta)
    first = slope
    for a in range(m):
        first -= eta[a] * b[a]
    low, high, t = 0.0, room, min(guess, room)
    for _ in range(_TRIALS):
        if not t < np.inf:
            return t
        for a in range(m):
            at[a] = q[a] + t * (2.0 * b[a] + t * bend[a])
        gamma = weigh(at, rho, d, gamma, s, eta)
        shared = stiffness(s, eta, rho, d, gamma, stiff, lean)
        rise, curve, common = slope - fall * t, fall, 0.0
        for a in range(m):
            if eta[a] > 0.0:
                speed = b[a] + t * bend[a]
                rise -= eta[a] * speed
                curve += eta[a] * bend[a] + stiff[a] * (speed / s[a]) ** 2
                common += lean[a] * speed / s[a]
        curve -= shared * common * common
        if rise > 0.0 and t >= room:
            return room
        if abs(rise) <= _FLAT * first:
            return t
        if rise > 0.0:
            low = t
        else:
            high = t
        after = t + rise / curve if curve > 0.0 else np.inf
        if not low < after < high:
            after = min(4.0 * max(t, 1e-300), room) if high == room and rise > 0.0 else 0.5 * (low + high)
            after = room if high == room and rise > 0.0 and room < np.inf and after > 0.5 * room else after
        if abs(after - t) <= ROUNDING * t:
            return t
        t = after
    return low if low > 0.0 else t
