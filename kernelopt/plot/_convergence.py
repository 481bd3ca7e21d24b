"""How a run went: the bounds, the gap, and how many atoms and support vectors the answer has."""

from typing import TYPE_CHECKING, Any, Literal, Self

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._svg import LOWER, THIRD, UPPER
from kernelopt._base._typing import FloatArray
from kernelopt._model._machines import require_machine
from kernelopt._model._solution import Solution
from kernelopt._saddle._trace import Record, finite, limits_of
from kernelopt.plot._canvas import Display, ink, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Against = Literal["step", "seconds"]
_FEW = 60
"""So many records are marked one by one."""


@attrs.frozen(eq=False)
class Course:
    """The horizontal axis of a run: its steps, or its seconds, shape (k,)."""

    at: FloatArray
    label: str

    @classmethod
    def of(cls, trace: tuple[Record, ...], against: Against) -> "Course":
        """Of a trace.

        Raises:
            InvalidOption: `against` is neither "step" nor "seconds".
        """
        if against not in ("step", "seconds"):
            raise InvalidOption(f'against must be "step" or "seconds", got {against!r}')
        return cls(finite(trace, against), against)

    def line(self, ax: Any, values: FloatArray, colour: str, label: str, marker: str = "o") -> None:
        """One line, each record marked where they are few."""
        few = len(self.at) <= _FEW
        ax.plot(self.at, values, color=colour, label=label, marker=marker if few else "", markersize=3.5)

    def finish(self, ax: Any) -> None:
        """The label of the axis, and whole steps on it."""
        ax.set_xlabel(self.label)
        ax.xaxis.get_major_locator().set_params(integer=self.label == "step")
        ax.spines[["top", "right"]].set_visible(False)


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class BoundsDisplay(Display):
    """The best bounds after each step, which approach the optimum.

    The first bounds may be outside of the picture: those whose distance is larger than their size.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), figure 1.

    Attributes:
        course: the horizontal axis.
        upper, lower: the bounds, shape (k,); NaN where a bound is infinite.
        gaps: the relative gaps, shape (k,).
        baseline: the objective of the centre kernel, if it is known.
    """

    course: Course
    upper: FloatArray
    lower: FloatArray
    gaps: FloatArray
    baseline: float | None

    @classmethod
    def from_solution(cls, solution: Solution, *, against: Against = "step", ax: "Axes | None" = None) -> Self:
        """The bounds of a solution's trace, against its steps or its seconds."""
        require_machine(solution, cls.__name__)
        trace = solution.trace
        upper, lower, gaps = (finite(trace, name) for name in ("upper", "lower", "relative_gap"))
        return cls(Course.of(trace, against), upper, lower, gaps, solution.baseline).plot(ax)

    def _draw(self, ax: Any) -> None:
        if self.baseline is not None:
            ax.axhline(self.baseline, color=ink(), linestyle=":", linewidth=1.0, label="centre kernel")
        self.course.line(ax, self.upper, UPPER, "upper bound", "v")
        self.course.line(ax, self.lower, LOWER, "lower bound", "^")
        ax.fill_between(self.course.at, self.lower, self.upper, color=THIRD, alpha=0.15, linewidth=0.0)
        limits = limits_of(self.upper, self.lower, self.gaps, self.baseline)
        if limits is not None:
            ax.set_ylim(*limits)
        ax.set_ylabel("objective")
        self.course.finish(ax)
        legend_above(ax)


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class GapDisplay(Display):
    """The relative duality gap on a logarithmic scale.

    Attributes:
        course: the horizontal axis.
        gaps: shape (k,); NaN where a gap is infinite, or 0.
    """

    course: Course
    gaps: FloatArray

    @classmethod
    def from_solution(cls, solution: Solution, *, against: Against = "step", ax: "Axes | None" = None) -> Self:
        """The gap of a solution's trace, against its steps or its seconds."""
        require_machine(solution, cls.__name__)
        gaps = finite(solution.trace, "relative_gap")
        return cls(Course.of(solution.trace, against), np.where(gaps > 0.0, gaps, np.nan)).plot(ax)

    def _draw(self, ax: Any) -> None:
        self.course.line(ax, self.gaps, ink(), "relative gap")
        self.course.finish(ax)
        ax.set_yscale("log")
        ax.set_ylabel("gap")


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class SizesDisplay(Display):
    """The numbers of atoms and of support vectors after each step, on a logarithmic scale.

    Attributes:
        course: the horizontal axis.
        atoms: the number of atoms, shape (k,).
        support: the number of support vectors, shape (k,).
        answer: both numbers in the solution; the number of support vectors is None if the solution keeps no rows.
    """

    course: Course
    atoms: FloatArray
    support: FloatArray
    answer: tuple[int, int | None]

    @classmethod
    def from_solution(cls, solution: Solution, *, against: Against = "step", ax: "Axes | None" = None) -> Self:
        """The numbers of a solution's trace, against its steps or its seconds."""
        require_machine(solution, cls.__name__)
        atoms, support = (finite(solution.trace, name) for name in ("atoms", "support"))
        rows = len(solution.support) if len(solution.coefficients) else None
        return cls(Course.of(solution.trace, against), atoms, support, (solution.mixture.count, rows)).plot(ax)

    def _draw(self, ax: Any) -> None:
        atoms, rows = self.answer
        support = "support vectors" if rows is None else f"support vectors ({rows} in the answer)"
        self.course.line(ax, self.support, UPPER, support, "v")
        self.course.line(ax, self.atoms, LOWER, f"atoms ({atoms})", "^")
        self.course.finish(ax)
        ax.set_yscale("symlog", linthresh=1.0)
        ax.set_ylim(0.0, 2.0 * float(max(self.support.max(initial=1.0), self.atoms.max(initial=1.0))))
        ax.yaxis.set_major_formatter("{x:.0f}")
        ax.set_ylabel("count")
        legend_above(ax)
