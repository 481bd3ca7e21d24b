"""Families on too many rows to bind: nothing n x n is ever formed."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._family import KernelFamily
from kernelopt._gram import Gram, Term, Wide
from kernelopt._mixture import BestAtoms, Part, Query
from kernelopt._typing import Data, FloatArray


@attrs.frozen(eq=False)
class Loose(KernelFamily):
    """A family that binds only the support vectors, when its oracle is asked; its Grams are computed by blocks.

    It is what `WorkingSet` puts in the place of a leaf's family: the bounds over all rows need the kernel between all
    rows and the support vectors, and the oracle at the support vectors, nothing more.

    Attributes:
        family: prepared on all rows.
    """

    name: ClassVar[str] = "loose"

    family: KernelFamily

    def gram(self, part: Part, data: Data) -> Gram:
        return Wide((Term(self.family, part, data),))

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.family.cross(part, Z, X)

    def ridge(self, part: Part) -> float:
        return self.family.ridge(part)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.diag(part, X)

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        support = np.flatnonzero(V.any(axis=1))
        if not support.size:
            support = np.arange(1)
        return self.family.best_atoms(self.family.bind(data[support]), V[support], query)

    def center(self) -> Part:
        return self.family.center()

    def paper_scale(self) -> float:
        return self.family.paper_scale()

    def caution(self, Z: FloatArray) -> str | None:
        return self.family.caution(Z)

    def describe(self, part: Part) -> str:
        return self.family.describe(part)
