"""A finite list of random atoms of any family."""

import math
from typing import ClassVar, Self

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import within
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._atom_subset import Active, ActiveColumns
from kernelopt._families._contract import KernelFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part

_NONE = np.zeros((0, 0))


@attrs.frozen(eq=False)
class Sampled(Active):
    """The hull of k random atoms of a family, drawn in `prepare`."""

    name: ClassVar[str] = "sampled"
    caller: ClassVar[str] = "sampled"

    atoms: FloatArray = attrs.field(default=_NONE, repr=False)
    k: int = attrs.field(default=1, kw_only=True, validator=within(1, math.inf, integer=True))
    seed: int = attrs.field(default=0, kw_only=True, validator=within(0, math.inf, integer=True))

    def seeing(self, columns: IntArray, width: int) -> Self | None:
        family = self.family.seeing(columns, width)
        return None if family is None else attrs.evolve(self, family=family)

    def turned(self, width: int) -> Self | None:
        family = self.family.turned(width)
        return None if family is None else attrs.evolve(self, family=family)

    @property
    def reads_codes(self) -> bool:
        return self.family.reads_codes

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


@attrs.frozen(eq=False)
class SampledMatrices(Sampled):
    """The hull of k random kernels of a matrix family, P^s = A A' / |A|_F^2 with normal A (order, rank).

    Attributes:
        atoms: A / |A|_F of each, its columns one after the other, shape (k, rank * order).
        rank: of each P^s, at most the order of P.
    """

    rank: int = attrs.field(default=2, kw_only=True, validator=within(1, math.inf, integer=True))

    def prepare(self, X: FloatArray, weight: FloatArray) -> Self:
        family = self.family.prepare(X, weight)
        assert isinstance(family, MatrixFamily)
        rank = min(self.rank, family.order)
        A = np.random.default_rng(self.seed).normal(size=(self.k, rank * family.order))
        return attrs.evolve(self, family=family, rank=rank, atoms=A / np.linalg.norm(A, axis=1, keepdims=True))

    def lift(self, part: Part) -> Part:
        """P = sum_s w_s P^s as a part: each column of A is an atom, and its squared length is in the weight."""
        vectors = self.atoms[part.atoms[:, 0].astype(int)].reshape(len(part) * self.rank, -1)
        lengths = np.linalg.norm(vectors, axis=1)
        return Part(vectors / lengths[:, None], np.repeat(part.weights, self.rank) * lengths**2)

    def label(self, atom: FloatArray) -> str | None:
        return f"random P {int(atom[0])} of rank {self.rank}"

    def describe(self, part: Part) -> str:
        used = int(np.count_nonzero(part.weights))
        mixed = self.family.describe(self.lift(part.kept()))
        return f"{used} of {len(self.atoms)} random matrices of rank {self.rank} of {self.family.name}: {mixed}"


def sampled_from(family: KernelFamily, k: int, seed: int, rank: int) -> Sampled:
    """The list that draws k atoms of this family, or k matrices of this rank.

    Raises:
        InvalidOption: k, seed or rank is out of its range, or the family has no matrix and the rank is above 1.
    """
    if rank == 1:
        return (SampledColumns if isinstance(family, ExplicitFamily) else Sampled)(family, k=k, seed=seed)
    if not isinstance(family, MatrixFamily):
        raise InvalidOption(
            f"sampled: got rank={rank} for {family.name}, whose kernels have no matrix P; leave rank out"
        )
    return SampledMatrices(family, k=k, seed=seed, rank=rank)
