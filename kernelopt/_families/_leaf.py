"""A member of the union that a problem is about: a family on some columns, with its scale and its price."""

from collections.abc import Sequence

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._contract import KernelFamily, LinearFamily
from kernelopt._families._expansion import Expansion
from kernelopt._families._finite import FiniteFamily, PenalizedFamily
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.penalties._penalty import Penalty, Price


@attrs.frozen(eq=False)
class Leaf:
    """A family on some columns of X, with its scale and its price; a union has several leaves.

    Attributes:
        family: the family, prepared.
        columns: the columns of X that the family sees, shape (d',).
        factor: the factor that multiplies the Gram matrices, values and ceilings of the family.
        penalty: the price of the kernels, a function of the parameters of a linear family; None if there is no price.
        total: the sum of the weights: a positive number, or None if the weights may have any sum.
        expansion: how categories and missing values become numbers for the family; None if there are none.
        group: the name of the view that these columns are, or an empty name.
    """

    family: KernelFamily
    columns: IntArray
    factor: float = 1.0
    penalty: Penalty | None = None
    total: float | None = 1.0
    expansion: Expansion | None = None
    group: str = ""

    @classmethod
    def of(
        cls,
        family: KernelFamily,
        columns: IntArray,
        factor: float = 1.0,
        expansion: Expansion | None = None,
        group: str = "",
    ) -> "Leaf":
        """A prepared family with its own price and total, if it has them."""
        if isinstance(family, PenalizedFamily):
            return cls(family, columns, factor, family.penalty, family.total, expansion, group)
        return cls(family, columns, factor, expansion=expansion, group=group)

    @property
    def width(self) -> int:
        """The number of columns that the family gets."""
        return len(self.columns) if self.expansion is None else self.expansion.columns

    def called(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the columns that the family gets: those of X, or x0, x1, ... if X has no names; where there are
        categories, of the numbers and all indicators.
        """
        own = tuple(names[j] if names else f"x{j}" for j in self.columns)
        return own if self.expansion is None else self.expansion.named(own)

    def view(self, X: FloatArray) -> FloatArray:
        """The columns of X that the family gets, with codes or indicators for categories; X itself if these are all
        columns.
        """
        if self.expansion is not None:
            return self.expansion.seen(X[:, self.columns])
        if len(self.columns) == X.shape[1] and np.array_equal(self.columns, np.arange(X.shape[1])):
            return X
        return X[:, self.columns]

    def places(self, columns: Sequence[int]) -> IntArray:
        """Where some columns of X that hold numbers stand among what the family gets, for those that it gets."""
        own = np.flatnonzero(np.isin(self.columns, np.array(columns, dtype=np.intp)))
        return own if self.expansion is None else np.flatnonzero(np.isin(self.expansion.numbers, own))

    def indicated(self, X: FloatArray) -> FloatArray:
        """The same, with an indicator for each category in any case: for machines that compare numbers."""
        if self.expansion is None or not self.expansion.coded:
            return self.view(X)
        return attrs.evolve(self.expansion, coded=False).seen(X[:, self.columns])

    @property
    def linear(self) -> LinearFamily:
        """The family, which must be linear in its parameters, as all families with a price are."""
        assert isinstance(self.family, LinearFamily)
        return self.family

    def parameters(self, part: Part) -> FloatArray:
        """The parameters that have a price: P (q, q) of a matrix family, or the weights of a list (m,) in its order."""
        return self.linear.parameters(part)

    def values(self, data: Data, V: FloatArray) -> FloatArray:
        """factor sum_c V_c' K V_c as a linear function of the parameters: D (q, q) with <D, P>, or (m,) for a list."""
        return self.factor * self.linear.form(data, V)

    def price(self, part: Part) -> float:
        """The price R of the part of this leaf."""
        return 0.0 if self.penalty is None else self.penalty.value(self.parameters(part))

    def listed(self, atoms: FloatArray) -> Penalty | None:
        """The price of a list of these atoms (k, p) alone, as a function of their weights (k,)."""
        if self.penalty is None:
            return None
        if isinstance(self.family, MatrixFamily):
            assert isinstance(self.penalty, Price)
            return self.penalty.on_atoms(atoms)
        assert isinstance(self.family, FiniteFamily)
        chosen = np.zeros((len(self.family.dictionary()), len(atoms)))
        chosen[self.family.index(atoms), np.arange(len(atoms))] = 1.0
        return self.penalty.restrict(chosen)


def total_of(leaves: tuple[Leaf, ...]) -> float | None:
    """The sum of all weights, or None if no leaf fixes it; the size of the kernel is then learned too."""
    totals = [leaf.total for leaf in leaves]
    if len(totals) == 1:
        return totals[0]
    return None if all(total is None for total in totals) else 1.0


def center_of(leaves: tuple[Leaf, ...]) -> Mixture:
    """The mixture to start from: the centre of each of L leaves with the weight total/L, or 1/L without a total."""
    share = (total_of(leaves) or 1.0) / len(leaves)
    return Mixture(tuple(leaf.family.center().scaled(share) for leaf in leaves))
