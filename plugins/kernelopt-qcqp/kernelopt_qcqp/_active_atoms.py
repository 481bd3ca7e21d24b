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

_NOTHING = 1e-12
"""Where every weight is 0, the kernel is so much of each atom."""


def listed(leaf: Leaf) -> FloatArray:
    """All atoms of a leaf, shape (m, p)."""
    assert isinstance(leaf.family, FiniteFamily)
    return leaf.family.dictionary().atoms


def numbers(leaf: Leaf, atoms: FloatArray) -> IntArray:
    """The numbers of these atoms (k, p) in the leaf's dictionary."""
    assert isinstance(leaf.family, FiniteFamily)
    return leaf.family.index(atoms)


def count(active: Active) -> int:
    """How many atoms are in play."""
    return sum(len(mine) for mine in active)


def first(problem: Problem, start: Response, ceiling: Ceiling, most: int) -> Active:
    """The oracle's best for the start, the start's own unless it is the centre, and all that have thin factors."""
    center = problem.is_center(start.mixture)
    active = []
    for leaf, part, best in zip(problem.leaves, start.mixture.parts, ceiling.atoms, strict=True):
        mine = np.concatenate([best.atoms[:most], part.kept().atoms[: 0 if center else None]])
        whole = isinstance(leaf.family, ExplicitFamily)
        active.append(np.arange(len(listed(leaf))) if whole else np.unique(numbers(leaf, mine)))
    return tuple(active)


def grown(problem: Problem, active: Active, ceiling: Ceiling, mixture: Mixture, most: int) -> Active:
    """The atoms in play and the best that the ceiling's dual point violates, of each leaf `most` at most.

    A violated atom is worth more there than all those in play, net of what it costs beside the mixture.
    """
    worth = [_worth(problem, k, ceiling.V, part) for k, part in enumerate(mixture.parts)]
    most_inside = max(float(value[mine].max(initial=-np.inf)) for value, mine in zip(worth, active, strict=True))
    all_of_them = []
    for mine, value in zip(active, worth, strict=True):
        best_first = np.argsort(-value, kind="stable")
        violated = best_first[value[best_first] > most_inside]
        all_of_them.append(np.union1d(mine, violated[:most]))
    return tuple(all_of_them)


def _worth(problem: Problem, k: int, V: FloatArray, part: Part) -> FloatArray:
    """sum_c V_c'K_a V_c less twice the price's slope at a leaf's part, for every atom of the leaf, shape (m,)."""
    leaf = problem.leaves[k]
    values = leaf.values(problem.data[k], V)
    return values if leaf.penalty is None else values - 2.0 * leaf.penalty.gradient(leaf.parameters(part))


def weighty(problem: Problem, active: Active, mixture: Mixture, least: float) -> Active:
    """Those of the atoms in play that have at least this share of all weight, and all that have thin factors."""
    bar = least * mixture.mass
    return tuple(
        mine if isinstance(leaf.family, ExplicitFamily) else np.unique(numbers(leaf, part.kept(bar).atoms))
        for leaf, mine, part in zip(problem.leaves, active, mixture.parts, strict=True)
    )


def leaner(problem: Problem, before: Active, after: Active, mixture: Mixture, least: float) -> Active:
    """The atoms after a program without those that were in play before it and have less than this share of all weight.

    Args:
        problem: the problem.
        before: the atoms of the program.
        after: these and those that it lacked.
        mixture: its answer.
        least: the share.
    """
    weight = weighty(problem, before, mixture, least)
    triples = zip(before, after, weight, strict=True)
    return tuple(np.union1d(np.setdiff1d(larger, own), kept) for own, larger, kept in triples)


def grams(problem: Problem, active: Active) -> Iterator[Gram]:
    """The Grams of the atoms in play, leaf by leaf, each with its leaf's factor."""
    for leaf, data, mine in zip(problem.leaves, problem.data, active, strict=True):
        factor = np.array([leaf.factor])
        for atom in listed(leaf)[mine]:
            yield leaf.family.gram(Part(atom[None], factor), data)


def mixture_of(problem: Problem, active: Active, weights: FloatArray) -> Mixture:
    """The kernel of these weights, shape (number of atoms in play,); what rounding leaves of a weight is dropped.

    Where the weights have a total, it is theirs.
    """
    largest = float(weights.max())
    weights = np.where(weights > np.finfo(float).eps * largest, weights, 0.0) if largest else weights + _NOTHING
    if problem.total is not None:
        weights = weights * (problem.total / weights.sum())
    shares = np.split(weights, np.cumsum([len(mine) for mine in active])[:-1])
    parts = zip(problem.leaves, active, shares, strict=True)
    return Mixture(tuple(Part(listed(leaf)[mine], share).kept() for leaf, mine, share in parts))
