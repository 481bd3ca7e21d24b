"""Which directions matter: the share of every column, and beside it the columns' part in the leading directions."""

from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np

from kernelopt._base._svg import LOWER, UPPER, brief
from kernelopt._base._typing import FloatArray
from kernelopt._model._directions import directions
from kernelopt._model._machines import Machine, require_machine
from kernelopt._prediction._directions import SEEN
from kernelopt.plot._canvas import (
    MOST,
    Display,
    fitted_size,
    ground,
    ink,
    names_of_columns,
)
from kernelopt.plot._pictures import LONG, Bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBER, _GAP = 0.65, 0.2
"""The room for a number, and between two panels, where the longest bar is 1."""
_LETTERS = 10
"""The room of a number and its bar, in letters."""


@attrs.frozen(eq=False)
class Panel:
    """Signed bars, one for each row of the picture.

    Attributes:
        title: below them.
        lengths: of the bars, shape (m,), at most 1 in size; NaN where there is none.
        words: at the end of each, "" for none.
        colours: of the bars.
    """

    title: str
    lengths: FloatArray
    words: tuple[str, ...]
    colours: tuple[str, ...]

    @property
    def extent(self) -> tuple[float, float]:
        """How far it reaches to the left and to the right of its 0, numbers included; at least as far as a number."""
        left, right = (float(np.nanmax(side, initial=0.0)) for side in (-self.lengths, self.lengths))
        return left + _NUMBER if self._told(-1.0) else left, right + _NUMBER

    def _told(self, sign: float) -> bool:
        return any(word and sign * length > 0.0 for word, length in zip(self.words, self.lengths, strict=True))


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class DirectionsDisplay(Display):
    """The columns that matter, and the combinations of columns that matter: the picture of `kernelopt.directions`.

    On the left is the share of each column in the average gradient outer product of the decision function. Beside it
    are the leading directions, which make up 90 %, at most three of them, with the coefficient of each column. Columns
    are in units of their standard deviations.

    Attributes:
        bars: the columns, the largest share first.
        loadings: the coefficients of these columns in the leading directions, shape (m, k); NaN in the row that stands
            for all remaining columns.
        strengths: the shares of these directions, shape (k,).
    """

    bars: Bars
    loadings: FloatArray
    strengths: FloatArray

    @classmethod
    def from_solution(
        cls, solution: Machine, X: Any = None, *, names: Any = None, most: int = MOST, ax: "Axes | None" = None
    ) -> Self:
        """Draw the directions of a solution, which takes some 20,000 values of the decision function.

        Args:
            solution: a solution or a model, of any family.
            X: the rows, shape (n, d). None: the support vectors.
            names: the names of the columns. None: the names that the solution knows, otherwise x0, x1, ...
            most: the largest number of bars; the last bar then stands for all remaining columns.
            ax: the axes to draw into. None: new axes.

        Raises:
            InvalidData: X has another number of columns; or X is None, and the model keeps no rows.
        """
        require_machine(solution, cls.__name__)
        known = names_of_columns(names, solution.kernel)
        found = directions(solution, X)
        bars = Bars.heaviest(known, found.shares, "share", most)
        loadings = np.full((len(bars.values), found.leading), np.nan)
        alone = len(bars.values) if len(found.shares) <= most else most - 1
        order = np.argsort(-found.shares, kind="stable")[:alone]
        loadings[:alone] = found.vectors[order, : found.leading]
        return cls(bars, loadings, found.strengths[: found.leading]).plot(ax)

    def panels(self) -> tuple[Panel, ...]:
        """The panels of the picture: one for the shares, and one for each direction."""
        shares = self.bars.values
        top, most = float(shares.max(initial=0.0)) or 1.0, float(np.nanmax(np.abs(self.loadings), initial=0.0)) or 1.0
        words = tuple("" if word == "0 %" else word for word in (f"{100.0 * share:.0f} %" for share in shares))
        first = Panel("share", shares / top, words, (LOWER,) * len(shares))
        return first, *(
            Panel(
                f"direction {k + 1}\n{100.0 * strength:.0f} %",
                loadings / most,
                tuple(f"{one:.2f}".replace("-", "\N{MINUS SIGN}") if abs(one) >= SEEN else "" for one in loadings),
                tuple(UPPER if one < 0.0 else LOWER for one in loadings),
            )
            for k, (strength, loadings) in enumerate(zip(self.strengths, self.loadings.T, strict=True))
        )

    def _draw(self, ax: Any) -> None:
        place = np.arange(len(self.bars.labels))
        panels = self.panels()
        names = [brief(label, LONG) for label in self.bars.labels]
        size = fitted_size(ax, names, beside=True)
        small = min(size, _size_of_numbers(ax, names, panels))
        ax.set_yticks(place, names, fontsize=size)
        ax.set_ylim(len(place) - 0.4, -0.6)
        ax.grid(axis="y", color=ink(), alpha=0.15, linewidth=0.6)
        ax.set_axisbelow(True)
        under = {"facecolor": ground(), "edgecolor": "none", "pad": 0.6}  # so that no line runs through a number
        middles, at = [], 0.0
        for panel in panels:
            left, right = panel.extent
            zero = at + left
            bars = ax.barh(place, np.nan_to_num(panel.lengths), left=zero, height=0.7, color=panel.colours)
            ax.bar_label(bars, labels=panel.words, padding=3, fontsize=small, bbox=under)
            ax.axvline(zero, color=ink(), linewidth=0.8)
            middles.append(zero if left else at + 0.5 * (right - _NUMBER))
            at = zero + right + _GAP
        ax.set_xlim(0.0, at - _GAP)
        ax.set_xticks(middles, [panel.title for panel in panels], fontsize=small)
        ax.tick_params(length=0.0)
        ax.spines[:].set_visible(False)
        if not len(self.strengths):
            ax.set_xlabel("the decision function is constant on these rows")


def _size_of_numbers(ax: Any, names: list[str], panels: tuple[Panel, ...]) -> float:
    """The size at which the longest name, and a number and a bar on each side of each panel, fit into a line."""
    sides = sum(1 + (panel.extent[0] > 0.0) for panel in panels)
    letters = max(map(len, names)) + _LETTERS * sides
    return fitted_size(ax, ["-" * (letters // 2)], beside=True)  # labels may take a half, and these the whole
