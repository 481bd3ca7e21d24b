"""A figure of a paper as a picture: what was measured along the axis, and dashed what the paper prints."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._options import is_number
from kernelopt.cli._plot import DPI, check_format
from kernelopt.cli.papers._definition import QUANTITIES, Method, Table
from kernelopt.cli.papers._line import Line
from kernelopt.plot._canvas import COLOURS, MARKERS, legend_above, pyplot

_WIDE, _TALL = 5.0, 4.0
"""Of one set's axes, in inches."""
_DECADE = 10.0
"""A scale is logarithmic where the numbers differ by more than that factor."""


def check(table: Table, out: Path) -> None:
    """Refuse a picture that cannot be drawn, before anything is measured.

    Raises:
        InvalidOption: the table has no axis of numbers, or matplotlib writes no such files.
        MissingLibrary: matplotlib is not installed.
    """
    axis = table.axis
    if axis is None or axis.average or not all(map(is_number, axis.values)):
        raise InvalidOption(
            f"--picture: {table.key} has no axis along which anything could be drawn; pictures belong to figures, "
            "such as 004-f1"
        )
    check_format(out, "--picture")


def draw(table: Table, lines: Sequence[Line], out: Path) -> None:
    """Write the picture of the first quantity that the table shows: axes for each set, a curve for each method.

    Args:
        table: with an axis of numbers.
        lines: what was measured.
        out: the file, whose suffix says its format.

    Raises:
        InvalidData: the file cannot be written.
    """
    plt, sets = pyplot(), [rows.name for rows in table.sets]
    figure, axes = plt.subplots(
        1, len(sets), figsize=(_WIDE * len(sets), _TALL), sharey=True, squeeze=False, layout="constrained"
    )
    try:
        for ax, name in zip(axes[0], sets, strict=True):
            _panel(ax, table, name, [line for line in lines if line.rows.name == name])
        axes[0, 0].set_ylabel(QUANTITIES[table.show[0]])
        figure.savefig(out, dpi=DPI)
    except OSError as error:
        raise InvalidData(f"{out} cannot be written: {error.strerror}") from None
    finally:
        plt.close(figure)


def _panel(ax: Any, table: Table, name: str, lines: Sequence[Line]) -> None:
    assert table.axis is not None
    quantity, drawn = table.show[0], []
    for method, colour, marker in zip(table.methods, _again(COLOURS, table), _again(MARKERS, table), strict=False):
        ours, paper = _curve(table, lines, method, quantity), _papers(table, lines, method, quantity)
        if ours:
            ax.plot(*zip(*sorted(ours.items()), strict=True), color=colour, marker=marker, label=method.name)
        if paper:
            label = f"{method.name}, paper"
            ax.plot(*zip(*sorted(paper.items()), strict=True), color=colour, linestyle="--", marker=marker, label=label)
        drawn += [*ours.values(), *paper.values()]
    if _spread(list(table.axis.values)):
        ax.set_xscale("log")
    if _spread(drawn):
        ax.set_yscale("log")
    ax.set_xlabel(table.axis.title)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_title(name, pad=20.0 * math.ceil(len(ax.get_lines()) / 2))
    if drawn:
        legend_above(ax)


def _again(few: Sequence[str], table: Table) -> list[str]:
    """As many as there are methods, from the first again where there are more."""
    return [few[k % len(few)] for k in range(len(table.methods))]


def _curve(table: Table, lines: Sequence[Line], method: Method, quantity: str) -> Mapping[float, float]:
    """What was measured, by the places of the axis: the means over the splits."""
    return {
        float(table.places[line.place]): float(np.mean([one.values[quantity] for one in line.outcomes]))
        for line in lines
        if line.method.name == method.name and any(quantity in one.values for one in line.outcomes)
    }


def _papers(table: Table, lines: Sequence[Line], method: Method, quantity: str) -> Mapping[float, float]:
    """What the paper prints, by the places of the axis."""
    found = {}
    for line in lines:
        told = line.rows.paper.get(method.name, {}).get(quantity)
        number = told[line.place] if told else None
        if line.method.name == method.name and number is not None:
            found[float(table.places[line.place])] = number[0]
    return found


def _spread(values: Sequence[float]) -> bool:
    """Whether positive numbers differ so much that a logarithmic scale shows them better."""
    return bool(values) and min(values) > 0.0 and max(values) > _DECADE * min(values)
