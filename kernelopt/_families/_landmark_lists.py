"""Lists of which few rows span every kernel, on however many rows: explicit lists, the same to rounding."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._contract import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._landmark_choice import chosen
from kernelopt._families._landmarks import Landmarks, Spanned
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import ROW_BLOCK

MANY = 10_000
"""Up to so many rows Grams are at hand."""
_FEW = 128
"""Kernels that more features span are no thin ones, as where Grams are at hand."""
_MOST = 4000
"""Nor are lists of more features in all: products with them take longer than what is saved."""
_CANDIDATES = 4000
"""Rows among which landmarks are looked for first; rows that these do not span join them."""
_ROUNDING = 1e-9
"""Of the largest k(x, x): rows of which less is left out are spanned."""
_LOOKS = 5
"""So often at most all rows are looked at for each kernel; each look finds the worst ones, as many as were
looked among first."""


def spanned(leaf: Leaf, X: FloatArray) -> Leaf | None:
    """The leaf as an explicit list of the same kernels in the same order; None where it is none, or already is one, or
    where more than a few rows are needed for one of its kernels.

    Args:
        leaf: prepared.
        X: the training rows, shape (n, d).
    """
    if not isinstance(leaf.family, FiniteFamily) or isinstance(leaf.family, ExplicitFamily):
        return None
    rows, rng = leaf.view(X), np.random.default_rng(0)
    first = np.sort(rng.permutation(len(rows))[:_CANDIDATES])
    kernels: list[Spanned] = []
    for atom in leaf.family.dictionary().atoms:
        found = _spanned(leaf.family, Part(atom[None], np.ones(1)), rows, first, rng)
        if found is None or sum(len(one) for one in kernels) > _MOST:
            return None
        kernels.append(found)
    return attrs.evolve(leaf, family=Landmarks(tuple(kernels)))


def _spanned(
    family: FiniteFamily, part: Part, X: FloatArray, candidates: IntArray, rng: np.random.Generator
) -> Spanned | None:
    """One kernel by few rows, which span all."""
    for _ in range(_LOOKS):
        found = chosen(family, part, X[candidates], _FEW + 1, 0.0, rng)
        if len(found.places) > _FEW:
            return None
        worst = _beyond(found.kernel, X)
        if not worst.size:
            return found.kernel
        candidates = np.union1d(candidates[found.places], worst)
    return None


def _beyond(kernel: Spanned, X: FloatArray) -> IntArray:
    """The rows of X (n, d) that the landmarks do not span: the worst ones."""
    left, whole = np.empty(len(X)), np.empty(len(X))
    for i in range(0, len(X), ROW_BLOCK):
        rows = slice(i, i + ROW_BLOCK)
        whole[rows] = kernel.family.diag(kernel.part, X[rows])
        phi = kernel.features(X[rows])
        left[rows] = whole[rows] - np.einsum("ij,ij->i", phi, phi)
    order = np.argsort(-left, kind="stable")[:_CANDIDATES]
    return order[left[order] > _ROUNDING * float(whole.max())]
