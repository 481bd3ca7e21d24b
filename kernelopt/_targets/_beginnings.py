"""Where a target that is learned by itself begins: at equal weights, and at the single kernel that suits it best."""

import math
from collections.abc import Callable

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._linalg._tridiagonal import Shifted
from kernelopt._targets._exact import Sums

_NOISES = np.geomspace(1e-4, 1e3, 15).tolist()
"""The noises that are tried, as shares of the weight of a kernel."""


def equal(m: int) -> FloatArray:
    """Half of the variance as noise, and the other half shared by m kernels, shape (1, m + 1)."""
    return np.append(np.full(m, 0.5 / m), 0.5)[None]


def best_single(sums: Sums, Z: FloatArray, outside: FloatArray, check: Callable[[], None]) -> FloatArray:
    """For each target (t, r) the most likely kernel alone, at its best size and noise, shape (t, m + 1).

    A kernel takes one tridiagonal matrix, which all targets share; `check` is called before each.
    """
    t, m = len(Z), len(sums.grams)
    best, w = np.full(t, math.inf), np.tile(equal(m), (t, 1))
    for a, gram in enumerate(sums.grams if Z.shape[1] > 1 else ()):
        check()
        shifted = Shifted.of(gram, Z.T)
        for s in _NOISES:
            value, tau = _sized(sums, shifted, outside, s)
            better = value < best
            best[better] = value[better]
            w[better] = 0.0
            w[better, a], w[better, m] = tau[better], s * tau[better]
    return w


def _sized(sums: Sums, shifted: Shifted, outside: FloatArray, s: float) -> tuple[FloatArray, FloatArray]:
    """Minus the log evidence of tau (K + s I) at the best tau, for each target, and this tau, shape (t,) each."""
    found = shifted.each(s)
    if found is None:
        return np.full(len(outside), math.inf), np.ones(len(outside))
    log_determinant, q = found
    q = q + outside / s
    tau = np.maximum(q / sums.n, sums.floor / s)
    more = sums.n - len(shifted.diagonal)
    return np.asarray(0.5 * (q / tau + sums.n * np.log(tau) + log_determinant + more * math.log(s))), tau
