"""A master problem that foresees where the oracle's best atoms move with the dual variables."""

import attrs
import numpy as np

from kernelopt.interior import Block, on_tangents
from kernelopt.plugin import (
    BestAtoms,
    Ceiling,
    CurvedFamily,
    Data,
    FloatArray,
    Leaf,
    Mixture,
    Part,
    Problem,
    Query,
    adaptable,
    in_out,
)
from kernelopt_fw._state import CorrectiveState
from kernelopt_fw._tangents import Tangents
from kernelopt_fw._working_set import WorkingSet, listed

_HIGH = 0.5
"""A local maximum that is lower than this share of the highest one does not matter to the next dual variables.
Worth: `constants.py fw.high`."""
_CALM, _WILD = 1.0, 256.0
_CALMER, _WILDER = 1.0 / 3.0, 4.0


def curved(problem: Problem) -> bool:
    """Whether some best atoms can be foreseen: those of families with second derivatives, for a single output."""
    single = len(problem.outputs) == 1 and all(leaf.penalty is None for leaf in problem.leaves)
    return single and any(isinstance(leaf.family, CurvedFamily) for leaf in problem.leaves)


def damped(damping: float, *, rose: bool) -> float:
    """The next master's damping, after one that raised the lower bound, or did not."""
    return max(_CALM, _CALMER * damping) if rose else min(_WILD, _WILDER * damping)


def asked(
    problem: Problem, alphas: tuple[FloatArray, ...], anchor: Ceiling, query: Query, near: Mixture
) -> tuple[Ceiling, ...]:
    """The oracle's answers at the master's dual point and, where atoms can move and it proves less than the anchor,
    half-way to that one; the better one first.

    Of a curved problem the atoms of each are the local maxima at its own point, unlike those of `in_out`.
    """
    if not adaptable(problem, matrices=False):
        return (problem.ceiling(problem.points(alphas), query, near),)
    if not curved(problem):
        return (in_out(problem, alphas, anchor, query, near),)
    first = problem.ceiling(problem.points(alphas), query, near)
    if first.lower >= anchor.lower:
        return (first,)
    between = tuple(0.5 * (mine + best.alpha) for mine, best in zip(alphas, anchor.duals, strict=True))
    second = problem.ceiling(problem.points(between), query, near)
    return (first, second) if first.lower >= second.lower else (second, first)


@attrs.frozen(eq=False)
class Foreseen:
    """One leaf's share of such a master.

    Attributes:
        leaf: the leaf.
        block: weights on atoms, the first of which stand for all atoms near them; any block of another family.
        atoms: shape (k, p).
        tangents: of the first atoms; None where the family has none.
    """

    leaf: Leaf
    block: Block
    atoms: FloatArray
    tangents: Tangents | None

    def part(self, weights: FloatArray, v: FloatArray) -> Part:
        """The part with these weights, its atoms moved to where they are best at v (n,)."""
        return self.block.part(weights) if self.tangents is None else Part(self.moved(v), weights)

    def working(self, part: Part, S: FloatArray) -> WorkingSet:
        """What is remembered of this part and the parameters S that it stands for."""
        return WorkingSet(self.atoms if self.tangents is None else part.atoms, S)

    def moved(self, v: FloatArray) -> FloatArray:
        """The atoms at v, within their bounds."""
        if self.tangents is None:
            return self.atoms
        assert isinstance(self.leaf.family, CurvedFamily)
        moved = np.clip(self.tangents.moved(v), *self.leaf.family.atom_bounds())
        return np.vstack([moved, self.atoms[len(moved) :]])


def foreseen(state: CorrectiveState) -> tuple[Foreseen, ...]:
    """Each leaf's share: the local maxima at the best dual point so far, with their tangents, and the atoms known."""
    few, anchor = state.held.problem, state.anchor
    v = few.outputs[0].embed(state.held.taken(anchor.duals)[0])
    triples = zip(few.leaves, few.data, state.working, anchor.atoms, strict=True)
    top = _HIGH * float(anchor.values.max())
    return tuple(_share(leaf, data, known, best, top, v, state.damping) for leaf, data, known, best in triples)


def _share(
    leaf: Leaf, data: Data, known: WorkingSet, best: BestAtoms, top: float, v: FloatArray, damping: float
) -> Foreseen:
    """One leaf's share, of local maxima whose value times the leaf's factor is at least `top`."""
    if not isinstance(leaf.family, CurvedFamily):
        return Foreseen(leaf, known.block(leaf, data), known.atoms, None)
    high = leaf.factor * best.values >= top
    tangents = Tangents.at(leaf.family, data, best.atoms[high], best.values[high], v)
    atoms = listed(tangents.atoms, known.atoms)
    return Foreseen(leaf, on_tangents(leaf, data, atoms, tangents.damped(damping)), atoms, tangents)
