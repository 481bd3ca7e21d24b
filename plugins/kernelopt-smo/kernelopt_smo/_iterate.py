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
    """What the smoothing makes of q: the weights eta = 2 d psi/d q, s = sqrt(q), gamma, and psi itself."""

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

    def copy(self) -> "Point":
        """A point whose arrays may be written to."""
        return Point(self.u.copy(), self.sums.copy(), self.F.copy(), self.q.copy())


def weighed(q: FloatArray, smoothing: Smoothing) -> Weighed:
    """The weights at q, shape (m,)."""
    from kernelopt_smo._compiled_smoothing import smoothed, weigh  # numba is imported when the first problem needs it

    s, eta = np.empty(len(q)), np.empty(len(q))
    gamma = weigh(q, smoothing.rho, smoothing.d, 0.0, s, eta)
    return Weighed(eta, s, gamma, smoothed(s, smoothing.rho, smoothing.d, gamma))


def gradient(play: Play, point: Point, eta: FloatArray) -> FloatArray:
    """Of h - psi in u, shape (C, L, k)."""
    from kernelopt_smo._compiled_smo import slopes

    g = np.empty(point.u.shape)
    f = np.empty(point.F.shape[2])
    u, t, linear, curvature = (flat(each) for each in (point.u, play.t, play.linear, play.curvature))
    slopes(point.F, eta, u, t, linear, curvature, play.bias, point.sums, f, flat(g))
    return g
