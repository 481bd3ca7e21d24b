"""The printed table: what the paper has beside what was measured now."""

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.text import Text

from kernelopt.cli._layout import Column, Grid, Row
from kernelopt.cli.papers._definition import QUANTITIES, Table
from kernelopt.cli.papers._line import Line
from kernelopt.cli.papers._measure import Outcome
from kernelopt.cli.papers._work import RANDOM

_NOTHING = "-"
_IN_TENTHS = ("error", "training error", "accuracy", "support", "atoms", "steps")
_TIMES = ("seconds", "evaluation", "step")
"""Of times the median is shown: another program may have slowed down one of the solves."""


def show(table: Table, lines: Sequence[Line], seed: int) -> None:
    """Print the title, the lines, and below them what has to be known of them."""
    told = _told(table)
    columns, rows = _columns(table, told), [Row(_cells(table, told, line)) for line in lines]
    notes: dict[str, dict[str, None]] = {}
    for line in lines:
        for note in line.notes:
            notes.setdefault(note, {})[_called(table, line, note)] = None
    Console().print(
        Group(
            Text(f"{table.key}: {table.title}. {table.source}", style="bold"),
            Grid(columns, tuple(rows)),
            *(Text(f"{'; '.join(names)}: {note}") for note, names in notes.items()),
            Text(f"seed {seed}; {table.reading}"),
        )
    )


def _told(table: Table) -> frozenset[str]:
    """The quantities that the paper prints in numbers."""
    return frozenset(quantity for rows in table.sets for told in rows.paper.values() for quantity in told)


def _columns(table: Table, told: Container[str]) -> tuple[Column, ...]:
    several = len(table.methods) > 1
    names = ["set", *(["method"] if several else []), *([table.axis.title] if table.axis and _by_place(table) else [])]
    pairs = [
        title
        for name in table.show
        for title in ((f"paper: {QUANTITIES[name]}", "ours") if name in told else (QUANTITIES[name],))
    ]
    beside = ["RBF SVM"] if table.quality else []
    times = [] if "seconds" in table.show else ["CPU s"]
    gap = [] if "gap" in table.show else ["gap"]
    return (
        *(Column(name, names=True) for name in names),
        *(Column(name, number=True) for name in (*pairs, *beside, "splits", *times, *gap)),
    )


def _cells(table: Table, told: Container[str], line: Line) -> tuple[Text, ...]:
    several = len(table.methods) > 1
    names = [line.rows.name]
    if several:
        names.append(line.method.name)
    if _by_place(table):
        names.append(_value(table, line))
    cells: list[str] = []
    for quantity in table.show:
        cells += [_printed(line, quantity)] if quantity in told else []
        cells.append(mean(line.outcomes, quantity))
    if table.quality:
        cells.append(mean(line.rivals, table.quality))
    cells.append(line.why_empty or f"{line.done}")
    if "seconds" not in table.show:
        cells.append(mean(line.outcomes, "seconds"))
    if "gap" not in table.show:
        cells.append(mean(line.outcomes, "gap"))
    return tuple(Text(cell) for cell in (*names, *cells))


def _called(table: Table, line: Line, note: str) -> str:
    """Which line a note is of; the set alone where it is of all its lines."""
    if note == RANDOM or not line.wanted:
        return line.rows.name
    method = f", {line.method.name}" if len(table.methods) > 1 else ""
    place = f", {table.axis.title} {_value(table, line)}" if table.axis and _by_place(table) else ""
    return f"{line.rows.name}{method}{place}"


def _by_place(table: Table) -> bool:
    """Whether each place of the axis has its line."""
    return table.axis is not None and not table.averaged


def _value(table: Table, line: Line) -> str:
    value = table.places[line.place]
    return value if isinstance(value, str) else f"{value:g}"


def _printed(line: Line, quantity: str) -> str:
    """What the paper has."""
    told = line.rows.paper.get(line.method.name, {}).get(quantity)
    number = told[line.place] if told else None
    if number is None:
        return _NOTHING
    return _joined([value for value in number if value is not None], quantity)


def mean(outcomes: Sequence[Outcome], quantity: str) -> str:
    """What was measured: the mean and, of several, the standard deviation; of times the median; the largest gap."""
    values = [one.values[quantity] for one in outcomes if quantity in one.values]
    if not values:
        return _NOTHING
    if quantity == "gap":
        return f"{max(values):.1e}" + ("" if all(one.exact for one in outcomes) else " est.")
    if quantity in _TIMES:
        return _rounded(float(np.median(values)))
    return _joined([float(np.mean(values)), *([float(np.std(values, ddof=1))] if len(values) > 1 else [])], quantity)


def _joined(values: Sequence[float], quantity: str) -> str:
    """A number, and behind it its deviation."""
    return " ± ".join(f"{value:.1f}" if quantity in _IN_TENTHS else _rounded(value) for value in values)


def _rounded(value: float) -> str:
    """Three digits, and all those in front of the point."""
    return f"{value:.0f}" if abs(value) >= 100.0 else f"{value:.3g}"


def as_mapping(table: Table, lines: Sequence[Line]) -> dict[str, Any]:
    """The same for a program."""
    return {
        "table": table.key,
        "title": table.title,
        "source": table.source,
        "lines": [
            {
                "set": line.rows.name,
                "method": line.method.name,
                "place": table.places[line.place],
                "paper": _paper(line),
                "splits": [{**one.values, "status": one.status, "exact": one.exact} for one in line.outcomes],
                "rbf_svm": [dict(one.values) for one in line.rivals],
                "wanted": line.wanted,
                "notes": line.notes,
            }
            for line in lines
        ],
    }


def _paper(line: Line) -> dict[str, Any]:
    told = line.rows.paper.get(line.method.name, {})
    return {quantity: numbers[line.place] for quantity, numbers in told.items()}


def show_names(tables: Sequence[Table]) -> None:
    """Print every table's name with its title."""
    rows = [Row((Text(one.key), Text(one.title), Text(one.source.partition(")")[0] + ")"))) for one in tables]
    columns = Column("table", names=True), Column("what it shows"), Column("paper")
    Console().print(Grid(columns, tuple(rows)))
