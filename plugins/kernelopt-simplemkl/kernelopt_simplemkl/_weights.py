"""The weights of all atoms as one vector, and the gradient in them."""

import numpy as np

from kernelopt.plugin import FiniteFamily, FloatArray, Leaf, Mixture, Part, Problem

NOTHING = 1e-10
"""A weight that is smaller than this share of the largest is 0: its atom has met its bound."""


def listed(leaf: Leaf) -> FloatArray:
    """All atoms of a leaf, shape (m, p)."""
    assert isinstance(leaf.family, FiniteFamily)
    return leaf.family.dictionary().atoms


def weights_of(problem: Problem, mixture: Mixture) -> FloatArray:
    """The weight of every atom of every leaf, shape (M,)."""
    pairs = zip(problem.leaves, mixture.parts, strict=True)
    return cleaned(np.concatenate([leaf.parameters(part) for leaf, part in pairs]))


def cleaned(w: FloatArray) -> FloatArray:
    """The weights with those that are next to nothing at 0, and the sum that they had."""
    kept: FloatArray = np.where(w > NOTHING * w.max(), w, 0.0)
    return kept * float(w.sum() / kept.sum())


def by_leaf(problem: Problem, w: FloatArray) -> list[FloatArray]:
    """The weights (M,) of each leaf's list."""
    return np.split(w, np.cumsum([len(listed(leaf)) for leaf in problem.leaves])[:-1])


def mixture_of(problem: Problem, w: FloatArray) -> Mixture:
    """The kernel of these weights (M,)."""
    pairs = zip(problem.leaves, by_leaf(problem, w), strict=True)
    return Mixture(tuple(Part(listed(leaf), share).kept() for leaf, share in pairs))


def price_gradient(problem: Problem, w: FloatArray) -> FloatArray:
    """The gradient of what the kernels cost, shape (M,)."""
    pairs = zip(problem.leaves, by_leaf(problem, w), strict=True)
    return np.concatenate([0.0 * mine if leaf.penalty is None else leaf.penalty.gradient(mine) for leaf, mine in pairs])


def gradient(problem: Problem, w: FloatArray, V: FloatArray) -> FloatArray:
    """The gradient of the saddle's value in the weights: -1/2 sum_c v_c'K_a v_c and the price's, shape (M,)."""
    pairs = zip(problem.leaves, problem.data, strict=True)
    return price_gradient(problem, w) - 0.5 * np.concatenate([leaf.values(data, V) for leaf, data in pairs])
