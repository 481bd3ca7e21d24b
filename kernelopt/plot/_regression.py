"""The learned function of a regression over one or two columns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._svg import LOWER, UPPER
from kernelopt._base._typing import FloatArray
from kernelopt._model._machines import Machine, require_machine
from kernelopt.plot._canvas import UNSIGNED, Display, ground, ink, legend_above
from kernelopt.plot._surface import Grid, check_output, columns_of_numbers, grid_of, rows_of, targets, values_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class RegressionDisplay(Display):
    """A regression as a curve over one column, or as a surface over two (Talitckii, Colbert and Peet (2024), figure 3).

    Over two columns, the surface is drawn in space if the axes have the projection "3d", as new axes do, and otherwise
    as a map in the plane.

    Attributes:
        grid: the points of the picture.
        values: the learned function at these points, shape (points,).
        y: the targets of the rows, shape (n,), or None.
    """

    grid: Grid
    values: FloatArray
    y: FloatArray | None

    @classmethod
    def from_solution(
        cls,
        solution: Machine,
        X: Any = None,
        y: Any = None,
        *,
        columns: Sequence[int] | None = None,
        at: Any = None,
        output: int = 0,
        resolution: int | None = None,
        names: Any = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the learned function of a solution.

        Args:
            solution: a solution or a model, of regression.
            X: for a solution its training rows, for a model any rows, shape (n, d). None: the support vectors.
            y: the targets of these rows, shape (n,) or (n, c), or None.
            columns: the one or two columns that vary. None: the first two columns of numbers, or the only column.
            at: the values of the other columns, shape (d,). None: their medians, or their most frequent categories.
            output: the number of the target to draw, if there are several.
            resolution: the number of points along each axis. None: 400 for a curve, 60 for a surface.
            names: the names of the columns of X. None: the names that the solution knows, otherwise x0, x1, ...
            ax: the axes to draw into. None: new axes.

        Raises:
            InvalidOption: the solution is one of classification, or the columns or the output do not exist.
            InvalidData: X or y differs from what the solution was learned from.
        """
        require_machine(solution, cls.__name__)
        if solution.classes is not None:
            raise InvalidOption("a regression surface needs numbers; use DecisionDisplay for classes")
        check_output(solution, output)
        chosen = columns_of_numbers(solution) if columns is None else columns
        points = resolution if resolution is not None else 400 if len(chosen) == 1 else 60
        grid = grid_of(solution, rows_of(solution, X)[0], chosen, at, points, names)
        y = targets(y, len(grid.X))
        mine = None if y is None else np.asarray(y, dtype=np.float64).reshape(len(y), -1)[:, output]
        return cls(grid, values_on(solution, grid)[:, output], mine).plot(ax)

    def _projection(self) -> str | None:
        return "3d" if len(self.grid.axes) == 2 else None

    def _draw(self, ax: Any) -> None:
        if len(self.grid.axes) == 1:
            self._draw_curve(ax)
        elif ax.name == "3d":
            self._draw_surface(ax, self.values.reshape(self.grid.shape))
        else:
            self._draw_map(ax, self.values.reshape(self.grid.shape))

    def _draw_curve(self, ax: Any) -> None:
        if self.y is not None:
            ax.plot(self.grid.X[:, 0], self.y, ".", color=LOWER, alpha=0.6, label="rows")
        ax.plot(self.grid.axes[0], self.values, color=UPPER, linewidth=1.8, label="learned function")
        self.grid.name(ax)
        ax.set_ylabel("target")
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax)

    def _draw_surface(self, ax: Any, values: FloatArray) -> None:
        if self.y is not None:
            ax.scatter(*self.grid.X.T, self.y, color=ink(), s=5.0, alpha=0.5, depthshade=False)
        across, along = np.meshgrid(*self.grid.axes)
        ax.plot_surface(across, along, values, cmap=UNSIGNED, rcount=60, ccount=60, linewidth=0.0, alpha=0.9)
        self.grid.name(ax)
        ax.set_zlabel("f(x)")
        ax.set_box_aspect(None, zoom=0.85)

    def _draw_map(self, ax: Any, values: FloatArray) -> None:
        filled = ax.contourf(*self.grid.axes, values, levels=20, cmap=UNSIGNED)
        if self.y is not None:
            ax.scatter(
                *self.grid.X.T, c=self.y, cmap=UNSIGNED, norm=filled.norm, s=18.0, edgecolors=ground(), linewidths=0.5
            )
        self.grid.name(ax)
        ax.get_figure().colorbar(filled, ax=ax, label="learned function")
