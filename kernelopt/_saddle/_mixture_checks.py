"""Whether a mixture from elsewhere is a kernel of the problem's families: no bound would be true of another."""

import numpy as np

from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._saddle._problem import Problem

_ROUNDED = 1e-9
"""By this share the weights' sum may be off."""


def fault_of(mixture: Mixture, problem: Problem) -> str | None:
    """What is wrong with it, in a sentence without a full stop; None where nothing is."""
    center = problem.center()
    if len(mixture.parts) != len(center.parts):
        names = ", ".join(leaf.family.name for leaf in problem.leaves)
        return f"the mixture has {len(mixture.parts)} parts, wanted {len(center.parts)}, one for each family: {names}"
    for leaf, part, like in zip(problem.leaves, mixture.parts, center.parts, strict=True):
        fault = _part(leaf, part, like)
        if fault is not None:
            return fault
    total = problem.total
    if total is not None and not abs(mixture.mass - total) <= _ROUNDED * total:
        return f"the mixture's weights sum to {mixture.mass:.9g}, wanted {total:g}"
    return None


def _part(leaf: Leaf, part: Part, like: Part) -> str | None:
    """What is wrong with one family's share; `like` is the centre's."""
    name = leaf.family.name
    atoms, weights = np.asarray(part.atoms), np.asarray(part.weights)
    if weights.ndim != 1 or atoms.ndim != 2 or len(atoms) != len(weights):
        return (
            f"the mixture's part for {name} has atoms of shape {atoms.shape} and weights of shape {weights.shape}, "
            "wanted (m, p) and (m,)"
        )
    if not len(part):
        return None
    if atoms.shape[1] != like.atoms.shape[1]:
        return f"the mixture's atoms for {name} have {atoms.shape[1]} numbers each, wanted {like.atoms.shape[1]}"
    if not (np.isfinite(weights).all() and np.isfinite(atoms).all()):
        return f"the mixture's atoms and weights for {name} must be finite numbers"
    if (weights < 0.0).any():
        return f"the mixture's weights for {name} must be >= 0, got {weights.min():.6g}"
    stranger = leaf.family.stranger(atoms)
    if stranger is not None:
        return f"the mixture is not of the family {name}: {stranger}"
    return None
