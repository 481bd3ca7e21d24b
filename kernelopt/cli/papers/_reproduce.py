"""From what was typed to the lines of a table."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from kernelopt._base._errors import InvalidOption
from kernelopt.cli.papers._definition import Table
from kernelopt.cli.papers._ledger import Ledger
from kernelopt.cli.papers._line import Asked, Line
from kernelopt.cli.papers._run import QUICK, lines, quickened
from kernelopt.cli.papers._work import Tell

_QUICK_SPLITS = 2


def narrowed(
    table: Table, sets: Sequence[str], methods: Sequence[str], folds: int | None, chosen_on: int | None, *, quick: bool
) -> Table:
    """The table with these sets and methods alone, and with another way to choose.

    Raises:
        InvalidOption: the table has no such set or method, or a number is out of its range.
    """
    _require("--sets", sets, [one.name for one in table.sets])
    _require("--methods", methods, [one.name for one in table.methods])
    found = quickened(table) if quick else table
    others: dict[str, Any] = {"folds": folds, "on": chosen_on}
    protocol = attrs.evolve(found.protocol, **{key: value for key, value in others.items() if value is not None})
    kept = tuple(one for one in found.methods if not methods or one.name in methods)
    names = {one.name for one in kept}
    chosen = (
        attrs.evolve(
            rows,
            methods=tuple(name for name in rows.methods if name in names),
            paper={name: told for name, told in rows.paper.items() if name in names},
        )
        for rows in found.sets
        if (not sets or rows.name in sets) and (not rows.methods or not names.isdisjoint(rows.methods))
    )
    return attrs.evolve(found, protocol=protocol, methods=kept, sets=tuple(chosen))


def _require(option: str, asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            raise InvalidOption(f"{option}: the table has no {name!r}; it has {', '.join(known)}")


def asked(table: Table, splits: int | None, minutes: float, seed: int, *, quick: bool) -> Asked:
    """How much of it is run.

    Raises:
        InvalidOption: a number is out of its range.
    """
    if splits is not None and splits < 1:
        raise InvalidOption(f"--splits: got {splits}, wanted 1 or more")
    if not minutes > 0.0:
        raise InvalidOption(f"--minutes: got {minutes:g}, wanted a number above 0")
    most = min(table.protocol.splits, _QUICK_SPLITS) if quick else table.protocol.splits
    return Asked(most if splits is None else splits, minutes, seed, QUICK if quick else None)


def collected(table: Table, out: Path, asked: Asked, *, watched: bool) -> tuple[list[Line], bool]:
    """The lines of the table, and whether Ctrl-C ended it before its end.

    Raises:
        InvalidOption: the file cannot be written, or holds something else.
    """
    ledger = Ledger.at(out)
    found: list[Line] = []
    with _watching(wanted=watched) as tell, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what new rows have that the training rows had not is the paper's affair
        try:
            found.extend(lines(table, ledger, asked, tell))  # what there is stays where it ends early
        except KeyboardInterrupt:
            return found, True
    return found, False


@contextmanager
def _watching(*, wanted: bool) -> Iterator[Tell]:
    """A live line on stderr that tells what is under way, or nothing where it is not wanted."""
    if not wanted:
        yield lambda _words: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("reading the data") as status:
        yield lambda words: status.update(escape(words))
