"""The features of all atoms of an explicit list, atom by atom, with the leaf's factor."""

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf


def columns_of(leaf: Leaf, X: FloatArray) -> tuple[FloatArray, IntArray]:
    """The features (n, r) of all atoms of a leaf, and their atoms (r,), ascending."""
    assert isinstance(leaf.family, ExplicitFamily)
    assert isinstance(leaf.family, FiniteFamily)
    columns, owner = leaf.family.columns(leaf.family.dictionary().atoms, leaf.view(X))
    if (np.diff(owner) < 0).any():
        order = np.argsort(owner, kind="stable")
        columns, owner = columns[:, order], owner[order]
    return columns if leaf.factor == 1.0 else columns * np.sqrt(leaf.factor), owner


def image_of(leaf: Leaf, X: FloatArray, B: FloatArray) -> FloatArray:
    """The features of all atoms of a leaf at rows X times B (r, c), whose rows stand atom by atom, shape (n, c)."""
    assert isinstance(leaf.family, ExplicitFamily)
    assert isinstance(leaf.family, FiniteFamily)
    atoms = leaf.family.dictionary().atoms
    order = np.argsort(leaf.family.columns(atoms, leaf.view(X[:1]))[1], kind="stable")
    own = np.empty_like(B)
    own[order] = B
    return np.asarray(leaf.family.image(atoms, leaf.view(X), own) * np.sqrt(leaf.factor))
