"""`kernelopt compatibility`: families beside solvers, as the contracts answer."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kernelopt._api._compatibility import Cell, Compatibility

_LEGEND = (
    "(yes): some by an exchange, which brings the solver the family's atoms. 9/11: with so many of the criteria, and "
    "the reasons of the others are below."
)
_GAP = 2


def show(table: Compatibility) -> None:
    """Print a row for each solver and a column for each family, and below them the reasons of refusals."""
    console = Console()
    solvers = _names(table.cells, "solver")
    room = console.width - max(map(len, solvers), default=0) - _GAP
    grids = [_grid(table, solvers, families) for families in _parts(_names(table.cells, "family"), room)]
    console.print(Group(*grids, Text(_LEGEND), *(Padding(Text(line), (0, 0, 0, 2)) for line in reasons(table))))


def _parts(names: Sequence[str], room: int) -> Iterator[tuple[str, ...]]:
    """The names in parts that fit beside each other."""
    part: tuple[str, ...] = ()
    for name in names:
        if part and sum(max(len(one), 5) + _GAP for one in (*part, name)) > room:
            yield part
            part = ()
        part = (*part, name)
    yield part


def _grid(table: Compatibility, solvers: Sequence[str], families: Sequence[str]) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, _GAP - 1, 0, 0), show_edge=False)
    for column in ("solver", *families):
        grid.add_column(column, overflow="fold")
    for solver in solvers:
        grid.add_row(Text(solver, style="bold"), *(_word(table.of(family, solver)) for family in families))
    return grid


def _word(cells: Sequence[Cell]) -> Text:
    solved = [cell for cell in cells if cell.solves]
    if len(solved) < len(cells):
        return Text(f"{len(solved)}/{len(cells)}", style="yellow")
    return Text("(yes)", style="cyan") if any(cell.lifted for cell in cells) else Text("yes", style="green")


def _names(cells: Sequence[Cell], what: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(getattr(cell, what) for cell in cells))


def reasons(table: Compatibility) -> Iterator[str]:
    """One sentence for each reason: the solvers, criteria and families that it stands between."""
    criteria = _gathered(((_why(cell), cell.family, cell.solver), cell.criterion) for cell in table.refused)
    solvers = _gathered(((why, family, names), solver) for (why, family, solver), names in criteria.items())
    families = _gathered(((why, names, among), family) for (why, family, names), among in solvers.items())
    for (why, names, among), whose in families.items():
        words = (_listed(among, table, "solver"), _listed(names, table, "criterion"), _listed(whose, table, "family"))
        yield "{} with {} for {}: {}".format(*words, why)


def _why(cell: Cell) -> str:
    """The reason without the names that it begins with."""
    return (cell.reason or "").split(": ", 1)[-1]


def _gathered(pairs: Iterable[tuple[tuple[Any, ...], str]]) -> dict[tuple[Any, ...], tuple[str, ...]]:
    """All names that stand with one key."""
    found: dict[tuple[Any, ...], tuple[str, ...]] = {}
    for key, name in pairs:
        found[key] = (*found.get(key, ()), name)
    return found


def _listed(names: Sequence[str], table: Compatibility, what: str) -> str:
    """These names, or "every solver" where they are all of several."""
    known = _names(table.cells, what)
    return f"every {what}" if len(names) == len(known) > 1 else ", ".join(names)


def as_mapping(table: Compatibility) -> dict[str, Any]:
    """Every combination for a program."""
    return {"cells": [{**attrs.asdict(cell), "solves": cell.solves} for cell in table]}
