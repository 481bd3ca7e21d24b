"""A finite list of random atoms of any family."""

import math
from typing import ClassVar, Self

import attrs
import numpy as np

from kernelopt._base._options import within
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._atom_subset import Active, ActiveColumns
from kernelopt._families._contract import ExplicitFamily, KernelFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._mixture import Part

_NONE = np.zeros((0, 0))


@attrs.frozen(eq=False)
class Sampled(Active):
    """The hull of k random atoms of a family, drawn in `prepare`."""

    name: ClassVar[str] = "sampled"

    atoms: FloatArray = attrs.field(default=_NONE, repr=False)
    k: int = attrs.field(default=1, kw_only=True, validator=within(1, math.inf, integer=True))
    seed: int = attrs.field(default=0, kw_only=True, validator=within(0, math.inf, integer=True))

    def seeing(self, columns: IntArray, width: int) -> Self | None:
        family = self.family.seeing(columns, width)
        return None if family is None else attrs.evolve(self, family=family)

    def turned(self, width: int) -> Self | None:
        family = self.family.turned(width)
        return None if family is None else attrs.evolve(self, family=family)

    def spread(self, layout: Expansion) -> Self:
        return attrs.evolve(self, family=self.family.spread(layout))

    def prepare(self, X: FloatArray, weight: FloatArray) -> Self:
        """The list for these rows; the same seed draws the same atoms of the same prepared family."""
        family = self.family.prepare(X, weight)
        return attrs.evolve(self, family=family, atoms=family.draw(self.k, np.random.default_rng(self.seed)))

    def describe(self, part: Part) -> str:
        used = int(np.count_nonzero(part.weights))
        return f"{used} of {len(self.atoms)} random atoms of {self.family.name}: {super().describe(part.kept())}"


@attrs.frozen(eq=False)
class SampledColumns(Sampled, ActiveColumns):
    """The same of an explicit family: the list is explicit too."""


def sampled_from(family: KernelFamily, k: int, seed: int) -> Sampled:
    """The list that draws k atoms of this family."""
    kind = SampledColumns if isinstance(family, ExplicitFamily) else Sampled
    return kind(family, k=k, seed=seed)
