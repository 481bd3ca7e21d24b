"""What notebooks show of an answer: a small table of names and values."""

from collections.abc import Iterable
from html import escape


def table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A table of HTML with a caption; everything in it is escaped."""
    lines = (
        f"<tr><th style='text-align:left;vertical-align:top'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows
    )
    caption = f"<caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>"
    return f"<table>{caption}<tbody>{''.join(lines)}</tbody></table>"
