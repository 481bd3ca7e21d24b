"""A list whose Grams are computed whenever they are looked at; the atoms in play alone are held."""

from typing import ClassVar, TypeGuard

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._atom_subset import Active
from kernelopt._families._contract import KernelFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary.grams._gram_parts import tiled_bytes
from kernelopt._families.dictionary.grams._hybrid_storage import Split
from kernelopt._linalg._gram import Dense, Gram

_SMALL = 1 << 25
"""Bytes of a list that is bound whole: the caches hold it.
Worth: `constants.py dictionary.small`."""
_HELD = 5 << 28
"""Bytes of tiles that are held from the first: reading them is quicker than computing them again.
Worth: `constants.py dictionary.held`."""


class BySums(FiniteFamily):
    """A list whose data know all sums over its Grams."""

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        images: FloatArray = data.surveyed(V, None)[0]
        return images

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        traces: FloatArray = data.surveyed(None, omega)[1]
        return traces


@attrs.frozen(eq=False)
class Streamed(BySums):
    """A dictionary that binds rows alone, and features of kernels that few span: its other Grams are computed whenever
    they are looked at.

    Attributes:
        family: prepared.
    """

    name: ClassVar[str] = "streamed"

    family: Dictionary

    def bind(self, X: FloatArray) -> Data:
        sums = self.family.sums(X)
        return sums.held() if sums.tiles.m * tiled_bytes(len(X)) <= _HELD else sums.remembering()

    def bind_once(self, X: FloatArray) -> Data:
        return self.family.passing(X)

    def bind_bytes(self, n: int, d: int) -> int:
        """With all atoms of the list, which may come into play."""
        return self.family.sums_bytes(n, d)

    def dictionary(self) -> Part:
        return self.family.dictionary()

    def gram(self, part: Part, data: Data) -> Gram:
        kept = part.kept()
        return Dense(data.only(_numbers(kept.atoms)).combined(kept.weights))

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        kept = part.kept()
        product: FloatArray = np.tensordot(kept.weights, data.only(_numbers(kept.atoms)).surveyed(V, None)[0], axes=1)
        return product

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.family.cross(part, Z, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.diag(part, X)

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        return self.family.compact(part)

    def describe(self, part: Part) -> str:
        return self.family.describe(part)

    def label(self, atom: FloatArray) -> str:
        return self.family.label(atom)


@attrs.frozen(eq=False)
class HeldList(Streamed):
    """A long list that binds features of kernels that few span, and half of each other Gram, for a solver that looks at
    all of them in every step.
    """

    name: ClassVar[str] = "held"

    def bind(self, X: FloatArray) -> Data:
        return self.family.sums(X).held()


@attrs.frozen(eq=False)
class InPlay(BySums, Active):
    """Atoms of a streamed list, their Grams held by halves or as features."""

    def gram(self, part: Part, data: Data) -> Gram:
        return Dense(data.combined(self.parameters(part)))

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        product: FloatArray = np.tensordot(self.parameters(part), data.surveyed(V, None)[0], axes=1)
        return product


def in_play(leaf: Leaf, data: Split, atoms: FloatArray, before: Split | None) -> tuple[Leaf, Split]:
    """The leaf on these atoms alone, with their Grams; what was held before is not computed again."""
    held = data.only(_numbers(atoms)).held(before)
    return attrs.evolve(leaf, family=InPlay(leaf.family, atoms), penalty=leaf.listed(atoms)), held


def _numbers(atoms: FloatArray) -> IntArray:
    """Those of atoms (k, 1) of a list."""
    return atoms[:, 0].astype(np.intp)


def streamed(leaves: tuple[Leaf, ...], n: int) -> tuple[Leaf, ...]:
    """The leaves for n rows with long lists streamed, short ones as they are."""
    return tuple(attrs.evolve(leaf, family=Streamed(leaf.family)) if _long(leaf.family, n) else leaf for leaf in leaves)


def half_held(leaves: tuple[Leaf, ...], n: int) -> tuple[Leaf, ...]:
    """The leaves for n rows with long lists as `HeldList`, other families as they are."""
    return tuple(attrs.evolve(leaf, family=HeldList(leaf.family)) if _long(leaf.family, n) else leaf for leaf in leaves)


def _long(family: KernelFamily, n: int) -> TypeGuard[Dictionary]:
    """Whether the Grams of a list on n rows are more than the caches hold."""
    return isinstance(family, Dictionary) and family.bind_bytes(n, 0) > _SMALL
