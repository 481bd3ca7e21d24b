"""Whether probabilities come true: how often what was predicted with a probability happened, and how often that was."""

from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np
from scipy.special import betaincinv

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._svg import LOWER, UPPER
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._model._machines import Machine, require_machine
from kernelopt.plot._canvas import ABOVE_LEGEND, Display, ink, legend_above
from kernelopt.plot._surface import targets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SURE = 0.95
"""With this probability the true frequency lies within the bar."""
_LOW = 0.22
"""The height of the most frequent bin's column, in that of the picture."""


@attrs.define(eq=False, on_setattr=attrs.setters.frozen)
class CalibrationDisplay(Display):
    """The frequency of a class against the probability with which the class was predicted.

    Probabilities are sorted into bins. If the probabilities are right, the points lie on the diagonal up to chance: the
    bars are intervals that hold the frequency with a probability of 95 %, by Jeffreys' prior (Brown, Cai and DasGupta,
    2001). The columns at the bottom show the number of probabilities in each bin.

    For two classes, the probability of the second class is drawn. For more classes, the probabilities of all classes
    are drawn together, so that each row counts once for each class.

    Attributes:
        edges: the edges of the bins, shape (b + 1,).
        probabilities: the mean probability in each bin, shape (b,); NaN for an empty bin.
        frequencies: the share of the predictions in each bin that came true, shape (b,); NaN for an empty bin.
        counts: the number of probabilities in each bin, shape (b,).
        about: the class or classes whose probabilities are drawn, in words.
    """

    edges: FloatArray
    probabilities: FloatArray
    frequencies: FloatArray
    counts: IntArray
    about: str

    @classmethod
    def from_solution(
        cls,
        solution: Machine,
        X: Any,
        y: Any,
        *,
        label: Any = None,
        bins: int = 10,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the probabilities of a solution at rows that the solution has not learned from.

        On the rows that a machine has learned from, the machine looks better than it is on new rows.

        Args:
            solution: a solution or a model, for classes that the evidence learned.
            X: new rows, shape (n, d).
            y: the labels of these rows, shape (n,).
            label: the class whose probability is drawn. None: the second of two classes, or all of more classes.
            bins: the number of bins, which have equal width from 0 to 1.
            ax: the axes to draw into. None: new axes.

        Raises:
            InvalidOption: the machine has no probabilities, or there is no such class, or bins is below 1.
            InvalidData: X or y does not fit the solution.
        """
        require_machine(solution, cls.__name__)
        if bins < 1:
            raise InvalidOption(f"bins must be an integer of at least 1, got {bins!r}")
        odds, came, about = _told(solution, X, y, label)
        edges = np.linspace(0.0, 1.0, bins + 1)
        place = np.clip(np.searchsorted(edges, odds, side="right") - 1, 0, bins - 1)
        counts = np.bincount(place, minlength=bins)
        parts = np.where(counts > 0, counts, np.nan)
        means = np.bincount(place, weights=odds, minlength=bins) / parts
        shares = np.bincount(place, weights=came.astype(np.float64), minlength=bins) / parts
        return cls(edges, means, shares, counts, about).plot(ax)

    @property
    def difference(self) -> float:
        """The expected calibration error: the mean of |frequency - probability|, each bin weighted by its count."""
        away = np.abs(np.nan_to_num(self.frequencies - self.probabilities))
        return float(self.counts @ away) / float(self.counts.sum())

    @property
    def intervals(self) -> FloatArray:
        """The 95 % interval of each frequency, for independent rows, shape (2, b); NaN for an empty bin."""
        came = self.counts * self.frequencies
        tails = 0.5 * np.array([[1.0 - _SURE], [1.0 + _SURE]])
        ends = betaincinv(came + 0.5, self.counts - came + 0.5, tails)
        return np.stack([np.where(came > 0.0, ends[0], 0.0), np.where(came < self.counts, ends[1], 1.0)])

    def _draw(self, ax: Any) -> None:
        full = self.counts > 0
        x, y = self.probabilities[full], self.frequencies[full]
        ax.plot([0.0, 1.0], [0.0, 1.0], color=ink(), linestyle=":", linewidth=1.0, label="as predicted")
        away = np.maximum(np.abs(self.intervals[:, full] - y), 0.0)
        ax.errorbar(x, y, yerr=away, color=UPPER, fmt="o", markersize=5.0, linewidth=1.2, label="observed")
        self._draw_counts(ax)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-_LOW - 0.1, 1.03)
        ax.set_yticks(np.linspace(0.0, 1.0, 6))
        ax.set_xlabel(f"predicted probability of {self.about}")
        ax.set_ylabel("observed frequency")
        ax.set_title(
            f"mean difference {100.0 * self.difference:.1f} %", fontsize="medium", loc="left", pad=ABOVE_LEGEND
        )
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax)

    def _draw_counts(self, ax: Any) -> None:
        """Columns below the points, with their numbers on top."""
        heights = _LOW * self.counts / self.counts.max()
        middles, widths = 0.5 * (self.edges[1:] + self.edges[:-1]), 0.9 * np.diff(self.edges)
        bars = ax.bar(middles, heights, widths, bottom=-_LOW - 0.1, color=LOWER, alpha=0.6, label="count")
        words = [str(count) if count else "" for count in self.counts]
        ax.bar_label(bars, labels=words, padding=1, fontsize=0.75 * ax.xaxis.label.get_size())


def _told(solution: Machine, X: Any, y: Any, label: Any) -> tuple[FloatArray, BoolArray, str]:
    """Probabilities, whether each came true, and whose they are.

    Raises:
        InvalidOption, InvalidData: as in `from_solution`.
    """
    if solution.criterion.task != "classification":
        raise InvalidOption("calibration needs classes for targets; use ResidualsDisplay for numbers")
    shares = solution.predict_proba(X)
    labels, classes = targets(y, len(shares)), solution.classes
    assert classes is not None
    if labels is None:
        raise InvalidData(
            "y is missing: the picture compares probabilities with the labels of the rows; pass them as y"
        )
    came = labels.reshape(-1, 1) == classes
    if label is None and len(classes) > 2:
        return shares.ravel(), came.ravel(), "each class"
    known = classes.tolist()
    if label is not None and label not in known:
        raise InvalidOption(f"label: got {label!r}, the classes are {known}")
    place = len(known) - 1 if label is None else known.index(label)
    return shares[:, place], came[:, place], str(known[place])
