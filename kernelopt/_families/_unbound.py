"""Families on too many rows to bind: nothing n x n is ever formed."""

from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray
from kernelopt._families._contract import KernelFamily, LinearFamily
from kernelopt._families._coupling import Coupling
from kernelopt._families._mixture import BestAtoms, Part, Query
from kernelopt._linalg._gram import Gram
from kernelopt._linalg._wide import Term, Wide


@attrs.frozen(eq=False)
class Loose(KernelFamily):
    """A family that binds only the support vectors, when its oracle is asked; its Grams are computed by blocks.

    It is what `WorkingSet` puts in the place of a leaf's family: the bounds over all rows need the kernel between all
    rows and the support vectors, and the oracle at the support vectors, nothing more.

    Attributes:
        family: prepared on all rows.
        asked: the same kernels in a form that holds nothing n x n of rows that it is asked about once; None: the family
            itself.
    """

    name: ClassVar[str] = "loose"

    family: KernelFamily
    asked: KernelFamily | None = None

    @property
    def looked(self) -> KernelFamily:
        """What answers one question about many rows, by `bind_once`."""
        return self.family if self.asked is None else self.asked

    def gram(self, part: Part, data: Data) -> Gram:
        return Wide((Term(self.family, part, data),))

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self.family.cross(part, Z, X)

    def ridge(self, part: Part) -> float:
        return self.family.ridge(part)

    def apart(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.apart(part, X)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self.family.diag(part, X)

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        return self.family.compact(part)

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        return self.looked.best_atoms(*self._bound(data, V), query)

    def stranger(self, atoms: FloatArray) -> str | None:
        return self.family.stranger(atoms)

    @property
    def given(self) -> bool:
        return self.family.given

    def boundless(self, part: Part) -> bool | None:
        return self.family.boundless(part)

    def _bound(self, data: Data, V: FloatArray) -> tuple[Data, FloatArray]:
        """The support vectors, bound for one question, and their V."""
        support = np.flatnonzero(V.any(axis=1))
        if not support.size:
            support = np.arange(1)
        return self.looked.bind_once(data[support]), V[support]

    def center(self) -> Part:
        return self.family.center()

    def paper_scale(self) -> float:
        return self.family.paper_scale()

    def caution(self, Z: FloatArray) -> str | None:
        return self.family.caution(Z)

    def describe(self, part: Part) -> str:
        return self.family.describe(part)


@attrs.frozen(eq=False)
class LooseLinear(Loose, LinearFamily):
    """The same of a linear family, whose kernels may have a price."""

    @property
    def looked(self) -> LinearFamily:
        linear = super().looked
        assert isinstance(linear, LinearFamily)
        return linear

    def couple(self, data: Data, v: FloatArray) -> Coupling:
        raise NotImplementedError("a coupling needs all rows bound")

    def parameters(self, part: Part) -> FloatArray:
        return self.looked.parameters(part)

    def form(self, data: Data, V: FloatArray) -> FloatArray:
        return self.looked.form(*self._bound(data, V))

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        raise NotImplementedError("a trace needs all rows bound")

    def leading(self, D: FloatArray, k: int) -> BestAtoms:
        return self.looked.leading(D, k)


def loose(family: KernelFamily, asked: KernelFamily | None = None) -> Loose:
    """The family, binding only support vectors, which `asked` sees where it is given."""
    return LooseLinear(family, asked) if isinstance(family, LinearFamily) else Loose(family, asked)
