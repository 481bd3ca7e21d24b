"""A mixture of pairs in words."""

import numpy as np

from kernelopt.plugin import BoolArray, FloatArray, Part

_MOST_WORDS = 3
_DUST = 5e-4
"""A share of the weights that is an interior point's rather than the optimum's."""


def with_itself(atoms: FloatArray) -> BoolArray:
    """Which atoms (m, 2 d) are pairs of a point with itself."""
    d = atoms.shape[1] // 2
    return np.asarray((atoms[:, :d] == atoms[:, d:]).all(axis=1))


def described(part: Part) -> str:
    """How many pairs have weight, the heaviest, and how much of it is on pairs of a point with itself."""
    part = part.kept(_DUST * part.mass)
    if not len(part):
        return "no pair"
    order = np.argsort(-part.weights, kind="stable")
    heaviest = " + ".join(f"{part.weights[a]:.2g}" for a in order[:_MOST_WORDS])
    more = " + ..." if len(part) > _MOST_WORDS else ""
    share = part.weights[with_itself(part.atoms)].sum() / part.mass
    pairs = "1 pair" if len(part) == 1 else f"{len(part)} pairs"
    return f"{pairs} of points, {heaviest}{more}; {share:.0%} on pairs of a point with itself"


def nothing_learned(part: Part, kernel: str | None) -> str | None:
    """A sentence where all pairs with weight are the same atom of the family, which has that kernel."""
    if kernel is None or part.weights[with_itself(part.atoms)].sum() < (1.0 - _DUST) * part.mass:
        return None
    return (
        "hyperkernel: all weight is on pairs of a point with itself, so the kernel was not learned: the optimum is the "
        f"fixed kernel {kernel}; with a larger lambda_q pairs of different points get weight"
    )


def left_out(pivots: int, share: float, tolerance: float) -> str | None:
    """A sentence where pivots ended by their number, with the share of the trace that they leave."""
    if share == 0.0:
        return None
    return (
        f"hyperkernel: the {pivots} pivots leave out {share:.2g} of the trace of the Gram matrix of all pairs, more "
        f"than tolerance={tolerance:g} allows; the certificate is about kernels of these pivots, and more pivots may "
        "give a better kernel: raise pivots=, or raise tolerance= if this accuracy is enough"
    )
