"""By how much rounding may move the evidence of a kernel, and with it both of its bounds."""

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._factorisation import by_features
from kernelopt._linalg._gram import Gram, LowRank

_EPS = float(np.finfo(float).eps)


def lost(gram: Gram, noise: float | FloatArray, omega: Gram, V: FloatArray) -> float:
    """By how much rounding may move 1/2 y'(K + N)^-1 y + 1/2 log det(K + N), summed over the outputs, either way.

    Errors E of K + N move the sum by c/2 tr(Omega E) - 1/2 sum_c v_c'E v_c at first order. With D^2 the diagonal of
    K + N, rounding leaves an E of about eps n^1/2 D D in the spectral norm, in the entries as in their factor. With
    twice that the bound is nine times the largest error that was seen, on 25 to 400 rows. A factor that comes from
    features feels the root of the condition number alone. It is infinite where no digit is left.

    Args:
        gram: K of n rows.
        noise: the diagonal of N, a number or shape (n,).
        omega: the inverse of K + N.
        V: Omega Y, shape (n, c).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if by_features(gram):
            found = _lost_of_features(gram, noise, V)
        else:
            felt = V.shape[1] * omega.diag() + np.einsum("ic,ic->i", V, V)
            found = _EPS * np.sqrt(gram.n) * float((gram.diag() + noise) @ felt)
    return float(np.nan_to_num(found, nan=np.inf, posinf=np.inf))


def _lost_of_features(gram: LowRank, noise: float | FloatArray, V: FloatArray) -> float:
    """The same where K + N = D (F F' + I) D, D diagonal: errors of F are about eps |F|, and the slope of the sum in F
    is at most c/2 r^1/2 for the determinant and |D v| |F'D v| for each output.
    """
    sides = np.sqrt(gram.ridge + noise) * np.ones(gram.n)
    F, W = gram.factor / sides[:, None], V * sides[:, None]
    slopes = np.linalg.norm(W, axis=0) @ np.linalg.norm(F.T @ W, axis=0)
    return float(_EPS * np.linalg.norm(F) * (0.5 * V.shape[1] * np.sqrt(F.shape[1]) + slopes))
