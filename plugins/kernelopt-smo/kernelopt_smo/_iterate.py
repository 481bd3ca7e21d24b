"""Where a stage stands: the variables in play and what follows from them."""

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_smo._active_block import Play, flat


@attrs.frozen
class Smoothing:
    """psi(q) = min over gamma of gamma^2/2 + sum_a max(0, sqrt(q_a) - d_a gamma)^2 / (2 rho_a).

    Attributes:
        rho: a_j^2 of the paper, > 0, shape (m,).
        d: d_j of the paper, >= 0, shape (m,).
    """

    rho: FloatArray
    d: FloatArray

    @classmethod
    def alike(cls, m: int, rho: float) -> "Smoothing":
        """The same rho for m kernels, with d = 1."""
        return cls(np.full(m, rho), np.ones(m))


@attrs.frozen(eq=False)
class Weighed:
    """What the smoothing makes of q.

    Attributes:
        kernels: the numbers of the kernels as the compiled loop sees them, with s and eta, shape (9, m).
        eta: the weights 2 d psi/d q, shape (m,).
        s: sqrt(q), shape (m,).
        gamma: the minimiser of which psi is the minimum.
        psi: the smoothing itself.
    """

    kernels: FloatArray
    eta: FloatArray
    s: FloatArray
    gamma: float
    psi: float


@attrs.frozen(eq=False)
class Point:
    """The variables in play, u, and every kernel's image of u_a = v + shift_a.

    Attributes:
        u: shape (C, L, k).
        sums: 1'v of each output, those out of play included, shape (C,).
        F: K_a u_a on the samples in play, shape (m, C, k).
        q: sum over outputs of u_a'K_a u_a, all samples, shape (m,).
    """

    u: FloatArray
    sums: FloatArray
    F: FloatArray
    q: FloatArray


def weighed(q: FloatArray, smoothing: Smoothing) -> Weighed:
    """The weights at q, shape (m,)."""
    # numba is imported when the first problem needs it
    from kernelopt_smo._compiled_smoothing import ETA, NUMBERS, RHO, D, Q, S, weigh

    kernels = np.zeros((NUMBERS, len(q)))
    kernels[Q], kernels[RHO], kernels[D] = q, smoothing.rho, smoothing.d
    gamma = weigh(kernels, 0.0)
    over = np.maximum(kernels[S] - smoothing.d * gamma, 0.0)
    psi = 0.5 * (gamma * gamma + float(np.sum(over * over / smoothing.rho)))
    return Weighed(kernels, kernels[ETA], kernels[S], gamma, psi)


def tabulated(play: Play, point: Point, at: Weighed) -> tuple[FloatArray, FloatArray]:
    """The variables of a point with the gradient of h - psi as the compiled loop sees them, shape (9, C, L k), and its
    scratch for samples, shape (4, k).
    """
    from kernelopt_smo._compiled_smo import CURVATURE, HI, LINEAR, LO, SAMPLES, VARIABLES, T, U, slopes

    table, samples = np.empty((VARIABLES, *flat(point.u).shape)), np.zeros((SAMPLES, len(play.rows)))
    for place, numbers in (
        (U, point.u), (LO, play.lo), (HI, play.hi), (T, play.t), (LINEAR, play.linear), (CURVATURE, play.curvature),
    ):  # fmt: skip
        table[place] = flat(numbers)
    slopes(point.F, at.kernels, table, samples, point.sums, play.bias)
    return table, samples


def gradient(play: Play, point: Point, at: Weighed) -> FloatArray:
    """Of h - psi in u, shape (C, L, k)."""
    from kernelopt_smo._compiled_smo import G

    g: FloatArray = tabulated(play, point, at)[0][G]
    return g.reshape(point.u.shape)
