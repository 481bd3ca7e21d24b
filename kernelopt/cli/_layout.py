"""Tables that break no word: a grid where all words fit beside each other, else a few lines for each row."""

from collections.abc import Sequence

import attrs
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_BETWEEN = 3
"""Blanks between two columns of a grid."""
_EDGES = 2
"""Blanks around it."""
_INDENT = 2
"""Blanks before what is said of a row where there is no grid."""


@attrs.frozen
class Column:
    """A column.

    Attributes:
        title: above it.
        number: whether it holds numbers, which stand to the right and are kept in one line.
        names: whether it says what the row is about.
    """

    title: str
    number: bool = False
    names: bool = False


@attrs.frozen(eq=False)
class Row:
    """A row: a cell for each column, and the style of all of them."""

    cells: tuple[Text, ...]
    style: str = ""


@attrs.frozen(eq=False)
class Grid:
    """Rows and columns, laid out when it is known how wide the paper is."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A table, or a few lines for each row."""
        widths = self._widths(options.max_width)
        if widths:
            yield self._table(widths)
            return
        yield Text(", ".join(column.title for column in self.columns if column.names), style="dim")
        yield from (self._lines(row, options.max_width) for row in self.rows)

    def _widths(self, room: int) -> list[int]:
        """Of the columns; none where the longest words of all do not fit beside each other."""
        cells = [[column.title, *(row.cells[j].plain for row in self.rows)] for j, column in enumerate(self.columns)]
        most = [max(cell_len(line) for text in texts for line in text.splitlines() or [""]) for texts in cells]
        words = [max(cell_len(word) for text in texts for word in text.split() or [""]) for texts in cells]
        least = [most[j] if column.number else words[j] for j, column in enumerate(self.columns)]
        room -= _BETWEEN * (len(self.columns) - 1) + _EDGES
        if sum(least) > room:
            return []
        while sum(most) > room:
            widest = max((j for j in range(len(most)) if most[j] > least[j]), key=most.__getitem__)
            most[widest] -= 1
        return most

    def _table(self, widths: Sequence[int]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False)
        for column, width in zip(self.columns, widths, strict=True):
            table.add_column(column.title, justify="right" if column.number else "left", width=width)
        for row in self.rows:
            table.add_row(*row.cells, style=row.style)
        return table

    def _lines(self, row: Row, room: int) -> Group:
        """The names of a row in a line, and below it every other cell behind its title, as many in a line as fit."""
        pairs = list(zip(self.columns, row.cells, strict=True))
        name = Text(", ").join([cell for column, cell in pairs if column.names])
        name.stylize("bold")
        lines: list[Text] = []
        for column, cell in pairs:
            if column.names:
                continue
            told = Text.assemble(f"{column.title} ", Text("; ").join(cell.split("\n")))
            both = Text("; ").join([*lines[-1:], told])
            if lines and both.cell_len <= room - _INDENT:
                lines[-1] = both
            else:
                lines.append(told)
        return Group(name, *(Padding(line, (0, 0, 0, _INDENT)) for line in lines))
