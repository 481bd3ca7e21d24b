"""Lists of features on many rows: nothing of n x r is bound, and every question is one pass over the rows."""

from collections.abc import Iterator
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families.features._feature_rows import FeatureRows, blocks_for, holdable
from kernelopt._families.features._landmark_lists import MANY
from kernelopt._linalg._gram import Gram
from kernelopt._linalg._tall import Held, Rowwise, Tall, Weighed, sums


@attrs.frozen(eq=False)
class RowList(ExplicitFamily, FiniteFamily):
    """An explicit list that binds rows alone: its features are computed block by block.

    Attributes:
        family: prepared, an explicit list without anything on its diagonal.
    """

    name: ClassVar[str] = "rows"

    family: ExplicitFamily

    @property
    def _listed(self) -> FiniteFamily:
        assert isinstance(self.family, FiniteFamily)
        return self.family

    def bind(self, X: FloatArray) -> FeatureRows:
        return FeatureRows.of((Leaf(self.family, np.arange(X.shape[1])),), X)

    def dictionary(self) -> Part:
        return self._listed.dictionary()

    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:
        return self.family.columns(atoms, X)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.family.cross(part, Z, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.diag(part, X)

    def gram(self, part: Part, data: Data) -> Gram:
        assert isinstance(data, FeatureRows)
        return Rowwise((Weighed(data, self._listed.parameters(part)[data.owner[0]]),))

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        assert isinstance(data, FeatureRows)
        squares = np.sum(sums(data, V) ** 2, axis=1)
        return np.bincount(data.owner[0], weights=squares, minlength=len(self.dictionary())).astype(np.float64)

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        return self.family.compact(part)

    def paper_scale(self) -> float:
        return self.family.paper_scale()

    def caution(self, Z: FloatArray) -> str | None:
        return self.family.caution(Z)

    def describe(self, part: Part) -> str:
        return self.family.describe(part)


def bound_by_rows(leaves: tuple[Leaf, ...]) -> bool:
    """Whether all leaves are lists that bind rows alone."""
    return all(isinstance(leaf.family, RowList) for leaf in leaves)


def of_rows(leaves: tuple[Leaf, ...], n: int) -> bool:
    """Whether the leaves are lists of features, at no price and with a sum, on so many rows that these are gone over in
    blocks.
    """
    return n > MANY and all(
        isinstance(leaf.family, ExplicitFamily)
        and isinstance(leaf.family, FiniteFamily)
        and leaf.family.ridge(leaf.family.center()) == 0.0
        and leaf.penalty is None
        and leaf.total is not None
        for leaf in leaves
    )


def width_of(leaf: Leaf) -> int:
    """How many features a list of them has."""
    assert isinstance(leaf.family, ExplicitFamily)
    assert isinstance(leaf.family, FiniteFamily)
    return len(leaf.family.columns(leaf.family.dictionary().atoms, np.zeros((1, leaf.width)))[1])


def rowwise(leaves: tuple[Leaf, ...], n: int) -> tuple[Leaf, ...]:
    """The leaves as lists that bind rows alone, where they are lists of features on many rows; else as they are."""
    if not of_rows(leaves, n):
        return leaves
    return tuple(attrs.evolve(leaf, family=_rowwise(leaf.family)) for leaf in leaves)


def _rowwise(family: KernelFamily) -> RowList:
    assert isinstance(family, ExplicitFamily)
    return RowList(family)


@attrs.frozen(eq=False)
class Union:
    """Features side by side, each times a number.

    Attributes:
        parts: the features.
        roots: the numbers, shape (r,).
    """

    parts: tuple[Tall, ...]
    roots: FloatArray

    @property
    def n(self) -> int:
        return self.parts[0].n

    @property
    def width(self) -> int:
        return len(self.roots)

    def at(self, rows: slice | IntArray) -> FloatArray:
        values = np.hstack([part.at(rows) for part in self.parts])
        if (self.roots != 1.0).any():
            values *= self.roots
        return values

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        many = blocks_for(self.n, self.width)
        for block in range(many):
            rows = slice(block, None, many)
            yield rows, self.at(rows)


def united(leaves: tuple[Leaf, ...], data: tuple[Data, ...]) -> tuple[Tall, IntArray]:
    """The features (n, r) of `rowwise` leaves with the leaves' factors, and the atom that each belongs to, (r,).

    They are held where there is room; the atoms of all leaves are numbered through.

    Args:
        leaves: the leaves.
        data: what they bound.
    """
    starts = np.cumsum([0, *(len(_atoms(leaf)) for leaf in leaves)])
    owners = [one.owner[0] for one in data]
    roots = np.repeat(np.sqrt([leaf.factor for leaf in leaves]), [len(owner) for owner in owners])
    owner = np.concatenate([start + owner for start, owner in zip(starts, owners, strict=False)])
    return held(Union(data, roots)), owner


def _atoms(leaf: Leaf) -> FloatArray:
    assert isinstance(leaf.family, RowList)
    return leaf.family.dictionary().atoms


def held(features: Tall) -> Tall:
    """The same in memory, where they take no more than 2 GiB: passes are cheaper then."""
    if not holdable(features.n, features.width):
        return features
    values = np.empty((features.n, features.width))
    for rows, phi in features.blocks():
        values[rows] = phi
    return Held(values, blocks_for(features.n, features.width))
