"""What notebooks show of an answer: small tables, with small pictures beside them."""

from collections.abc import Iterable, Sequence
from html import escape

import attrs

_LEFT = "text-align:left;vertical-align:top;padding-right:1em"
_WITHIN = "overflow-x:auto;max-width:100%;min-width:0"
"""What is wider than the screen, as on a phone, is scrolled by itself, and the page stays as wide as the screen."""


@attrs.frozen
class Cell:
    """One cell of a grid.

    Attributes:
        words: in it.
        colour: behind them, of CSS; "" for none.
        hint: what a pointer that rests on it is told.
    """

    words: str
    colour: str = ""
    hint: str = ""

    @property
    def html(self) -> str:
        colour = f";background:{self.colour}" if self.colour else ""
        hint = f' title="{escape(self.hint)}"' if self.hint else ""
        return f'<td style="{_LEFT}{colour}"{hint}>{escape(self.words)}</td>'


def table(title: str, rows: Iterable[tuple[str, str]], pictures: Iterable[str] = ()) -> str:
    """A table of names and values with a caption, and pictures beside it; all words are escaped."""
    lines = (
        f'<tr><th style="{_LEFT}">{escape(name)}</th><td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in rows
    )
    return _beside(f"{_caption(title)}<tbody>{''.join(lines)}</tbody>", pictures)


def grid(title: str, head: Sequence[str], rows: Iterable[Sequence[Cell]], pictures: Iterable[str] = ()) -> str:
    """A table with a line of titles above its columns."""
    above = "".join(f'<th style="{_LEFT}">{escape(word)}</th>' for word in head)
    lines = (f"<tr>{''.join(cell.html for cell in row)}</tr>" for row in rows)
    body = f"<thead><tr>{above}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return _beside(f"{_caption(title)}{body}", pictures)


def folded(title: str, lines: Sequence[str]) -> str:
    """Lines that open where somebody presses their title; nothing where there are none."""
    points = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<details><summary>{escape(title)}</summary><ul>{points}</ul></details>" if lines else ""


def _caption(title: str) -> str:
    return f'<caption style="text-align:left;font-weight:bold">{escape(title)}</caption>'


def _beside(rows: str, pictures: Iterable[str]) -> str:
    table = _scrolled(f"<table>{rows}</table>")
    shown = "".join(map(_scrolled, filter(None, pictures)))
    if not shown:
        return table
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em 2em;align-items:flex-start">{table}{shown}</div>'


def _scrolled(part: str) -> str:
    return f'<div style="{_WITHIN}">{part}</div>'
