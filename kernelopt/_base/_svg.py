"""Small pictures for notebooks, as text: no library draws them, they cost no time, and they are as light or dark as
the page, whose own colour of letters they take.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from kernelopt._base._plain_numbers import plain
from kernelopt._base._typing import FloatArray

UPPER, LOWER, THIRD = "#D55E00", "#0072B2", "#009E73"
"""Of pictures everywhere, told apart by the colour-blind too (after Okabe and Ito, 2008)."""

_LETTER, _LINE = 7.0, 17.0
"""The width of a letter and the height of a line, in pixels."""
_WIDTH = 300.0
_NOTHING = 1e-9
"""What is less than that is rounding."""
_LONGEST = 26
"""Letters of a label."""
_DECADES = 8
"""The gauge ends at a gap of ten to this negative power."""


def bars(labels: Sequence[str], values: Sequence[float], what: str) -> str:
    """Named numbers >= 0 as bars, one below the other, each with its number.

    Args:
        labels: one for each bar.
        values: shape (m,).
        what: the picture shows, for who cannot see it.
    """
    words = [brief(label, _LONGEST) for label in labels]
    left = _LETTER * max(map(len, words), default=0) + 8.0
    room, top = _WIDTH - left - 60.0, max(max(values, default=0.0), 1e-300)
    parts = []
    for k, (word, value) in enumerate(zip(words, values, strict=True)):
        y, length = _LINE * k, max(room * value / top, 1.0)
        parts += [
            _text(left - 6.0, y + 12.5, word, "end"),
            f'<rect x="{left:.0f}" y="{y + 3:.0f}" width="{length:.1f}" height="11" fill="{LOWER}"/>',
            _text(left + length + 4.0, y + 12.5, in_digits(value)),
        ]
    return _picture(_WIDTH, _LINE * len(words), parts, what)


def course(upper: FloatArray, lower: FloatArray, limits: tuple[float, float], what: str) -> str:
    """Two bounds step by step, shape (k,) each with NaN where there is none, and the gap between them as an area.

    Args:
        upper: the one bound.
        lower: the other.
        limits: of the picture; what is beyond runs out of it.
        what: it shows, for who cannot see it.
    """
    height, margin = 90.0, 4.0
    low, high = limits
    span = (high - low) or 1.0
    across = np.linspace(margin, _WIDTH - margin, max(len(upper), 2))[: len(upper)]

    def places(values: FloatArray) -> list[tuple[float, float]]:
        down = margin + (height - 2.0 * margin) * (high - np.clip(values, low, high)) / span
        return [(x, y) for x, y in zip(across.tolist(), down.tolist(), strict=True) if math.isfinite(y)]

    over, under = places(upper), places(lower)
    parts = [
        f'<polygon points="{_points([*over, *under[::-1]])}" fill="{THIRD}" fill-opacity="0.18"/>',
        f'<polyline points="{_points(over)}" fill="none" stroke="{UPPER}" stroke-width="1.8"/>',
        f'<polyline points="{_points(under)}" fill="none" stroke="{LOWER}" stroke-width="1.8"/>',
    ]
    return _picture(_WIDTH, height, parts, what)


def gauge(gap: float) -> str:
    """A relative gap on a line from 1 to nothing, whose ends are a factor of ten to the eighth apart."""
    left, right, y = 16.0, _WIDTH - 16.0, 10.0
    parts = [f'<line x1="{left}" y1="{y}" x2="{right}" y2="{y}" stroke="currentColor" stroke-opacity="0.4"/>']
    for decade in range(0, _DECADES + 1, 2):
        x = left + (right - left) * decade / _DECADES
        parts.append(f'<line x1="{x:.0f}" y1="{y - 4}" x2="{x:.0f}" y2="{y + 4}" stroke="currentColor"/>')
        parts.append(_text(x, y + 18.0, "1" if decade == 0 else f"1e-{decade}", "middle"))
    share = min(max(-math.log10(gap) / _DECADES, 0.0), 1.0) if gap > 0.0 else 1.0
    parts.append(f'<circle cx="{left + (right - left) * share:.1f}" cy="{y}" r="5.5" fill="{UPPER}"/>')
    parts.append(_text(_WIDTH / 2.0, y + 35.0, "relative gap: the further right, the better", "middle"))
    return _picture(_WIDTH, 50.0, parts, f"relative gap {gap:.1e}")


def cells(values: FloatArray, names: Sequence[str], what: str) -> str:
    """A symmetric matrix (m, m) with names beside its rows: the larger a number the stronger its colour.

    A pointer that rests on a cell is told its row, its column and its number.

    Orange is positive and blue negative.
    """
    words = [brief(name, _LONGEST) for name in names]
    left, side = _LETTER * max(map(len, words), default=0) + 8.0, 15.0
    top = float(np.abs(values).max(initial=0.0)) or 1.0
    parts = [_text(left - 6.0, side * i + 11.5, word, "end") for i, word in enumerate(words)]
    parts += [
        f'<rect x="{left + side * j:.0f}" y="{side * i:.0f}" width="{side:.0f}" height="{side:.0f}" '
        f'fill="{UPPER if value > 0.0 else LOWER}" fill-opacity="{abs(value) / top:.2f}">'
        f"<title>{escape(f'{names[i]}, {names[j]}: {value:.3g}')}</title></rect>"
        for (i, j), value in np.ndenumerate(values)
    ]
    return _picture(left + side * len(values), side * len(values), parts, what)


def in_digits(value: float) -> str:
    """A weight or a share in three decimals; in two digits where it is small, whole where it is large."""
    if abs(value) < _NOTHING:
        return "0"
    return f"{value:.3f}" if 1e-2 <= abs(value) < 100.0 else plain(value, 2)


def brief(label: str, most: int) -> str:
    """A label of at most so many letters: the middle is left out, as a column's name may stand at the end."""
    if len(label) <= most:
        return label
    tail = most // 2
    return f"{label[: most - 1 - tail]}\N{HORIZONTAL ELLIPSIS}{label[-tail:]}"


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{escape(words)}</text>'


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _picture(width: float, height: float, parts: Sequence[str], what: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" style="max-width:100%;font:11px sans-serif">'
        f"<title>{escape(what)}</title>{''.join(parts)}</svg>"
    )
