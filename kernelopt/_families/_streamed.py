"""A list whose Grams are computed whenever they are looked at; the atoms in play alone are held."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._active import Active
from kernelopt._families._dictionary import Dictionary
from kernelopt._families._tiles import Computed, Held
from kernelopt._family import KernelFamily
from kernelopt._finite import FiniteFamily
from kernelopt._gram import Dense, Gram
from kernelopt._leaf import Leaf
from kernelopt._mixture import Part
from kernelopt._typing import Data, FloatArray

_SMALL = 1 << 25
"""Bytes of a list that is bound whole: the caches hold it."""


class ByTiles(FiniteFamily):
    """A list whose data are tiles, which know all sums over its Grams."""

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        images: FloatArray = data.images(V)
        return images

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        values: FloatArray = data.worth(V, None)[0]
        return values

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        traces: FloatArray = data.worth(None, omega)[1]
        return traces


@attrs.frozen(eq=False)
class Streamed(ByTiles):
    """A dictionary that binds rows alone: a look at all of its Grams costs their computation, and no memory.

    Attributes:
        family: prepared.
    """

    name: ClassVar[str] = "streamed"

    family: Dictionary

    def bind(self, X: FloatArray) -> Data:
        return self.family.tiles(X, range(len(self.family.listed)))

    def bind_bytes(self, n: int, d: int) -> int:
        """Those of the list: all of its atoms may come into play."""
        return self.family.bind_bytes(n, d)

    def dictionary(self) -> Part:
        return self.family.dictionary()

    def gram(self, part: Part, data: Data) -> Gram:
        kept = part.kept()
        return Dense(_of(data, kept.atoms).combined(kept.weights))

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        kept = part.kept()
        product: FloatArray = np.tensordot(kept.weights, _of(data, kept.atoms).images(V), axes=1)
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
class InPlay(ByTiles, Active):
    """Atoms of a streamed list, their Grams held by halves."""

    def gram(self, part: Part, data: Data) -> Gram:
        return Dense(data.combined(self.parameters(part)))

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        product: FloatArray = np.tensordot(self.parameters(part), data.images(V), axes=1)
        return product


def in_play(leaf: Leaf, data: Computed, atoms: FloatArray, before: tuple[InPlay, Held] | None) -> tuple[Leaf, Held]:
    """The leaf on these atoms alone, with their Grams; what was held before is not computed again."""
    numbers = atoms[:, 0].astype(int).tolist()
    old = [] if before is None else before[0].atoms[:, 0].astype(int).tolist()
    fresh = [number for number in numbers if number not in old]
    place = {number: a for a, number in enumerate([*old, *fresh])}
    held = Held.of(_of(data, np.array(fresh, dtype=float)[:, None]))
    if before is not None:
        held = before[1].joined(held, np.array([place[number] for number in numbers], dtype=np.intp))
    return attrs.evolve(leaf, family=InPlay(leaf.family, atoms), penalty=leaf.listed(atoms)), held


def _of(data: Computed, atoms: FloatArray) -> Computed:
    """The tiles of these atoms (k, 1)."""
    numbers = tuple(atoms[:, 0].astype(int).tolist())
    return attrs.evolve(data, blocks=data.blocks.only(numbers), numbers=numbers)


def streamed(leaves: tuple[Leaf, ...], n: int) -> tuple[Leaf, ...]:
    """The leaves for n rows with long lists streamed, short ones as they are."""
    return tuple(
        attrs.evolve(leaf, family=Streamed(leaf.family))
        if isinstance(leaf.family, Dictionary) and leaf.family.bind_bytes(n, 0) > _SMALL
        else leaf
        for leaf in leaves
    )
