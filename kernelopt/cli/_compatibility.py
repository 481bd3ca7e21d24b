"""`kernelopt compatibility`: families beside solvers, as the contracts answer."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from kernelopt._compatibility import Cell, Compatibility

_LEGEND = "(yes): by an exchange, which brings the solver the family's atoms. 9/10: with nine of ten criteria."


def show(table: Compatibility) -> None:
    """Print a row for each solver and a column for each family, and below them the reasons of refusals."""
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    grid.add_column("solver", overflow="fold")
    families = _names(table.cells, "family")
    for family in families:
        grid.add_column(family, overflow="fold")
    for solver in _names(table.cells, "solver"):
        grid.add_row(Text(solver, style="bold"), *(_word(table.of(family, solver)) for family in families))
    Console().print(Group(grid, Text(_LEGEND), *(Text(f"  {line}") for line in reasons(table))))


def _word(cells: Sequence[Cell]) -> Text:
    solved = [cell for cell in cells if cell.solves]
    if len(solved) < len(cells):
        return Text(f"{len(solved)}/{len(cells)}", style="yellow")
    return Text("(yes)", style="cyan") if all(cell.lifted for cell in cells) else Text("yes", style="green")


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
