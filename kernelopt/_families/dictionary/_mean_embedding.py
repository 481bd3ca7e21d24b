"""Lists of kernels on rows of which some lack what the kernels see: the mean of the others stands for it."""

from typing import ClassVar, Self

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import BoolArray, Data, FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._mixture import Part
from kernelopt._families._stacked_list import StackedList
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._linalg._gram import ROW_BLOCK

_NONE = np.zeros((0, 0))
_MOST = 1000
"""The mean of so many training rows at most: a mean over more of them is the same to a few percent of a deviation, and
each row costs an evaluation of the kernel wherever a row lacks it."""


@attrs.frozen(eq=False)
class MeanEmbedded(StackedList):
    """The kernels of a list, with a mean in feature space for rows that lack what they see, which are NaN throughout:

        phi'(x) = phi(x) where x has it, else the mean sum_l s_l phi(x_l) over the training rows that have it

    So k'(x, z) = <phi'(x), phi'(z)> is k(x, z), or sum_l s_l k(x_l, z) where x lacks it, or
    sum_lm s_l s_m k(x_l, x_m) where both do. An inner product of vectors is positive semidefinite for all rows. Of more
    than 1000 such training rows 1000 have a share, chosen by a fixed seed.

    Attributes:
        family: the list. What is bound are the Grams of its kernels, as it binds them itself.
        present: the training rows with a share, shape (m, d), known after `prepare`.
        share: s, their shares in their weight, shape (m,).

    Raises:
        InvalidData: `prepare`: fewer than two rows have it.
    """

    name: ClassVar[str] = "mean-embedded"

    family: Dictionary
    present: FloatArray = attrs.field(default=_NONE, repr=False)
    share: FloatArray = attrs.field(default=_NONE, repr=False)

    def seeing(self, columns: IntArray, width: int) -> "MeanEmbedded | None":
        family = self.family.seeing(columns, width)
        return None if family is None else self._of(family)

    @property
    def reads_codes(self) -> bool:
        return self.family.reads_codes

    def spread(self, layout: Expansion) -> "MeanEmbedded":
        return self._of(self.family.spread(layout))

    def named(self, columns: tuple[str, ...]) -> "MeanEmbedded":
        return self._of(self.family.named(columns))

    def _of(self, family: KernelFamily) -> "MeanEmbedded":
        assert isinstance(family, Dictionary)
        return attrs.evolve(self, family=family)

    def prepare(self, X: FloatArray, weight: FloatArray) -> Self:
        here = ~_lacking(X)
        counted = np.flatnonzero(here & (weight > 0.0))
        if len(counted) < 2:
            raise InvalidData(f"{len(counted)} training rows have a view, wanted two at least; leave it out")
        family = self.family.prepare(X[here], weight[here])
        if len(counted) > _MOST:
            counted = np.sort(np.random.default_rng(0).permutation(counted)[:_MOST])
        return attrs.evolve(self, family=family, present=X[counted], share=weight[counted] / weight[counted].sum())

    @property
    def many(self) -> int:
        return self.family.many

    def bind(self, X: FloatArray) -> Data:
        here, atoms = ~_lacking(X), self.dictionary().atoms
        grams = np.empty((len(atoms), len(X), len(X)))
        known = self.family.bind(X[here]) if here.any() else None
        for gram, atom in zip(grams, atoms, strict=True):
            if known is not None:
                gram[np.ix_(here, here)] = self.family.stored(known, atom)
            if not here.all():
                self._fill(gram, Part(atom[None], np.ones(1)), (X, here), (X, here))
        return grams

    def bind_bytes(self, n: int, d: int) -> int:
        return 2 * self.family.bind_bytes(n, d)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        z, x = ~_lacking(Z), ~_lacking(X)
        if z.all() and x.all():
            return self.family.cross(part, Z, X)
        values = np.empty((len(Z), len(X)))
        if z.any() and x.any():
            values[np.ix_(z, x)] = self.family.cross(part, Z[z], X[x])
        self._fill(values, part, (Z, z), (X, x))
        return values

    def boundless(self, part: Part) -> bool | None:
        return self.family.boundless(part)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        here = ~_lacking(X)
        values = np.empty(len(X))
        values[here] = self.family.diag(part, X[here]) if here.any() else 0.0
        values[~here] = 0.0 if here.all() else self._square(part)
        return values

    def _fill(
        self, values: FloatArray, part: Part, first: tuple[FloatArray, BoolArray], second: tuple[FloatArray, BoolArray]
    ) -> None:
        """Write the values (n', n) of pairs in which a row lacks it; with rows comes which of them have it."""
        (Z, z), (X, x) = first, second
        if not x.all() and z.any():
            values[np.ix_(z, ~x)] = self._mean(part, Z[z])[:, None]
        if not z.all() and x.any():
            values[np.ix_(~z, x)] = self._mean(part, X[x])
        if not (z.all() or x.all()):
            values[np.ix_(~z, ~x)] = self._square(part)

    def _mean(self, part: Part, X: FloatArray) -> FloatArray:
        """sum_l s_l k(x_l, x) of rows that have it, shape (n,)."""
        blocks = (X[i : i + ROW_BLOCK] for i in range(0, len(X), ROW_BLOCK))
        return np.concatenate([self.family.cross(part, rows, self.present) @ self.share for rows in blocks])

    def _square(self, part: Part) -> float:
        """sum_lm s_l s_m k(x_l, x_m)."""
        return float(self.share @ self._mean(part, self.present))

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        family, fewer = self.family.compact(part)
        return self._of(family), fewer

    def paper_scale(self) -> float:
        return self.family.paper_scale()

    def caution(self, Z: FloatArray) -> str | None:
        here = ~_lacking(Z)
        return self.family.caution(Z[here]) if here.any() else None

    def describe(self, part: Part) -> str:
        return self.family.describe(part)

    def label(self, atom: FloatArray) -> str | None:
        return self.family.label(atom)


def _lacking(X: FloatArray) -> BoolArray:
    """Which rows (n, d) lack it, shape (n,): an expansion leaves those NaN throughout, and no others NaN."""
    return np.isnan(X[:, 0])
