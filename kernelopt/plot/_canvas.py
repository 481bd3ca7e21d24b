"""Where a picture is drawn: axes that are given, or new ones; and what all pictures share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np

from kernelopt._base._errors import MissingLibrary
from kernelopt._base._svg import LOWER, THIRD, UPPER
from kernelopt._base._typing import FloatArray
from kernelopt._prediction._kernel import Kernel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (LOWER, UPPER, THIRD, "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#666666")
"""Of the classes, told apart by the colour-blind too (after Okabe and Ito, 2008)."""
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
SIGNED, UNSIGNED = "RdBu_r", "cividis"
"""The colour maps of numbers with and without a sign."""
ABOVE_LEGEND = 20.0
"""Points between axes and a title that stands above a legend."""
_FIRST, _LAST = np.array(["0001-01-02", "9999-12-30"], dtype="datetime64[D]").astype(np.float64)
"""Days since 1970-01-01 between which matplotlib knows dates."""
MOST = 24
"""Bars, rows or columns in one picture, as a rule."""


def pyplot() -> Any:
    """matplotlib's pyplot.

    Raises:
        MissingLibrary: it is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingLibrary(
            "pictures need matplotlib, which is not installed; install it with: python -m pip install matplotlib"
        ) from None
    return plt


def ink() -> Any:
    """The colour of lines and letters: dark on light, and light where matplotlib's style is dark."""
    return pyplot().rcParams["text.color"]


def ground() -> Any:
    """The colour that they stand on."""
    return pyplot().rcParams["axes.facecolor"]


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class Display(ABC):
    """A picture that is ready to be drawn, in the manner of scikit-learn's displays.

    `from_solution(...)` computes the content of the picture and draws it; `plot(ax)` draws it again into other axes.

    Attributes:
        ax_: the axes of the last `plot`.
        figure_: the figure of these axes.
    """

    ax_: "Axes | None" = attrs.field(default=None, init=False, repr=False, on_setattr=attrs.setters.NO_OP)
    figure_: "Figure | None" = attrs.field(default=None, init=False, repr=False, on_setattr=attrs.setters.NO_OP)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw into these axes, or into new ones of a new figure.

        Raises:
            MissingLibrary: matplotlib is not installed.
        """
        plt = pyplot()
        if ax is None:
            _, ax = plt.subplots(layout="constrained", subplot_kw={"projection": self._projection()})
        self._draw(ax)
        _as_written(ax)
        self.ax_, self.figure_ = ax, ax.get_figure(root=True)
        return self

    def _projection(self) -> str | None:
        """Of new axes: "3d", or None for a plane."""
        return None

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw into axes."""


def _as_written(ax: Any) -> None:
    """Have all words drawn as they are: matplotlib would take what stands between two dollar signs, in the name of a
    column say, for mathematics. Numbers along axes stay with it, which writes powers of ten so.
    """
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    named = (FixedFormatter, FuncFormatter)
    numbered = [axis for axis in (ax.xaxis, ax.yaxis) if not isinstance(axis.get_major_formatter(), named)]
    numbers = {id(label) for axis in numbered for label in axis.get_ticklabels(which="both")}
    for text in ax.findobj(Text):
        if id(text) not in numbers:
            text.set_parse_math(False)


def names_of_columns(names: Any, kernel: Kernel) -> tuple[str, ...]:
    """The names of all columns of X: those given, or those that the kernel knows, or x0, x1, ...

    Raises:
        InvalidOption: they are not as many as the columns.
    """
    if names is not None:
        return kernel.named(names).names
    return kernel.names or tuple(f"x{j}" for j in range(kernel.width))


def legend_above(ax: Any) -> None:
    """A legend that covers no data, of as many columns as the axes are wide."""
    _, labels = ax.get_legend_handles_labels()
    size = 0.85 * _usual()
    widths = [size * (3.5 + 0.6 * len(label)) for label in labels]
    room = _points(ax, vertical=False)
    columns = len(labels) if sum(widths) <= room else max(int(room // max(widths)), 1)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        fontsize=size,
        handlelength=1.5,
        columnspacing=1.0,
        frameon=False,
        borderaxespad=0.2,
    )


def show_dates(axis: Any, days: FloatArray) -> None:
    """Write dates along an axis of a picture that shows days since 1970-01-01 (n,), in ascending order.

    The numbers of the days stay where matplotlib was told to count from another day, or knows no dates so far away.
    """
    import matplotlib.dates

    dates: Any = matplotlib.dates  # its functions have no types
    if dates.date2num(np.datetime64(0, "D")) == 0.0 and days[0] >= _FIRST and days[-1] <= _LAST:
        locator = dates.AutoDateLocator(minticks=2, maxticks=5)  # narrow pictures have no room for more
        axis.set_major_locator(locator)
        axis.set_major_formatter(dates.ConciseDateFormatter(locator))


def fitted_size(ax: Any, labels: Sequence[str], *, beside: bool, share: float = 1.0) -> float:
    """The size in points at which labels fit, at most the usual one.

    Args:
        ax: axes of which the labels may take a half.
        labels: of one axis, one for each row or column.
        beside: the axes, one below the other; else below them, each turned by a right angle.
        share: of the axes' length that the rows or columns have.
    """
    length, depth = _points(ax, vertical=beside), _points(ax, vertical=not beside)
    by_count = 0.65 * share * length / max(len(labels), 1)
    by_length = 0.5 * depth / (0.6 * max(map(len, labels), default=1))
    return min(_usual(), max(3.0, min(by_count, by_length)))


def _usual() -> float:
    return float(pyplot().rcParams["font.size"])


def _points(ax: Any, *, vertical: bool) -> float:
    """How high or wide the axes are before they are laid out, in points."""
    box = ax.get_window_extent()
    return float(72.0 / ax.get_figure(root=True).dpi * (box.height if vertical else box.width))
