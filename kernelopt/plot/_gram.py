"""The Gram of the training rows, before and after the kernel was learned."""

from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._model._machines import Machine, require_machine
from kernelopt._prediction._kernel import Kernel
from kernelopt.plot._canvas import SIGNED, Display
from kernelopt.plot._surface import targets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 400
_LINES = "black"
"""Between classes: on the colours of the cells, whatever the style of the page."""


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class GramDisplay(Display):
    """A Gram matrix as cosines of the angles between rows in feature space, seen from the mean of the rows.

    A constant added to the kernel does not change the picture, just as it does not change a machine with a bias; nor
    does a factor. Rows are sorted by their targets, and lines separate the classes.

    Attributes:
        cosines: the cosines, shape (k, k), in [-1, 1].
        order: the row number of each row of the picture, shape (k,).
        breaks: the places where another class begins; empty in regression.
        heading: the name of the kernel.
    """

    cosines: FloatArray
    order: IntArray
    breaks: IntArray
    heading: str

    @classmethod
    def from_solution(
        cls,
        solution: Machine,
        X: Any,
        y: Any = None,
        *,
        learned: bool = True,
        most: int = MOST_ROWS,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the Gram matrix of rows under a solution's kernel, or under the centre kernel at which the run began.

        Args:
            solution: a solution or a model, of any family; the identity on samples is left out of the picture.
            X: the rows, shape (n, d).
            y: the labels or targets by which the rows are sorted. None: the rows keep their order.
            learned: True: the learned kernel. False: the centre kernel.
            most: the largest number of rows, >= 2; they are evenly chosen from the sorted rows.
            ax: the axes to draw into. None: new axes.

        Raises:
            InvalidData: X or y does not fit the solution.
            InvalidOption: `most` is below 2.
            Refused: the centre kernel is asked for, and the solution is a model, which does not keep it.
        """
        require_machine(solution, cls.__name__)
        if most < 2:
            raise InvalidOption(f"most must be an integer of at least 2, got {most!r}")
        rows = solution.kernel.rows(X, "X")
        y = targets(y, len(rows))
        key = None if y is None else y.reshape(len(y), -1)[:, 0]
        order = np.arange(len(rows)) if key is None else np.argsort(key, kind="stable")
        order = order[np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(int))]
        classified = key is not None and solution.classes is not None
        breaks = _breaks(key[order]) if classified and key is not None else np.zeros(0, dtype=np.int64)
        kernel = solution.kernel if learned else solution.kernel.center()
        heading = "learned kernel" if learned else "centre kernel"
        return cls(cosines_of(kernel, rows[order]), order, breaks, heading).plot(ax)

    def _draw(self, ax: Any) -> None:
        image = ax.imshow(self.cosines, cmap=SIGNED, vmin=-1.0, vmax=1.0, interpolation="nearest")
        for place in self.breaks - 0.5:
            ax.axhline(place, color=_LINES, linewidth=0.8)
            ax.axvline(place, color=_LINES, linewidth=0.8)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_title(self.heading)
        ax.get_figure().colorbar(image, ax=ax, label="cosine", shrink=0.8)


def cosines_of(kernel: Kernel, X: FloatArray) -> FloatArray:
    """<phi_i - m, phi_j - m> over both norms, m the mean, shape (n, n); 0 for a row that lies at the mean."""
    K = kernel.gram(X)
    mean = K.mean(axis=0)
    K = K - mean - mean[:, None] + mean.mean()
    K = 0.5 * (K + K.T)
    size = np.sqrt(np.maximum(np.diagonal(K), 0.0))
    scale = np.where(size > 1e-12 * size.max(initial=0.0), size, np.inf)
    return np.asarray(np.clip(K / scale / scale[:, None], -1.0, 1.0))


def _breaks(labels: npt.NDArray[Any]) -> IntArray:
    """Where the label differs from the one before."""
    return np.flatnonzero(labels[1:] != labels[:-1]) + 1
