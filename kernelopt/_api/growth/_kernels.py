"""Families that grow, and a kernel of them."""

import attrs
import numpy as np

from kernelopt._families._contract import KernelFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part, join

_NEW = 0.5
"""The share of new kernels, where a run begins again that has stayed. Worth: `r_tables.py`."""


@attrs.frozen(eq=False)
class Kernels:
    """Families, and a kernel of them.

    Attributes:
        leaves: the families.
        at: the kernel; None for the centre.
        known: the families that it was learned with, each a part of these; None where they are the same.
        again: whether any run that led to it had to begin with a share of new kernels.
    """

    leaves: tuple[Leaf, ...]
    at: Mixture | None = None
    known: tuple[Leaf, ...] | None = None
    again: bool = False

    def among(self, leaves: tuple[Leaf, ...]) -> "Kernels":
        """The same kernel among more of them."""
        return Kernels(leaves, self.at, self.known or self.leaves, self.again)

    @property
    def shared(self) -> Mixture | None:
        """The kernel with a share of what joined the families since; None where nothing did.

        Beside a kernel that leaves only noise no other one helps at first, so a run from there may stay where a better
        kernel is near.
        """
        if self.at is None or self.known is None:
            return None
        both = zip(self.leaves, self.known, self.at.parts, strict=True)
        parts = tuple(_shared(leaf.family, before.family, part) for leaf, before, part in both)
        return None if all(one is part for one, part in zip(parts, self.at.parts, strict=True)) else Mixture(parts)

    @classmethod
    def of(cls, members: list[tuple[KernelFamily, Part]], leaves: tuple[Leaf, ...]) -> "Kernels":
        """Families and their parts in place of those of leaves."""
        replaced = (attrs.evolve(leaf, family=family) for leaf, (family, _) in zip(leaves, members, strict=True))
        return cls(tuple(replaced), Mixture(tuple(part for _, part in members)))


def _shared(family: KernelFamily, known: KernelFamily, part: Part) -> Part:
    """The part with a share of the atoms of a family that are not among the known ones; as it is where none is new."""
    if family is known or not isinstance(family, FiniteFamily) or not isinstance(known, FiniteFamily):
        return part
    old = {atom.tobytes() for atom in known.dictionary().atoms}
    new = np.array([atom for atom in family.dictionary().atoms if atom.tobytes() not in old])
    if not len(new):
        return part
    return join(part.scaled(1.0 - _NEW), Part(new, np.full(len(new), _NEW * part.mass / len(new))))
