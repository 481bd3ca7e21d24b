"""Kernels with a width, or a weight, for each column, which were fitted to targets."""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import attrs
import numpy as np

from kernelopt._base._copies import without_copies
from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.growth._chosen_columns import chosen_columns
from kernelopt._families.dictionary.growth._column_weights import correlations, sparse_slopes, variances
from kernelopt._families.dictionary.growth._column_widths import Found, fitted_widths
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel, level_and_slopes
from kernelopt._families.dictionary.seen._coded_columns import View, seen_from, written_out
from kernelopt._families.dictionary.seen._places import Metric, Some

_ROWS = 1000
"""Widths are fitted to so many rows at most: a guard, since the time grows with the cube of the rows."""
_ROWS_OF_A_WIDTH = 4
"""A width is fitted for each column where there are so many rows for each: a guard, since fewer say nothing of it."""
_ROWS_OF_A_CHOSEN = 12
"""Of many columns one is chosen for so many rows: a guard, since the same rows choose it and say how wide it is.
Worth: `r_tables.py`."""
_COLUMNS = 64
"""Of many columns so many are chosen at most: a guard, for time."""
_AROUND = (0.4, 1.0, 2.5)
"""gamma of the kernels of each form, for what is learned together with others may change faster or more slowly.
Worth: `r_tables.py`."""
_CHANCE = 2.0
"""In one of the metrics correlations of so many standard errors, or less, count as none."""
_WEIGHED = (0.1, 0.5)
"""gamma of the Gaussians on weighed columns, where two rows are at squared distance 2 in the mean."""


def width_kernels(
    rows: View, groups: Sequence[Sequence[int]], T: FloatArray, weight: FloatArray
) -> tuple[PlacedKernel, ...]:
    """Gaussians and exponentials with a width for each group of columns; none where rows are too few for that.

    Args:
        rows: as kernels see them, shape (n, D).
        groups: the columns of each width; those in no group do not count.
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0.
    """
    seen = _Seen.of(rows, groups, T, weight)
    if seen is None or len(seen.X) < _ROWS_OF_A_WIDTH * seen.X.shape[1]:
        return ()
    return tuple(kernel for found in seen.fitted() for kernel in seen.around(found))


def crowded(rows: View, groups: Sequence[Sequence[int]], weight: FloatArray) -> bool:
    """Whether rows (n, D) of weights (n,) are too few for a width for each group of columns."""
    seen = _Seen.of(rows, groups, np.zeros((len(rows), 1)), weight)
    return seen is not None and len(seen.X) < _ROWS_OF_A_WIDTH * seen.X.shape[1]


