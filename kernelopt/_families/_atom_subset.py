"""The atoms of a family that are in play, as a finite list of their own."""

from typing import ClassVar, Self

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._held_grams import held
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families._stacked_list import StackedList
from kernelopt._families.features._feature_lists import Factors
from kernelopt._linalg._gram import Dense, Gram


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

    @property
    def given(self) -> bool:
        return self.family.given

    def boundless(self, part: Part) -> bool | None:
        return self.family.boundless(self.lift(part))

    def apart(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.apart(self.lift(part), X)

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        """The same atoms of the family itself."""
        return self.family.compact(self.lift(part))

    def caution(self, Z: FloatArray) -> str | None:
        return self.family.caution(Z)

    def named(self, columns: tuple[str, ...]) -> Self:
        return attrs.evolve(self, family=self.family.named(columns))

    def describe(self, part: Part) -> str:
        return self.family.describe(self.lift(part))

    def label(self, atom: FloatArray) -> str | None:
        return self.family.label(self.atoms[int(atom[0])])

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
    """`Active` for an explicit family: its data are the `Factors` of all atoms in play, computed once."""

    @property
    def _explicit(self) -> ExplicitFamily:
        assert isinstance(self.family, ExplicitFamily)
        return self.family

    def bind(self, X: FloatArray) -> Data:
        return Factors.of(self._explicit, self.family.bind(X), self.atoms)

    def bind_bytes(self, n: int, d: int) -> int:
        return self.family.bind_bytes(n, d) + 16 * n * len(self.atoms)

    def columns(self, atoms: FloatArray, X: Data) -> tuple[FloatArray, IntArray]:
        index = atoms[:, 0].astype(int)
        return X.columns(index) if isinstance(X, Factors) else self._explicit.columns(self.atoms[index], X)

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        values: FloatArray = data.values(V)
        return values

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        traces: FloatArray = data.traces(omega)
        return traces

    def gram(self, part: Part, data: Data) -> Gram:
        return ExplicitFamily.gram(self, part, data)

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        return self.gram(part, data).apply(V)


@attrs.frozen(eq=False)
class ActiveGrams(StackedList, Active):
    """`Active` whose data are the Grams of all atoms in play, computed once."""

    @property
    def many(self) -> int:
        return len(self.atoms)

    def bind(self, X: FloatArray) -> Data:
        data, one = self.family.bind(X), np.ones(1)
        return np.stack([self.family.gram(Part(atom[None], one), data).dense() for atom in self.atoms])

    def bind_bytes(self, n: int, d: int) -> int:
        return self.family.bind_bytes(n, d) + 8 * n * n * self.many


def active(leaf: Leaf, data: Data, atoms: FloatArray) -> tuple[Leaf, Data]:
    """The leaf on these atoms alone, with what it binds."""
    penalty = leaf.listed(atoms)
    if isinstance(leaf.family, ExplicitFamily):
        family: Active = ActiveColumns(leaf.family, atoms)
        return attrs.evolve(leaf, family=family, penalty=penalty), Factors.of(leaf.family, data, atoms)
    grams = None if isinstance(leaf.family, FiniteFamily) else held(leaf.family, data, atoms)
    if not grams or not all(isinstance(gram, Dense) for gram in grams):
        return attrs.evolve(leaf, family=Active(leaf.family, atoms), penalty=penalty), data
    stacked = np.stack([gram.dense() for gram in grams])
    return attrs.evolve(leaf, family=ActiveGrams(leaf.family, atoms), penalty=penalty), stacked
