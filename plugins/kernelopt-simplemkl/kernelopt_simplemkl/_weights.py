"""The weights of all atoms as one vector, and the gradient in them."""

import numpy as np

from kernelopt.plugin import FiniteFamily, FloatArray, Leaf, Mixture, Part, Problem

NOTHING = 1e-10
"""A smaller weight is 0: its atom has met its bound."""


def listed(leaf: Leaf) -> FloatArray:
    """All atoms of a leaf, shape (m, p)."""
    assert isinstance(leaf.family, FiniteFamily)
    return leaf.family.dictionary().atoms


def weights_of(problem: Problem, mixture: Mixture) -> FloatArray:
    """The weight of every atom of every leaf, shape (M,), of sum 1."""
    shares = []
    for leaf, part in zip(problem.leaves, mixture.parts, strict=True):
        place = {atom.tobytes(): a for a, atom in enumerate(listed(leaf))}
        share = np.zeros(len(place))
        np.add.at(share, [place[atom.tobytes()] for atom in part.atoms], part.weights)
        shares.append(share)
    w = np.concatenate(shares)
    return cleaned(w)


def cleaned(w: FloatArray) -> FloatArray:
    """The weights with those that are next to nothing at 0, of sum 1."""
    kept: FloatArray = np.where(w > NOTHING * w.max(), w, 0.0)
    return kept / float(kept.sum())


def mixture_of(problem: Problem, w: FloatArray) -> Mixture:
    """The kernel of these weights (M,)."""
    atoms = [listed(leaf) for leaf in problem.leaves]
    shares = np.split(w, np.cumsum([len(mine) for mine in atoms])[:-1])
    return Mixture(tuple(Part(mine, share).kept() for mine, share in zip(atoms, shares, strict=True)))


def gradient(problem: Problem, V: FloatArray) -> FloatArray:
    """The gradient of the saddle's value in the weights, -1/2 sum_c v_c'K_a v_c for each atom, shape (M,)."""
    slopes = []
    for leaf, data in zip(problem.leaves, problem.data, strict=True):
        assert isinstance(leaf.family, FiniteFamily)
        slopes.append(-0.5 * leaf.factor * leaf.family.values_of(data, V))
    return np.concatenate(slopes)
