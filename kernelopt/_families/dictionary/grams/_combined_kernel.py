"""The kernel that a part of a list is: a sum of the list's kernels with weights."""

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._device._kernels import Kernels
from kernelopt._families._contract import Among
from kernelopt._families.dictionary.columns._preprocessing import Preprocessing
from kernelopt._families.dictionary.grams._blocks import Blocks, added
from kernelopt._families.dictionary.grams._gram_parts import row_blocks
from kernelopt._families.dictionary.grams._short_forms import ListFunction
from kernelopt._families.dictionary.kernels._base_kernels import Kernel, always_one, boundless, diagonal
from kernelopt._families.dictionary.lists._chosen_kernels import worthwhile


@attrs.frozen(eq=False)
class CombinedKernel:
    """k = sum_a w_a k_a / s_a of kernels k_a of a list, on rows as they came.

    Attributes:
        listed: the list, of m kernels.
        size: s, shape (m,); None: each is 1.
        unit: whether each kernel is brought to k(x, x) = 1 wherever that is not 0; then s is 1.
        preprocessing: how kernels see rows.
        weights: w_a, != 0, by the numbers of the kernels.
    """

    listed: tuple[Kernel, ...]
    size: FloatArray | None
    unit: bool
    preprocessing: Preprocessing
    weights: dict[int, float]

    @property
    def numbers(self) -> list[int]:
        """Those of the kernels, ascending."""
        return sorted(self.weights)

    @property
    def factors(self) -> dict[int, float]:
        """w_a / s_a, by the numbers of the kernels."""
        return {a: w if self.size is None else w / self.size[a] for a, w in self.weights.items()}

    def cross(self, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The kernel between rows Z (n', d) and X (n, d), shape (n', n)."""
        blocks, rows = self._undivided(self.numbers, X), self.preprocessing.rows
        return added(blocks, self.factors, blocks.seen(rows(Z)), blocks.seen(rows(X)))

    def among(self, X: FloatArray) -> Among:
        """The kernel between some of the rows X (n, d) and others; what the kernels see of them is computed once."""
        blocks, factors = self._undivided(self.numbers, X), self.factors
        seen = blocks.seen(self.preprocessing.rows(X))
        return lambda some, others: added(blocks, factors, seen[some], seen[others])

    def function(self, X: FloatArray, V: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Z -> sum_i k(z, x_i) V_i of rows X (n, d) and V (n, c), of the kernels that show in it."""
        used = worthwhile(self.weights, lambda a: float(self._alone(a).diag(X).mean()))
        known = ListFunction.of(self._undivided(used, X), self.factors, self.preprocessing.rows(X), V)
        return lambda Z: known.at(self.preprocessing.rows(Z))

    def diag(self, X: FloatArray) -> FloatArray:
        """k(x, x) of rows X (n, d), shape (n,)."""
        factors = self.factors
        if all(always_one(self.listed[a]) for a in factors):
            return np.full(len(X), sum(factors.values()))
        total = np.zeros(len(X))
        for rows in row_blocks(len(X)):
            seen = self.preprocessing.rows(X[rows])
            for a, factor in factors.items():
                squares = diagonal(self.listed[a], seen)
                total[rows] += factor * (squares > 0.0 if self.unit else squares)
        return total

    @property
    def closed(self) -> Kernels | None:
        """The closed form of each kernel; None too if k(x, x) is scaled to 1, which depends on more than a distance."""
        blocks, factors = self.blocks(self.numbers), self.factors
        if blocks.others or blocks.unit:
            return None
        return Kernels(
            tuple((place, tuple((float(factors[a]), form) for a, form in of)) for place, of in blocks.groups)
        )

    @property
    def boundless(self) -> bool | None:
        """Whether k(x, x) grows with the numbers of a row without end; None where that is not known."""
        grow = {boundless(self.listed[a]) for a in self.weights}
        return None if None in grow else True in grow and not self.unit

    def blocks(self, numbers: Sequence[int], X: FloatArray | None = None) -> Blocks:
        """Some of the kernels, each divided by its size."""
        return Blocks.of(self.listed, self.size, self.unit, numbers, self.preprocessing.centre(X))

    def _undivided(self, numbers: Sequence[int], X: FloatArray) -> Blocks:
        """Some of the kernels, divided by nothing."""
        return attrs.evolve(self.blocks(numbers, X), size=None)

    def _alone(self, a: int) -> "CombinedKernel":
        """One of the kernels alone, with its weight."""
        return attrs.evolve(self, weights={a: self.weights[a]})
