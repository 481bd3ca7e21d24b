"""The Grams of a few atoms, held where they take little memory."""

import numpy as np

from kernelopt._base._typing import Data, FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import Gram

HELD = 1 << 26
"""So many bytes of Grams at most. Worth: `sparse_rows.py --family gaussian --solver fw`."""


def held(family: KernelFamily, data: Data, atoms: FloatArray) -> tuple[Gram, ...] | None:
    """The Gram of each atom (k, p) on bound rows, None where they take much memory."""
    one = np.ones(1)
    grams: list[Gram] = []
    for atom in atoms:
        grams.append(family.gram(Part(atom[None], one), data))
        if 8 * grams[0].n ** 2 * len(atoms) > HELD:
            return None
    return tuple(grams)
