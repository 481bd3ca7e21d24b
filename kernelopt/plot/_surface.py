"""The learned function over one or two columns of X."""

import warnings
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData, InvalidOption, OutsideBounds
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._encoding import is_category, is_date
from kernelopt._model._directions import kept_rows
from kernelopt._model._machines import Machine
from kernelopt._model._solution import Solution
from kernelopt.plot._canvas import names_of_columns, show_dates

_ROOM = 0.05
"""How far the picture reaches beyond the rows, in their range."""


@attrs.frozen(eq=False)
class Grid:
    """Points on a line or in the plane, over the range of the rows.

    Attributes:
        axes: the values of each column that varies, one or two arrays of shape (r,).
        rows: the points as rows of X, shape (r, d) or (r * r, d), the first column fastest.
        X: the rows that are shown, in the columns that vary, shape (n, 1) or (n, 2).
        names: of the columns that vary.
        dates: which of these columns hold dates, as days since 1970-01-01.
    """

    axes: tuple[FloatArray, ...]
    rows: FloatArray
    X: FloatArray
    names: tuple[str, ...]
    dates: tuple[bool, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis) for axis in self.axes)

    def name(self, ax: Any) -> None:
        """Write the names of the columns along the axes of a picture, and dates where a column holds them."""
        for axis, values, name, dated in zip((ax.xaxis, ax.yaxis), self.axes, self.names, self.dates, strict=False):
            axis.set_label_text(name)
            if dated:
                show_dates(axis, values)


def rows_of(solution: Machine, X: Any) -> tuple[FloatArray, IntArray]:
    """The rows to draw, shape (n, d), and the numbers of those that are support vectors.

    Args:
        solution: a solution, or a model, which does not know which rows its support vectors were.
        X: the training rows of a solution, any rows for a model; None: the support vectors that are kept.

    Raises:
        InvalidData: X has another number of columns, or is not what the solution was learned from; None is kept.
    """
    if X is None:
        rows = kept_rows(solution)
        return rows, np.arange(len(rows))
    rows = solution.kernel.rows(X, "X")
    if not isinstance(solution, Solution):
        return rows, np.zeros(0, dtype=np.intp)
    support = solution.support
    if support.size and support.max() >= len(rows):
        raise InvalidData(
            f"X has {len(rows)} rows, and row {support.max()} is a support vector: pass the training rows"
        )
    return rows, support


def grid_of(solution: Machine, X: FloatArray, columns: Sequence[int], at: Any, resolution: int, names: Any) -> Grid:
    """The grid over some columns of rows X (n, d); the others stay at `at`, or at their medians, or categories.

    Raises:
        InvalidOption: the columns do not exist or are not distinct; `at` has another length; the resolution is below 2.
    """
    chosen = [int(column) for column in columns]
    if len(chosen) not in (1, 2) or len(set(chosen)) < len(chosen) or not set(chosen) <= set(range(X.shape[1])):
        raise InvalidOption(f"columns: got {list(columns)}, wanted one or two of 0 to {X.shape[1] - 1}")
    if resolution < 2:
        raise InvalidOption(f"resolution must be an integer of at least 2, got {resolution!r}")
    known = names_of_columns(names, solution.kernel)
    for column in chosen:
        if is_category(solution.kernel.encoding, column):
            raise InvalidOption(
                f"columns: {known[column]} holds categories, which have no order to draw along; name columns of numbers"
            )
    base = _middle(solution, X) if at is None else _place(solution, at)
    axes = tuple(_span(X[:, column], resolution) for column in chosen)
    points = np.tile(base, (resolution ** len(chosen), 1))
    for column, values in zip(chosen, np.meshgrid(*axes), strict=True):
        points[:, column] = values.ravel()
    dates = tuple(is_date(solution.kernel.encoding, column) for column in chosen)
    return Grid(axes, points, X[:, chosen], tuple(known[column] for column in chosen), dates)


def columns_of_numbers(solution: Machine) -> list[int]:
    """The first two columns without categories, or the only one."""
    return [j for j in range(solution.kernel.d) if not is_category(solution.kernel.encoding, j)][:2]


def _middle(solution: Machine, X: FloatArray) -> FloatArray:
    """The median of each column of numbers, and the most frequent of categories, shape (d,)."""
    return np.array([_usual(x) if is_category(solution.kernel.encoding, j) else _median(x) for j, x in enumerate(X.T)])


def _usual(codes: FloatArray) -> float:
    values, counts = np.unique(codes, return_counts=True)
    return float(values[np.argmax(counts)])


def _median(values: FloatArray) -> float:
    present = values[~np.isnan(values)]
    return float(np.median(present)) if len(present) else np.nan


def _place(solution: Machine, at: Any) -> FloatArray:
    """A row that somebody gave, shape (d,), as codes.

    Raises:
        InvalidOption: it has another length.
        InvalidData: it is no row as in training.
    """
    row = np.asarray(at, dtype=object)
    if row.shape != (solution.kernel.d,):
        raise InvalidOption(f"at has shape {row.shape}, wanted one value for each column, shape ({solution.kernel.d},)")
    found: FloatArray = solution.kernel.rows(row[None], "at")[0]
    return found


def _span(values: FloatArray, resolution: int) -> FloatArray:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = _ROOM * (high - low or 1.0)
    return np.linspace(low - room, high + room, resolution)


def values_on(solution: Machine, grid: Grid) -> FloatArray:
    """The decision function on the grid, one column for each output, shape (points, c).

    The frame of a picture lies outside the bounds of some families; nobody asked for those rows, so nobody is warned.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideBounds)
        return solution.decision_function(grid.rows).reshape(len(grid.rows), -1)


def check_output(solution: Machine, output: int) -> int:
    """How many targets there are.

    Raises:
        InvalidOption: there is none of this number.
    """
    count = len(solution.predictor.intercept)
    if not 0 <= output < count:
        raise InvalidOption(f"output: got {output}, the solution has {count} (0 to {count - 1})")
    return count


def targets(y: Any, n: int) -> npt.NDArray[Any] | None:
    """The targets of the rows, shape (n,) or (n, c).

    Raises:
        InvalidData: they are not as many as the rows.
    """
    if y is None:
        return None
    values = np.asarray(y)
    if len(values) != n:
        raise InvalidData(f"y has {len(values)} values and X has {n} rows, wanted one value for each row")
    return values
