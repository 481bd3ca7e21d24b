"""The list that needs no choice: what `family="auto"` stands for on given rows."""

import math
from collections.abc import Container, Iterator
from itertools import chain

import numpy as np

from kernelopt._base._copies import rows_observed
from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.columns._category_groups import Groups, Same
from kernelopt._families.dictionary.columns._column_layout import Layout
from kernelopt._families.dictionary.columns._further_columns import Further, counted
from kernelopt._families.dictionary.columns._numbered_columns import comparing
from kernelopt._families.dictionary.columns._standard_columns import Frame, rescaled
from kernelopt._families.dictionary.kernels._base_kernels import (
    ColumnKernel,
    Kernel,
    Named,
    PlacedKernel,
    level_and_slopes,
)
from kernelopt._families.dictionary.seen._places import OwnUnits, Some

TOGETHER = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""d gamma of the Gaussians exp(-gamma |x - z|^2) on all d columns: two rows are at squared distance 2 d in the mean."""
ROUGH = (0.03, 0.1, 0.3, 1.0, 3.0)
"""d gamma of the Laplacians exp(-gamma sum_j |x_j - z_j|) on all d columns, for functions with kinks and steps."""
ALONE = (0.05, 0.5, 5.0)
"""gamma of the Gaussians on each column."""
ROWS_FOR_COLUMN = 30
"""Each column gets Gaussians of its own where there are at least so many rows for each: ten for each Gaussian."""
_FULL = 0.5
"""Rows that have so many columns each, or more, have nearly as many directions in which a linear kernel of standard
columns is above zero as there are rows. The noise is then what is left in few directions, and one of these is that of
equal values, in which targets less their mean are zero. So the linear kernel has a level there: without it rows would
be most likely without any noise, and errors of rows that are left out would be next to nothing."""
_PAIR, _LOOKED_AT = 2, 100
"""The values of such a column, and of how many rows more values tell at once that it is none."""
_SHOWN, _ALIKE = 2.0, 0.95
"""Columns are seen in units of their own too where so many of them show beside each other, and no more than this share
of all: what drowns the others is one column, and columns of one deviation look as standard ones do. Guards, for time.
What the look is worth: `evidence_table.py --methods auto standardised`."""


def automatic(
    n: float,
    d: int,
    pairs: Container[int] = (),
    further: Further | None = None,
    groups: Groups | None = None,
    deviation: FloatArray | None = None,
    *,
    about_mean: bool = False,
) -> tuple[Kernel, ...]:
    """Six Gaussians, five Laplacians, the linear and the quadratic kernel on all columns, three Gaussians on each of d.

    The columns' own are left out where there are few rows for them. Of those on a column that has but a pair of values
    the narrowest stands for all: it and a constant make the others. Where there are further columns, the eleven stand
    in the list once more for each kind of these, in place of the columns that they come from, and each column of
    categories has a kernel that is 1 where two rows have the same and else 0. Groups of indicators are in all places
    beside the d columns of numbers, and have such a kernel each. So have columns of more whole numbers: these
    may be names of something, and are numbers everywhere else. Where columns of these `deviation` (d,) may share a
    unit, the Gaussians, the linear and the quadratic kernel stand in the list once more, for columns in units of their
    own. Where targets are learned less their mean, the linear kernel of many columns has a level. The list depends on
    the data alone: the same data have the same kernels on every machine.
    """
    columns = d if groups is None else groups.columns
    rows = n if about_mean else math.inf
    distances, listed = _distances(columns), together(columns, rows)
    in_units = () if deviation is None else _in_own_units(deviation, rows)
    often = n >= ROWS_FOR_COLUMN * columns
    wide = often and columns > 1
    alone: list[Kernel] = [
        ColumnKernel(("rbf", {"gamma": gamma}), j) for j in range(d) for gamma in (ALONE[-1:] if j in pairs else ALONE)
    ]
    layout = Layout(d, further, groups)
    held = () if groups is None else groups.places(layout.grouped)
    alone += [PlacedKernel(("linear", {}), Same(numbers)) for numbers in held]
    if further is None:
        return (*listed, *in_units, *(alone if wide else ()))
    beside = tuple(chain.from_iterable(held))
    every = Some((*range(d), *beside))
    kernels: list[Kernel] = [*(PlacedKernel(kernel, every) for kernel in listed), *in_units]
    if further.ranks:
        ranked = Some((*further.ranked(d), *beside), "ranks")
        kernels += [PlacedKernel(kernel, ranked) for kernel in distances]
    if further.categories:
        apart = Some((*further.told_apart(d), *beside), "categories")
        kernels += [PlacedKernel(kernel, apart) for kernel in of_categories(columns)]
    names = comparing(layout.number_spans)
    return (*kernels, *((*alone, *_same(further, d)) if wide else ()), *(names if often else ()))


def suited(
    X: FloatArray, weight: FloatArray, groups: Groups | None, frame: Frame, *, about_mean: bool = False
) -> tuple[tuple[Kernel, ...], Further | None]:
    """The list of `automatic` for columns of numbers X (n, p) with rows of weights (n,) > 0 in units of a frame, and
    what stands behind these columns; `groups` stand behind that. Targets may be learned less their mean.
    """
    pairs = {j for j, column in enumerate(X.T) if _paired(column)}
    further = Further.of(X, rescaled(X, frame), weight)
    deviation = np.where(X.max(axis=0) > X.min(axis=0), frame[1], 0.0)
    n = rows_observed(weight)
    return automatic(n, X.shape[1], pairs, further, groups, deviation, about_mean=about_mean), further


def _paired(column: FloatArray) -> bool:
    """Whether a column (n,) has no other values than its least and its largest."""
    if counted(column[:_LOOKED_AT], _PAIR) > _PAIR:
        return False
    return bool(((column == column.min()) | (column == column.max())).all())


def together(d: int, n: float) -> tuple[Named, ...]:
    """Six Gaussians, five Laplacians, the linear and the quadratic kernel on d columns of n rows: of infinitely many,
    unless targets are learned less their mean.
    """
    return (*_distances(d), _linear(d, n), _quadratic(d))


def of_categories(d: int) -> tuple[Named, ...]:
    """The same without the linear kernel: for categories among d columns it is the sum of kernels of single ones."""
    return (*_distances(d), _quadratic(d))


def _in_own_units(deviation: FloatArray, n: float) -> tuple[PlacedKernel, ...]:
    """Kernels of columns of n rows with these deviations (d,) as they came, 0 of one that does not vary; none where
    that shows nothing new.
    """
    if not deviation.any():
        return ()
    d, units = len(deviation), OwnUnits.of_columns(deviation)
    new = _SHOWN <= units.shown <= _ALIKE * d
    return tuple(PlacedKernel(one, units) for one in (*_gaussians(d), _linear(d, n), _quadratic(d))) if new else ()


def of_turned_rows(X: FloatArray, weight: FloatArray) -> tuple[Named, ...]:
    """Six Gaussians, the linear, the quadratic and the cosine kernel, for rows whose single columns say nothing: sparse
    rows (n, d) of weights (n,), which are held as coordinates.

    The widths are shares of the mean squared distance, as those of `together` are on standardised columns.
    """
    squares = float(np.average(np.einsum("ij,ij->i", X, X), weights=weight))
    middle = np.average(X, axis=0, weights=weight)
    apart = squares - float(middle @ middle)
    gaussians: list[Named] = [("rbf", {"gamma": gamma / apart}) for gamma in TOGETHER]
    return (*gaussians, ("linear", {}), ("poly", {"degree": 2, "gamma": 1.0 / squares, "coef0": 0.0}), ("cosine", {}))


def _same(further: Further, d: int) -> Iterator[PlacedKernel]:
    """For each column of categories the kernel that is 1 where two rows have the same."""
    for j, numbers in further.indicators(d).items():
        yield PlacedKernel(("linear", {}), Some(numbers, f"the values of x{j}"))


def _distances(d: int) -> list[Named]:
    """The Gaussians and the Laplacians of all columns."""
    return [*_gaussians(d), *(("laplacian", {"gamma": gamma / d}) for gamma in ROUGH)]


def _gaussians(d: int) -> list[Named]:
    """The Gaussians of all columns."""
    return [("rbf", {"gamma": gamma / d}) for gamma in TOGETHER]


def _linear(d: int, n: float) -> Named:
    """The linear kernel of d columns, with a level where n rows are few for these."""
    return level_and_slopes(d, n) if d >= _FULL * n else ("linear", {})


def _quadratic(d: int) -> Named:
    """The quadratic kernel of all columns."""
    return "poly", {"degree": 2, "gamma": 1.0 / d, "coef0": 0.0}
