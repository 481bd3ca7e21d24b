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
    """The oracle's answers at the master's dual point and, if the anchor's bound is better, half-way to the anchor.

    As long as atoms are missing, the optimum of the master jumps from step to step, above all in families of many
    columns, and the lower bound jumps with it. Between two dual points the bound is at least as good as the worse of
    both bounds, and in most cases it is better than both.

    Ben-Ameur and Neto (2007).

    Args:
        problem: the saddle.
        alphas: the dual variables of the master, one array for each output.
        anchor: the best lower bound so far.
        query: the question to the oracle.
        near: atoms at which a search starts.

    Returns:
        the better of the two bounds, with the atoms of both.
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
