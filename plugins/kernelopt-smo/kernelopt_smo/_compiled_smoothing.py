"""The compiled smoothing of half the largest v'K_a v, and the exact search along a line. Importing it imports numba.

    psi(q) = min over gamma >= 0 of  gamma^2 / 2 + sum_a max(0, s_a - d_a gamma)^2 / (2 rho_a),      s_a = sqrt(q_a)

is (1/2) max q for d = 1, rho = 0, and (1/2) sum q / rho for d = 0. Its minimiser is the root of an increasing, concave,
piecewise linear function of gamma: Newton's method finds it in as many passes as the active set changes.

Bach, Lanckriet and Jordan (2004), appendix C: rho_a = a_j^2, d_a = d_j, and eta_a = (1 - d_a gamma / s_a) / rho_a
where that is positive.

All numbers of the kernels stand in one matrix, shape (9, m), for what numba compiles grows with every array.
"""

import numpy as np

from kernelopt.dual.loops import ROUNDING, compiled
from kernelopt.plugin import FloatArray

NUMBERS = 9
"""How many rows the matrix of kernels has."""
Q, RHO, D, S, ETA, STIFF, LEAN, B, BEND = range(NUMBERS)
"""Rows of the matrix of kernels: q; rho and d of psi; s = sqrt(q) and the weights eta = 2 d psi / d q; the diagonal and
the direction of psi's further curvature; half the first and half the second derivative of q along a line."""
_FLAT = 0.02
"""A line search ends where the slope fell to this share of its start."""
_TRIALS = 60


@compiled
def weigh(kernels: FloatArray, gamma: float) -> float:
    """The minimiser gamma at q, from any guess; s and eta are written."""
    m = kernels.shape[1]
    for a in range(m):
        q = kernels[Q, a]
        kernels[S, a] = np.sqrt(q) if q > 0.0 else 0.0
    for _ in range(m + 3):
        total, size = 0.0, 1.0
        for a in range(m):
            s, d = kernels[S, a], kernels[D, a]
            if s > d * gamma:
                lean = d / kernels[RHO, a]
                total += lean * s
                size += lean * d
        after = total / size
        if after == gamma:
            break
        gamma = after
    for a in range(m):
        s, over = kernels[S, a], kernels[D, a] * gamma
        kernels[ETA, a] = (1.0 - over / s) / kernels[RHO, a] if s > over else 0.0
    return gamma


@compiled
def stiffness(kernels: FloatArray, gamma: float) -> float:
    """The curvature of psi in s beyond that of q at fixed eta: diag(stiff) - shared lean lean' on the active kernels.

    stiff and lean = d / rho, which are written, are 0 for the others, and all of it cancels where one kernel alone is
    active. Returns shared.
    """
    size = 1.0
    for a in range(kernels.shape[1]):
        stiff = lean = 0.0
        if kernels[ETA, a] > 0.0:
            lean = kernels[D, a] / kernels[RHO, a]
            stiff = lean * gamma / kernels[S, a]
            size += lean * kernels[D, a]
        kernels[STIFF, a], kernels[LEAN, a] = stiff, lean
    return 1.0 / size


@compiled
def length(
    kernels: FloatArray, trial: FloatArray, gamma: float, slope: float, fall: float, room: float, guess: float
) -> float:
    """The maximiser over 0 <= t <= room of  slope t - fall t^2 / 2 - psi(q + 2 b t + bend t^2), by Newton's method.

    Args:
        kernels: with q, rho, d, eta, b and bend, at t = 0.
        trial: scratch, of the same shape.
        gamma: psi's minimiser there.
        slope: of h along the line.
        fall: minus the curvature of h along the line.
        room: may be infinite; so may the answer be then.
        guess: where to begin.
    """
    m = kernels.shape[1]
    first = slope
    for a in range(m):
        trial[RHO, a], trial[D, a] = kernels[RHO, a], kernels[D, a]
        first -= kernels[ETA, a] * kernels[B, a]
    low, high, t = 0.0, room, guess if guess < room else room
    for _ in range(_TRIALS):
        if not t < np.inf:
            return t
        for a in range(m):
            trial[Q, a] = kernels[Q, a] + t * (2.0 * kernels[B, a] + t * kernels[BEND, a])
        gamma = weigh(trial, gamma)
        shared = stiffness(trial, gamma)
        rise, curve, common = slope - fall * t, fall, 0.0
        for a in range(m):
            eta = trial[ETA, a]
            if eta > 0.0:
                speed = kernels[B, a] + t * kernels[BEND, a]
                pace = speed / trial[S, a]
                rise -= eta * speed
                curve += eta * kernels[BEND, a] + trial[STIFF, a] * pace * pace
                common += trial[LEAN, a] * pace
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
            far = 4.0 * (t if t > 1e-300 else 1e-300)
            after = (far if far < room else room) if high == room and rise > 0.0 else 0.5 * (low + high)
            after = room if high == room and rise > 0.0 and room < np.inf and after > 0.5 * room else after
        if abs(after - t) <= ROUNDING * t:
            return t
        t = after
    return low if low > 0.0 else t
