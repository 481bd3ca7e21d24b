"""The Grams of a few atoms, held where they take little memory."""

import numpy as np
from scipy.linalg import blas

from kernelopt._base._typing import Data, FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import Dense, Gram

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


def mixed(grams: tuple[Gram, ...], weights: FloatArray) -> Gram:
    """sum over a of weights_a K_a, weights (k,) >= 0, an array of its own: what is held is only read."""
    n = grams[0].n
    total = np.zeros(n * n)
    for gram, weight in zip(grams, weights.tolist(), strict=True):
        if weight != 0.0:
            matrix = gram.matrix if isinstance(gram, Dense) else gram.dense()
            blas.daxpy(np.ascontiguousarray(matrix).reshape(-1), total, a=weight)  # one pass
    return Dense(total.reshape(n, n))
