"""How far numbers are from what was predicted, beside the intervals in which the machine says that they lie."""

from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._svg import LOWER, UPPER
from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._model._machines import Machine, require_machine
from kernelopt._prediction._interval import check_share
from kernelopt.plot._canvas import ABOVE_LEGEND, Display, ink, legend_above
from kernelopt.plot._surface import check_output, targets

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class ResidualsDisplay(Display):
    """Targets minus predictions, against the predictions, with the intervals in which the machine expects new targets.

    After the evidence on numbers, each row has an interval in which a new target lies with a probability of `share`. If
    the intervals are right, this share of the rows is inside. Without the evidence there are no intervals.

    Attributes:
        predicted: the predictions, shape (n,).
        residuals: the targets minus the predictions, shape (n,).
        reach: half the length of each interval, shape (n,), or None.
        share: the share of the rows that the machine expects inside the intervals.
        target: the name of the target, with its unit.
    """

    predicted: FloatArray
    residuals: FloatArray
    reach: FloatArray | None
    share: float
    target: str

    @classmethod
    def from_solution(
        cls,
        solution: Machine,
        X: Any,
        y: Any,
        *,
        share: float = 0.95,
        output: int = 0,
        target: str = "target",
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the residuals of a solution at rows that the solution has not learned from.

        On the rows that a machine has learned from, the machine looks better than it is on new rows.

        Args:
            solution: a solution or a model, of regression.
            X: new rows, shape (n, d).
            y: the targets of these rows, shape (n,) or (n, c).
            share: the share of the rows that the intervals are to hold, between 0 and 1.
            output: the number of the target to draw, if there are several.
            target: the name of the target, with its unit.
            ax: the axes to draw into. None: new axes.

        Raises:
            InvalidOption: the solution is one of classes; share or output is out of range.
            InvalidData: X or y does not fit the solution.
        """
        require_machine(solution, cls.__name__)
        if solution.classes is not None:
            raise InvalidOption("residuals need numbers for targets; use CalibrationDisplay for classes")
        share = check_share(share)
        count = check_output(solution, output)
        rows = solution.kernel.rows(X, "X")
        wanted = targets(y, len(rows))
        if wanted is None:
            raise InvalidData("y is missing: a residual is a target minus its prediction; pass the targets as y")
        known = np.asarray(wanted, dtype=np.float64).reshape(len(rows), -1)
        if known.shape[1] != count:
            raise InvalidData(f"y has {known.shape[1]} columns, the solution has {count} targets")
        predicted, reach = _claimed(solution, rows, share, output)
        return cls(predicted, known[:, output] - predicted, reach, share, target).plot(ax)

    @property
    def inside(self) -> BoolArray | None:
        """Which rows lie inside their intervals, shape (n,); None if there are no intervals."""
        return None if self.reach is None else np.abs(self.residuals) <= self.reach

    def _draw(self, ax: Any) -> None:
        ax.axhline(0.0, color=ink(), linewidth=0.8)
        inside = self.inside
        if inside is None or self.reach is None:
            ax.plot(self.predicted, self.residuals, "o", color=LOWER, markersize=4.0, alpha=0.7, label="rows")
        else:
            ax.vlines(self.predicted, -self.reach, self.reach, color=ink(), alpha=0.15, linewidth=1.5, label="interval")
            self._draw_rows(ax, inside, LOWER, "o", "inside")
            self._draw_rows(ax, ~inside, UPPER, "^", "outside")
        ax.set_title(self._heading(), fontsize="medium", loc="left", pad=ABOVE_LEGEND)
        ax.set_xlabel(f"predicted {self.target}")
        ax.set_ylabel(f"{self.target} minus prediction")
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax)

    def _draw_rows(self, ax: Any, chosen: BoolArray, colour: str, marker: str, word: str) -> None:
        marks = {"color": colour, "marker": marker, "linestyle": "", "markersize": 4.0, "alpha": 0.8}
        ax.plot(self.predicted[chosen], self.residuals[chosen], label=f"{word} ({chosen.sum()})", **marks)

    def _heading(self) -> str:
        if self.inside is None:
            return f"root mean squared error {np.sqrt(np.mean(self.residuals**2)):.4g}"
        return f"{100.0 * self.inside.mean():.1f} % lie in intervals of {100.0 * self.share:g} %"


def _claimed(solution: Machine, rows: FloatArray, share: float, output: int) -> tuple[FloatArray, FloatArray | None]:
    """What is predicted of one output, and half the length of its intervals, shape (n,) each."""
    if solution.posterior is None:
        return solution.predict(rows).reshape(len(rows), -1)[:, output], None
    values, deviation = solution.predict(rows, return_std=True)
    wide = solution.posterior.reach(share) * deviation
    return values.reshape(len(rows), -1)[:, output], wide.reshape(len(rows), -1)[:, output]