def chosen_width_kernels(
    rows: View, groups: Sequence[Sequence[int]], T: FloatArray, weight: FloatArray
) -> tuple[PlacedKernel, ...]:
    """The same, and a linear kernel, on those few groups of columns that say most of the targets; none where rows are
    too few for one.

    The linear kernel weighs the columns as the Gaussian does, whose rates are what a slope is worth where it is wide.
    """
    seen = _Seen.of(rows, groups, T, weight)
    few = None if seen is None else seen.among(min(len(seen.X) // _ROWS_OF_A_CHOSEN, _COLUMNS))
    if few is None:
        return ()
    found = few.fitted()
    kernels = [kernel for one in found for kernel in few.around(one)]
    return (*kernels, *(few.linear(one) for one in found[:1] if one.rates.any()))


def correlated_kernels(
    rows: View, groups: Sequence[Sequence[int]], T: FloatArray, weight: FloatArray
) -> tuple[PlacedKernel, ...]:
    """Linear kernels and Gaussians on all columns, each weighed by its correlation with the targets, by the square of
    it, and by what is above chance.

    Where many columns say a little each, no few of them say most of the targets, and where all count alike the columns
    that say nothing drown them (Fan and Lv 2008).
    """
    seen = _Seen.of(rows, groups, T, weight)
    if seen is None:
        return ()
    size = correlations(seen.X, seen.T, seen.weight)
    return seen.weighed(size, size**2, np.maximum(size - _CHANCE / np.sqrt(len(seen.X)), 0.0))


def sparse_kernels(
    rows: View, groups: Sequence[Sequence[int]], T: FloatArray, weight: FloatArray
) -> tuple[PlacedKernel, ...]:
    """The same with the roots of slopes of a sparse linear function (Tibshirani 1996), whose minimum is then that of
    the linear kernel too: where some columns matter, and each hides the others' correlations.
    """
    seen = _Seen.of(rows, groups, T, weight)
    return () if seen is None else seen.weighed(np.sqrt(sparse_slopes(seen.X, seen.T, seen.weight)))


@attrs.frozen(eq=False)
class _Seen:
    """Some rows, as the groups of columns with a width each.

    Attributes:
        X: the columns of all groups, one group after the other, shape (n, d).
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0.
        groups: the numbers of the columns in what kernels see.
        width: of what kernels see.
    """

    X: FloatArray
    T: FloatArray
    weight: FloatArray
    groups: Sequence[Sequence[int]]
    width: int

    @classmethod
    def of(cls, rows: View, groups: Sequence[Sequence[int]], T: FloatArray, weight: FloatArray) -> "_Seen | None":
        """None where there is no group."""
        if not groups:
            return None
        chosen = np.linspace(0, len(rows) - 1, min(len(rows), _ROWS), dtype=np.intp)
        columns = tuple(chain.from_iterable(groups))
        seen = written_out(seen_from(Some(columns), rows[chosen]))
        return cls(*without_copies(seen, T[chosen], weight[chosen]), groups, rows.shape[1])

    def among(self, most: int) -> "_Seen | None":
        """With those groups alone that say most of the targets, so many columns at most; None where there are none."""
        starts = np.cumsum([0, *(len(group) for group in self.groups)])
        places = [range(i, j) for i, j in pairwise(starts.tolist())]
        kept = chosen_columns(self.X, self.T, self.weight, places, most) if most else ()
        if not kept:
            return None
        numbers = {place: number for number, place in enumerate(map(tuple, places))}
        groups = [self.groups[numbers[place]] for place in kept]
        return attrs.evolve(self, X=self.X[:, list(chain.from_iterable(kept))], groups=groups)

    def fitted(self) -> tuple[Found, ...]:
        """The rates of each form that suit the targets."""
        numbers = np.repeat(np.arange(len(self.groups)), [len(group) for group in self.groups])
        return fitted_widths(self.X, self.T, self.weight, numbers)

    def around(self, found: Found) -> Iterator[PlacedKernel]:
        """A form's kernels with these rates, and with larger and smaller ones."""
        metric = self._metric(found.rates)
        for gamma in _AROUND:
            yield PlacedKernel((found.name, {"gamma": gamma}), metric)

    def linear(self, found: Found) -> PlacedKernel:
        """The linear kernel of columns that are weighed as by these rates, whose mean k(x, x) is 1."""
        mean = float(np.average(np.square(self.X) @ found.rates, weights=self.weight))
        return PlacedKernel(("linear", {}), self._metric(found.rates / mean if mean > 0.0 else found.rates))

    def weighed(self, *weights: FloatArray) -> tuple[PlacedKernel, ...]:
        """Linear kernels and Gaussians on standard columns times some weights (d,), not all of them 0; the mean k(x, x)
        about the middle is 1.
        """
        found: list[PlacedKernel] = []
        deviation = np.sqrt(variances(self.X, self.weight))
        for one in weights:
            total = float(np.sum(one[deviation > 0.0] ** 2))
            if total > 0.0:
                units = np.divide(one, deviation, out=np.zeros_like(one), where=deviation > 0.0)
                metric = self._metric(units**2 / total)
                found.append(PlacedKernel(level_and_slopes(1.0, float(len(self.X))), metric))
                found += [PlacedKernel(("rbf", {"gamma": gamma}), metric) for gamma in _WEIGHED]
        return tuple(found)

    def _metric(self, rates: FloatArray) -> Metric:
        root = np.zeros(self.width)
        root[list(chain.from_iterable(self.groups))] = np.sqrt(rates)
        return Metric(root)
