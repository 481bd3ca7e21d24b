"""A table run again, line by line."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import attrs

from kernelopt._base._errors import InvalidData, KerneloptError
from kernelopt.cli.papers._data import Data, found, splits
from kernelopt.cli.papers._definition import EACH, Rows, Table
from kernelopt.cli.papers._ledger import Ledger
from kernelopt.cli.papers._line import Asked, Line
from kernelopt.cli.papers._work import Tell, Work
from kernelopt.sklearn._beside import Split

QUICK = 3
"""So many values of a grid, and places of an axis, are left by --quick."""


def quickened(table: Table) -> Table:
    """The table for a first look: two folds on one split choose among three values."""
    methods = tuple(
        attrs.evolve(one, grid={path: values[:: math.ceil(len(values) / QUICK)] for path, values in one.grid.items()})
        for one in table.methods
    )
    on = EACH if table.protocol.on == EACH else 1
    return attrs.evolve(table, protocol=attrs.evolve(table.protocol, folds=2, on=on), methods=methods)


def lines(table: Table, ledger: Ledger, asked: Asked, tell: Tell) -> Iterator[Line]:
    """Every line of the table, each when it is there.

    Raises:
        KeyboardInterrupt: the user has enough; what was measured is in the file.
    """
    for rows in table.sets:
        try:
            data, parts = _held(table, rows, asked)
        except KerneloptError as error:
            yield from _without(table, rows, asked, f"not run: {error}")
            continue
        for method in table.tried_on(rows):
            places = _along(partial(Work, table, rows, method, data, parts, ledger, asked, tell), table, asked)
            if table.averaged:
                yield Line.averaged(list(places))
            else:
                yield from places


def _along(work: Callable[..., Work], table: Table, asked: Asked) -> Iterator[Line]:
    """The lines of a method along the axis, each beginning when the one before is there."""
    before = None
    for place in range(len(table.places[: asked.places])):
        before = work(place=place, before=before if table.followed else None)
        yield before.line()


def _held(table: Table, rows: Rows, asked: Asked) -> tuple[Data, list[Split]]:
    """The data of a set, and the splits."""
    if rows.data is None:
        raise InvalidData(f"{rows.reason}")
    data = found(rows)
    return data, splits(data, rows, table.protocol, asked.splits, asked.seed)


def _without(table: Table, rows: Rows, asked: Asked, why: str) -> Iterator[Line]:
    """The lines of a set that cannot be run: the paper's numbers, and once the reason."""
    places = 1 if table.averaged else len(table.places[: asked.places])
    notes: tuple[str, ...] = (why,)
    for method in table.tried_on(rows):
        for place in range(places):
            yield Line(rows, method, place, notes=notes)
            notes = ()
