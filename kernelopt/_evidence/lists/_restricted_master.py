"""The atoms in play: of families that are no lists those that have weight or were just found, as lists."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence.lists._list_likelihood import listed
from kernelopt._families._atom_subset import Active, active
from kernelopt._families._contract import KernelFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.dictionary._streamed import InPlay, Streamed, in_play
from kernelopt._families.dictionary.grams._hybrid_storage import Split
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem


@attrs.frozen(eq=False)
class Play:
    """A problem that stands for another, some of whose families lend it atoms.

    Attributes:
        problem: with a list in the place of each of those families.
        lent: which leaves they are.
    """

    problem: Problem
    lent: tuple[bool, ...]

    @classmethod
    def of(
        cls,
        problem: Problem,
        mixture: Mixture,
        ceiling: Ceiling | None = None,
        keep: tuple[type, ...] = (),
        before: "Play | None" = None,
        entering: tuple[FloatArray, ...] | None = None,
    ) -> "Play":
        """With the atoms of a mixture, and those of a ceiling, of families that are neither lists nor kept.

        Streamed lists lend theirs too, those that are entering, or exceed their price; what was held in the play before
        is not computed again.
        """
        lent = tuple(
            isinstance(leaf.family, Streamed) or not isinstance(leaf.family, (FiniteFamily, *keep))
            for leaf in problem.leaves
        )
        pairs = []
        for k, (leaf, data) in enumerate(zip(problem.leaves, problem.data, strict=True)):
            if not lent[k]:
                pairs.append((leaf, data))
                continue
            mine = mixture.parts[k].atoms
            if isinstance(leaf.family, Streamed):
                held = None if before is None else before.held(k)
                pairs.append(in_play(leaf, data, _together(mine, _dear(k, ceiling, entering)), held))
            else:
                found = None if ceiling is None else ceiling.atoms[k].atoms
                pairs.append(active(leaf, data, _together(mine, found)))
        leaves, data = tuple(leaf for leaf, _ in pairs), tuple(bound for _, bound in pairs)
        return cls(attrs.evolve(problem, leaves=leaves, data=data), lent)

    @property
    def streamed(self) -> bool:
        """Whether a list lends its atoms."""
        return any(isinstance(leaf.family, InPlay) for leaf in self.problem.leaves)

    def holds(self, entering: tuple[FloatArray, ...]) -> bool:
        """Whether all of these atoms, of each leaf, are in play."""
        pairs = zip(self.problem.leaves, self.lent, entering, strict=True)
        return all(not lent or _within(leaf.family, atoms) for leaf, lent, atoms in pairs)

    def held(self, k: int) -> Split | None:
        """What is held of a streamed list's Grams."""
        data: Split = self.problem.data[k]
        return data if isinstance(self.problem.leaves[k].family, InPlay) else None

    @property
    def complete(self) -> bool:
        """Whether every family stands for itself."""
        return not any(self.lent)

    def places(self, problem: Problem) -> IntArray:
        """Where the atoms in play stand among all atoms of a problem of lists."""
        places, start = [], 0
        for leaf, lent, whole in zip(self.problem.leaves, self.lent, problem.leaves, strict=True):
            family = listed(whole)
            m = len(family.dictionary())
            places.append(
                start + (family.index(leaf.family.atoms) if isinstance(leaf.family, Active) and lent else np.arange(m))
            )
            start += m
        return np.concatenate(places)

    def local(self, mixture: Mixture) -> Mixture:
        """A mixture of the families' own atoms in terms of the lists."""
        parts = []
        for leaf, part, lent in zip(self.problem.leaves, mixture.parts, self.lent, strict=True):
            if lent:
                assert isinstance(leaf.family, Active)
                part = Part(_places(leaf.family.atoms, part.atoms), part.weights)
            parts.append(part)
        return Mixture(tuple(parts))

    def whole(self, mixture: Mixture) -> Mixture:
        """A mixture of the lists in the families' own atoms, without those of weight 0."""
        parts = []
        for leaf, part, lent in zip(self.problem.leaves, mixture.parts, self.lent, strict=True):
            kept = part.kept()
            if lent:
                assert isinstance(leaf.family, Active)
                kept = leaf.family.lift(kept)
            parts.append(kept)
        return Mixture(tuple(parts))


def _within(family: KernelFamily, atoms: FloatArray) -> bool:
    return isinstance(family, InPlay) and {a.tobytes() for a in atoms} <= {a.tobytes() for a in family.atoms}


def _dear(k: int, ceiling: Ceiling | None, entering: tuple[FloatArray, ...] | None) -> FloatArray | None:
    """The atoms of a list that join the play."""
    if entering is not None:
        return entering[k]
    return None if ceiling is None else ceiling.atoms[k].atoms[ceiling.atoms[k].values > 0.0]


def _together(atoms: FloatArray, more: FloatArray | None) -> FloatArray:
    """The atoms of both in their order, each once."""
    atoms = atoms if more is None else np.vstack([one for one in (atoms, more) if len(one)] or [atoms])
    first = {atom.tobytes(): a for a, atom in reversed(list(enumerate(atoms)))}
    return atoms[sorted(first.values())]


def _places(listed: FloatArray, atoms: FloatArray) -> FloatArray:
    """The number of each atom (k, p) in a list, shape (k, 1)."""
    place = {atom.tobytes(): a for a, atom in enumerate(listed)}
    return np.array([[float(place[atom.tobytes()])] for atom in atoms]).reshape(-1, 1)
