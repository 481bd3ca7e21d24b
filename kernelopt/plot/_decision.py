"""The decision surface of a classifier, or of novelty detection, over two columns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._model._machines import Machine, require_machine
from kernelopt.plot._canvas import COLOURS, MARKERS, SIGNED, Display, ground, ink, legend_above
from kernelopt.plot._surface import Grid, columns_of_numbers, grid_of, rows_of, targets, values_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEVELS = 16


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class DecisionDisplay(Display):
    """The decision function over two columns, with the training rows (Colbert and Peet (2020), figure 6).

    For two classes, and in novelty detection, colours show the values of the decision function, and a line shows where
    it is 0. For more classes, colours show the predicted class. Rings mark the support vectors.

    Attributes:
        grid: the points of the picture.
        values: the decision function at these points, shape (r * r, c).
        classes: the labels.
        y: the labels of the rows, shape (n,), or None.
        support: the row numbers of the support vectors; empty if a model does not know them.
    """

    grid: Grid
    values: FloatArray
    classes: npt.NDArray[Any]
    y: npt.NDArray[Any] | None
    support: IntArray

    @classmethod
    def from_solution(
        cls,
        solution: Machine,
        X: Any = None,
        y: Any = None,
        *,
        columns: Sequence[int] | None = None,
        at: Any = None,
        resolution: int = 150,
        names: Any = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the decision surface of a solution.

        Args:
            solution: a solution or a model, of classification or novelty detection.
            X: for a solution its training rows, for a model any rows, shape (n, d). None: the support vectors.
            y: the labels of these rows, shape (n,), or None.
            columns: the two columns that vary. None: the first two columns of numbers.
            at: the values of the other columns, shape (d,). None: their medians, or their most frequent categories.
            resolution: the number of points along each axis.
            names: the names of the columns of X. None: the names that the solution knows, otherwise x0, x1, ...
            ax: the axes to draw into. None: new axes.

        Raises:
            InvalidOption: the solution is one of regression, or the columns do not fit.
            InvalidData: X or y differs from what the solution was learned from.
        """
        require_machine(solution, cls.__name__)
        classes = solution.classes
        if classes is None:
            raise InvalidOption("a decision surface needs classes; use RegressionDisplay for numbers")
        columns = columns_of_numbers(solution) if columns is None else columns
        if len(columns) != 2:
            raise InvalidOption(f"columns: got {list(columns)}, a decision surface needs two of numbers")
        rows, support = rows_of(solution, X)
        grid = grid_of(solution, rows, columns, at, resolution, names)
        labels = targets(y, len(grid.X))
        return cls(grid, values_on(solution, grid), classes, labels, support).plot(ax)

    @property
    def predicted(self) -> IntArray:
        """The number of the predicted class at every point, shape (r * r,)."""
        if self.values.shape[1] == 1:
            return (self.values[:, 0] > 0.0).astype(np.int64)
        return np.asarray(np.argmax(self.values, axis=1))

    def _draw(self, ax: Any) -> None:
        shape = self.grid.shape
        if self.values.shape[1] == 1:
            self._draw_values(ax, self.values[:, 0].reshape(shape))
        else:
            self._draw_classes(ax, self.predicted.reshape(shape))
        self._draw_rows(ax)
        ax.set_xlim(self.grid.axes[0][0], self.grid.axes[0][-1])
        ax.set_ylim(self.grid.axes[1][0], self.grid.axes[1][-1])
        self.grid.name(ax)

    def _draw_values(self, ax: Any, values: FloatArray) -> None:
        from matplotlib.ticker import MaxNLocator

        top = float(np.quantile(np.abs(values), 0.98)) or 1.0
        levels = MaxNLocator(_LEVELS, symmetric=True).tick_values(-top, top)
        filled = ax.contourf(*self.grid.axes, values, levels=levels, cmap=SIGNED, extend="both", alpha=0.75)
        if values.min() < 0.0 < values.max():
            ax.contour(*self.grid.axes, values, levels=[0.0], colors=ink(), linewidths=1.5)
        ax.get_figure().colorbar(filled, ax=ax, label="decision function")

    def _draw_classes(self, ax: Any, codes: IntArray) -> None:
        from matplotlib.colors import ListedColormap

        count = len(self.classes)
        colours = ListedColormap([_colour(k) for k in range(count)])
        ax.pcolormesh(*self.grid.axes, codes, cmap=colours, vmin=-0.5, vmax=count - 0.5, alpha=0.35, shading="nearest")

    def _draw_rows(self, ax: Any) -> None:
        rows = self.grid.X
        if self.y is None:
            ax.scatter(*rows.T, color=ink(), s=14.0, edgecolors=ground(), linewidths=0.4, label="rows")
        else:
            for k, label in enumerate(self.classes):
                chosen = self.y == label
                ax.scatter(
                    *rows[chosen].T,
                    color=_colour(k),
                    marker=MARKERS[k % len(MARKERS)],
                    s=26.0,
                    edgecolors=ground(),
                    linewidths=0.5,
                    label=str(label),
                )
        if self.support.size:
            ring = {"facecolors": "none", "edgecolors": ink(), "linewidths": 0.7}
            ax.scatter(*rows[self.support].T, s=60.0, label="support vector", **ring)
        legend_above(ax)


def _colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]
