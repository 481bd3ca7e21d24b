"""The kernels that may join a list that was chosen from rows."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from kernelopt._base._copies import rows_observed
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._mixture import Part
from kernelopt._families._stacked_list import StackedList
from kernelopt._families.dictionary.columns._numbered_columns import widened, without_numbered
from kernelopt._families.dictionary.columns._preprocessing import Preprocessing
from kernelopt._families.dictionary.grams._combined_kernel import CombinedKernel
from kernelopt._families.dictionary.grams._kernel_sizes import mean_diagonals
from kernelopt._families.dictionary.growth._fractions_that_repeat import offer
from kernelopt._families.dictionary.growth._learned_metrics import learned_metrics
from kernelopt._families.dictionary.growth._numbers_that_are_names import names_among
from kernelopt._families.dictionary.growth._season_kernels import season_kernels
from kernelopt._families.dictionary.growth._tree_kernels import tree_kernels
from kernelopt._families.dictionary.growth._width_kernels import (
    chosen_width_kernels,
    correlated_kernels,
    crowded,
    sparse_kernels,
    width_kernels,
)
from kernelopt._families.dictionary.kernels._base_kernels import Kernel, PlacedKernel
from kernelopt._families.dictionary.lists._auto import ROWS_FOR_COLUMN
from kernelopt._families.dictionary.lists._kernels_of_names import with_names
from kernelopt._families.dictionary.seen._coded_columns import View, written_out


class GrowingList(StackedList):
    """A list that kernels may join, in the ways of `Growing`, where it says so in `grows`.

    Kernels join at the end of the list, so that the numbers of the others stay.
    """

    @property
    @abstractmethod
    def listed(self) -> tuple[Kernel, ...]:
        """The kernels of the list, which are known after `prepare`."""

    @property
    @abstractmethod
    def _preprocessing(self) -> Preprocessing:
        """How the kernels see rows."""

    @abstractmethod
    def _combined(self, part: Part) -> CombinedKernel:
        """The kernel of the part."""

    @abstractmethod
    def pruned(self, part: Part) -> tuple[Self, Part]:
        """The list without the kernels that joined it and have no weight, with the same part of it."""

    @abstractmethod
    def _longer(self, kernels: tuple[Kernel, ...], sizes: FloatArray, **seen: Any) -> Self:
        """The list of these kernels, which begin with its own; `sizes` is what each new one is divided by, and `seen`
        what changes of how rows are seen.
        """

    def grown(self, part: Part, X: FloatArray, V: FloatArray) -> tuple[Self, Part] | None:
        """The list with more kernels, for the directions along which the learned function varies.

        Kernels that were added earlier stay if they have weight.
        """
        kernels = learned_metrics(self._combined(part), X, V)
        family, same = self.pruned(part)
        larger = family._with(kernels, X.shape[1])  # noqa: SLF001
        return None if larger is None else (larger, same)

    def offered(self, X: FloatArray, weight: FloatArray) -> Self | None:
        """The list with kernels that compare the numbers of columns which may be names."""
        numbers, layout = self._preprocessing.numbers(X)[weight > 0.0], self._preprocessing.layout(X.shape[1])
        often = rows_observed(weight) >= ROWS_FOR_COLUMN * layout.columns
        found = offer(numbers, weight[weight > 0.0], self.listed, layout) if self.grows and often else None
        if found is None:
            return None
        return self._longer(found.kernels, found.sizes, _further=found.further)

    def categorised(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Self | None:
        """The list with kernels of all columns in which those numbers are categories that are names."""
        layout = self._preprocessing.layout(X.shape[1])
        numbers = self._preprocessing.numbers(X)
        columns = {one.column: one.lacking(numbers) for one in layout.numbered_columns} if self.grows else {}
        names = names_among(*self._widths(X), columns, T, weight) if columns else ()
        if not names:
            return None
        new = with_names(layout, names)
        return self._longer((*self.listed, *new), mean_diagonals(new, self._preprocessing, X, weight))

    def seasonal(self, X: FloatArray, weight: FloatArray, dates: IntArray) -> Self | None:
        """The list with kernels of the time of the year, of the week and of the day of columns of dates."""
        frame = self._preprocessing.frame
        if not self.grows or frame is None:
            return None
        numbers, layout = self._preprocessing.numbers(X)[weight > 0.0], self._preprocessing.layout(X.shape[1])
        new = season_kernels(numbers, dates[dates < layout.numbers], layout, frame)
        if not new:
            return None
        return self._longer((*self.listed, *new), mean_diagonals(new, self._preprocessing, X, weight))

    def crowded(self, X: FloatArray, weight: FloatArray) -> bool:
        return self.grows and crowded(*self._widths(X), weight)

    def selected(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Self | None:
        """The list with kernels of the few columns that say most of the targets."""
        return self._with(chosen_width_kernels(*self._widths(X), T, weight), X.shape[1]) if self.grows else None

    def correlated(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Self | None:
        """The list with kernels of all columns, each weighed by its correlation with the targets."""
        return self._with(correlated_kernels(*self._widths(X), T, weight), X.shape[1]) if self.grows else None

    def sparse(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Self | None:
        """The list with kernels of all columns, each weighed by its slope in a sparse linear function."""
        return self._with(sparse_kernels(*self._widths(X), T, weight), X.shape[1]) if self.grows else None

    def adapted(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Self | None:
        """The list with kernels that have a width for each column."""
        return self._with(width_kernels(*self._widths(X), T, weight), X.shape[1]) if self.grows else None

    def parted(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Self | None:
        """The list with kernels of the leaves of trees."""
        if not self.grows:
            return None
        rows, layout = self._preprocessing.rows(X), self._preprocessing.layout(X.shape[1])
        seen = written_out(without_numbered(rows, layout.numbered_columns))
        return self._with(tree_kernels(seen, T, weight), X.shape[1])

    def _widths(self, X: FloatArray) -> tuple[View, tuple[tuple[int, ...], ...]]:
        """Rows X (n, d) as the kernels see them, and the columns that a width each makes sense for."""
        return self._preprocessing.rows(X), self._preprocessing.layout(X.shape[1]).apart

    def _with(self, kernels: tuple[PlacedKernel, ...], d: int) -> Self | None:
        """This list with more kernels at its end, which have k(x, x) = 1, for rows that come with d columns; None where
        there are no more.
        """
        if not kernels:
            return None
        wide = widened(kernels, self._preprocessing.layout(d).width)
        return self._longer((*self.listed, *wide), np.ones(len(kernels)))
