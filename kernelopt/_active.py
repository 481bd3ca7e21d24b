"""The atoms of a family that are in play, as a finite list of their own."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._family import ExplicitFamily, FiniteFamily, KernelFamily
from kernelopt._gram import Gram
from kernelopt._mixture import Part
from kernelopt._problem import Leaf
from kernelopt._typing import Data, FloatArray, IntArray


@attrs.frozen(eq=False)
class Active(FiniteFamily):
    """The atoms of a family that are in play, as a finite list; an atom of it is a number in that list."""

    name: ClassVar[str] = "active"

    family: KernelFamily
    atoms: FloatArray

    def lift(self, part: Part) -> Part:
        """The part in the family's own atoms."""
        return Part(self.atoms[part.atoms[:, 0].astype(int)], part.weights)

    def bind(self, X: FloatArray) -> Data:
        return self.family.bind(X)

    def bind_bytes(self, n: int, d: int) -> int:
        return self.family.bind_bytes(n, d)

    def paper_scale(self) -> float:
        return self.family.paper_scale()

    def ridge(self, part: Part) -> float:
        return self.family.ridge(self.lift(part))

    def caution(self, Z: FloatArray) -> str | None:
        return self.family.caution(Z)

    def describe(self, part: Part) -> str:
        return self.family.describe(self.lift(part))

    def dictionary(self) -> Part:
        m = len(self.atoms)
        return Part(np.arange(m, dtype=float)[:, None], np.full(m, 1.0 / max(m, 1)))

    def gram(self, part: Part, data: Data) -> Gram:
        return self.family.gram(self.lift(part), data)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.family.cross(self.lift(part), Z, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.diag(self.lift(part), X)

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        return self.family.apply(self.lift(part), data, V)


@attrs.frozen(eq=False)
class ActiveColumns(Active, ExplicitFamily):
    """`Active` for an explicit family: its data is the `Features` of all atoms in play, computed once."""

    @property
    def _explicit(self) -> ExplicitFamily:
        assert isinstance(self.family, ExplicitFamily)
        return self.family

    def bind(self, X: FloatArray) -> Data:
        return Features.of(self._explicit, self.atoms, self.family.bind(X))

    def bind_bytes(self, n: int, d: int) -> int:
        return self.family.bind_bytes(n, d) + 16 * n * len(self.atoms)

    def columns(self, atoms: FloatArray, X: Data) -> tuple[FloatArray, IntArray]:
        if isinstance(X, Features):
            return X.of_atoms(atoms[:, 0].astype(int))
        return self._explicit.columns(self.atoms[atoms[:, 0].astype(int)], X)

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        one = np.ones(1)
        ridges = np.array([self.family.ridge(Part(atom[None], one)) for atom in self.atoms])
        squares = np.sum((data.columns.T @ V) ** 2, axis=1)
        owner = np.repeat(np.arange(len(self.atoms)), np.diff(data.starts))
        sums = np.bincount(owner, weights=squares, minlength=len(self.atoms)).astype(np.float64)
        return sums + ridges * float(np.sum(V * V))

    def gram(self, part: Part, data: Data) -> Gram:
        return ExplicitFamily.gram(self, part, data)

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        return self.gram(part, data).apply(V)


@attrs.frozen(eq=False)
class Features:
    """The columns of a list of atoms at the bound rows.

    Attributes:
        columns: shape (n, r), grouped by atom.
        starts: where each atom's columns begin, and r, shape (m + 1,).
    """

    columns: FloatArray
    starts: IntArray

    @classmethod
    def of(cls, family: ExplicitFamily, atoms: FloatArray, data: Data) -> "Features":
        """From the family's own columns, in any order."""
        columns, owner = family.columns(atoms, data)
        order = np.argsort(owner, kind="stable")
        counts = np.bincount(owner, minlength=len(atoms))
        return cls(columns[:, order], np.concatenate([[0], np.cumsum(counts)]))

    def __len__(self) -> int:
        return len(self.columns)

    def of_atoms(self, index: IntArray) -> tuple[FloatArray, IntArray]:
        """The columns of these atoms and the place in `index` that each belongs to."""
        counts = np.diff(self.starts)[index]
        owner = np.repeat(np.arange(len(index)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.columns[:, self.starts[index][owner] + within], owner


def active(leaf: Leaf, data: Data, atoms: FloatArray) -> tuple[Leaf, Data]:
    """The leaf on these atoms alone, with what it binds."""
    if isinstance(leaf.family, ExplicitFamily):
        family: Active = ActiveColumns(leaf.family, atoms)
        return attrs.evolve(leaf, family=family), Features.of(leaf.family, atoms, data)
    return attrs.evolve(leaf, family=Active(leaf.family, atoms)), data
