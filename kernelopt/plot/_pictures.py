"""The kinds of picture of a list of atoms or of a matrix: values that know how to draw themselves."""

from textwrap import wrap
from typing import Any, TypeAlias

import attrs
import numpy as np

from kernelopt._base._svg import LOWER, brief, in_digits
from kernelopt._base._typing import FloatArray
from kernelopt._families._named_weights import heaviest_of
from kernelopt.plot._canvas import SIGNED, UNSIGNED, fitted_size, ink

LONG, _SHORT = 30, 18
"""Letters of a label beside and below a picture."""
_LEAST, _FEW, _TICKS = 4, 12, 5
"""So many bars fill the height, so many have room for two lines each, and so many numbers stand below at most."""


@attrs.frozen(eq=False)
class Bars:
    """Named numbers, the first on top.

    Attributes:
        labels: one for each bar.
        values: shape (m,).
        axis: what the numbers are.
    """

    labels: tuple[str, ...]
    values: FloatArray
    axis: str

    def draw(self, ax: Any) -> None:
        """Horizontal bars, with each number at its end."""
        place = np.arange(len(self.values))
        bars = ax.barh(place, self.values, height=0.7, color=LOWER)
        words = self._words()
        size = fitted_size(ax, [line for word in words for line in word.split("\n")], beside=True)
        ax.set_yticks(place, words, fontsize=size)
        ax.bar_label(bars, labels=[in_digits(value) for value in self.values], padding=3, fontsize=size)
        ax.set_ylim(max(len(place), _LEAST) - 0.4, -0.6)
        ax.margins(x=0.15)
        ax.locator_params(axis="x", nbins=_TICKS)
        ax.set_xlabel(self.axis)
        ax.spines[["top", "right"]].set_visible(False)

    def _words(self) -> list[str]:
        """The labels, cut where they are long; of few bars on two lines each."""
        if len(self.labels) > _FEW:
            return [brief(label, LONG) for label in self.labels]
        return [_on_two_lines(label) for label in self.labels]

    @classmethod
    def heaviest(cls, labels: tuple[str, ...], values: FloatArray, axis: str, most: int) -> "Bars":
        """The `most` largest, and the sum of all others as one bar."""
        names, numbers = heaviest_of(labels, values, most)
        return cls(names, numbers, axis)


def _on_two_lines(label: str) -> str:
    """A label with its beginning and its end; its middle is left out where two lines have no room for it."""
    cuts = (wrap(brief(label, most), LONG) for most in range(2 * LONG, 0, -1))
    return "\n".join(next(lines for lines in cuts if len(lines) <= 2))


@attrs.frozen(eq=False)
class Heat:
    """A matrix as colours, with names of its rows and columns.

    Attributes:
        values: shape (r, c).
        rows, columns: their names.
        axis: what the numbers are.
        beside: what the rows are.
        below: what the columns are.
    """

    values: FloatArray
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    axis: str
    beside: str = ""
    below: str = ""

    def draw(self, ax: Any) -> None:
        """One cell for each entry, square where rows and columns share their names; white is 0 of signed numbers."""
        square = self.rows == self.columns
        signed = bool((self.values < 0.0).any())
        top = float(np.abs(self.values).max(initial=0.0)) or 1.0
        image = ax.imshow(
            self.values,
            cmap=SIGNED if signed else UNSIGNED,
            vmin=-top if signed else 0.0,
            vmax=top,
            aspect="equal" if square else "auto",
            interpolation="nearest",
        )
        self._name(ax, square=square)
        # A scale as high as the cells are, wherever square ones end.
        scale = ax.inset_axes((1.03, 0.0, 0.05, 1.0))
        ax.get_figure().colorbar(image, cax=scale, label=self.axis)

    def _name(self, ax: Any, *, square: bool) -> None:
        """The names of the rows beside it, and those of the columns below."""
        rows = [brief(name, LONG) for name in self.rows]
        columns = rows if square else [brief(name, _SHORT) for name in self.columns]
        sizes = [fitted_size(ax, rows, beside=True, share=0.6), fitted_size(ax, columns, beside=False)]
        if square:
            sizes = [min(sizes)] * 2
        ax.set_yticks(np.arange(len(rows)), rows, fontsize=sizes[0])
        ax.set_xticks(np.arange(len(columns)), columns, fontsize=sizes[1], rotation=90)
        ax.set_ylabel(self.beside)
        ax.set_xlabel(self.below)


@attrs.frozen(eq=False)
class Stems:
    """Atoms of one number: a stem of the weight's height at each.

    Attributes:
        at, heights: shape (m,).
        name: of the number.
    """

    at: FloatArray
    heights: FloatArray
    name: str

    def draw(self, ax: Any) -> None:
        """Stems from 0, on a logarithmic scale where the numbers differ by far."""
        drawn = ax.stem(self.at, self.heights, linefmt=LOWER, markerfmt="o", basefmt="none")
        drawn.markerline.set_color(LOWER)
        if self.at.min(initial=1.0) > 0.0 and self.at.max(initial=0.0) > 30.0 * self.at.min(initial=1.0):
            ax.set_xscale("log")
        ax.set_ylim(0.0, 1.1 * float(self.heights.max(initial=0.0)) or 1.0)
        ax.margins(x=0.15)
        ax.set_xlabel(self.name)
        ax.set_ylabel("weight")
        ax.spines[["top", "right"]].set_visible(False)


@attrs.frozen(eq=False)
class Points:
    """Atoms of two numbers: a point in the plane for each, of the weight's colour and area.

    Attributes:
        at: shape (m, 2).
        weights: shape (m,).
        names: of the two numbers.
    """

    at: FloatArray
    weights: FloatArray
    names: tuple[str, str]

    def draw(self, ax: Any) -> None:
        """Points, the light ones on top."""
        order = np.argsort(-self.weights, kind="stable")
        weights = self.weights[order]
        drawn = ax.scatter(
            *self.at[order].T,
            s=20.0 + 180.0 * weights / (weights.max(initial=0.0) or 1.0),
            c=weights,
            cmap=UNSIGNED + "_r",
            vmin=0.0,
            edgecolors=ink(),
            linewidths=0.6,
        )
        ax.axhline(0.0, color=ink(), linewidth=0.5, zorder=0)
        ax.axvline(0.0, color=ink(), linewidth=0.5, zorder=0)
        ax.margins(0.12)
        ax.set_xlabel(self.names[0])
        ax.set_ylabel(self.names[1])
        ax.get_figure().colorbar(drawn, ax=ax, label="weight")


Picture: TypeAlias = Bars | Heat | Stems | Points
