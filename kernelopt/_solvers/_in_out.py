"""In-out separation: where an exchange asks its oracle."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._mixture import BestAtoms, Mixture, Query
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem


def in_out(
    problem: Problem, alphas: tuple[FloatArray, ...], anchor: Ceiling, query: Query, near: Mixture | None
) -> Ceiling:
    """The oracle's answers at the master's dual point and, where that proves less than the anchor, half-way to it.

    The master's optimum jumps while atoms are missing, above all in families of many columns, and the lower bound with
    it; between two dual points the bound is at least as good as the worse of both, as a rule better than either.

    Ben-Ameur and Neto (2007).

    Args:
        problem: the saddle.
        alphas: the master's dual variables, one array for each output.
        anchor: the best lower bound so far.
        query: what the oracle is asked.
        near: atoms for a search to start from.

    Returns:
        the better of both bounds, with the atoms of both.
    """
    ceiling = problem.ceiling(problem.points(alphas), query, near)
    if ceiling.lower >= anchor.lower:
        return ceiling
    between = tuple(0.5 * (mine + best.alpha) for mine, best in zip(alphas, anchor.duals, strict=True))
    return better(ceiling, problem.ceiling(problem.points(between), query, near))


def better(first: Ceiling, second: Ceiling) -> Ceiling:
    """The one that proves more, with the atoms of both."""
    one, other = (first, second) if first.lower >= second.lower else (second, first)
    joined = tuple(_joined(mine, theirs) for mine, theirs in zip(one.atoms, other.atoms, strict=True))
    return attrs.evolve(one, atoms=joined)


def _joined(best: BestAtoms, more: BestAtoms) -> BestAtoms:
    """An answer with another's atoms behind its own."""
    return attrs.evolve(
        best, atoms=np.vstack([best.atoms, more.atoms]), values=np.concatenate([best.values, more.values])
    )
