"""The union as the evidence needs it: free weights, the noise, and a level."""

import attrs
import numpy as np

from kernelopt._families._leaf import Leaf
from kernelopt._families.variances._constant import Constant
from kernelopt._families.variances._delta import Delta
from kernelopt._families.variances._lacking import Lacking


def freed(leaves: tuple[Leaf, ...], width: int) -> tuple[tuple[Leaf, ...], tuple[str, ...]]:
    """These leaves with weights of any sum; the identity on samples and a constant kernel join them where they lack."""
    have = tuple(type(leaf.family) for leaf in leaves)
    added = tuple(kind for kind in (Constant, Delta) if kind not in have)
    more = tuple(Leaf(kind(), np.arange(width), total=None) for kind in added)
    names = " and ".join(kind.name for kind in added)
    notes = (f"family: {names} joined the union: the evidence learns the level and the noise",) if added else ()
    return (*(attrs.evolve(leaf, total=None) for leaf in leaves), *more), notes


def tells_rows_apart(leaf: Leaf) -> bool:
    """Whether a leaf has kernels of what rows hold: not the level, the noise, or what a row has to itself."""
    return not isinstance(leaf.family, Constant | Delta | Lacking)
