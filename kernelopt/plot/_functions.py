"""One call for each picture, which returns the axes."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import Refused
from kernelopt._model._machines import Machine, require_machine
from kernelopt._model._solution import Solution
from kernelopt.plot._atoms import AtomsDisplay
from kernelopt.plot._calibration import CalibrationDisplay
from kernelopt.plot._canvas import pyplot
from kernelopt.plot._convergence import Against, BoundsDisplay, GapDisplay, SizesDisplay
from kernelopt.plot._decision import DecisionDisplay
from kernelopt.plot._directions import DirectionsDisplay
from kernelopt.plot._gram import MOST_ROWS, GramDisplay
from kernelopt.plot._regression import RegressionDisplay
from kernelopt.plot._residuals import ResidualsDisplay
from kernelopt.plot._weights import FeaturesDisplay, ViewsDisplay, WeightsDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AxesArray = npt.NDArray[Any]


def overview(solution: Machine, *, names: Any = None, figure: "Figure | None" = None) -> AxesArray:
    """Draw the run on the left, and the learned kernel on the right: weights of a union, or atoms of a single family.

    For a union, each atom with a name has a bar, as in `WeightsDisplay` with `atoms=True`.

    Args:
        solution: a solution of any family. A model keeps nothing of its run, so that only the learned kernel is drawn.
        names: the names of the columns of X. None: the names that the solution knows, otherwise x0, x1, ...
        figure: an empty figure to draw into, or a part of a figure. None: a new figure, half as large again as usual.

    Returns:
        the axes of the bounds, the gap, the sizes and the kernel, shape (4,); for a model those of the kernel, shape
        (1,).

    Raises:
        MissingLibrary: matplotlib is not installed.
    """
    require_machine(solution, "overview")
    if figure is None:
        plt = pyplot()
        figure = plt.figure(figsize=1.5 * np.array(plt.rcParams["figure.figsize"]), layout="constrained")
    axes: AxesArray = np.empty(0, dtype=object)
    kernel: Any = figure
    if isinstance(solution, Solution):
        run, kernel = np.asarray(figure.subfigures(1, 2))
        axes = run.subplots(3, 1, sharex=True, height_ratios=(2, 1, 1))
        _course(solution, axes, "step")
    weighted = sum(part.mass > 0.0 for part in solution.kernel.mixture.parts)
    last = kernel.subplots()
    if weighted > 1:
        WeightsDisplay.from_solution(solution, atoms=True, names=names, ax=last)
    else:
        AtomsDisplay.from_solution(solution, names=names, ax=last)
    figure.suptitle(f"{solution.status.name}: {solution.certificate}", fontsize="medium")
    return np.array([*axes, last], dtype=object)


def convergence(solution: Machine, *, against: Against = "step", figure: "Figure | None" = None) -> AxesArray:
    """Draw the run: the bounds, the relative gap, and the numbers of atoms and support vectors, one above the other.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), figure 1.

    Args:
        solution: a solution of any solver.
        against: the horizontal axis, "step" or "seconds".
        figure: an empty figure to draw into. None: a new figure.

    Returns:
        the axes, shape (3,).

    Raises:
        MissingLibrary: matplotlib is not installed.
        InvalidOption: `against` is not "step" or "seconds".
        Refused: the solution is a model, which keeps nothing of its run.
    """
    require_machine(solution, "convergence")
    if not isinstance(solution, Solution):
        raise Refused(
            "a model keeps no trace of its run; pass the solution, or in place of the model the data to learn from"
        )
    if figure is None:
        figure = pyplot().figure(layout="constrained")
    axes = figure.subplots(3, 1, sharex=True, height_ratios=(2, 1, 1))
    _course(solution, axes, against)
    return np.asarray(axes)


def _course(solution: Solution, axes: AxesArray, against: Against) -> None:
    BoundsDisplay.from_solution(solution, against=against, ax=axes[0])
    GapDisplay.from_solution(solution, against=against, ax=axes[1])
    SizesDisplay.from_solution(solution, against=against, ax=axes[2])
    for ax in axes:
        ax.label_outer()


def weights(solution: Machine, **options: Any) -> "Axes":
    """Draw the weight of every member of a union; the options are those of `WeightsDisplay.from_solution`."""
    return _drawn(WeightsDisplay.from_solution(solution, **options).ax_)


def views(solution: Machine, **options: Any) -> "Axes":
    """Draw the share of every view in the learned kernel; the options are those of `ViewsDisplay.from_solution`."""
    return _drawn(ViewsDisplay.from_solution(solution, **options).ax_)


def atoms(solution: Machine, **options: Any) -> "Axes":
    """Draw the atoms of one member, by default the heaviest; the options are those of `AtomsDisplay.from_solution`."""
    return _drawn(AtomsDisplay.from_solution(solution, **options).ax_)


def features(solution: Machine, X: Any, **options: Any) -> "Axes":
    """Draw the columns that matter; the options are those of `FeaturesDisplay.from_solution`."""
    return _drawn(FeaturesDisplay.from_solution(solution, X, **options).ax_)


def directions(solution: Machine, X: Any = None, **options: Any) -> "Axes":
    """Draw the columns and the directions that matter; the options are those of `DirectionsDisplay.from_solution`."""
    return _drawn(DirectionsDisplay.from_solution(solution, X, **options).ax_)


def decision(solution: Machine, X: Any = None, y: Any = None, **options: Any) -> "Axes":
    """Draw the decision surface over two columns; the options are those of `DecisionDisplay.from_solution`."""
    return _drawn(DecisionDisplay.from_solution(solution, X, y, **options).ax_)


def regression(solution: Machine, X: Any = None, y: Any = None, **options: Any) -> "Axes":
    """Draw the curve or the surface of a regression; the options are those of `RegressionDisplay.from_solution`."""
    return _drawn(RegressionDisplay.from_solution(solution, X, y, **options).ax_)


def calibration(solution: Machine, X: Any, y: Any, **options: Any) -> "Axes":
    """Draw whether probabilities come true on new rows; the options are those of `CalibrationDisplay.from_solution`."""
    return _drawn(CalibrationDisplay.from_solution(solution, X, y, **options).ax_)


def residuals(solution: Machine, X: Any, y: Any, **options: Any) -> "Axes":
    """Draw targets minus predictions on new rows; the options are those of `ResidualsDisplay.from_solution`."""
    return _drawn(ResidualsDisplay.from_solution(solution, X, y, **options).ax_)


def grams(
    solution: Machine, X: Any, y: Any = None, *, most: int = MOST_ROWS, figure: "Figure | None" = None
) -> AxesArray:
    """Draw the Gram matrix before and after learning, side by side.

    Args:
        solution: a solution of any family.
        X: the rows, shape (n, d).
        y: the labels or targets by which the rows are sorted.
        most: the largest number of rows.
        figure: an empty figure to draw into. None: a new figure, half as high as it is wide.

    Returns:
        the axes of the centre kernel and of the learned kernel, shape (2,).

    Raises:
        MissingLibrary: matplotlib is not installed.
        InvalidData, InvalidOption: the same errors as `GramDisplay.from_solution`.
        Refused: the solution is a model, which keeps no centre kernel.
    """
    require_machine(solution, "grams")
    if not isinstance(solution, Solution):
        raise Refused("a model keeps no centre kernel to compare with; pass the solution")
    if figure is None:
        plt = pyplot()
        width = plt.rcParams["figure.figsize"][0]
        figure = plt.figure(figsize=(1.5 * width, 0.75 * width), layout="constrained")
    axes = figure.subplots(1, 2)
    for learned, ax in zip((False, True), axes, strict=True):
        GramDisplay.from_solution(solution, X, y, learned=learned, most=most, ax=ax)
    return np.asarray(axes)


def _drawn(ax: "Axes | None") -> "Axes":
    assert ax is not None
    return ax
