"""A step of the interior point in every variable, and what the linear system leaves out of it."""

import attrs

from kernelopt._base._typing import FloatArray


@attrs.frozen(eq=False)
class Direction:
    """A step in every variable of a `Point`."""

    alpha: FloatArray
    b: FloatArray
    tau: float
    S: tuple[FloatArray, ...]
    z: FloatArray
    u: FloatArray
    Z: tuple[FloatArray, ...]


@attrs.frozen(eq=False)
class Correction:
    """What the linearisation left out: products of the predictor's steps, zeros in the predictor itself.

    Attributes:
        z, u, S: of the complementarity equations, as Mehrotra's corrector has them.
        f: K(dS) dv, of stationarity: the saddle is bilinear in kernel and alpha.
        D: the matrices of v' K v at dv, of the parameters' slacks: they are quadratic in alpha.
    """

    z: FloatArray
    u: FloatArray
    S: tuple[FloatArray, ...]
    f: FloatArray
    D: tuple[FloatArray, ...]
