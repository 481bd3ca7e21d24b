"""Which atoms are in play, by their numbers in each leaf's dictionary."""

from collections.abc import Iterator

import numpy as np

from kernelopt.plugin import (
    Ceiling,
    ExplicitFamily,
    FiniteFamily,
    FloatArray,
    Gram,
    IntArray,
    Leaf,
    Mixture,
    Part,
    Problem,
    Response,
)

Active = tuple[IntArray, ...]
"""The numbers of the atoms in play, sorted, for each leaf."""


def listed(leaf: Leaf) -> FloatArray:
    """All atoms of a leaf, shape (m, p)."""
    assert isinstance(leaf.family, FiniteFamily)
    return leaf.family.dictionary().atoms


def numbers(leaf: Leaf, atoms: FloatArray) -> IntArray:
    """The numbers of these atoms (k, p) in the leaf's dictionary."""
    place = {atom.tobytes(): a for a, atom in enumerate(listed(leaf))}
    return np.array([place[atom.tobytes()] for atom in atoms], dtype=np.intp)


def count(active: Active) -> int:
    """How many atoms are in play."""
    return sum(len(mine) for mine in active)


def first(problem: Problem, start: Response, ceiling: Ceiling) -> Active:
    """The oracle's best for the start, the start's own unless it is the centre, and all that have thin factors."""
    center = problem.is_center(start.mixture)
    active = []
    for leaf, part, best in zip(problem.leaves, start.mixture.parts, ceiling.atoms, strict=True):
        mine = np.concatenate([best.atoms, part.kept().atoms[: 0 if center else None]])
        whole = isinstance(leaf.family, ExplicitFamily)
        active.append(np.arange(len(listed(leaf))) if whole else np.unique(numbers(leaf, mine)))
    return tuple(active)


def grown(problem: Problem, active: Active, ceiling: Ceiling, most: int) -> Active:
    """The atoms in play and the best ones that the ceiling's dual point violates, of each leaf `most` at most."""
    V = ceiling.V
    inside = max(
        float(problem.value_of(k, listed(leaf)[mine], V).max(initial=0.0))
        for k, (leaf, mine) in enumerate(zip(problem.leaves, active, strict=True))
    )
    all_of_them = []
    for leaf, mine, best in zip(problem.leaves, active, ceiling.atoms, strict=True):
        found = numbers(leaf, best.atoms[leaf.factor * best.values > inside])
        all_of_them.append(np.union1d(mine, found[~np.isin(found, mine)][:most]))
    return tuple(all_of_them)


def weighty(problem: Problem, active: Active, mixture: Mixture, least: float) -> Active:
    """Those of the atoms in play to which the mixture gives at least this weight; all that have thin factors."""
    return tuple(
        mine if isinstance(leaf.family, ExplicitFamily) else np.unique(numbers(leaf, part.kept(least).atoms))
        for leaf, mine, part in zip(problem.leaves, active, mixture.parts, strict=True)
    )


def grams(problem: Problem, active: Active) -> Iterator[Gram]:
    """The Grams of the atoms in play, leaf by leaf, each with its leaf's factor."""
    one = np.ones(1)
    for leaf, data, mine in zip(problem.leaves, problem.data, active, strict=True):
        for atom in listed(leaf)[mine]:
            yield leaf.family.gram(Part(atom[None], one), data).scaled(leaf.factor)


def mixture_of(problem: Problem, active: Active, weights: FloatArray) -> Mixture:
    """The kernel of these weights, shape (number of atoms in play,); what rounding leaves of a weight is dropped."""
    weights = np.where(weights > np.finfo(float).eps * weights.max(), weights, 0.0)
    shares = np.split(weights / weights.sum(), np.cumsum([len(mine) for mine in active])[:-1])
    parts = zip(problem.leaves, active, shares, strict=True)
    return Mixture(tuple(Part(listed(leaf)[mine], share).kept() for leaf, mine, share in parts))
