"""The table of variance components, in words and in HTML."""

import math
import textwrap

import attrs

from kernelopt._base._html import Cell, folded, grid, table

_WIDE = 78
_NAME, _NUMBER = 18, 10
_TINY = 1e-99
"""A smaller probability would need a wider column."""
_VARIANCES = ("", "variance", "std err", "share", "std err", "LR chi2", "P>chi2")
_EFFECTS = ("", "coef", "std err", "z", "P>|z|", "[0.025", "0.975]")


@attrs.frozen
class Sheet:
    """What the table says, cell by cell.

    Attributes:
        title: above it.
        facts: names and values.
        variances: a line for each component.
        effects: a line for each fixed effect.
        notes: below it.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    variances: tuple[tuple[str, ...], ...]
    effects: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def text(sheet: Sheet) -> str:
    """In letters of equal width."""
    lines = [sheet.title.center(_WIDE).rstrip(), "=" * _WIDE]
    half = _WIDE // 2 - 1
    for left, right in zip(sheet.facts[::2], sheet.facts[1::2], strict=True):
        lines.append(f"{_fact(left, half - 14)}  {_fact(right, half + 14)}")
    lines += ["=" * _WIDE, _line(_VARIANCES), "-" * _WIDE, *map(_line, sheet.variances)]
    if sheet.effects:
        lines += ["-" * _WIDE, _line(_EFFECTS), "-" * _WIDE, *map(_line, sheet.effects)]
    lines.append("=" * _WIDE)
    for note in sheet.notes:
        lines += textwrap.wrap(note, _WIDE)
    return "\n".join(lines)


def html(sheet: Sheet) -> str:
    """For notebooks."""
    return "".join(
        [
            table(sheet.title, sheet.facts),
            grid("Variances", _VARIANCES, [[Cell(word) for word in row] for row in sheet.variances]),
            grid("Fixed effects", _EFFECTS, [[Cell(word) for word in row] for row in sheet.effects]),
            folded("notes", sheet.notes),
        ]
    )


def _fact(fact: tuple[str, str], width: int) -> str:
    name, value = fact
    return f"{name}:{value:>{width - len(name) - 1}}"


def _line(cells: tuple[str, ...]) -> str:
    name, *numbers = cells
    short = name if len(name) < _NAME else name[: _NAME - 4] + "..."
    return (f"{short:<{_NAME}}" + "".join(f"{number:>{_NUMBER}}" for number in numbers)).rstrip()


def number(value: float) -> str:
    """With four digits, as short as that can be; a bar where there is none."""
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" if value == 0.0 or 0.01 <= abs(value) < 1e4 else f"{value:.2e}"


def small(value: float) -> str:
    """A probability: three digits, or their power of ten."""
    if math.isnan(value):
        return "-"
    if value >= 0.001:
        return f"{value:.3f}"
    return f"{value:.1e}" if value > _TINY else f"<{_TINY:.0e}"
