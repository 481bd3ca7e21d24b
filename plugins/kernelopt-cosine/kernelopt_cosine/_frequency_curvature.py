"""Second derivatives of a cosine's kernel in its frequency."""

import numpy as np

from kernelopt.plugin import Bend, FloatArray
from kernelopt_cosine._frequency_penalty import Decay


def bent(frequency: FloatArray, x: FloatArray, v: FloatArray, decay: Decay) -> Bend:
    """The derivatives of K v and v'K v in gamma, K_ij = G(gamma) cos(gamma'(x_i - x_j)).

    With c = sum_i v_i cos(gamma'x_i), s = sum_i v_i sin(gamma'x_i) and slope = -grad log G,

        K v   = G (c cos(Xgamma) + s sin(Xgamma)),
        v'K v = G P,   P = c^2 + s^2,
        P''   = 2 (c'c'^T + s's'^T) - 2 sum_i v_i (c cos(gamma'x_i) + s sin(gamma'x_i)) x_i x_i'   (c', s' gradients).

    Where the norm "l1" has a kink, in entries of gamma that are 0, a frequency does not move.

    Args:
        frequency: gamma, shape (d,).
        x: rows, shape (n, d).
        v: shape (n,).
        decay: G.
    """
    phase = x @ frequency
    cos, sin = np.cos(phase), np.sin(phase)
    G = float(decay.of(frequency[None])[0])
    slope = 2.0 * decay.slope(frequency[None])[0]
    c, s = float(v @ cos), float(v @ sin)
    c1, s1 = -((v * sin) @ x), (v * cos) @ x
    P, P1 = c * c + s * s, 2.0 * (c * c1 + s * s1)
    weight = v * (c * cos + s * sin)
    some = weight != 0.0
    P2 = 2.0 * (np.outer(c1, c1) + np.outer(s1, s1) - (x[some] * weight[some, None]).T @ x[some])
    cross = np.outer(slope, P1)
    hessian = G * (P2 - cross - cross.T + P * (np.outer(slope, slope) - 2.0 * decay.bend(frequency)))
    turn = (s * cos - c * sin)[:, None] * x
    turn += np.outer(cos, c1) + np.outer(sin, s1) - np.outer(c * cos + s * sin, slope)
    turn *= G
    if decay.norm == "l1":
        fixed = frequency == 0.0
        turn[:, fixed] = 0.0
        hessian[fixed] = hessian[:, fixed] = 0.0
        hessian[fixed, fixed] = -2.0 * decay.beta * G * P
    return Bend(turn, hessian)
