"""The proximal point method around the stages: the smoothing's centre follows the answer, so that rho need not vanish.

    maximise over alpha   h - psi(q),    q_a = |Phi_a'v + rho w_a|^2          is the dual of
    minimise over w       1/2 (sum_a |w_a|)^2 + rho/2 sum_a |w_a - centre_a|^2 + loss

whose answer w_a = eta_a (Phi_a'v + rho centre_a) is the next centre. With centre 0 it is problem (R) of Bach, Lanckriet
and Jordan (2004); the iteration is Rockafellar's (1976).
"""

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_smo._active_block import Play
from kernelopt_smo._iterate import Point, Smoothing, weighed


@attrs.frozen(eq=False)
class Centre:
    """centre_a = Phi_a'c_a for each kernel in play, and v beside it; sums over outputs and over all samples.

    Attributes:
        P: K_a c_a on the samples in play, shape (m, C, k).
        own: c_a'K_a c_a, shape (m,).
        cross: v'K_a c_a, shape (m,).
        plain: v'K_a v, shape (m,).
        G: K_a v on the samples in play, shape (m, C, k).
    """

    P: FloatArray
    own: FloatArray
    cross: FloatArray
    plain: FloatArray
    G: FloatArray

    @classmethod
    def along(cls, weights: FloatArray, plain: FloatArray, G: FloatArray) -> "Centre":
        """c_a = weights_a v."""
        return cls(weights[:, None, None] * G, weights**2 * plain, weights * plain, plain, G)

    def point(self, u: FloatArray, sums: FloatArray, rho: float) -> Point:
        """Where the next stage begins: v as it is."""
        return Point(u, sums, self.G + rho * self.P, self.plain + rho * (2.0 * self.cross + rho * self.own))


@attrs.frozen(eq=False)
class Reached:
    """What a stage reached.

    Attributes:
        centre: the next one.
        weights: of the kernels in play, shape (m,), summing to 1.
        gap: of the primal point w and the dual point v, on what is in play.
        mean: v'Kv of the mixture with these weights.
    """

    centre: Centre
    weights: FloatArray
    gap: float
    mean: float


def reached(play: Play, centre: Centre, before: Point, after: Point, rho: float) -> Reached:
    """The answer of a stage that went from one point to the other.

    gap = 1/2 max_a v'K_a v - psi + rho/2 sum |centre_a|^2 - rho/2 sum |w_a - centre_a|^2, as exact as the stage is.
    """
    dv = play.embed(after.u) - play.embed(before.u)
    cross = centre.cross + np.einsum("mck,ck->m", centre.P, dv)
    plain = after.q - rho * (2.0 * cross + rho * centre.own)
    at = weighed(after.q, Smoothing.alike(len(after.q), rho))
    eta = at.eta
    moved = eta * eta * after.q - 2.0 * eta * (cross + rho * centre.own) + centre.own
    gap = 0.5 * float(plain.max()) - at.psi + 0.5 * rho * float((centre.own - moved).sum())
    following = Centre(
        P=eta[:, None, None] * after.F,
        own=eta * eta * after.q,
        cross=eta * (plain + rho * cross),
        plain=plain,
        G=after.F - rho * centre.P,
    )
    length = eta * at.s
    total = float(length.sum())
    weights = length / total if total > 0.0 else np.full(len(eta), 1.0 / len(eta))
    return Reached(following, weights, gap, float(weights @ plain))
